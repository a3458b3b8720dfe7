"""The examples in upstream's docstrings, run here and on real MindSpore: what each prints, or where it ends.

    python -m tests.conformance.examples --real ORACLE_PYTHON [--out build/examples.json] [--only mint] [--list]

Examples are read from the installed oracle and written into a temporary folder; nothing of them enters the repository.
Numbers are compared within 1e-4. Where real MindSpore ends with an exception (no kernel on a CPU, no data), this package
may do better; that is counted apart.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import contextlib
import doctest
import importlib
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

LIMIT = 45.0  # seconds for an example
HEAD = "import numpy as np\nimport mindspore\nimport mindspore as ms\nfrom mindspore import Tensor, context, nn, ops\n"
ROOMS = """
    . amp boost communication communication.comm_func dataset dataset.audio dataset.text dataset.transforms
    dataset.vision experimental.optim experimental.optim.lr_scheduler hal mindrecord mint mint.distributed mint.linalg
    mint.nn mint.nn.functional mint.optim mint.special nn nn.probability.bijector nn.probability.distribution numpy ops
    ops.auto_generate ops.function parallel profiler rewrite runtime scipy scipy.linalg scipy.optimize train train.amp
    utils
""".split()
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)")


def statements(text: str) -> str:
    """The code of a docstring's examples; what an interpreter would show is printed. "" without code."""
    lines = []
    for example in doctest.DocTestParser().get_examples(inspect.cleandoc(text)):
        body = ast.parse(example.source).body
        shown = len(body) == 1 and isinstance(body[0], ast.Expr)
        code = ast.unparse(body[0]) if shown else example.source.rstrip("\n")
        lines.append(f"_show({code})" if shown and not code.startswith("print(") else code)
    return "".join(f"{line}\n" for line in lines)


def documented(room: Any, place: str) -> Any:
    """(name, docstring) of a module's public names and of their members."""
    for name in sorted(getattr(room, "__all__", None) or [name for name in dir(room) if not name.startswith("_")]):
        item = getattr(room, name, None)
        yield f"{place}.{name}", inspect.getdoc(item)
        for member, value in vars(item).items() if inspect.isclass(item) else ():
            if not member.startswith("__"):
                value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                yield f"{place}.{name}.{member}", inspect.getdoc(value)


def write(folder: Path) -> None:
    """Every example, once, into a file of its own; run by the oracle."""
    found: dict[str, str] = {}
    for place in ROOMS:
        full = "mindspore" if place == "." else f"mindspore.{place}"
        with contextlib.suppress(ImportError):
            for name, text in documented(importlib.import_module(full), full):
                with contextlib.suppress(SyntaxError, ValueError):
                    found.setdefault(statements(text or ""), name)
    names = {f"{number:04d}": name for number, (code, name) in enumerate(found.items()) if code}
    for (code, _), number in zip([item for item in found.items() if item[0]], names):
        (folder / f"{number}.py").write_text(HEAD + code)
    (folder / "names.json").write_text(json.dumps(names))


def _child(path: Path, out: str, is_real: bool) -> None:
    os.setsid()
    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout = os.fdopen(os.dup(1), "w", buffering=1)
    import mindspore
    import numpy as np

    try:
        if is_real:
            mindspore.set_context(pynative_synchronize=True)
        mindspore.set_seed(1)
        np.random.seed(1)
        runpy.run_path(str(path), run_name="__main__")
        print("@END")
    except BaseException as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        print("@EXC", type(error).__name__, lines[0] if lines else 0, str(error)[:200].replace("\n", " "))
    sys.stdout.flush()
    os._exit(0)


def run(folder: Path, out: Path, is_real: bool) -> None:
    """Each example of the folder in a process of its own, forked from one that has MindSpore."""
    if not is_real:
        import mindspore_compat

        mindspore_compat.install()
    import mindspore
    import mindspore.dataset
    import mindspore.mint  # noqa: F401

    builtins._show = lambda value: value is None or print(repr(value))  # type: ignore[attr-defined]
    found = {}
    for path in sorted(folder.glob("[0-9]*.py")):
        with tempfile.TemporaryDirectory() as place:
            text = os.path.join(place, "out.txt")
            child = os.fork()
            if not child:
                os.chdir(place)
                _child(path, text, is_real)
            end = time.monotonic() + LIMIT
            while os.waitpid(child, os.WNOHANG) == (0, 0):
                if time.monotonic() > end:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child, 9)
                time.sleep(0.01)
            found[path.stem] = Path(text).read_text(errors="replace")[-20000:] if os.path.exists(text) else ""
    out.write_text(json.dumps(found))


def plain_text(text: str) -> str:
    """Without what differs by nature: dtypes and classes by this package's names, addresses, folders, spaces."""
    names = {"torch.bool": "Bool", "torch.bfloat16": "BFloat16"}
    for kind in ("float", "int", "uint", "complex"):
        names.update(
            {f"torch.{kind}{bits}": f"{kind.title()}{bits}".replace("Ui", "UI") for bits in (8, 16, 32, 64, 128)}
        )
    text = re.sub(
        r"torch\.\w+", lambda found: names.get(found[0], found[0]), text.replace("mindspore_compat", "mindspore")
    )
    return re.sub(r"(?<=[\[(]) ", "", re.sub(r"\s+", " ", re.sub(r"0x[0-9a-f]+|/tmp/\w+", "-", text)))


def alike(ours: str, real: str) -> bool:
    """Whether two outputs say the same, numbers within 1e-4."""
    ours, real = plain_text(ours), plain_text(real)
    if _NUMBER.sub("#", ours).replace(" ", "") != _NUMBER.sub("#", real).replace(" ", ""):
        return False
    pairs = [(float(one), float(other)) for one, other in zip(_NUMBER.findall(ours), _NUMBER.findall(real))]
    return all(
        one == other or (one != one and other != other) or abs(one - other) <= 1e-4 * max(1, abs(one), abs(other))
        for one, other in pairs
    )


def outcome(ours: str, real: str) -> str:
    """What became of an example on both sides."""
    ends, real_ends = "@END" in ours, "@END" in real
    if real_ends:
        return ("same" if alike(ours, real) else "prints otherwise") if ends else "fails here"
    if ends:
        return "ends here alone"
    one, other = (re.search(r"@EXC (\w+) (\d+)", text) for text in (ours, real))
    return "both fail alike" if one and other and one.groups() == other.groups() else "both fail, otherwise"


def main() -> None:
    """Runs both sides, prints the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", help="the oracle's interpreter")
    parser.add_argument("--python", default=sys.executable, help="interpreter that runs this package")
    parser.add_argument("--only", default="", help="only names that hold this text")
    parser.add_argument("--out", type=Path, help="JSON of all outputs")
    parser.add_argument("--list", action="store_true", help="what is not the same, with both ends")
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        kind, folder, out = args.part
        if kind == "write":
            write(Path(folder))
        else:
            run(Path(folder), Path(out), kind == "real")
        return
    with tempfile.TemporaryDirectory() as place:
        folder, results = Path(place), {}
        # upstream settles on a folder for checkpoints at its import: not that of the caller
        call = lambda python, kind, env: subprocess.run(
            [os.path.abspath(python), os.path.abspath(__file__), "--part", kind, place, f"{place}/{kind}.json"],
            env=env,
            cwd=place,
            check=True,
            capture_output=True,
        )
        real_env = {**os.environ, "PYTHONPATH": "", "GLOG_v": "3", "OMP_NUM_THREADS": "1"}
        call(args.real, "write", real_env)
        names = json.loads((folder / "names.json").read_text())
        for number in [number for number, name in names.items() if args.only not in name]:
            (folder / f"{number}.py").unlink()
        call(args.real, "real", real_env)
        call(
            args.python,
            "ours",
            {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "OMP_NUM_THREADS": "1"},
        )
        real, ours = (json.loads((folder / f"{kind}.json").read_text()) for kind in ("real", "ours"))
    for number in ours:
        results[names[number]] = (outcome(ours[number], real[number]), ours[number], real[number])
    if args.out:
        args.out.write_text(json.dumps(results))
    for kind, count in collections.Counter(result[0] for result in results.values()).most_common():
        print(f"{count:5d} {kind}")
    for name, (kind, *texts) in results.items() if args.list else ():
        if kind in ("fails here", "prints otherwise"):
            print(f"{name}: {kind}", *(f"    {plain_text(text)[-200:]}" for text in texts), sep="\n")


if __name__ == "__main__":
    main()
