"""``python -m tests.programs --count 300 --seed 0 --oracle``: random programs under real MindSpore and ours, and a
table of what differs.

Without --oracle only ours runs, and its modes are compared with each other. ``--show SEED`` prints a program, ``--only
SEED …`` runs these. Real's results are kept in --store and used again by a run without --oracle.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.programs.compare import difference
from tests.programs.generate import Program, program_of, write
from tests.programs.runner import MODES, run

KINDS = ("agree", "python", "graph", "differ", "refused")


def outcomes(
    programs: Sequence[Program], oracle: bool, store: Path | None, chunk: int = 40
) -> dict[int, dict[str, Any]]:
    """{seed: {"pynative real": what the worker said, …}}; "python real" is PYNATIVE_MODE without ``jit``."""
    found: dict[int, dict[str, Any]] = {program.seed: {} for program in programs}
    if store and store.exists() and not oracle:
        kept = {int(seed): results for seed, results in json.loads(store.read_text()).items()}
        found.update({seed: dict(kept[seed]) for seed in found if seed in kept})
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(programs), chunk):
            part = programs[start : start + chunk]
            plain = [program.as_python for program in part if program.as_python != program]
            for key, mode, chosen, real in (
                ("pynative ours", "pynative", part, False),
                ("graph ours", "graph", part, False),
                ("pynative real", "pynative", part, True),
                ("graph real", "graph", part, True),
                ("python real", "pynative", plain, True),
            ):
                if oracle or not real:
                    names = dict(zip(write(chosen, Path(folder, key.replace(" ", "_"))), chosen))
                    for name, result in run(list(names), mode, real=real).items():
                        found[names[name].seed][key] = result
            if oracle:
                _again_alone(part, found, Path(folder))
            print(f"{start + len(part)} programs", flush=True)
            if oracle and store:
                kept = json.loads(store.read_text()) if store.exists() else {}
                kept.update(
                    {
                        program.seed: {key: value for key, value in found[program.seed].items() if key.endswith("real")}
                        for program in part
                    }
                )
                store.write_text(json.dumps(kept))
    return found


def _again_alone(programs: Sequence[Program], found: dict[int, dict[str, Any]], folder: Path) -> None:
    """Where ours differs, real once more in a process of its own: it may have taken what another program left."""
    for mode in MODES:
        differing = [
            program for program in programs if verdict(program, found[program.seed], mode).split(":")[0] not in KINDS
        ]
        names = dict(zip(write(differing, folder / "alone"), differing))
        for name, result in run(list(names), mode, real=True, alone=True).items():
            found[names[name].seed][f"{mode} real"] = result


def verdict(program: Program, results: dict[str, Any], mode: str) -> str:
    """ "agree"; "refused: …" by real; "python" where ours follows Python and real what it compiled; "graph" where
    real's modes differ in a derivative, and ours is real's graph mode (real's PYNATIVE_MODE loses a term there); or
    what differs.
    """
    real, ours = results.get(f"{mode} real"), results[f"{mode} ours"]
    tolerance = 1e-4 if program.dimensions["precision"] == "float32" else 2e-2
    if real is None:
        return (difference(ours, results["pynative ours"], tolerance) or "agree") if mode == "graph" else "agree"
    if real["error"] and not any(label.startswith("1 loss") for label, _, _ in real["values"]):
        return "refused: " + real["error"]
    said = difference(ours, real, tolerance)
    if said is None:
        return "agree"
    others = {
        "python": ["python real"] + ["pynative real"] * (mode == "graph"),
        "graph": ["graph real"] * (mode == "pynative"),
    }
    for kind, keys in others.items():
        for key in keys:
            if (
                key in results
                and not results[key]["error"]
                and difference(ours, results[key], tolerance) is None
                and (kind == "python" or program.dimensions["derivative"] != "none")
            ):
                return kind
    return said


def table(programs: list[Program], verdicts: dict[tuple[int, str], str]) -> str:
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for program in programs:
        for mode in MODES:
            kind = verdicts[program.seed, mode].split(":")[0]
            kind = kind if kind in KINDS else "differ"
            for dimension, value in (*program.dimensions.items(), ("all", "")):
                counts[dimension, value, mode, kind] += 1
    heads = " / ".join(KINDS)
    lines = [f"| dimension | value | PYNATIVE_MODE: {heads} | GRAPH_MODE: {heads} |", "|---|---|---|---|"]
    for dimension, value in sorted({key[:2] for key in counts}):
        cells = [" / ".join(str(counts[dimension, value, mode, kind]) for kind in KINDS) for mode in MODES]
        lines.append(f"| {dimension} | {value} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--oracle", action="store_true", help="run real MindSpore too")
    parser.add_argument("--store", type=Path, help="file that keeps real's results")
    parser.add_argument("--only", type=int, nargs="+", help="these seeds")
    parser.add_argument("--show", type=int, help="print this program and end")
    parser.add_argument("--refused", action="store_true", help="list what real refuses, too")
    options = parser.parse_args()
    if options.show is not None:
        print(program_of(options.show).source)
        return
    programs = [program_of(seed) for seed in options.only or range(options.seed, options.seed + options.count)]
    found = outcomes(programs, options.oracle, options.store)
    verdicts = {
        (program.seed, mode): verdict(program, found[program.seed], mode) for program in programs for mode in MODES
    }
    for program in programs:
        for mode in MODES:
            said = verdicts[program.seed, mode]
            if said.split(":")[0] not in KINDS or (options.refused and said.startswith("refused")):
                print(f"{program.seed} {mode}: {said}\n    {program.dimensions}")
    print(table(programs, verdicts))


if __name__ == "__main__":
    main()
