"""Runs MindSpore's own tests on an interpreter, one pytest process per file; writes one JSON of outcomes.

    MIRROR=… python -m tests.conformance.run --out build/upstream.json [--suite ops] [--file NAME] [-j 2]

`--python ORACLE --real` runs real MindSpore, `--empty` a package in which every name exists and nothing is done: both
together say which tests count (tests/conformance/baseline.py)."""

import argparse
import collections
import concurrent.futures
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from tests.conformance import fakedata
from tests.conformance.one_file import FileRun, neutral_text
from tests.conformance.sources import extract, plan
from tests.conformance.suites import ORDER, REPOS, half, kept

HERE_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments() -> argparse.Namespace:
    """The command line, with paths made absolute."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--python", default=sys.executable, help="interpreter to test (needs pytest, scikit-learn, pyyaml)"
    )
    parser.add_argument("--real", action="store_true", help="the interpreter's own mindspore, no stand-in for it")
    parser.add_argument("--empty", action="store_true", help="a mindspore that has every name and does nothing")
    parser.add_argument("--package", default=HERE_PACKAGE, help="folder that holds mindspore_compat")
    parser.add_argument("--suite", action="append", choices=ORDER, help="repeatable; default all")
    parser.add_argument("--file", action="append", default=[], help="only files whose path holds this text")
    parser.add_argument("--ver", action="append", choices=list(REPOS), help="only these upstream versions")
    parser.add_argument("--half", choices=("open", "held"), help="only the tests of this half")
    parser.add_argument("--share", type=float, default=1.0, help="run only this share of the files, the same each time")
    parser.add_argument("--failing", default="", help="a result: run only the files in which it has tests that fail")
    parser.add_argument("--out", default="", help="JSON to write")
    parser.add_argument("--timeout", type=float, default=240, help="CPU seconds for one file")
    parser.add_argument(
        "--test-timeout", type=float, default=45, help="CPU seconds for a test; 4 times so much by the clock"
    )
    parser.add_argument("--restarts", type=int, default=8, help="new starts after a crash or a hang, per file")
    parser.add_argument("--max-rss", type=float, default=8.0, help="GiB for one file's processes")
    parser.add_argument("-j", type=int, default=2, help="files at a time")
    parser.add_argument("--list", action="store_true", help="only list the files and how many tests they hold")
    parser.add_argument("--work", default="", help="keep the work folder here (default: a temporary one, removed)")
    args = parser.parse_args()
    args.python = os.path.abspath(shutil.which(args.python) or args.python)
    args.hook = "" if args.real else "empty:install" if args.empty else "mindspore_compat:install"
    return args


def chosen(args: argparse.Namespace, roots: dict) -> list:
    """The files that the arguments ask for; tests that they leave out are named among a file's copies."""
    jobs = [
        job
        for job in plan(roots)
        if job[0] in (args.suite or ORDER)
        and (not args.ver or job[1] in args.ver)
        and (not args.file or any(text in job[2] for text in args.file))
        and (args.share == 1 or kept("share " + job[2], args.share))
    ]
    if args.half:
        for _, _, path, read, copies in jobs:
            copies.update(f for f in read.tests if half(f"{path}::{f}") != args.half)
    if args.failing:
        with open(args.failing, encoding="utf-8") as file:
            bad = {(t["ver"], t["file"]) for t in json.load(file)["tests"] if t["outcome"] not in ("passed", "skipped")}
        jobs = [job for job in jobs if (job[1], job[2]) in bad]
    return jobs


class Record:
    """The outcomes so far, written every ten files."""

    def __init__(self, out: str, meta: dict, files: int) -> None:
        self.out, self.meta, self.files = out, meta, files
        self.rows, self.notes, self.done, self.begin = [], [], 0, time.time()

    def add(self, run: FileRun, rows: list) -> None:
        """One file's outcomes."""
        self.done += 1
        self.rows += rows
        self.notes += [{"ver": run.ver, "file": run.path, "note": neutral_text(note)[:300]} for note in run.notes]
        count = dict(collections.Counter(row["outcome"] for row in rows))
        print(
            f"[{self.done}/{self.files} {time.time() - self.begin:5.0f}s] {run.suite} {run.ver} {run.path} {count}",
            flush=True,
        )
        if self.done % 10 == 0:
            self.save()

    def save(self, final: bool = False) -> None:
        """Writes all that is known; a reader never sees half a file."""
        if not self.out:
            return
        self.meta["wall_s"], self.meta["complete"] = round(time.time() - self.begin, 1), final
        self.rows.sort(key=lambda row: (ORDER.index(row["suite"]), row["ver"], row["nodeid"]))
        with open(self.out + ".part", "w", encoding="utf-8") as file:
            json.dump({"meta": self.meta, "notes": self.notes, "tests": self.rows}, file, indent=0)
        os.replace(self.out + ".part", self.out)


def versions(python: str) -> dict:
    """Python's and pytest's version of an interpreter."""
    code = "import sys, pytest, numpy; print(sys.version.split()[0], pytest.__version__, numpy.__version__)"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True)
    if told.returncode:
        raise SystemExit(f"{python} cannot import pytest and numpy: {told.stderr.strip()[-200:]}")
    return dict(zip(("python", "pytest", "numpy"), told.stdout.split()))


def console_script(python: str, folder: str) -> None:
    """`msrun` as pip installs it with the package, which is taken by its path here."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "msrun")
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\nexec {shlex.quote(python)} -m mindspore_compat msrun "$@"\n')
    os.chmod(path, 0o755)


def main() -> None:
    """Extracts the test files, runs them, writes the outcomes."""
    args = arguments()
    work = os.path.abspath(args.work) if args.work else tempfile.mkdtemp(prefix="msconf-")
    os.makedirs(work, exist_ok=True)
    try:
        roots, heads = {}, {}
        if not args.real:
            console_script(args.python, os.path.join(work, "bin"))
        fakedata.mnist(os.path.join(work, "mnist"))
        for ver in REPOS:
            roots[ver] = os.path.join(work, "src-" + ver)
            shutil.rmtree(roots[ver], ignore_errors=True)
            heads[ver] = extract(ver, roots[ver], os.path.join(work, "mnist"))
        jobs = chosen(args, roots)
        if args.list:
            for suite, ver, path, read, copies in jobs:
                print(suite, ver, path, len(read.tests), "copies", len(copies))
            return
        args.pythonpath = [lone_package(args.package, work)]
        meta = {"package": args.hook or "mindspore", "suites": args.suite or ORDER, "heads": heads}
        meta |= {"machine": platform.machine(), "files": len(jobs), **versions(args.python)}
        record = Record(args.out, meta, len(jobs))

        def one(job: tuple) -> tuple:
            run = FileRun(args, work, roots[job[1]], job)
            return run, run.run()

        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            for future in concurrent.futures.as_completed([pool.submit(one, job) for job in jobs]):
                record.add(*future.result())
        record.save(final=True)
        for suite in args.suite or ORDER:
            part = collections.Counter(row["outcome"] for row in record.rows if row["suite"] == suite)
            print(f"{suite:14s} {part['passed']:5d}/{sum(part.values()):5d} {dict(part)}")
    finally:
        if not args.work:
            shutil.rmtree(work, ignore_errors=True)


def lone_package(folder: str, work: str) -> str:
    """A folder that holds nothing but the package, so that the project's own `tests` does not hide upstream's."""
    alone = os.path.join(work, "package")
    os.makedirs(alone, exist_ok=True)
    link = os.path.join(alone, "mindspore_compat")
    if not os.path.islink(link):
        os.symlink(os.path.join(os.path.abspath(folder), "mindspore_compat"), link)
    return alone


if __name__ == "__main__":
    main()
