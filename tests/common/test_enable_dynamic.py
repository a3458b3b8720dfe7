"""``enable_dynamic`` leaves the function alone; MINDIR messages come back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


def test_functions_stay_as_they_are() -> None:
    @ms.enable_dynamic(x=Tensor(shape=[None, 2], dtype=ms.float32))
    @ms.jit
    def function(x: Tensor) -> Tensor:
        return x + 1

    assert [function(ops.ones((rows, 2))).shape for rows in (1, 3)] == [(1, 2), (3, 2)]


def test_mindir_messages_come_back(tmp_path: Path) -> None:
    ms.export(nn.Dense(3, 2), ops.ones((1, 3)), file_name=str(tmp_path / "net"), file_format="MINDIR")
    model = ms.load_mindir(str(tmp_path / "net.mindir"))
    assert [item.name for item in model.graph.parameter]
    ms.save_mindir(model, str(tmp_path / "copy"))
    ms.save_mindir(model, str(tmp_path / "copy"))
    assert ms.load_mindir(str(tmp_path / "copy.mindir")) == model
    graph = ms.load(str(tmp_path / "copy.mindir"))
    assert nn.GraphCell(graph)(ops.ones((1, 3))).shape == (1, 2)
    (tmp_path / "bad.mindir").write_bytes(b"\xff\xff\xff")
    with pytest.raises(ValueError, match="is no MINDIR file"):
        ms.load_mindir(str(tmp_path / "bad.mindir"))
