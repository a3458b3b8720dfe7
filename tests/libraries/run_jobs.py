"""Runs jobs of a list under two interpreters and compares what they print: ``python run_jobs.py JOBS.json --libraries FOLDER
--work FOLDER [--ours PYTHON] [--real PYTHON] [--only NAME...] [--json FILE]``.

A job is {"name", "library", "command", "losses": regular expression with one number in each match, "first": how many
of them are compared (else all), "files": [...], "processes": so many, started by msrun}. Commands run in a copy of the
checkout; {here}, {data}, {out}, {other_out} and {home} stand for this folder, the synthetic data, where the job (on the
other side) writes, and $HOME. A job without numbers to compare must end with 0 and write its files.

``--store`` keeps verdicts and, where real MindSpore ran, what it gave; ``--stored-real`` compares with what was kept. What
says nothing of the two packages is not kept: a side that lacks a module of its environment or was killed (memory), and,
without ``--worse``, a result that is worse than the one that is kept. The exit status is then 1.

``--nudge SIDE`` runs a job of seeded.py on that side alone, as it is and with weights moved by the job's "nudge" (of
themselves, 1e-7 unless named: the last bit of float32), and keeps how far its numbers part: what rounding alone does.
Rounding differs between CPUs, too: real MindSpore has oneDNN's AVX2 kernels here, and with ONEDNN_MAX_CPU_ISA=AVX2
ATEN_CPU_CAPABILITY=avx2 before the command this package has them as well. Ask so before a bisection.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def environment(side: str, given: argparse.Namespace) -> dict[str, str]:
    env = {**os.environ, "OMP_NUM_THREADS": "1", "HOME": str(given.work / "home")}
    env.pop("PYTHONPATH", None)
    if side == "ours":
        env["PYTHONPATH"] = f"{HERE.parents[1]}{os.pathsep}."
    else:
        env.update(GLOG_v="3", ONEDNN_MAX_CPU_ISA="AVX2", PYTHONPATH=".")
    return env


def ended(command: list[str], limit: float, **options: Any) -> int | str:
    """What a command ends with; with all that it started it is stopped at the limit (seconds)."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"stopped after {limit:.0f} s"


def places(side: str, given: argparse.Namespace) -> dict[str, Path]:
    """What stands in commands between braces, on a side."""
    out = {name: given.work / "out" / name for name in ("ours", "real")}
    return {
        "here": HERE,
        "data": given.work / "data",
        "out": out[side],
        "other_out": out["real" if side == "ours" else "ours"],
        "home": given.work / "home",
    }


def absent(job: dict[str, Any], side: str, given: argparse.Namespace) -> list[str]:
    """What a job reads of the other side's earlier jobs and is not there: libraries may begin without it in silence."""
    named = [word for word in job["command"].split() if "{other_out}" in word]
    paths = [word.format(**places(side, given)) for word in named]
    return [path for path in paths if not Path(path).exists()]


def run(job: dict[str, Any], side: str, given: argparse.Namespace) -> dict[str, Any]:
    """{"code", "numbers", "missing", "seconds"} of a job on one side, and "lacks" where a module was not there."""
    checkout = given.work / side / job["library"]
    if not checkout.exists():
        shutil.copytree(given.libraries / job["library"], checkout, ignore=shutil.ignore_patterns(".git"))
    found = places(side, given)
    out = found["out"]
    out.mkdir(parents=True, exist_ok=True)
    words = [word.format(**found) for word in job["command"].split()]
    python = [str(given.ours), "-m", "mindspore_compat"] if side == "ours" else [str(given.real)]
    env = {**environment(side, given), **job.get("environment", {})}
    logs = out / f"{job['name']}-msrun"
    if "processes" in job:
        python += [] if side == "ours" else ["-c", "from mindspore.parallel.cluster.run import main; main()"]
        python += ["msrun"] if side == "ours" else []
        python += [f"--{name}={job['processes']}" for name in ("worker_num", "local_worker_num")]
        python += ["--join=True", f"--log_dir={logs}", f"--master_port={8200 if side == 'ours' else 8300}"]
        env["PATH"] = f"{Path(given.real if side == 'real' else given.ours).parent}{os.pathsep}{env['PATH']}"
    begun = time.time()
    with open(out / f"{job['name']}.log", "w", encoding="utf-8") as log:
        code = ended([*python, *words], given.timeout, cwd=checkout, env=env, stdout=log, stderr=subprocess.STDOUT)
    text = (out / f"{job['name']}.log").read_text(encoding="utf-8", errors="replace")
    if "processes" in job:  # what rank 0 wrote
        text = (logs / "worker_0.log").read_text(encoding="utf-8", errors="replace") if logs.exists() else ""
    numbers = [float(number) for number in re.findall(job["losses"], text)] if job.get("losses") else []
    missing = [name for name in job.get("files", ()) if not Path(name.format(**found)).exists()]
    result = {"code": code, "numbers": numbers, "missing": missing, "seconds": round(time.time() - begun, 1)}
    lacks = lacking(text) if code or missing else []
    return {**result, "lacks": lacks} if lacks else result


def lacking(text: str) -> list[str]:
    """Modules that an output says are not there. MindSpore's own are not among them: that one is gone is a result."""
    names = set(re.findall(r"ModuleNotFoundError: No module named '([^']+)'", text))
    return sorted(name for name in names if not name.startswith("mindspore."))


def verdict(job: dict[str, Any], ours: dict[str, Any], real: dict[str, Any]) -> str:
    if (ours["code"] or ours["missing"]) and real["code"] not in (0, -1):
        return f"both fail ({ours['code']}, {real['code']})"
    if ours["code"] or ours["missing"]:
        return f"ours fails ({ours['code']}, missing {ours['missing']})"
    ends = f"real fails ({real['code']}, missing {real['missing']})" if real["code"] or real["missing"] else ""
    if not job.get("losses") or (ends and not real["numbers"]):
        return f"{ends}; ours runs" if ends else "both run"
    counts = len(ours["numbers"]), len(real["numbers"])
    if counts[0] == 0 or (counts[0] != counts[1] and not ends):
        return f"{counts[0]} numbers, real has {counts[1]}"
    apart = parted(job, ours["numbers"], real["numbers"])
    compared = min(*counts, job.get("first", counts[0]))
    said = f"{'alike' if apart <= job.get('tolerance', 1e-3) else 'APART'}: {compared} numbers within {apart:.1e}"
    return f"{said}, then {ends}" if ends else said


def rank(said: str) -> tuple[int, int]:
    """How good a verdict is: what was found out, then how many numbers were compared."""
    compared = re.match(r"(?:alike|APART): ([0-9]+) numbers", said)
    if said == "both run" or (said.startswith("alike") and "real fails" not in said):
        found = 4
    elif said.startswith("alike"):
        found = 3
    elif said.startswith("real fails"):
        found = 2
    elif said.startswith("APART") or "numbers, real has" in said:
        found = 1
    else:
        found = 0
    return found, int(compared[1]) if compared else 0


def refused(stored: str | None, said: str, sides: dict[str, dict[str, Any]]) -> str:
    """Why a verdict is not to be kept over the stored one, or nothing."""
    faults = [f"{side} lacks {', '.join(result['lacks'])}" for side, result in sides.items() if result.get("lacks")]
    faults += [f"{side} was killed" for side, result in sides.items() if result["code"] == -signal.SIGKILL]
    if faults:
        return "; ".join(faults)
    return f"worse than what is kept, {stored!r}" if stored is not None and rank(said) < rank(stored) else ""


def parted(job: dict[str, Any], ones: list[float], others: list[float]) -> float:
    """The largest difference of a job's numbers, relative to the larger of 1 and the other's."""
    pairs = list(zip(ones, others))[: job.get("first")]
    return max(abs(one - two) / max(1.0, abs(two)) for one, two in pairs)


def rounding(job: dict[str, Any], side: str, given: argparse.Namespace) -> str:
    """In words, how far the job parts from itself on one side when its weights are moved by a bit."""
    nudge = str(job.get("nudge", 1e-7))
    moved = {**job, "environment": {**job.get("environment", {}), "SEEDED_NUDGE": nudge}}
    plain, other = run(job, side, given)["numbers"], run(moved, side, given)["numbers"]
    if not plain or len(plain) != len(other):
        raise SystemExit(f"{job['name']}: {side} printed {len(plain)} and {len(other)} numbers")
    name = {"ours": "this package", "real": "real MindSpore"}[side]
    return f"{name} with weights moved by {nudge}: {parted(job, other, plain):.1e} from itself"


def keep(jobs: Path, name: str, result: dict[str, Any]) -> None:
    """Write one job's result into results/ beside those of the others, and over what is known of it."""
    stored = HERE / "results" / jobs.name
    stored.parent.mkdir(exist_ok=True)
    known = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
    known[name] = {**known.get(name, {}), **result}
    stored.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def packed(side: dict[str, Any]) -> dict[str, Any]:
    """What a side gave, its numbers in one line."""
    return {**side, "numbers": " ".join(f"{number:.8g}" for number in side["numbers"])}


def known_of(jobs: Path, name: str) -> dict[str, Any]:
    """What results/ has of this job."""
    stored = HERE / "results" / jobs.name
    return json.loads(stored.read_text(encoding="utf-8")).get(name, {}) if stored.exists() else {}


def kept(jobs: Path, name: str) -> dict[str, Any] | None:
    """What results/ has of real MindSpore in this job."""
    real = known_of(jobs, name).get("real")
    return real and {**real, "numbers": [float(number) for number in real["numbers"].split()]}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--ours", default=sys.executable)
    parser.add_argument("--real", default="")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds that a side of a job may take")
    parser.add_argument("--json", type=Path, help="all numbers of both sides")
    parser.add_argument(
        "--keep-ours", action="store_true", help="take what --json has of this package from before, where it has"
    )
    parser.add_argument("--nudge", choices=("ours", "real"), help="this side against itself, with its weights moved")
    parser.add_argument("--stored-real", action="store_true", help="take what results/ has of real MindSpore")
    parser.add_argument("--store", action="store_true", help="keep verdicts in results/, for docs/libraries.md")
    parser.add_argument(
        "--worse",
        action="store_true",
        help="keep also what is worse than the kept result: where it is known to be true of the packages as they are, "
        "not where a machine was too slow or too small or an interpreter lacked something",
    )
    given = parser.parse_args()
    if given.store and not (given.real or given.stored_real or given.nudge):
        parser.error("--store keeps comparisons: it needs --real, --stored-real or --nudge")
    given.work = given.work.resolve()
    return given


def nudge(job: dict[str, Any], given: argparse.Namespace) -> None:
    said = rounding(job, given.nudge, given)
    if given.store:
        keep(given.jobs, job["name"], {f"rounding_{given.nudge}": said})
    print(f"{job['name']}: {said}", flush=True)


def store(name: str, said: str, sides: dict[str, dict[str, Any]], given: argparse.Namespace) -> bool:
    """Keep a result, or say why not."""
    stored = None if given.worse else known_of(given.jobs, name).get("verdict")
    if why := refused(stored, said, sides):
        print(f"{name}: not kept: {why}", flush=True)
        return False
    real = {} if given.stored_real else {"real": packed(sides["real"])}
    keep(given.jobs, name, {"verdict": said, "seconds": sides["ours"]["seconds"], **real})
    return True


def main() -> int:
    given = arguments()
    listed = json.loads(given.jobs.read_text(encoding="utf-8"))
    for command in listed["prepare"]:
        words = command.format(here=HERE, data=given.work / "data", libraries=given.libraries).split()
        if not Path(words[1]).exists():
            subprocess.run([str(given.ours), *words], check=True)
    results = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    all_kept = True
    for job in listed["jobs"]:
        if given.only and not any(re.search(pattern, job["name"]) for pattern in given.only):
            continue
        if given.nudge:
            nudge(job, given)
            continue
        if given.stored_real and kept(given.jobs, job["name"]) is None:
            print(f"{job['name']}: nothing of real MindSpore is kept", flush=True)
            continue
        lost = [path for side in ("ours", *(["real"] if given.real else [])) for path in absent(job, side, given)]
        if lost:
            print(f"{job['name']}: not run: the other side has not made {', '.join(lost)}", flush=True)
            all_kept = False
            continue
        before = results.get(job["name"], {}).get("ours") if given.keep_ours else None
        sides = {"ours": before or run(job, "ours", given)}
        if given.stored_real:
            sides["real"] = kept(given.jobs, job["name"])
        elif given.real:
            sides["real"] = run(job, "real", given)
        said = verdict(job, sides["ours"], sides.get("real", {"code": -1, "missing": [], "numbers": []}))
        results[job["name"]] = {**sides, "verdict": said}
        print(f"{job['name']}: {said} ({sides['ours']['seconds']} s)", flush=True)
        if given.store:
            all_kept = store(job["name"], said, sides, given) and all_kept
        if given.json:
            given.json.write_text(json.dumps(results, indent=1))
    return 0 if all_kept else 1


if __name__ == "__main__":
    sys.exit(main())
