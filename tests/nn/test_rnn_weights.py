"""Recurrent layers compute with the weights that a program assigns, whatever the Parameters are called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn

LISTS = ("w_ih_list", "w_hh_list", "b_ih_list", "b_hh_list")


@pytest.mark.parametrize("kind", [tuple, list, ParameterTuple])
@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_assigned_weights_are_used(kind: Any, layer: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    ms.set_seed(1)
    x = Tensor(np.random.RandomState(0).randn(3, 2, 4), ms.float32)
    source, target = (layer(4, 5, num_layers=2, bidirectional=True) for _ in range(2))
    expected = source(x)[0].asnumpy()
    assert not np.allclose(target(x)[0].asnumpy(), expected)
    for name in LISTS:
        given = [Parameter(item.asnumpy(), name=f"other.{item.name}") for item in getattr(source, name)]
        setattr(target, name, kind(given))
    np.testing.assert_allclose(target(x)[0].asnumpy(), expected, rtol=1e-6)
    weights = [item for name in LISTS for item in getattr(target, name)]
    gradients = ms.grad(lambda x: target(x)[0].sum(), None, ParameterTuple(weights))(x)
    assert all(gradient.asnumpy().any() for gradient in gradients)
