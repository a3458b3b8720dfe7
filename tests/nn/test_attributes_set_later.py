"""What counts of a layer's attributes when they are set after it was made: as under real MindSpore, where some are read at
each call and others went into operators with the constructor. Scripts do both: ``m.momentum = 0.97`` on every batch norm
(without effect), ``m.p = 0.0`` on every dropout (switches it off).
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from tests.support.oracle import run_both

#: (layer, its input's shape, attribute, value, whether it counts)
CASES: list[tuple[str, tuple[int, ...], str, Any, bool]] = [
    ("BatchNorm1d(6)", (4, 6), "eps", 1.0, False),
    ("BatchNorm1d(6)", (4, 6), "momentum", 0.5, False),
    ("BatchNorm2d(4)", (2, 4, 6, 6), "eps", 1.0, False),
    ("BatchNorm2d(4)", (2, 4, 6, 6), "momentum", 0.5, False),
    ("BatchNorm2d(4)", (2, 4, 6, 6), "use_batch_statistics", False, True),
    ("LayerNorm((6,))", (4, 6), "epsilon", 1.0, False),
    ("LayerNorm((6,))", (4, 6), "begin_norm_axis", 0, False),
    ("GroupNorm(2, 4)", (2, 4, 6, 6), "eps", 1.0, True),
    ("Dense(6, 3)", (4, 6), "has_bias", False, True),
    ("Conv1d(4, 8, 3, has_bias=True)", (2, 4, 12), "has_bias", False, True),
    ("Conv2d(4, 8, 3, has_bias=True)", (2, 4, 6, 6), "has_bias", False, True),
    ("Conv2d(4, 8, 3, has_bias=True)", (2, 4, 6, 6), "stride", (2, 2), False),
    ("Conv2d(4, 8, 3, has_bias=True)", (2, 4, 6, 6), "dilation", (2, 2), False),
    ("Conv3d(4, 8, 3, has_bias=True)", (1, 4, 4, 4, 4), "has_bias", False, True),
    ("Conv1dTranspose(4, 8, 3, has_bias=True)", (2, 4, 12), "has_bias", False, True),
    ("Conv2dTranspose(4, 8, 3, has_bias=True)", (2, 4, 6, 6), "has_bias", False, True),
    ("Conv2dTranspose(4, 8, 3, has_bias=True)", (2, 4, 6, 6), "dilation", (2, 2), False),
    ("Conv3dTranspose(4, 8, 3, stride=2)", (1, 4, 4, 4, 4), "stride", (3, 3, 3), False),
    ("Dropout(p=0.9)", (20, 20), "p", 0.0, True),
    ("Dropout(p=0.9)", (20, 20), "keep_prob", 1.0, True),
    ("Dropout(0.1)", (20, 20), "keep_prob", 1.0, True),
    ("Dropout2d(p=0.9)", (8, 16, 2, 2), "keep_prob", 1.0, True),
    ("GLU()", (4, 6), "dim", 0, False),
    ("LeakyReLU(0.2)", (4, 6), "alpha", 0.5, True),
    ("AvgPool2d(2, 2)", (2, 4, 6, 6), "stride", (1, 1), False),
    ("MSELoss()", (4, 6), "reduce", False, True),
    ("MSELoss()", (4, 6), "average", False, True),
    ("MAELoss()", (4, 6), "reduce", False, True),
    ("L1Loss()", (4, 6), "reduction", "sum", True),
    ("SmoothL1Loss()", (4, 6), "beta", 0.1, False),
    ("SmoothL1Loss()", (4, 6), "reduction", "sum", False),
]

PROGRAM = f"""
import json
import mindspore as ms, numpy as np
from mindspore import Tensor, nn

def answers(made, shape, attribute=None, value=None):
    random = np.random.default_rng(0)
    layer = eval("nn." + made)
    for parameter in layer.get_parameters():
        values = np.random.default_rng(len(parameter.name)).uniform(0.3, 1.2, tuple(parameter.shape))
        parameter.set_data(Tensor(values.astype(np.float32)))
    if attribute:
        setattr(layer, attribute, value)
    count = 2 if "Loss" in made else 1
    inputs = [Tensor(random.uniform(-1.0, 2.0, shape).astype(np.float32)) for _ in range(count)]
    given = []
    for training in (True, False):
        layer.set_train(training)
        given += [layer(*inputs).asnumpy(), *(p.asnumpy() for p in layer.get_parameters())]
    return given

def counts(made, shape, attribute, value):
    before, after = answers(made, shape), answers(made, shape, attribute, value)
    return any(a.shape != b.shape or not np.allclose(a, b, atol=1e-5) for a, b in zip(before, after))

def whole(value):
    return tuple(value) if isinstance(value, list) else value

give([bool(counts(*map(whole, case[:4]))) for case in json.loads({json.dumps(json.dumps(CASES))})])
"""


@pytest.mark.oracle
def test_what_counts_is_what_counts_under_real_mindspore() -> None:
    wanted = [case[4] for case in CASES]
    for side, found in zip(("ours", "real"), run_both(PROGRAM)):
        assert [case for case, one in zip(CASES, found) if one != case[4]] == [], side
        assert len(found) == len(wanted)


def test_dropout_set_to_zero_passes_on() -> None:
    x = Tensor(np.ones((50, 50), np.float32))
    for name, value in (("p", 0.0), ("keep_prob", 1.0)):
        layer = nn.Dropout(p=0.5).set_train()
        assert not np.array_equal(layer(x).asnumpy(), x.asnumpy())
        setattr(layer, name, value)
        np.testing.assert_array_equal(layer(x).asnumpy(), x.asnumpy())


def test_batch_norm_keeps_momentum_and_eps() -> None:
    x = Tensor(np.random.default_rng(0).normal(2, 3, (8, 4)).astype(np.float32))
    one, two = nn.BatchNorm1d(4).set_train(), nn.BatchNorm1d(4).set_train()
    two.momentum, two.eps = 0.97, 0.5
    np.testing.assert_array_equal(one(x).asnumpy(), two(x).asnumpy())
    np.testing.assert_array_equal(one.moving_mean.asnumpy(), two.moving_mean.asnumpy())


def test_a_bias_counts_where_has_bias_says_so() -> None:
    layer = nn.Dense(3, 2, has_bias=False)
    x = ms.ops.ones((1, 3))
    without = layer(x).asnumpy()
    layer.bias = ms.Parameter(Tensor(np.ones(2, np.float32)), name="bias")
    np.testing.assert_array_equal(layer(x).asnumpy(), without)
    layer.has_bias = True
    np.testing.assert_allclose(layer(x).asnumpy(), without + 1, rtol=1e-6)
