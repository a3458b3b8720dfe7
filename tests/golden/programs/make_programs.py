"""Writes what real MindSpore gives for programs of tests/programs: random.json.gz, python.json.gz and
derivatives.json.gz.

Run: ``python -m tests.golden.programs.make_programs random --store FILE`` (FILE is what ``python -m tests.programs
--oracle --store FILE`` kept), ``… python`` or ``… derivatives``; each of the programs by hand runs in a process of its
own, because real MindSpore takes a forward that an earlier program left where a new Cell got its address.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from tests.programs import written
from tests.programs.__main__ import verdict
from tests.programs.generate import Program, program_of
from tests.programs.runner import MODES, run

HERE = Path(__file__).parent
SAMPLE = 60


def sample(store: dict[str, Any]) -> list[Program]:
    """Programs that real runs in both modes, and ours equals: as many values of all dimensions as can be."""
    left = [program_of(int(seed)) for seed, results in store.items() if _is_good(program_of(int(seed)), results)]
    chosen: list[Program] = []
    seen: dict[tuple[str, str], int] = {}
    while left and len(chosen) < SAMPLE:
        best = max(left, key=lambda program: sum(0.25 ** seen.get(item, 0) for item in program.dimensions.items()))
        left.remove(best)
        chosen.append(best)
        for item in best.dimensions.items():
            seen[item] = seen.get(item, 0) + 1
    return sorted(chosen, key=lambda program: program.seed)


def _is_good(program: Program, results: dict[str, Any]) -> bool:
    if any(results.get(f"{mode} {who}", {"error": "not run"})["error"] for mode in MODES for who in ("real", "ours")):
        return False
    said = [verdict(program, results, mode) for mode in MODES]
    return said[0] == "agree" and said[1] in ("agree", "python")


def _write(name: str, content: Any) -> None:
    (HERE / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0))
    print(name, len(content))


def _values(result: dict[str, Any], skipped: str = " opt:") -> list[Any]:
    return [value for value in result["values"] if skipped not in value[0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["random", "python", "derivatives"])
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    if options.what == "random":
        store = json.loads(options.store.read_text())
        _write(
            "random",
            {
                program.seed: {
                    mode: store[str(program.seed)][f"{mode} real"]["values"]
                    for mode in MODES
                    if verdict(program, store[str(program.seed)], mode) == "agree"
                }
                for program in sample(store)
            },
        )
    elif options.what == "python":
        found = run(written.python_programs(), "pynative", real=True, alone=True)
        _write("python", {name.split(":")[1]: _values(result) for name, result in found.items() if not result["error"]})
    else:
        programs = written.derivative_programs(every=7)
        _write(
            "derivatives",
            {
                mode: {
                    name.split(":")[1]: _values(result, "formula")
                    for name, result in run(programs, mode, real=True).items()
                    if not result["error"]
                }
                for mode in MODES
            },
        )


if __name__ == "__main__":
    main()
