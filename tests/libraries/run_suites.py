"""Runs libraries' own tests under two interpreters: ``python run_suites.py --libraries FOLDER --work FOLDER
[--ours PYTHON] [--real PYTHON] [--only LIBRARY...]`` writes results/suite_LIBRARY.json (counts, and each test that real
MindSpore passes and this package does not, with the first line of its error).

A suite runs in a copy of the checkout. Both interpreters need the library's own requirements and pytest.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def run(library: str, suite: dict[str, Any], side: str, given: argparse.Namespace) -> dict[str, tuple[str, str]]:
    """{test: (outcome, error)}."""
    checkout = given.work / side / suite.get("library", library)
    if not checkout.exists():
        shutil.copytree(given.libraries / checkout.name, checkout, ignore=shutil.ignore_patterns(".git"))
    python = given.ours if side == "ours" else given.real
    home = given.work / side / "home"
    home.mkdir(exist_ok=True)
    # alone: this repository's folders are not for the library to see
    alone = given.work / "alone"
    alone.mkdir(parents=True, exist_ok=True)
    (alone / "mindspore_compat").unlink(missing_ok=True)
    (alone / "mindspore_compat").symlink_to(HERE.parents[1] / "mindspore_compat")
    outcomes = given.work / f"{side}-{library}.jsonl"
    outcomes.unlink(missing_ok=True)
    env = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "HF_HUB_OFFLINE": "1", "OUTCOMES": str(outcomes)}
    env.update(HOME=str(home), PATH=f"{commands(side, python, given.work)}{os.pathsep}{os.environ['PATH']}")
    paths = [str(HERE), *(str(checkout / path) for path in suite.get("paths", [""]))]
    env.update(suite.get("environment", {}))
    if side == "ours":
        env["OUTCOMES_OURS"] = "1"
        paths.insert(1, str(alone))
    else:
        env.update(GLOG_v="3", ONEDNN_MAX_CPU_ISA="AVX2")
    env["PYTHONPATH"] = os.pathsep.join(paths)
    for command in suite.get("prepare", ()):
        words = command.format(here=HERE, checkout=checkout, home=home).split()
        subprocess.run(["python", *words], cwd=checkout, env=env, check=True)
    words = [
        python,
        "-m",
        "pytest",
        "-p",
        "outcomes",
        "-q",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    words += [*suite["tests"], *(f"--ignore={path}" for path in suite.get("ignore", ()))]
    with open(given.work / f"{side}-{library}.log", "w", encoding="utf-8") as log:
        subprocess.run(words, cwd=checkout, env=env, stdout=log, stderr=subprocess.STDOUT, check=False)
    return read(outcomes)


def commands(side: str, python: str, work: Path) -> Path:
    """A folder with ``python``, for tests that start programs: with this package as ``mindspore``, or with real MindSpore."""
    script = work / side / "bin" / "python"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(f'#!/bin/sh\nexec {python} {"-m mindspore_compat" if side == "ours" else ""} "$@"\n')
    script.chmod(0o755)
    return script.parent


def read(outcomes: Path) -> dict[str, tuple[str, str]]:
    """What the plugin wrote."""
    found: dict[str, tuple[str, str]] = {}
    for line in outcomes.read_text(encoding="utf-8").splitlines() if outcomes.exists() else ():
        row = json.loads(line)
        if found.get(row["test"], ("",))[0] != "failed":  # a failed teardown counts
            found[row["test"]] = (row["outcome"], row["text"])
    return found


def summary(ours: dict[str, tuple[str, str]], real: dict[str, tuple[str, str]]) -> dict[str, Any]:
    passed = [test for test, (outcome, _) in real.items() if outcome == "passed"]
    differing = {test: ours.get(test, ("", "not collected")) for test in passed}
    return {
        "ours": Counter(outcome for outcome, _ in ours.values()),
        "real": Counter(outcome for outcome, _ in real.values()),
        "real_passes": len(passed),
        "ours_of_these": sum(outcome == "passed" for outcome, _ in differing.values()),
        "differing": {test: error for test, (outcome, error) in differing.items() if outcome != "passed"},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--ours", default=sys.executable)
    parser.add_argument("--real", default="")
    parser.add_argument("--keep-real", action="store_true", help="take what WORK has of real MindSpore from before")
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    given.work = given.work.resolve()
    (HERE / "results").mkdir(exist_ok=True)
    for library, suite in json.loads((HERE / "suites.json").read_text(encoding="utf-8")).items():
        if given.only and library not in given.only:
            continue
        ours = run(library, suite, "ours", given)
        kept = given.work / f"real-{library}.jsonl"
        real = read(kept) if given.keep_real else run(library, suite, "real", given) if given.real else {}
        result = summary(ours, real)
        (HERE / "results" / f"suite_{library}.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
        print(f"{library}: real passes {result['real_passes']}, of these ours {result['ours_of_these']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
