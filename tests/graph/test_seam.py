"""The seam of all captures: which tensor is which, what operators do to their arguments, and that nobody reads memory
unseen.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._graph.operators import aliased, is_random, is_view, written
from mindspore_compat._graph.recorder import READS_MEMORY, Identity
from mindspore_compat._graph.replay.tape import record

aten = torch.ops.aten


@pytest.mark.parametrize("holds", [True, False])
def test_identity_is_by_object(holds: bool) -> None:
    known: Identity[str] = Identity(holds)
    first, second = torch.zeros(2), torch.zeros(2)
    assert known.put(first, "first") == known.get(first) == "first"
    assert known.get(second) is None and known.get(first.view(2)) is None


def test_another_tensor_with_the_id_of_a_dead_one_is_not_known() -> None:
    known: Identity[int] = Identity(holds=False)
    for number in range(200):  # ids are used again and again
        tensor = torch.zeros(2)
        assert known.get(tensor) is None
        known.put(tensor, number)
        del tensor
        gc.collect(0)


def test_what_is_held_stays() -> None:
    known: Identity[str] = Identity(holds=True)
    tensor = torch.zeros(2)
    known.put(tensor, "it")
    held = weakref.ref(tensor)
    del tensor
    assert held() is not None and known.get(held()) == "it"


def test_what_is_not_held_is_let_go() -> None:
    known: Identity[str] = Identity(holds=False)
    tensor = torch.zeros(2)
    known.put(tensor, "it")
    entry = known._entries[id(tensor)][0]
    del tensor
    assert entry() is None


X, Y = torch.zeros(2, 3), torch.ones(2, 3)


@pytest.mark.parametrize(
    ("op", "args", "kwargs", "writes", "views"),
    [
        (aten.add.Tensor, (X, Y), {}, [], []),
        (aten.add_.Tensor, (X, Y), {}, [X], []),
        (aten.add.out, (X, Y), {"out": X}, [X], []),
        (aten.view.default, (X, [6]), {}, [], [X]),
        (aten.split.Tensor, (X, 1), {}, [], [X]),
        (aten.detach.default, (X,), {}, [], [X]),
        (aten.copy_.default, (X, Y), {}, [X], []),
        (aten._foreach_add_.Scalar, ([X, Y], 1.0), {}, [X, Y], []),
        (aten.clone.default, (X,), {}, [], []),
    ],
    ids=lambda item: str(item) if isinstance(item, torch._ops.OpOverload) else "",
)
def test_what_an_operator_writes_and_gives_views_of(op: Any, args: Any, kwargs: Any, writes: Any, views: Any) -> None:
    found = list(aliased(op, args, kwargs))
    assert [id(item) for is_write, item in found if is_write] == [id(item) for item in writes]
    assert [id(item) for is_write, item in found if not is_write] == [id(item) for item in views]
    assert bool(written(op)) == bool(writes) and is_view(op) == bool(views)


def test_fused_steps_write_gradients_only_to_unscale_them() -> None:
    op = aten._fused_sgd_.default
    numbers = {"weight_decay": 0.0, "momentum": 0.9, "lr": 0.1, "dampening": 0.0, "nesterov": False, "maximize": False}
    lists = ([X], [Y], [X.clone()])
    plain = [id(item) for is_write, item in aliased(op, lists, {**numbers, "is_first_step": True}) if is_write]
    scaled = aliased(op, lists, {**numbers, "is_first_step": True, "grad_scale": torch.ones(())})
    assert id(Y) not in plain and id(X) in plain
    assert id(Y) in [id(item) for is_write, item in scaled if is_write]


def test_random_operators() -> None:
    assert is_random(aten.bernoulli.default) and is_random(aten.native_dropout.default)
    assert not is_random(aten.add.Tensor)


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
