"""What `export` refuses, and that it says why, where, and what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.train._export import export, load
from tests.train.export.nets import Function

X = Tensor(np.ones((2, 3), np.float32))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"file_format": "GEIR"}, ValueError),
        ({"enc_key": "0" * 16}, ValueError),
        ({"enc_key": b"0" * 16, "file_format": "ONNX"}, ValueError),
        ({"quant_modes": "QUANT"}, ValueError),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error):
        export(nn.ReLU(), X, **{"file_name": str(tmp_path / "net"), "file_format": "MINDIR", **options})
    assert not list(tmp_path.iterdir())


def test_a_torch_module_is_written_from_a_copy(tmp_path: Path) -> None:
    net = torch.nn.Linear(X.shape[-1], 3)
    export(net, X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert type(net.weight) is torch.nn.Parameter
    found = nn.GraphCell(load(str(tmp_path / "net.mindir")))(X)
    np.testing.assert_allclose(
        found.asnumpy(), net(torch.from_numpy(X.asnumpy())).detach().numpy(), rtol=1e-5, atol=1e-6
    )


class _Counter(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.count = Parameter(Tensor([0.0]), name="count")

    def construct(self, x: Any) -> Any:
        ops.assign(self.count, self.count + 1)
        return x + self.count


class _Deep(nn.Cell):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.body = nn.CellList([nn.ReLU(), Function(function)])

    def construct(self, x: Any) -> Any:
        for layer in self.body:
            x = layer(x)
        return x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * float(x[0, 0]),
        lambda x: x * int(x[0, 0]),
        lambda x: x * x[0, 0].item(),
        lambda x: x * complex(x[0, 0]).real,
        lambda x: x[x[0, 0].astype(ms.int32).__index__()],
        lambda x: x * len(range(x[0, 0].astype(ms.int32))),
        lambda x: x * torch.equal(x, x + 1),
        lambda x: x * torch.allclose(x, x + 1),
        lambda x: x * int(f"{x[0, 0]:.0f}"),
        lambda x: x * np.asarray(x).max(),
        lambda x: x * len(str(x)),
        lambda x: x * x.untyped_storage().nbytes(),
        lambda x: x * len(repr(x)),
        lambda x: x * np.from_dlpack(x).max(),
        lambda x: x * x.numpy().max(),
        lambda x: x * ops.nonzero(x > 0).shape[0],
        lambda x: x * ops.unique(x)[0].shape[0],
        lambda x: x * x[x > 0].sum(),
        lambda x: x * Tensor(x.asnumpy().max()),
        lambda x: x * x[0].tolist()[0],
        lambda x: ops.masked_select(x, x > 0),
        lambda x: x + ops.randn(2, 3),
        lambda x: "text",
    ],
)
def test_what_no_file_can_hold_is_named_with_its_place(function: Any, tmp_path: Path) -> None:
    with pytest.raises((NotImplementedError, TypeError)):
        export(_Deep(function), X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not list(tmp_path.iterdir())


def test_a_changed_parameter_is_refused_by_onnx_and_not_changed(tmp_path: Path) -> None:
    net = _Counter()
    with pytest.raises(NotImplementedError):
        export(net, X, file_name=str(tmp_path / "net"), file_format="ONNX")
    assert net.count.asnumpy() == 0


def test_none_among_the_results_is_refused_by_onnx(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        export(_Deep(lambda x: (x, None)), X, file_name=str(tmp_path / "net"), file_format="ONNX")
    assert not list(tmp_path.iterdir())


def test_a_refusal_is_not_lost_when_construct_catches_it(tmp_path: Path) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            try:
                factor = float(x.sum())
            except Exception:
                factor = 1.0
            return x * factor

    with pytest.raises(NotImplementedError):
        export(Net(), X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not list(tmp_path.iterdir())


def test_the_mode_comes_back_after_an_error(tmp_path: Path) -> None:
    net = _Deep(lambda x: x + ops.randn(2, 3)).set_train()
    with pytest.raises(NotImplementedError):
        export(net, X, file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert net.training and net.body[1].training
