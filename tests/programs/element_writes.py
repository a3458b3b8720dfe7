"""Random programs that write to elements, lists and dicts in ``construct``.

``python -m tests.programs.element_writes --count 300 --seed 0 --oracle PYTHON`` runs them in both modes under real
MindSpore and this package, and prints what differs. ``--write FILE`` keeps MindSpore's answers for the tests.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["answers", "source_of"]

_HEAD = """import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def fill(h, i, v):
    h[i] = v
    return h


def through(h, v):
    k = fill(h, 1, v)
    return h, k


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(np.array([1.0, 2.0, 3.0], np.float32)), name="p")

    def put(self, h, v):
        h[2] = v
        return h

    def construct(self, h):
        h[0] += 1.5
        return h * self.p

"""


class _Writer:
    """A program's statements; names hold Tensors of three numbers, lists and dicts of such."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.tensors, self.lists, self.dicts = ["x", "w"], [], []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def tensor(self) -> str:
        return self.draw.choice(self.tensors)

    def index(self) -> str:
        return self.draw.choice(["0", "1", "2", "-1", "0:2", "1:", "..."])

    def value(self, index: str = "0") -> str:
        draw = self.draw
        element = f"{self.tensor()}[{draw.choice(['0', '1', '2'])}]"
        return draw.choice([f"{draw.randint(1, 9)}.0", element, f"{element} * 2.0", f"{element} + 1.0"])

    def statement(self, indent: str, depth: int) -> None:
        draw, add = self.draw, lambda text: self.lines.append(indent + text)
        kinds = ["write"] * 5 + ["change"] * 3 + ["alias"] * 3 + ["compute"] * 2
        kinds += ["helper", "both", "method", "inner", "attribute", "list", "dict", "view", "nested", "two"]
        kinds += ["loop", "if"] * (depth < 2)
        kind = draw.choice(kinds)
        if kind == "write":
            index = self.index()
            add(f"{self.tensor()}[{index}] = {self.value(index)}")
        elif kind == "change":
            add(f"{self.tensor()}[{self.index()}] {draw.choice(['+=', '-=', '*='])} {self.value()}")
        elif kind in ("alias", "compute", "helper", "method", "inner", "view"):
            given = self.tensor()
            text = {
                "alias": given,
                "compute": f"{given} * 2.0 + {self.tensor()}",
                "helper": f"fill({given}, {draw.randint(0, 2)}, {self.value()})",
                "method": f"self.inner.put({given}, {self.value()})",
                "inner": f"self.inner({given})",
                "view": f"{given}.reshape((3,))" if draw.random() < 0.5 else f"{given}[0:3]",
            }[kind]
            if depth:  # no new names where the code may not run
                add(f"{draw.choice(self.tensors)} = {text}")
            else:
                name = self.name()
                add(f"{name} = {text}")
                self.tensors.append(name)
        elif kind == "both" and not depth:
            first, second = self.name(), self.name()
            add(f"{first}, {second} = through({self.tensor()}, {self.value()})")
            self.tensors += [first, second]
        elif kind == "attribute":
            add(f"self.held[{draw.randint(0, 2)}] = {self.value()}")
        elif kind == "two":
            add(f"{self.tensor()}[0], {self.tensor()}[1] = {self.value()}, {self.value()}")
        elif kind == "list" and not depth:
            name = self.name()
            add(f"{name} = [{self.tensor()}, {self.tensor()}]")
            self.lists.append(name)
        elif kind == "dict" and not depth:
            name = self.name()
            add(f"{name} = {{'a': {self.tensor()}, 'b': {self.tensor()}}}")
            self.dicts.append(name)
        elif kind == "nested" and (self.lists or self.dicts):
            held = draw.choice(
                [f"{name}[{draw.randint(0, 1)}]" for name in self.lists] + [f"{n}['a']" for n in self.dicts]
            )
            add(
                f"{held}[{draw.randint(0, 2)}] = {self.value()}" if draw.random() < 0.6 else f"{held} = {self.tensor()}"
            )
        elif kind == "loop":
            add(f"for i in range({draw.randint(1, 3)}):")
            add(f"    {self.tensor()}[i] = {self.value()}")
            self.statement(indent + "    ", depth + 1)
        elif kind == "if":
            add(f"if self.flag{draw.randint(0, 1)}:")
            self.statement(indent + "    ", depth + 1)
            add("    pass")

    def program(self) -> str:
        for _ in range(self.draw.randint(4, 12)):
            self.statement("        ", 0)
        results = [*self.tensors, *[f"{n}[{i}]" for n in self.lists for i in (0, 1)]]
        results += [f"{name}['{key}']" for name in self.dicts for key in "ab"]
        return "\n".join(self.lines) + f"\n        return ({', '.join(results)},)\n"


def source_of(seed: int) -> str:
    """Return the program of a seed: a module with a class ``Net``."""
    body = _Writer(seed).program()
    return f"""{_HEAD}
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.held = Tensor(np.array([7.0, 8.0, 9.0], np.float32))
        self.flag0, self.flag1 = False, True

    def construct(self, x, w):
{body}"""


_RUN = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import mindspore as ms
found = {}
for name in sys.argv[2].split(","):
    module = importlib.import_module(name)
    for mode in (1, 0):
        ms.set_context(mode=mode)
        x = ms.Tensor(np.array([1.0, 2.0, 3.0], np.float32))
        w = ms.Tensor(np.array([10.0, 20.0, 30.0], np.float32))
        net = module.Net()
        try:
            said = [item.asnumpy().tolist() for item in net(x, w)]
            said += [item.asnumpy().tolist() for item in (x, w, net.held, net.inner.p)]
        except Exception as error:
            said = type(error).__name__
        found[f"{name} {mode}"] = said
print("\\n@" + json.dumps(found))
"""


def answers(seeds: list[int], command: list[str], chunk: int = 50) -> dict[str, Any]:
    """Return {"p<seed> <mode>": results} of a Python; a result is the name of the exception if it fails."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.py").write_text(_RUN)
        for seed in seeds:
            Path(folder, f"p{seed}.py").write_text(source_of(seed))
        for start in range(0, len(seeds), chunk):
            names = ",".join(f"p{seed}" for seed in seeds[start : start + chunk])
            run = subprocess.run([*command, str(Path(folder, "run.py")), folder, names], capture_output=True, text=True)
            if "\n@" not in run.stdout:
                raise RuntimeError(run.stderr[-2000:])
            found.update(json.loads(run.stdout.rpartition("\n@")[2]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--oracle", help="a Python that has MindSpore")
    parser.add_argument("--write", type=Path, help="keep MindSpore's answers here")
    chosen = parser.parse_args()
    seeds = list(range(chosen.seed, chosen.seed + chosen.count))
    ours = answers(seeds, [sys.executable, "-m", "mindspore_compat"])
    real = answers(seeds, [chosen.oracle]) if chosen.oracle else {}
    if chosen.write:
        chosen.write.write_text(json.dumps(real, indent=0))
    for mode in (1, 0):
        same = refused = 0
        for seed in seeds:
            one, other = ours[f"p{seed} {mode}"], real.get(f"p{seed} {mode}")
            same += one == other
            refused += isinstance(other, str)
            if one != other and not isinstance(other, str):
                print(f"seed {seed} mode {mode}: ours {one}\n    real {other}")
        print(f"mode {mode}: {len(seeds)} programs, {same} alike, MindSpore refuses {refused}")


if __name__ == "__main__":
    main()
