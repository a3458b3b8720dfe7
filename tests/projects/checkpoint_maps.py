"""Every shipped checkpoint map on the networks it is for (map_networks.py), and the table of docs/checkpoints.md:

    python -m tests.projects.checkpoint_maps --mindcv CHECKOUT --models CHECKOUT [--python PYTHON] [CASE ...]
    python -m tests.projects.checkpoint_maps --write       # the table from the kept results

PYTHON has torchvision, timm and transformers beside torch, and what the projects import (tests/projects). A case that
holds also leaves its names in tests/golden/maps, which tests/train/test_checkpoint_maps.py compares with what the maps
make.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RESULTS = HERE / "results_maps.json"
PAGE = ROOT / "docs/checkpoints.md"
NAMES = ROOT / "tests/golden/maps"
MARKS = ("<!-- made by tests/projects/checkpoint_maps.py -->", "<!-- end -->")
LARGEST = 1e-5  # relative to the largest output, in float64


def run(case: str, mindcv: str, models: str, python: str = sys.executable) -> dict[str, Any]:
    """What `map_networks.prove` gives in a process of its own; RuntimeError with what the process said, if it fails."""
    process = subprocess.run(
        [
            python,
            "-m",
            "mindspore_compat",
            str(HERE / "map_networks.py"),
            case,
            os.path.abspath(mindcv),
            os.path.abspath(models),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if process.returncode:
        raise RuntimeError(f"{case}: {process.stderr[-2000:]}")
    return json.loads(process.stdout.splitlines()[-1])


def fault(result: dict[str, Any]) -> str:
    """What is wrong with a result, or nothing."""
    worst = max(row["in float64"] for row in result["rows"])
    return (
        ""
        if worst <= LARGEST and result["back"]
        else f"difference {worst}, way back {'equal' if result['back'] else 'other'}"
    )


def table(results: dict[str, Any]) -> str:
    """The page's table."""
    lines = [
        "| map | from | to | tensors | numbers | input | difference, as made | with `match_arithmetic` | in float64 | "
        "and back |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for result in sorted(results.values(), key=lambda one: (one["map"], one["case"])):
        sizes = [f"{row['size']}²" if row["size"] else "text" for row in result["rows"]]
        kept = result["not in the file on the way back"]
        lines.append(
            f"| `{result['map']}` | {result['network']} | {result['torch']} | {result['tensors']} | "
            f"{result['elements']:,} | {', '.join(sizes)} | "
            + "".join(
                f"{', '.join(_short(row[key]) for row in result['rows'])} | "
                for key in ("as it is", "matched", "in float64")
            )
            + f"{'equal' if result['back'] else 'OTHER'}{f', {chr(44).join(kept)} by the network' if kept else ''} |"
        )
    return "\n".join(lines)


def _short(number: float) -> str:
    return f"{number:.1e}" if number else "0"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--mindcv")
    parser.add_argument("--models")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    if not options.write:
        from .map_networks import CASES

        for case in options.cases or CASES:
            result = run(case, options.mindcv, options.models, options.python)
            names, wrong = result.pop("names"), fault(result)
            print(f"{case}: {wrong or 'holds'}", flush=True)
            results[case] = result
            first = next(other for other, one in CASES.items() if one.map == result["map"])
            if not wrong and case == first:
                (NAMES / f"{result['map']}.txt").write_text("\n".join(names) + "\n")
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    page = PAGE.read_text()
    before, rest = page.split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + "\n" + table(results) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])
    return int(any(fault(result) for result in results.values()))


if __name__ == "__main__":
    sys.exit(main())
