"""``super().construct(x)`` in a subclass, and a layer's ``construct`` called by its name, give MindSpore's Tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import Tensor, nn
from mindspore_compat._graph.export.ir import leaves, map_values
from tests.nn.cases import CASES, Case
from tests.nn.test_against_golden import REFUSED


@pytest.mark.parametrize("case", [case for case in CASES if case.name not in REFUSED], ids=lambda case: case.name)
def test_every_layer(case: Case) -> None:
    layer = case.make(nn, Tensor).set_train(case.train)
    given = map_values(lambda item: Tensor(item) if isinstance(item, np.ndarray) else item, tuple(case.inputs))
    found = [item for item in leaves(layer.construct(*given)) if isinstance(item, torch.Tensor)]
    assert found
    assert all(isinstance(item, Tensor) for item in found)


def test_methods_mean_what_upstream_means() -> None:
    class Spread(nn.Dense):
        def construct(self, x: Any) -> Any:
            y = super().construct(x)
            z = y
            z += 1  # a new Tensor; torch's would change y
            return y.std(), y.max(axis=(0, 1)), z - y

    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    layer = Spread(3, 4, weight_init="ones", bias_init="zeros")
    std, most, one = layer(Tensor(x))
    rows = x.sum(1, keepdims=True).repeat(4, 1)
    np.testing.assert_allclose(std.asnumpy(), rows.std(), rtol=1e-6)  # by the number of elements; torch's is less one
    assert most == 12
    np.testing.assert_array_equal(one.asnumpy(), np.ones((2, 4)))


def test_a_loss_of_a_subclass() -> None:
    class Squares(nn.LossBase):
        def construct(self, logits: Any, labels: Any) -> Any:
            loss = self.get_loss((logits - labels) ** 2)
            assert isinstance(loss, Tensor)
            return loss

    assert Squares()(Tensor([3.0]), Tensor([1.0])) == 4
