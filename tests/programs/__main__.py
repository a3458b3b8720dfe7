"""``python -m tests.programs --count 300 --seed 0 --oracle``: random programs under real MindSpore and ours, and a table of what differs.

Without --oracle only ours runs, and its modes are compared with each other. ``--show SEED`` prints a program, ``--only SEED …`` runs these.
Real's results are kept in --store and used again by a run without --oracle.
"""
from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.programs.compare import difference
from tests.programs.generate import Program, program_of, write
from tests.programs.runner import MODES, run

_LOOSE = {"float32": 1e-4}


def outcomes(programs: list[Program], oracle: bool, store: Path | None, chunk: int = 40) -> dict[int, dict[str, Any]]:
    """{seed: {"pynative real": what the worker said, …}}."""
    found: dict[int, dict[str, Any]] = {program.seed: {} for program in programs}
    if store and store.exists():
        kept = {int(seed): results for seed, results in json.loads(store.read_text()).items()}
        found.update({seed: dict(kept[seed]) for seed in found if seed in kept})
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(programs), chunk):
            part = programs[start:start + chunk]
            names = dict(zip(write(part, Path(folder)), part))
            for mode in MODES:
                for real in (True, False) if oracle else (False,):
                    for name, result in run(list(names), mode, real=real).items():
                        found[names[name].seed][f"{mode} {'real' if real else 'ours'}"] = result
            print(f"{start + len(part)} programs", flush=True)
    if oracle and store:
        kept = json.loads(store.read_text()) if store.exists() else {}
        kept.update({seed: {key: value for key, value in results.items() if key.endswith("real")} for seed, results in found.items()})
        store.write_text(json.dumps(kept))
    return found


def verdict(program: Program, results: dict[str, Any], mode: str) -> str:
    """"agree", "refused: …" (by real), or what differs."""
    real = results.get(f"{mode} real")
    if real is None:
        return difference(results["graph ours"], results["pynative ours"]) or "agree" if mode == "graph" else "agree"
    if real["error"] and not any(label.startswith("1 loss") for label, _, _ in real["values"]):
        return "refused: " + real["error"]
    return difference(results[f"{mode} ours"], real, _LOOSE.get(program.dimensions["precision"], 2e-2)) or "agree"


def table(programs: list[Program], verdicts: dict[tuple[int, str], str]) -> str:
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for program in programs:
        for mode in MODES:
            kind = verdicts[program.seed, mode].split(":")[0]
            kind = kind if kind in ("agree", "refused") else "differ"
            for dimension, value in (*program.dimensions.items(), ("all", "")):
                counts[dimension, value, mode, kind] += 1
    lines = ["| dimension | value | PYNATIVE agree / differ / refused by real | GRAPH agree / differ / refused |", "|---|---|---|---|"]
    for dimension, value in sorted({key[:2] for key in counts}):
        cells = [" / ".join(str(counts[dimension, value, mode, kind]) for kind in ("agree", "differ", "refused")) for mode in MODES]
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
    verdicts = {(program.seed, mode): verdict(program, found[program.seed], mode) for program in programs for mode in MODES}
    for program in programs:
        for mode in MODES:
            said = verdicts[program.seed, mode]
            if said != "agree" and (options.refused or not said.startswith("refused")):
                print(f"{program.seed} {mode}: {said}\n    {program.dimensions}")
    print(table(programs, verdicts))


if __name__ == "__main__":
    main()
