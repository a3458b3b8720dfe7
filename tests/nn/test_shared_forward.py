"""How often a training step in GRAPH_MODE runs a forward that it differentiates afterwards: as real MindSpore 2.10, once
for one call and one gradient with the same arguments, whether or not `set_grad` was called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

X, Y = np.arange(24, dtype=np.float32).reshape(6, 4) / 10, np.ones((6, 5), np.float32)


class Step(nn.Cell):
    """A training Cell of the user's own; subclasses are its forms."""

    def __init__(self) -> None:
        super().__init__(auto_prefix=False)
        self.body = nn.SequentialCell(nn.Dense(4, 5), nn.Dropout(p=0.5), nn.BatchNorm1d(5))
        self.net = nn.WithLossCell(self.body, nn.MSELoss())
        self.opt = nn.SGD(self.body.trainable_params(), 0.1)
        self.w = self.opt.parameters
        self.flag = True
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)


class Plain(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.net(x, y)
        self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        return loss


class Function(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.net(x, y)
        self.opt(ms.grad(self.net, None, self.w)(x, y))
        return loss


class Names(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        net = self.net
        z = x * 2
        loss = net(z, y)
        gradient = self.grad(net, self.w)
        if self.flag:
            self.opt(gradient(z, y, ops.ones_like(loss)))
        return loss


class Starred(Step):
    def construct(self, *inputs: Tensor) -> Tensor:
        return self.one(*inputs)

    def one(self, *inputs: Tensor) -> Tensor:
        loss = self.net(*inputs)
        self.opt(self.grad(self.net, self.w)(*inputs, ops.ones_like(loss)))
        return loss


class Another(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.body(x).mean()
        self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        return loss


class TwoForwards(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.net(x, y) + self.net(x + 1, y)
        self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        return loss


class TwoGradients(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.net(x, y)
        self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        return loss


class InALoop(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = x.sum()
        for _ in range(2):
            loss = self.net(x, y)
            self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        return loss


class OtherArguments(Step):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        loss = self.net(x * 2, y)
        self.opt(self.grad(self.net, self.w)(x, y, ops.ones_like(loss)))
        return loss


FORWARDS: dict[type[Step], int] = {
    Plain: 1,
    Function: 1,
    Names: 1,
    Starred: 1,
    Another: 2,
    TwoForwards: 3,
    TwoGradients: 2,  # real: 3; a forward that is kept serves the first gradient with its arguments
    InALoop: 2,  # real: 4, as before
    OtherArguments: 2,
}


def forwards(step: Step, monkeypatch: pytest.MonkeyPatch, steps: int = 1) -> int:
    """How often the batch norm of the step was computed; `step` is eager."""
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "off")
    count = []
    norm = step.body[-1]
    original = norm.construct
    norm.construct = lambda x: count.append(1) or original(x)
    for _ in range(steps):
        step(Tensor(X), Tensor(Y))
    return len(count)


@pytest.mark.parametrize("form", FORWARDS, ids=lambda form: form.__name__)
def test_a_forward_is_shared_in_graph_mode_alone(form: type[Step], monkeypatch: pytest.MonkeyPatch) -> None:
    of_pynative = {TwoGradients: 3, InALoop: 4}.get(form, max(FORWARDS[form], 2))
    for mode, expected in (
        (ms.GRAPH_MODE, FORWARDS[form]),
        (ms.PYNATIVE_MODE, of_pynative),
        (ms.GRAPH_MODE, FORWARDS[form]),
    ):
        ms.set_context(mode=mode)
        step = form()
        step.set_train()
        assert forwards(step, monkeypatch) == expected
        assert not step.net.requires_grad


def test_what_a_replayed_step_shares_moves_once() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    found: list[Any] = []
    for marks in (False, True):
        ms.set_seed(1)
        step = Plain()
        step.net.set_grad(marks)
        step.set_train()
        losses = [float(step(Tensor(X), Tensor(Y))) for _ in range(6)]
        found.append([*losses, *step.body[-1].moving_mean.asnumpy(), *step.body[0].weight.asnumpy().ravel()])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


def test_an_evaluation_between_steps_keeps_nothing() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    step = Plain()
    step.set_train()
    x, y = Tensor(X), Tensor(Y)
    for _ in range(4):
        step(x, y)
        step.net(x, y)
        assert step.net.__dict__["_captured"] is None
