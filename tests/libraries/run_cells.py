"""Runs the Python cells of notebooks and markdown pages under two interpreters and compares them: ``python run_cells.py
--tutorials FOLDER --work FOLDER --ours PYTHON --real PYTHON [--only REGEX...]`` writes results/tutorials.json.

tutorials.json lists the pages ("substitute": what is shortened, alike on both sides) and the reasons of what differs.
A page runs in one process and one namespace, in a folder of its own; ``download`` takes from WORK/data, which
make_tutorial_data.py writes. Printed text counts where real MindSpore prints the same twice: all of its words, and
its numbers within 1e-3. ``--cells PAGE`` is the side that runs them; it writes a JSON line a cell to --out.
"""

from __future__ import annotations

import argparse
import ast
import ctypes
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


def sources(page: Path) -> list[str]:
    """The Python cells of a page, lines that are the notebook's own commands (``!pip``, ``%matplotlib``) left out."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    else:
        cells = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r"^(\s*)(?:[!%]|pip install).*$", r"\1pass", cell, flags=re.MULTILINE) for cell in cells]


def offline_download(data: Path) -> types.ModuleType:
    """The module ``download``, whose function copies DATA/NAME, the unpacked archive NAME, to where the page wants it."""

    def download(url: str, path: str, kind: str = "file", **_: Any) -> str:
        found = data / url.rsplit("/", 1)[-1]
        if found.is_dir():
            shutil.copytree(found, path, dirs_exist_ok=True)
        else:
            target = Path(path) / found.name if Path(path).is_dir() else Path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found, target)
        return path

    module = types.ModuleType("download")
    module.download = download  # type: ignore[attr-defined]
    return module


def execute(source: str, file: Path, namespace: dict[str, Any]) -> None:
    """As a notebook does: the value of a last expression is shown. ``file`` lets MindSpore find the functions' source."""
    file.write_text(source, encoding="utf-8")
    tree = ast.parse(source, str(file))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(file), "exec"), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), str(file), "eval"), namespace)
        if value is not None:
            print(repr(value))


def run_cell(source: str, file: Path, namespace: dict[str, Any], limit_s: int) -> dict[str, str]:
    """{"error": "" or type and first line, "printed": what went to standard output, from C++ too}."""
    printed = tempfile.TemporaryFile()
    kept = os.dup(1)
    os.dup2(printed.fileno(), 1)
    error = ""
    signal.alarm(limit_s)
    try:
        execute(source, file, namespace)
    except (Exception, SystemExit) as raised:
        error = f"{type(raised).__name__}: {(str(raised).strip().splitlines() or [''])[0][:200]}"
    finally:
        signal.alarm(0)
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
    printed.seek(0)
    return {"error": error, "printed": printed.read().decode("utf-8", "replace")}


def run_page(page: Path, out: Path, data: Path, substitute: list[list[str]], limit_s: int) -> None:
    def too_long(*_: Any) -> None:
        raise TimeoutError(f"the cell took more than {limit_s} s")

    signal.signal(signal.SIGALRM, too_long)
    warnings.simplefilter("ignore")
    sys.modules["download"] = offline_download(data)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    with open(out, "w", encoding="utf-8") as file:
        for number, source in enumerate(sources(page)):
            for old, new in substitute:
                source = source.replace(old, new)
            cell = run_cell(source, Path(f"cell_{number}.py").resolve(), main.__dict__, limit_s)
            file.write(json.dumps(cell) + "\n")
            file.flush()


def start(page: str, side: str, row: dict[str, Any], given: argparse.Namespace) -> list[dict[str, str]]:
    """The cells' results on one side; where the process died, those before."""
    folder = given.work / side / page
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    out = given.work / f"{side}-{page.replace('/', '-')}.jsonl"
    out.unlink(missing_ok=True)
    home = given.work / "home"
    env = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "HOME": str(home)}
    env.pop("PYTHONPATH", None)
    python = [str(given.real)]
    if side == "ours":
        env["PYTHONPATH"] = str(HERE.parents[1])
        python = [str(given.ours), "-m", "mindspore_compat"]
    else:
        env.update(GLOG_v="3", ONEDNN_MAX_CPU_ISA="AVX2")
    words = ["--cells", given.tutorials / page, "--out", out, "--work", given.work, "--limit", given.limit]
    words += ["--substitute", json.dumps(row.get("substitute", []))]
    with open(out.with_suffix(".log"), "w", encoding="utf-8") as log:
        command = [*python, str(HERE / "run_cells.py"), *map(str, words)]
        try:
            subprocess.run(
                command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT, timeout=4 * given.limit, check=False
            )
        except subprocess.TimeoutExpired:
            log.write("the page took too long\n")
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    return [json.loads(line) for line in lines]


def same_text(one: str, two: str) -> bool:
    """The same words and number of numbers, the numbers within 1e-3; spaces between them count by their presence."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", two).split():
        return False
    pairs = zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(two)))
    return all(abs(left - right) <= 1e-3 * max(1.0, abs(right)) for left, right in pairs)


def known_reason(ours: str, real: str) -> str:
    """The reason, where the texts are alike but for names that this package prints otherwise."""
    dtypes = re.sub(
        r"torch\.(u?)(\w)", lambda found: found[1].upper() + (found[2].upper() if not found[1] else "I"), ours
    )
    if same_text(dtypes, real):
        return "a dtype is torch's object and prints so (docs/design/tensor.md)"
    classes = r"<class 'mindspore(?:_compat)?\.[\w.]*\.(\w+)'>"
    if same_text(re.sub(classes, r"\1", dtypes), re.sub(classes, r"\1", real)):
        return "a class prints with its module, which is this package's"
    values = r"value=\s*\[[^)]*\]\)"
    if re.sub(values, "", ours).split() == re.sub(values, "", real).split():
        listed = [" ".join(re.findall(values, text)) for text in (ours, real)]
        numbers = [[float(number) for number in NUMBER.findall(text)] for text in listed]
        if len(numbers[0]) == len(numbers[1]) and all(abs(a - b) <= 1e-3 * max(1.0, abs(b)) for a, b in zip(*numbers)):
            return "repr of floats: real MindSpore writes those that share numpy's memory as numpy does, others in 1.0e+00 form"
    return ""


def compare(page: str, row: dict[str, Any], given: argparse.Namespace) -> dict[str, Any]:
    cells = len(sources(given.tutorials / page))
    died = {"error": "Died: the process ended or ran out of time", "printed": ""}
    sides = {}
    for side in ("real", "ours"):
        got = start(page, side, row, given)
        sides[side] = got + [died] * (cells - len(got))
    real, ours = sides["real"], sides["ours"]
    unlike = [n for n in range(cells) if not real[n]["error"] and not same_text(ours[n]["printed"], real[n]["printed"])]
    again = start(page, "real", row, given) if unlike else []
    stable = [n for n in unlike if n < len(again) and same_text(again[n]["printed"], real[n]["printed"])]
    differing: dict[str, Any] = {}
    for n in range(cells):
        said = [side[n]["error"] for side in (real, ours)]
        kinds = [error.split(":")[0] for error in said]
        if kinds[0] != kinds[1]:
            differing[str(n)] = {"real": said[0] or "ends", "ours": said[1] or "ends"}
        elif n in stable:
            differing[str(n)] = {"prints": "other text than real MindSpore"}
        if str(n) in differing:
            given_reason = row.get("reasons", {}).get(str(n), "")
            known = known_reason(ours[n]["printed"], real[n]["printed"]) if "prints" in differing[str(n)] else ""
            differing[str(n)]["reason"] = given_reason or known
    ends = [n for n in range(cells) if not real[n]["error"]]
    return {
        "cells": cells,
        "real_ends": len(ends),
        "ours_of_these": sum(not ours[n]["error"] for n in ends),
        "ours_ends": sum(not cell["error"] for cell in ours),
        "prints_alike": len(ends) - len([n for n in unlike if n in stable]),
        "differing": differing,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tutorials", type=Path, help="the checkout's folder, as docs/tutorials/source_zh_cn")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--ours", default=sys.executable)
    parser.add_argument("--real")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--limit", type=int, default=90, help="seconds a cell; a page has four times that")
    parser.add_argument("--cells", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--substitute", default="[]")
    given = parser.parse_args()
    given.work = given.work.resolve()
    if given.cells:
        run_page(given.cells, given.out, given.work / "data", json.loads(given.substitute), given.limit)
        return 0
    if not (given.work / "data").exists():
        runpy.run_path(str(HERE / "make_tutorial_data.py"))["write_all"](given.work / "data")
    file = HERE / "results" / "tutorials.json"
    for page, row in json.loads((HERE / "tutorials.json").read_text(encoding="utf-8")).items():
        if given.only and not any(re.search(pattern, page) for pattern in given.only):
            continue
        result = compare(page, row, given)
        counts = {name: value for name, value in result.items() if name != "differing"}
        print(f"{page}: {counts} {result['differing'] or ''}", flush=True)
        results = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        results[page] = result
        file.write_text(json.dumps(results, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
