"""Random operators with a seed: upstream's draw other numbers at every call, an operator with the same seed the same
ones from its beginning, functions the same ones after ``set_seed`` (asked of real MindSpore 2.10 in these terms).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.ops import operations as P
from tests.support.oracle import run_oracle

#: both libraries evaluate these; a class is made with a seed, a function called with one
PROGRAM = """
def cases(ms, ops, P, np):
    T = lambda *a: ms.Tensor(np.array(a, np.float32))
    probs, ones = ms.Tensor(np.full((1, 50), 0.02, np.float32)), ms.Tensor(np.ones(64, np.float32))
    x = ms.Tensor(np.arange(40, dtype=np.float32))
    classes = {
        "StandardNormal": (lambda: P.StandardNormal(7), lambda op: op((20,))),
        "StandardLaplace": (lambda: P.StandardLaplace(7, 3), lambda op: op((20,))),
        "UniformReal": (lambda: P.UniformReal(7), lambda op: op((20,))),
        "UniformInt": (lambda: P.UniformInt(7), lambda op: op((20,), ms.Tensor(0, ms.int32), ms.Tensor(999, ms.int32))),
        "RandomShuffle": (lambda: P.RandomShuffle(7), lambda op: op(x)),
        "Multinomial": (lambda: P.Multinomial(7), lambda op: op(probs, 20)),
        "RandomCategorical": (lambda: P.RandomCategorical(), lambda op: op(probs, 20, 5)),
        "Dropout": (lambda: P.Dropout(0.5, 7), lambda op: op(ones)[0]),
        "RandpermV2": (lambda: P.random_ops.RandpermV2(7), lambda op: op(40)),
        "RandomChoiceWithMask": (
            lambda: P.RandomChoiceWithMask(10, 7), lambda op: op(ms.Tensor(np.ones(64, np.bool_)))[0]
        ),
        "UniformCandidateSampler": (
            lambda: P.UniformCandidateSampler(1, 10, True, 100, 7), lambda op: op(ms.Tensor([[1]], ms.int32))[0]
        ),
    }
    functions = {
        "normal": lambda: ops.normal((20,), T(0.0), T(1.0), 7),
        "uniform": lambda: ops.uniform((20,), T(0.0), T(1.0), 7),
        "laplace": lambda: ops.laplace((20,), T(0.0), T(1.0), 7),
        "standard_normal": lambda: ops.standard_normal((20,), 7),
        "multinomial": lambda: ops.multinomial(probs, 20, True, 7),
        "shuffle": lambda: ops.shuffle(x, 7),
        "dropout": lambda: ops.dropout(ones, 0.5, True, 7),
        "rand": lambda: ops.rand(20, seed=7),
        "randn": lambda: ops.randn(20, seed=7),
        "randint": lambda: ops.randint(0, 999, (20,), seed=7),
        "bernoulli": lambda: ops.bernoulli(ones, 0.5, 7),
        "randperm": lambda: ops.randperm(40, seed=7),
    }
    return classes, functions


def relations(ms, ops, P, np):
    same = lambda a, b: bool(np.array_equal(a.asnumpy(), b.asnumpy()))
    classes, functions = cases(ms, ops, P, np)
    found = {}
    for name, (make, call) in classes.items():
        op = make()
        first, second = call(op), call(op)
        found[name] = [same(first, second), same(first, call(make()))]
    for name, call in functions.items():
        first, second = call(), call()
        ms.set_seed(1)
        third = call()
        ms.set_seed(1)
        found[name] = [same(first, second), same(third, call())]
    return found
"""


def _ours() -> dict[str, list[bool]]:
    names: dict[str, Any] = {}
    exec(PROGRAM, names)
    return names["relations"](ms, ops, P, np)


def test_numbers_go_on_from_call_to_call() -> None:
    fixed = {"RandpermV2", "bernoulli", "randperm"}  # upstream's kernels of these begin anew
    assert _ours() == {name: [name in fixed, True] for name in _ours()}


@pytest.mark.oracle
def test_as_the_oracle() -> None:
    program = f"{PROGRAM}\nimport numpy as np, mindspore as ms\nfrom mindspore import ops\n"
    found = run_oracle(program + "from mindspore.ops import operations as P\ngive(relations(ms, ops, P, np))")
    assert _ours() == found


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_seeded_dropout_draws_a_new_mask_in_every_step(mode: int) -> None:
    ms.set_context(mode=mode)

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dropout, self.scale = P.Dropout(0.5, 3), ms.Parameter(Tensor(1.0), name="scale")

        def construct(self, x):
            return self.dropout(x * self.scale)[0].sum()

    def losses() -> list[float]:
        net = Net()
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.0)).set_train()
        return [float(step(Tensor(np.arange(64, dtype=np.float32)))) for _ in range(5)]

    first: list[float] = losses()
    assert len(set(first)) == 5 and losses() == first


@pytest.mark.parametrize(("operator", "axes"), [(P.Dropout2D, 2), (P.Dropout3D, 3)])
@pytest.mark.parametrize("dtype", [ms.float32, ms.int32])
def test_channels_that_are_all_dropped_are_zero(operator: Callable[..., Any], axes: int, dtype: Any) -> None:
    x = Tensor(np.ones((2, 3) + (2,) * axes), dtype)
    out, mask = operator(keep_prob=0.0)(x)
    assert out.dtype == dtype and not out.asnumpy().any() and not mask.asnumpy().any()
    out, mask = operator(keep_prob=1.0)(x)
    assert out.dtype == dtype and out.asnumpy().all() and mask.asnumpy().all()
