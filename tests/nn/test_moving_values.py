"""Moving values of normalizations whose `requires_grad` a program has set, as it sets that of all Parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.train import Model

X = np.random.RandomState(0).randn(8, 3, 6, 6).astype(np.float32)

CELLS: dict[str, Callable[[], Any]] = {
    "BatchNorm2d": lambda: nn.BatchNorm2d(3),
    "BatchNorm2d, of the batch": lambda: nn.BatchNorm2d(3, use_batch_statistics=True),
    "InstanceNorm2d": lambda: nn.InstanceNorm2d(3),
}


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("name", CELLS)
def test_they_have_a_derivative_of_zeros(name: str, train: bool) -> None:
    found = []
    for sets in (False, True):
        ms.set_seed(0)
        cell = CELLS[name]().set_train(train)
        if sets:
            for parameter in cell.get_parameters():
                parameter.requires_grad = True
        weights = ms.ParameterTuple(list(cell.get_parameters()))
        loss, gradients = ms.value_and_grad(lambda x, cell=cell: (cell(x) ** 3).sum(), None, weights)(Tensor(X))
        moving = [item for p, item in zip(weights, gradients, strict=True) if p.name.endswith(("mean", "variance"))]
        assert len(moving) == 2
        assert not any(item.asnumpy().any() for item in moving)
        found.append([loss.asnumpy(), *(item.asnumpy() for item in gradients), *(p.asnumpy() for p in weights)])
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_network_trains_with_them(mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSPORE_COMPAT_REPLAY", "check")
    ms.set_context(mode=mode)
    ms.set_seed(0)
    net = nn.SequentialCell(nn.BatchNorm2d(3), nn.Flatten(), nn.Dense(108, 4))
    for parameter in net.get_parameters():
        parameter.requires_grad = True
    data = ms.dataset.NumpySlicesDataset((X, np.arange(8, dtype=np.int32) % 4), shuffle=False).batch(4)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.1)
    assert len(optimizer.parameters) == 6
    Model(net, nn.CrossEntropyLoss(), optimizer).train(4, data, dataset_sink_mode=False)
    variance = net[0].moving_variance.asnumpy()
    expected = np.ones(3)
    factors = np.zeros(3)
    for step in range(8):  # decayed by the optimizer, too
        part = X[:4] if step % 2 == 0 else X[4:]
        expected = 0.9 * expected + 0.1 * part.var((0, 2, 3), ddof=1)
        factors = 0.9 * factors + 0.1 * expected
        expected = expected - 0.1 * factors
    np.testing.assert_allclose(variance, expected, rtol=1e-4)
