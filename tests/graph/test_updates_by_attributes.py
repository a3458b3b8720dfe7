"""``x[i] = v`` in graph mode in functions that Cells hold as attributes: the base keeps its elements."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn


class Actor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.masks = Tensor(np.zeros(4, np.float32))

    def act(self, x, place):
        masks = self.masks
        masks[place] = x
        return masks


def mark(masks, x):
    masks[1] = x
    return masks


class ByMethod(nn.Cell):
    def __init__(self):
        super().__init__()
        self.actor = Actor()
        self.agent_act = self.actor.act

    def construct(self, x):
        return self.agent_act(x, 0) + self.agent_act(x, 1), self.actor.masks


class ByFunction(nn.Cell):
    def __init__(self):
        super().__init__()
        self.masks = Tensor(np.zeros(4, np.float32))
        self.marked = mark

    def construct(self, x):
        return self.marked(self.masks, x), self.masks


class ByList(ByMethod):
    def __init__(self):
        super().__init__()
        self.steps = [self.actor.act, self.actor.act]

    def construct(self, x):
        total = x * 0
        for i in range(2):
            total = total + self.steps[i](x, i)
        return total, self.actor.masks


class ByDict(ByMethod):
    def __init__(self):
        super().__init__()
        self.steps = {"first": self.actor.act}

    def construct(self, x):
        return self.steps["first"](x, 2), self.actor.masks


TABLE = {"first": mark}


def read(masks, x):
    return masks + x


class Helper:
    def __init__(self):
        self.function = mark

    def go(self, masks, x):
        return self.function(masks, x)


class Marking(ByFunction):
    """Marks its masks by what `marked` says."""

    def __init__(self, marked):
        super().__init__()
        self.helper, self.marked = Helper(), marked

    def step(self, masks, x):
        masks[1] = x
        return masks

    @staticmethod
    def static(masks, x):
        masks[1] = x
        return masks


class ByTable(Marking):
    def construct(self, x):
        return TABLE["first"](self.masks, x), self.masks


class ByName(Marking):
    def construct(self, x):
        return getattr(self, "step")(self.masks, x), self.masks


class ByHelper(Marking):
    def construct(self, x):
        return self.helper.go(self.masks, x), self.masks


class Other:
    """Holds a function under a name of its own, so that no other case makes it known."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


class BySecondHelper(ByFunction):
    def __init__(self):
        super().__init__()
        self.first, self.second = Other(mark_two=read), Other(mark_two=mark)

    def construct(self, x):
        return self.second.mark_two(self.masks, x), self.masks


class ByListOfHelpers(ByFunction):
    def __init__(self):
        super().__init__()
        self.helpers = [Other(mark_listed=read), Other(mark_listed=mark)]

    def construct(self, x):
        return self.helpers[1].mark_listed(self.masks, x), self.masks


class ByInnerHelper(ByFunction):
    def __init__(self):
        super().__init__()
        self.outer = Other(inner=Other(mark_inside=mark))

    def construct(self, x):
        return self.outer.inner.mark_inside(self.masks, x), self.masks


class ByMap(Marking):
    def construct(self, x):
        return self.marked((self.masks,), (x,))[0], self.masks


class ByOwnClass(Marking):
    def construct(self, x):
        return ByOwnClass.static(self.masks, x), self.masks


@ms.jit
def given(function, masks, x):
    return function(masks, x), masks


class Trainer:
    """No Cell; its method is compiled, as in mindspore_rl."""

    def __init__(self):
        self.cell = ByMethod()

    @ms.jit
    def one(self, x):
        return self.cell.agent_act(x, 3), self.cell.actor.masks


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (ByMethod(), [2.0, 2.0, 0.0, 0.0]),
        (ByFunction(), [0.0, 2.0, 0.0, 0.0]),
        (ByList(), [2.0, 2.0, 0.0, 0.0]),
        (ByDict(), [0.0, 0.0, 2.0, 0.0]),
        (Trainer().one, [0.0, 0.0, 0.0, 2.0]),
        (ByTable(mark), [0.0, 2.0, 0.0, 0.0]),
        (ByName(mark), [0.0, 2.0, 0.0, 0.0]),
        (ByHelper(mark), [0.0, 2.0, 0.0, 0.0]),
        (BySecondHelper(), [0.0, 2.0, 0.0, 0.0]),
        (ByListOfHelpers(), [0.0, 2.0, 0.0, 0.0]),
        (ByInnerHelper(), [0.0, 2.0, 0.0, 0.0]),
        (ByMap(ms.ops.HyperMap(mark)), [0.0, 2.0, 0.0, 0.0]),
        (ByMap(ms.ops.HyperMap(functools.partial(mark))), [0.0, 2.0, 0.0, 0.0]),
        (ByOwnClass(mark), [0.0, 2.0, 0.0, 0.0]),
        (functools.partial(given, mark, Tensor(np.zeros(4, np.float32))), [0.0, 2.0, 0.0, 0.0]),
    ],
)
def test_the_base_keeps_its_elements(call, expected):
    ms.set_context(mode=ms.GRAPH_MODE)
    for _ in range(3):
        marked, masks = call(Tensor(2.0))
        assert marked.asnumpy().tolist() == expected
        assert masks.asnumpy().tolist() == [0.0] * 4


class Collects(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = nn.Dense(1, 1, "ones", "zeros")
        self.results = []

    def construct(self, x):
        results = self.results
        results.append(self.scale(x) * 2)
        results.append(x)
        return results[0], len(results), len(self.results)


def test_a_list_of_a_cell_does_not_grow_under_another_name():
    """As in MindSpore's graph mode, each call begins with the list of ``__init__``; PYNATIVE_MODE keeps results."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Collects()
    for value in (1.0, 2.0, 3.0):
        first, own, kept = net(Tensor([[value]]))
        assert (first.asnumpy().item(), own, kept, net.results) == (2 * value, 2, 0, [])
    train = nn.TrainOneStepCell(Losing(net), nn.SGD(net.trainable_params(), 0.5))
    losses = [float(train(Tensor([[1.0]])).asnumpy()) for _ in range(3)]
    assert losses == [2.0, -2.0, -6.0]  # 2 * (weight + bias), each less by 0.5 * 2 a step
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [net(Tensor([[1.0]]))[1] for _ in range(2)] == [2, 4]


class Losing(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        return self.net(x)[0].sum()
