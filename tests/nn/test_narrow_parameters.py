"""Parameters of float16 with gradients of any size: what real MindSpore 2.10 made of three steps, whose kernels round
once a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.experimental import optim as experimental

_SMALL = [0.5542, -0.81641, -0.31885, -2.2578, -0.80713]
_PROXIMAL = [0.94238, -0.74658, 0.11023, 0.025177, -0.14111]
CASES: dict[str, tuple[Any, float, list[float]]] = {
    "Adam": (lambda p: nn.Adam(p, 0.1), 1e-4, _SMALL),
    "LazyAdam": (lambda p: nn.LazyAdam(p, 0.1), 1e-4, _SMALL),
    "experimental.Adam": (lambda p: experimental.Adam(p, lr=0.1), 1e-4, _SMALL),
    "RMSProp": (lambda p: nn.RMSProp(p, 0.1), 1.0, [0.91553, -0.78418, 0.086182, -0.066345, -0.2478]),
    "centered RMSProp": (
        lambda p: nn.RMSProp(p, 0.1, centered=True),
        1.0,
        [0.91309, -0.79004, 0.084717, -0.069946, -0.2522],
    ),
    "ProximalAdagrad": (lambda p: nn.ProximalAdagrad(p, learning_rate=0.1), 1.0, _PROXIMAL),
    "AdaFactor": (
        lambda p: nn.AdaFactor(p, 0.1, scale_parameter=False, relative_step=False),
        1e-4,
        [0.9834, -0.56299, 0.23669, 0.087952, -0.042084],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_step_rounds_once(name: str) -> None:
    make, size, expected = CASES[name]
    weight = Parameter(Tensor([1.0, -0.5, 0.25, 0.125, 1e-3], ms.float16), name="w")
    optimizer, random = make([weight]), np.random.RandomState(0)
    for _ in range(3):
        optimizer((Tensor(random.randn(5) * size, ms.float16),))
    assert weight.dtype is ms.float16
    np.testing.assert_allclose(weight.asnumpy(), np.array(expected, np.float16), rtol=2e-3)


def test_parameters_of_two_dtypes_in_one_group() -> None:
    wide, narrow = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([1.0], ms.float16), name="b")
    optimizer = nn.Adam([wide, narrow], 0.1, use_amsgrad=True)
    optimizer((Tensor([1e-4]), Tensor([1e-4], ms.float16)))
    assert float(wide) == pytest.approx(0.9, 1e-3) and float(narrow) == pytest.approx(0.9, 1e-3)
