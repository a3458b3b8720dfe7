"""Runs libraries' own tests under two interpreters: ``python run_suites.py --libraries FOLDER --work FOLDER
[--ours PYTHON] [--real PYTHON] [--recheck] [--only LIBRARY...]`` writes results/suite_LIBRARY.json (counts, and each test
that real MindSpore passes and this package does not, with the first line of its error).

A suite runs in a copy of the checkout. Both interpreters need the library's own requirements and pytest. Real MindSpore is
slow: ``--recheck`` asks it only for the tests that do not pass here, and takes its counts from the stored result. Without
``--real`` the tests that fail and did not before are named, and nothing is written but, with ``--note``, which fail.
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


Outcomes = dict[str, tuple[str, str]]


def run(
    library: str, suite: dict[str, Any], side: str, given: argparse.Namespace, only: list[str] | None = None
) -> Outcomes:
    """{test: (outcome, error)} of the suite's tests, or of those named."""
    if only == []:
        return {}
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
    if only:
        words += sorted({test.partition("::")[0] for test in only})
        env["OUTCOMES_ONLY"] = str(given.work / f"{side}-{library}.only")
        Path(env["OUTCOMES_ONLY"]).write_text("\n".join(only), encoding="utf-8")
    else:
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


def read(outcomes: Path) -> Outcomes:
    """What the plugin wrote."""
    found: Outcomes = {}
    for line in outcomes.read_text(encoding="utf-8").splitlines() if outcomes.exists() else ():
        row = json.loads(line)
        if found.get(row["test"], ("",))[0] != "failed":  # a failed teardown counts
            found[row["test"]] = (row["outcome"], row["text"])
    return found


def summary(ours: Outcomes, real: Outcomes) -> dict[str, Any]:
    passed = [test for test, (outcome, _) in real.items() if outcome == "passed"]
    differing = {test: ours.get(test, ("", "not collected")) for test in passed}
    return {
        "ours": Counter(outcome for outcome, _ in ours.values()),
        "real": Counter(outcome for outcome, _ in real.values()),
        "real_passes": len(passed),
        "ours_of_these": sum(outcome == "passed" for outcome, _ in differing.values()),
        "differing": {test: error for test, (outcome, error) in differing.items() if outcome != "passed"},
        "ours_fails": failing(ours),
    }


def failing(ours: Outcomes) -> list[str]:
    return sorted(test for test, (outcome, _) in ours.items() if outcome == "failed")


def beside_stored(ours: Outcomes, stored: dict[str, Any]) -> list[str]:
    """In words, what has changed since the stored result: a test that fails now, and one that is not there any more."""
    known = stored.get("ours_fails")
    if known is None:
        return ["no names of tests are stored to compare with"]
    said = [f"fails now: {test}: {ours[test][1]}" for test in failing(ours) if test not in known]
    gone = sum(stored["ours"].values()) - len(ours)
    return [*said, f"{gone} tests are not there any more"] if gone > 0 else said


def rechecked(ours: Outcomes, real: Outcomes, stored: dict[str, Any]) -> dict[str, Any]:
    """The summary where real MindSpore ran only what does not pass here: its counts are those stored.

    Raises:
        ValueError: other tests were collected here than for the stored counts, or real MindSpore left one out.
    """
    if len(ours) != sum(stored["ours"].values()):
        raise ValueError(f"{len(ours)} tests here, {sum(stored['ours'].values())} stored: run all of real MindSpore")
    asked = [test for test, (outcome, _) in ours.items() if outcome != "passed"]
    ran = {*real, *(test.partition("::")[0] for test in real)}
    if left_out := [test for test in asked if test not in ran and test.partition("::")[0] not in real]:
        raise ValueError(f"real MindSpore did not run {len(left_out)} tests, such as {left_out[0]}")
    known = summary(ours, real)
    counts = {"real": stored["real"], "real_passes": stored["real_passes"]}
    return {**known, **counts, "ours_of_these": stored["real_passes"] - len(known["differing"])}


def dump(result: dict[str, Any]) -> str:
    return json.dumps(result, indent=1, sort_keys=True) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--ours", default=sys.executable)
    parser.add_argument("--real", default="")
    parser.add_argument("--keep-real", action="store_true", help="take what WORK has of real MindSpore from before")
    parser.add_argument("--keep-ours", action="store_true", help="take what WORK has of this package from before")
    parser.add_argument("--recheck", action="store_true", help="real MindSpore runs only what does not pass here")
    parser.add_argument("--note", action="store_true", help="without --real: keep which tests fail here")
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    given.work = given.work.resolve()
    (HERE / "results").mkdir(exist_ok=True)
    for library, suite in json.loads((HERE / "suites.json").read_text(encoding="utf-8")).items():
        if given.only and library not in given.only:
            continue
        stored = HERE / "results" / f"suite_{library}.json"
        kept = {side: given.work / f"{side}-{library}.jsonl" for side in ("ours", "real")}
        ours = read(kept["ours"]) if given.keep_ours else run(library, suite, "ours", given)
        if not given.real and not given.keep_real:
            known = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
            print(f"{library}: {dict(Counter(outcome for outcome, _ in ours.values()))}", flush=True)
            print(*(f"  {line}\n" for line in beside_stored(ours, known)), sep="", end="", flush=True)
            if given.note and known:
                stored.write_text(dump({**known, "ours_fails": failing(ours)}), encoding="utf-8")
            continue
        again = [test for test, (outcome, _) in ours.items() if outcome != "passed"] if given.recheck else None
        real = read(kept["real"]) if given.keep_real else run(library, suite, "real", given, again)
        known = json.loads(stored.read_text(encoding="utf-8")) if given.recheck else {}
        result = rechecked(ours, real, known) if given.recheck else summary(ours, real)
        stored.write_text(dump(result), encoding="utf-8")
        print(f"{library}: real passes {result['real_passes']}, of these ours {result['ours_of_these']}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
