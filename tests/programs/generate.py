"""Random programs: `program_of` combines the pieces by seed into the source of a module with ``run(rec)``."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.programs.pieces import (
    CHANGES,
    CONSTANT_RATE_ONLY,
    DERIVATIVES,
    GROUPS,
    LINEAR,
    LOSSES,
    MODELS,
    NETS,
    NO_DERIVATIVE,
    NORMED,
    NOT_IN_MODEL,
    OPTIMIZERS,
    PRECISIONS,
    RARE,
    RATES,
    SLOW,
    SMOOTH,
    STEPS,
    Derivative,
)

__all__ = ["Program", "program_of", "write"]

HEADER = '''"""Program {seed}: {summary}."""
import mindspore as ms
import numpy as np
from kit import *
from kit import STEPS, batch, fill, tensor
from mindspore import Parameter, ParameterTuple, Tensor, amp, nn, ops
from mindspore import dataset as ds
from mindspore import dtype as mstype

grad_all = ops.GradOperation(get_all=True)
'''


@dataclass(frozen=True)
class Program:
    seed: int
    dimensions: dict[str, str]
    source: str

    @property
    def name(self) -> str:
        return f"program_{self.seed}"

    @property
    def as_python(self) -> Program:
        """The same without ``jit``: what Python says of it, where a compiled step keeps what it was compiled with."""
        return replace(self, source=re.sub(r" *@ms\.jit\n", "", self.source).replace("ms.jit(", "("))


def _indented(text: str, depth: int) -> str:
    return "".join(f"{'    ' * depth}{line}\n" if line else "\n" for line in text.splitlines())


def _helper(text: str, in_cell: bool) -> str:
    return text.replace("SELF_x", "self, x" if in_cell else "x").replace("S.", "self." if in_cell else "")


def dimensions_of(seed: int) -> dict[str, str]:
    """What the program combines. Half of the programs differentiate in the loss, most change something
    between steps.
    """
    pick = random.Random(seed)
    step = pick.choice([name for name in STEPS if name not in RARE or pick.random() < 0.2])
    derivative = pick.choice(
        [name for name in DERIVATIVES if name not in SLOW or pick.random() < 0.2] if pick.random() < 0.45 else ["none"]
    )
    if step in NO_DERIVATIVE:
        derivative = "none"
    net = pick.choice(SMOOTH[:5] if derivative == "third" else SMOOTH if derivative != "none" else list(NETS))
    optimizer = pick.choice(list(OPTIMIZERS) if derivative == "none" and net not in NORMED else LINEAR)
    rate = "constant" if optimizer in CONSTANT_RATE_ONLY or pick.random() < 0.5 else pick.choice(list(RATES))
    group = "all" if optimizer in CONSTANT_RATE_ONLY or pick.random() < 0.6 else pick.choice(list(GROUPS))
    if rate in ("list", "tensor", "generated"):  # a group's own rate must then be of that kind too
        group = "all" if group in ("rates", "decays", "scheduled") else group
    change = "none" if pick.random() < (0.2 if derivative == "none" else 0.7) else pick.choice(list(CHANGES))
    if (change in NOT_IN_MODEL and step in MODELS) or (
        change == "rate" and (rate != "constant" or group not in ("all", "filtered"))
    ):
        change = "none"
    loss = pick.choice(
        [
            name
            for name in LOSSES
            if (name != "unreduced" or step in ("one_step", "own", "with_loss"))
            and (step != "adversaries" or LOSSES[name][1] == "float")
        ]
    )
    precision = "float32" if pick.random() < 0.9 else pick.choice(list(PRECISIONS))
    return {
        "step": step,
        "derivative": derivative,
        "network": net,
        "loss": loss,
        "optimizer": optimizer,
        "rate": rate,
        "groups": group,
        "change": change,
        "precision": precision,
    }


def program_of(seed: int) -> Program:
    dimensions = dimensions_of(seed)
    return Program(seed, dimensions, _source(seed, dimensions))


def _source(seed: int, chosen: dict[str, str]) -> str:
    step, change = STEPS[chosen["step"]], CHANGES[chosen["change"]]
    derivative = DERIVATIVES.get(chosen["derivative"], Derivative(""))
    parts = [HEADER.format(seed=seed, summary=", ".join(f"{key} {value}" for key, value in chosen.items()))]
    parts += [
        text.rstrip() + "\n"
        for text in (change.module, _network(chosen), _loss_cell(derivative, chosen), step.module)
        if text
    ]
    return "\n\n".join(parts) + "\n\n" + _run(chosen)


def _network(chosen: dict[str, str]) -> str:
    init, construct = NETS[chosen["network"]]
    change = CHANGES[chosen["change"]]
    text = (
        "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
        + _indented(init, 2)
        + _indented(change.init, 2)
    )
    text += "\n    def construct(self, x):\n" + (
        "        x = x.astype(mstype.float32)\n" if chosen["change"] == "cast" else ""
    )
    text += _indented(construct, 2) + _indented(change.construct, 2) + "        return h\n"
    if "self.tail(h)" in change.construct and "self.tail" not in change.init:
        text += "\n    def tail(self, h):\n        return h * 2.0\n"
    return text


def _body(derivative: Derivative, chosen: dict[str, str], in_cell: bool) -> str:
    """From x and y to loss and h."""
    own = "self." if in_cell else ""
    lines = [f"h = {own}net(x)"] + (["h = h.astype(mstype.float32)"] if chosen["precision"] != "float32" else [])
    lines += [_helper(derivative.lines, in_cell)] if derivative.lines else []
    lines += [f"loss = {own}criterion(h, y)" + (" + 0.1 * extra" if derivative.lines else "")]
    return "\n".join(lines)


def _loss_cell(derivative: Derivative, chosen: dict[str, str]) -> str:
    text = (
        "class Loss(nn.Cell):\n    def __init__(self, net, criterion):\n        super().__init__(auto_prefix=False)\n"
        "        self.net, self.criterion = net, criterion\n"
    )
    if "S.inner" in derivative.lines:
        text += "        self.inner = ParameterTuple(net.trainable_params()[:1])\n"
    if "S.fast" in derivative.lines:
        text += "        self.fast = Parameter(tensor('fast', 4, 1), name='fast')\n"
    for helper in derivative.helpers:
        text += "\n" + _indented(_helper(helper, True), 1)
    return (
        text
        + "\n    def construct(self, x, y):\n"
        + _indented(_body(derivative, chosen, True), 2)
        + "        return loss\n"
    )


def _functions(derivative: Derivative, chosen: dict[str, str]) -> str:
    """forward_fn and forward_aux over the variables of ``run``."""
    text = "inner, fast = getattr(loss_cell, 'inner', None), getattr(loss_cell, 'fast', None)\n"
    for helper in derivative.helpers:
        text += "\n" + _helper(helper, False) + "\n"
    for name, returned in (("forward_fn", "loss"), ("forward_aux", "loss, h")):
        text += f"\ndef {name}(x, y):\n" + _indented(_body(derivative, chosen, False), 1) + f"    return {returned}\n"
    return text + "\n"


def _run(chosen: dict[str, str]) -> str:
    step, change = STEPS[chosen["step"]], CHANGES[chosen["change"]]
    derivative = DERIVATIVES.get(chosen["derivative"], Derivative(""))
    criterion, labels = LOSSES[chosen["loss"]]
    optimizer = OPTIMIZERS[chosen["optimizer"]].replace("LR", RATES[chosen["rate"]])
    optimizer = optimizer.replace("(P,", f"({GROUPS[chosen['groups']]},")
    lines = [
        "net = fill(Net())",
        *filter(None, [PRECISIONS[chosen["precision"]]]),
        f"criterion = {criterion}",
        "loss_cell = Loss(net, criterion)",
        "weights = loss_cell.trainable_params()",
        f"opt = {optimizer}",
        "net.set_train()",
        "rows, dtype = 4, np.float32\n",
        f"def x_of(step):\n    return batch(step, '{labels}', rows)[0].astype(dtype)\n",
        f"def y_of(step):\n    return batch(step, '{labels}', rows)[1]\n",
    ]
    if chosen["step"] in MODELS:
        lines.append(_model_run(chosen))
    else:
        lines += [_functions(derivative, chosen)] * step.functional + [step.setup]
        loop = (
            "if step:\n" + _indented(change.change, 1) + "x, y = Tensor(x_of(step)), Tensor(y_of(step))\n" + step.call
        )
        loop += "\nrec.step(step, loss, [loss_cell], [opt])"
        lines.append("for step in range(STEPS):\n" + _indented(loop, 1))
    return "def run(rec):\n" + _indented("\n".join(lines), 1)


def _model_run(chosen: dict[str, str]) -> str:
    epochs = 2 if chosen["step"] == "model_epochs" else 1
    change = CHANGES[chosen["change"]].change
    return (
        f"batches = [(x_of(step), y_of(step)) for step in range({3 if epochs > 1 else 'STEPS'})]\n\n"
        "class Watch(ms.Callback):\n    def on_train_step_begin(self, run_context):\n"
        "        step = run_context.original_args().cur_step_num - 1\n        if step:\n"
        + _indented(change, 3)
        + "\n    def on_train_step_end(self, run_context):\n        found = run_context.original_args()\n"
        "        rec.step(found.cur_step_num - 1, found.net_outputs, [loss_cell], [opt])\n\n"
        f"model = {MODELS[chosen['step']]}\n"
        f"model.train({epochs}, ds.GeneratorDataset(batches, ['x', 'y'], shuffle=False), callbacks=[Watch()], "
        "dataset_sink_mode=False)\n"
    )


def write(programs: Sequence[Program], folder: Path) -> list[str]:
    """One file for each program: a graph mode reads source. Returns what a worker takes."""
    folder.mkdir(exist_ok=True)
    for program in programs:
        (folder / f"{program.name}.py").write_text(program.source)
    return [f"{folder / program.name}.py:run" for program in programs]
