"""Writes modes.json: where real MindSpore's Tensor methods give something else in compiled code (``jit``; GRAPH_MODE
compiles alike) than in PyNative mode, for the calls of ``mode_cases.py``.

    python make_modes.py RESULTS.jsonl

with the oracle's Python. RESULTS is continued where it ends, so that what kills the process is left out by starting
again; all of it takes about an hour of one core.
"""

from __future__ import annotations

import collections
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from mode_cases import KINDS, NAMES, arrays, calls, same, shown, source

_REFUSED = ("takes 0 positional", "takes no arguments")


def attempt(function: Any, values: list[Any], make: Any) -> Any:
    try:
        return shown(function(*map(make, values)))
    except Exception as error:
        return ["E", type(error).__name__, str(error).strip()[:160]]


def functions(name: str, folder: str) -> list[Any]:
    """One for each call; what is compiled has to stand in a file."""
    path = Path(folder) / f"calls_of_{name}.py"
    parts = [
        f"def f{number}(x, y, b, i, j, k, w, v):\n    {source(name, call)}\n" for number, call in enumerate(calls(name))
    ]
    path.write_text("import mindspore as ms\n" + "".join(parts))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"f{number}") for number in range(len(parts))]


def run(results: str, names: list[str]) -> None:
    """The cases of some methods that the file lacks."""
    import mindspore as ms

    known = read(results)
    begun = {tuple(json.loads(line)["case"]) for line in open(results)}
    with open(results, "a") as file, tempfile.TemporaryDirectory() as folder:
        for name in names:
            for call, function in zip(calls(name), functions(name, folder), strict=True):
                for kind in KINDS:
                    case = (name, call, kind)
                    of_floats = known.get((name, call, "F"))
                    runs = of_floats is None or any(item[0] != "E" for item in of_floats)
                    if case in begun or not runs:  # what killed the process is begun and not known
                        continue
                    print(json.dumps({"case": case}), file=file, flush=True)
                    values = arrays(name, kind)
                    eager = attempt(function, values, ms.Tensor)
                    is_hopeless = eager[0] == "E" and any(text in eager[2] for text in _REFUSED)
                    compiled = eager if is_hopeless else attempt(ms.jit(function), values, ms.Tensor)
                    known[case] = (eager, compiled)
                    print(json.dumps({"case": case, "found": [eager, compiled]}), file=file, flush=True)


def read(results: str) -> dict[tuple[str, str | None, str], Any]:
    found = {}
    for line in open(results):
        entry = json.loads(line)
        if "found" in entry:
            found[tuple(entry["case"])] = tuple(entry["found"])
    return found


def write(results: str) -> None:
    counts: collections.Counter[str] = collections.Counter()
    lines = []
    for case, (eager, compiled) in read(results).items():
        refuses = eager[0] == "E", compiled[0] == "E"
        if refuses == (True, True):
            counts["both refuse"] += 1
        elif refuses == (False, True):
            counts["compiled refuses"] += 1
        elif same(eager, compiled):
            counts["same"] += 1
        else:
            counts["PyNative refuses" if refuses[0] else "differ"] += 1
            lines.append(json.dumps([*case, eager[:2] if refuses[0] else eager, compiled]))
    text = f'{{"counts": {json.dumps(dict(sorted(counts.items())))},\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"
    Path(__file__).with_name("modes.json").write_text(text)


if __name__ == "__main__":
    Path(sys.argv[1]).touch()
    if len(sys.argv) > 2:
        run(sys.argv[1], sys.argv[2:])
    else:
        for start in range(0, len(NAMES), 20):
            for _ in range(5):
                done = subprocess.run([sys.executable, __file__, sys.argv[1], *NAMES[start : start + 20]], check=False)
                if done.returncode == 0:
                    break
        write(sys.argv[1])
