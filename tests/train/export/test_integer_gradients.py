"""Files of gradients by all inputs, integers among them: the same numbers when they are loaded again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

X = Tensor(np.linspace(-2, 1, 15, dtype=np.float32).reshape(3, 5))
LABELS = Tensor(np.array([1, 0, 4], np.int32))
WEIGHT = Tensor(np.array([0.2, 0.3, 0.1, 0.15, 0.25], np.float32))
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "NLLLoss": lambda x, labels: ops.NLLLoss(reduction="mean")(x, labels, WEIGHT)[0],
    "cross_entropy": lambda x, labels: ops.cross_entropy(x, labels),
    "product": lambda x, labels: x[:, 0] * labels,
    "sum": lambda x, labels: (x * labels.astype(ms.float32).expand_dims(1)).sum(),
    "places": lambda x, labels: ops.gather(x, labels % 3, 0) * 2,
    "one_hot": lambda x, labels: ops.one_hot(labels, 5) * x,
}


class Gradient(nn.Cell):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function, self.gradient = function, ops.GradOperation(get_all=True)

    def construct(self, x: Any, labels: Any) -> Any:
        return self.gradient(self.function)(x, labels)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_is_written(name: str, tmp_path: Path) -> None:
    net = Gradient(FUNCTIONS[name])
    expected = net(X, LABELS)
    ms.export(net, X, LABELS, file_name=str(tmp_path / "net"), file_format="MINDIR")
    found = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))(X, LABELS)
    for one, other in zip(found, expected):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), 1e-6, 1e-7)
