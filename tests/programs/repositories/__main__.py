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
from collections.abc import Sequence
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
    lines = [line for line in lines if line] or [""]
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


PAGE = ROOT / "docs" / "programs.md"
_HEAD = """# Programs of public repositories

Use this page to see how code of your kind runs here, or to run a program of the table yourself:

    git clone https://github.com/lvyufeng/ERNIE_mindspore libs/lvyufeng__ERNIE_mindspore
    python -m tests.programs.repositories --libs libs ernie                  # --oracle PYTHON: under MindSpore too

`libs` holds each repository as OWNER__NAME. `--write` writes this page. `--site FOLDER` puts a folder of packages on the
path of both sides: numpy < 2, opencv, scikit-learn, scikit-image, pandas, easydict, addict, decord, mindcv and others.

- A run is a script of the repository, or a driver of a few lines (`tests/programs/repositories/drivers`). A driver imports
  the repository's network, loss and training Cell, and takes three steps on random data.
- A run leaves out missing files and packages of its repository, as its remark says.
- Runs named `self_...` are files that test themselves as scripts; they are examples from 203 such files.
- Both sides begin with `set_seed(0)`. MindSpore is 2.10 on a CPU, with a limit of 120 s.

"""


def _losses(side: dict[str, Any] | None) -> str:
    losses = (side or {}).get("losses") or []
    shown = [f"{losses[0]:.4g}", f"{losses[-1]:.4g}"] if len(losses) > 1 else [f"{item:.4g}" for item in losses]
    return " → ".join(shown) if any(losses) else "–"


def _outcome(side: dict[str, Any] | None) -> str:
    if side is None:
        return "not run"
    return "ended" if side["ended"] else "stopped"


def difference(ours: Sequence[float], real: Sequence[float]) -> float:
    """Return the largest difference of two lists of losses, relative to the larger of 1 and real's."""
    return max((abs(a - b) / max(1.0, abs(b)) for a, b in zip(ours, real)), default=0.0)


def page(results: dict[str, Any]) -> str:
    """Return docs/programs.md."""
    runs = sorted((run for run in kit.RUNS.values() if run.name in results), key=lambda run: run.repository.lower())
    ours = {run.name for run in runs if results[run.name].get("ours", {}).get("ended")}
    real = {run.name for run in runs if results[run.name].get("real", {}).get("ended")}
    own = {run.name for run in runs if run.stops}
    both = [name for name in sorted(ours & real) if any(results[name]["real"]["losses"])]
    first = [n for n in both if difference(results[n]["ours"]["losses"][:1], results[n]["real"]["losses"][:1]) <= 1e-3]
    near = [n for n in both if difference(results[n]["ours"]["losses"], results[n]["real"]["losses"]) <= 1e-3]
    sound = len(runs) - len(own)
    lines = [
        f"{len({run.repository for run in runs})} repositories, {len(runs)} runs. {len(own)} runs stop by a fault of their "
        f"own code. Of the other {sound}, {len(ours - own)} end here ({(100 * len(ours - own) / max(sound, 1)):.1f} %).",
        f"MindSpore ends {len(real)}; of these {len(real & ours)} end here.",
        f"{len(both)} runs print losses on both sides: the first loss agrees within 0.1 % in {len(first)}, all losses in "
        f"{len(near)}.",
        "",
        "| repository | field | run | what runs | here | MindSpore 2.10 | losses here | losses MindSpore | remark |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        entry = results[run.name]
        sides = entry.get("ours"), entry.get("real")
        remarks = [run.stops, run.note, f"`--release {run.release}`" if run.release else ""]
        if not run.stops:
            remarks += [side["reason"] for side in sides if side and not side["ended"]]
        remark = "; ".join(
            " ".join(re.sub(r"/\S*/|<\S* object at \S*", "", item).split())[:90] for item in remarks if item
        )
        cells = [
            f"[{run.repository}](https://github.com/{run.repository}) {entry.get('commit', '')}",
            run.field,
            run.name,
            run.what.replace(".py", ""),
            *map(_outcome, sides),
            *map(_losses, sides),
            remark.replace(".py", ""),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return _HEAD + "\n".join(lines) + "\n"


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
    if given.write:
        PAGE.write_text(page(results))


if __name__ == "__main__":
    main()
