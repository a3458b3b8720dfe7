"""Every shipped map of a language model on the network it is for (language_networks.py), and the second table of
docs/checkpoints.md:

    python -m tests.projects.language_maps --sources FOLDER [--python PYTHON] [CASE ...]
    python -m tests.projects.language_maps --write       # the table from the kept results

FOLDER holds the projects as `language_networks.SOURCES` names them: `git archive` of MindFormers' tags, the wheels of
the others unpacked; mindone-0.5.0 also transformers 4.57.1, tokenizers 0.22.1, huggingface_hub 0.36.0, datasets 4.0.0,
dill 0.3.8 and multiprocess 0.70.16. PYTHON has transformers beside torch, NumPy 2 and what the projects import (mindpet
without its dependencies). A case that holds also leaves
its names in tests/golden/maps, which tests/train/test_checkpoint_maps.py compares with what the maps make.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from .checkpoint_maps import HERE, LARGEST, NAMES, PAGE, ROOT

RESULTS = HERE / "results_language_maps.json"
MARKS = ("<!-- made by tests/projects/language_maps.py -->", "<!-- end of language models -->")


def run(case: str, sources: str, python: str = sys.executable) -> dict[str, Any]:
    """Return what `language_networks.prove` gives in a process of its own; RuntimeError with its stderr if it fails."""
    with tempfile.TemporaryDirectory() as folder:  # where MindFormers leaves its logs
        process = subprocess.run(
            [python, "-m", "mindspore_compat", str(HERE / "language_networks.py"), case, os.path.abspath(sources)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=600,
        )
    if process.returncode:
        raise RuntimeError(f"{case}: {process.stderr[-2000:]}")
    return json.loads(process.stdout.splitlines()[-1])


def fault(result: dict[str, Any]) -> str:
    """Return what is wrong with a result, or nothing."""
    wrong = [f"difference {result['difference']}"] if result["difference"] > LARGEST else []
    wrong += [f"tokens {result['tokens']}"] if result["tokens"] != 20 else []
    return ", ".join(wrong + ["way back other"] * (not result["back"]))


def table(results: dict[str, Any]) -> str:
    """Return the page's table."""
    lines = [
        "| map | from | to transformers' | tensors | numbers | difference of logits | greedy tokens equal | and back |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in sorted(results.values(), key=lambda one: (one["map"], one["case"])):
        lines.append(
            f"| `{row['map']}` | {row['from']} | {row['to']} | {row['tensors']} | {row['elements']:,} | "
            f"{row['difference']:.1e} | {row['tokens']} | {'equal' if row['back'] else 'OTHER'}{_kept(row)} |"
        )
    return "\n".join(lines)


def _kept(row: dict[str, Any]) -> str:
    return f", {', '.join(row['by the network'])} by the network" if row["by the network"] else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--sources")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    if not options.write:
        from .language_networks import CASES

        for case in options.cases or CASES:
            result = run(case, options.sources, options.python)
            names, wrong = result.pop("names"), fault(result)
            print(f"{case}: {wrong or 'holds'}", flush=True)
            results[case] = result
            first = next(other for other, one in CASES.items() if one.map == result["map"])
            if not wrong and case == first:
                sizes = CASES[case].rules
                head = [f"sizes {json.dumps(sizes)}"] if sizes else []
                (NAMES / f"{result['map']}.txt").write_text("\n".join(head + names) + "\n")
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    page = PAGE.read_text()
    before, rest = page.split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + "\n" + table(results) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])
    return int(any(fault(result) for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
