"""``python -m tests.programs.repositories --libs FOLDER [--oracle PYTHON] [NAME ...]``: run and record.

FOLDER has a checkout of each repository as OWNER__NAME. The results are in ``results.json``; ``--write`` makes
docs/programs.md from them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RESULTS = HERE / "results.json"
LOSS = r"(?i)loss: (-?\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)\b"
sys.path.insert(0, str(HERE))

import drivers  # noqa: E402
import kit  # noqa: E402


def _copied(source: Path, target: Path) -> None:
    def left_out(folder: str, names: list[str]) -> list[str]:
        paths = {name: Path(folder, name) for name in names}
        return [
            name
            for name, path in paths.items()
            if name == ".git" or path.is_symlink() or (path.is_file() and path.stat().st_size > 2_000_000)
        ]

    shutil.copytree(source, target, ignore=left_out)


def reason_of(errors: str) -> str:
    """Return the exception of a traceback in one line."""
    lines = [line.strip(" -") for line in errors.splitlines()]
    starts = [number for number, line in enumerate(lines) if re.match(r"[\w.]*(Error|Exception|Exit)\b", line)]
    return " ".join(" ".join(lines[starts[-1] if starts else -1 :]).split())[:160]


def one(run: kit.Run, libs: Path, command: list[str], limit: float, environment: dict[str, str]) -> dict[str, Any]:
    """Run a program once and return its outcome."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "program")
        _copied(libs / run.repository.replace("/", "__") / run.folder, place)
        started = time.monotonic()
        process = subprocess.Popen(
            [*command, str(HERE / "child.py"), run.name],
            cwd=place,
            env={**os.environ, **environment},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(timeout=limit)
            ended, reason = output.rstrip().endswith("END"), reason_of(errors)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            output, errors = process.communicate()
            ended, reason = False, f"stopped after {limit:g} s"
    if os.environ.get("SHOW"):
        print(output[-3000:], errors[-6000:])
    losses = [float(item) for item in re.findall(LOSS, output)]
    return {
        "ended": ended,
        "losses": losses,
        "seconds": round(time.monotonic() - started, 1),
        "reason": "" if ended else reason,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--libs", type=Path)
    parser.add_argument("--oracle")
    parser.add_argument("--site", default="", help="a folder of packages that the programs import beside MindSpore")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="", help="ours or real")
    given = parser.parse_args()
    drivers.load()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if given.libs:
        for name in given.names or kit.RUNS:
            run = kit.RUNS[name]
            entry = results.setdefault(name, {})
            checkout = given.libs / run.repository.replace("/", "__")
            entry["commit"] = subprocess.run(
                ["git", "-C", checkout, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
            ).stdout.strip()
            release = ["--release", run.release] if run.release else []
            path = os.pathsep.join(filter(None, [given.site, str(ROOT)]))
            sides = {"ours": ([sys.executable, "-m", "mindspore_compat", *release], {"PYTHONPATH": path})}
            if given.oracle:
                sides["real"] = (
                    [given.oracle],
                    {"PYTHONPATH": given.site, "GLOG_v": "3", "ONEDNN_MAX_CPU_ISA": "AVX2"},
                )
            for side, (command, environment) in sides.items():
                if given.only and side != given.only:
                    continue
                entry[side] = one(run, given.libs, command, given.limit, environment)
                print(name, side, entry[side], flush=True)
            merged = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
            merged[name] = {**merged.get(name, {}), **entry}
            RESULTS.write_text(json.dumps(dict(sorted(merged.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
