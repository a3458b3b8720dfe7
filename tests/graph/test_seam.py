"""Captures end where a program reads memory that they do not see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._graph.recorder import READS_MEMORY
from mindspore_compat._graph.replay.tape import record

# --- nobody reads memory unseen ---------------------------------------------------------------------------------------

#: each of READS_MEMORY, as a program would use it on a plain tensor that depends on the input
READERS: dict[str, Callable[[torch.Tensor], Any]] = {
    "numpy": lambda x: x.numpy(),
    "tolist": lambda x: x.tolist(),
    "__array__": lambda x: np.asarray(x),
    "__dlpack__": lambda x: x.__dlpack__(),
    "data_ptr": lambda x: x.data_ptr(),
    "untyped_storage": lambda x: x.untyped_storage(),
    "storage": lambda x: x.storage(),
    "share_memory_": lambda x: x.share_memory_(),
    "apply_": lambda x: x.apply_(lambda item: item + 1),
    "map_": lambda x: x.map_(torch.ones_like(x), lambda a, b: a + b),
    "map2_": lambda x: x.map2_(torch.ones_like(x), torch.ones_like(x), lambda a, b, c: a + b + c),
}


class Reads(nn.Cell):
    def __init__(self, read: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self.read = read

    def construct(self, x: Any) -> Any:
        y = (x * 2).as_subclass(torch.Tensor)
        self.read(y)
        return Tensor(y + 1)


def test_each_reader_has_a_program() -> None:
    assert set(READERS) == READS_MEMORY


@pytest.mark.parametrize("name", READERS)
def test_an_export_refuses_what_reads_memory(name: str, tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError, match="reads the values of a tensor"):
        ms.export(Reads(READERS[name]), Tensor([1.0, 2.0]), file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", READERS)
def test_a_tape_ends_where_memory_is_read(name: str) -> None:
    x = torch.tensor([1.0, 2.0])
    _, tape, problem = record(lambda: READERS[name](x * 2) is None, [x], quick=False)
    assert tape is None and problem.startswith("it calls Tensor.")


class Hidden(nn.Cell):
    """A mask as another object for the same memory, made by no operator."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x: Any) -> Any:
        return self.dense(x * Tensor((x > 0).astype(ms.float32).as_subclass(torch.Tensor))).sum()


def test_objects_that_no_operator_made_are_no_constants(tmp_path: Path, free_recordings: None) -> None:
    first, second = Tensor([[1.0, -1, 1]]), Tensor([[-1.0, 1, 2]])
    net = Hidden()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.0))
    ms.set_context(mode=ms.GRAPH_MODE)
    for _ in range(6):
        step(first)
    np.testing.assert_allclose(step(second).asnumpy(), net(second).asnumpy(), rtol=1e-6)
    ms.export(net, first, file_name=str(tmp_path / "net"), file_format="MINDIR")
    graph = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    np.testing.assert_allclose(graph(second).asnumpy(), net(second).asnumpy(), rtol=1e-6)
