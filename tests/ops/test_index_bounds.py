"""Indices below zero and beyond the end: which operators refuse them, as real MindSpore does in both modes.

`ANSWERS` is what real MindSpore 2.10 answers on a CPU; asked again by ``pytest -m oracle``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat._graph.replay import computations
from mindspore_compat._tensor.index_bounds import check_coordinates, refuse_negative
from mindspore_compat.nn import TrainOneStepCell
from tests.graph.replaying import replays
from tests.support import fakecuda
from tests.support.oracle import run_oracle

SETUP = """
import numpy as np
def tensor(values, dtype=ms.int32):
    return ms.Tensor(values, dtype)
def floats(*shape):
    return ms.Tensor(np.full(shape, 9, np.float32))
def x():
    return ms.Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
def v():
    return ms.Tensor(np.arange(3, dtype=np.float32))
def p():
    return ms.Parameter(x(), name="p")
"""
_KINDS = ("update", "add", "sub", "mul", "div", "max", "min")

#: an expression with index k into an axis of length 3, and how real MindSpore counts there: "front" refuses all outside
#: of [0, 3), "end" takes [-3, 3), "none" ignores what is outside
ANSWERS: dict[str, str] = {
    "ops.GatherNd()(x(), tensor([[k]]))": "front",
    "ops.gather_nd(x(), tensor([[0, 0], [k, 1]]))": "front",
    "x().gather_nd(tensor([[k]]))": "front",
    "ops.ScatterNd()(tensor([[k]]), floats(1, 2), (3, 2))": "front",
    "ops.scatter_nd(tensor([[k, 0]]), floats(1), (3, 2))": "front",
    **{f"ops.Scatter{kind.capitalize()}()(p(), tensor([k]), floats(1, 2))": "front" for kind in _KINDS},
    **{
        f"ops.scatter_{kind}(p(), tensor([k]), floats(1, 2))": "front"
        for kind in ("update", "add", "mul", "div", "max", "min")
    },
    **{f"ops.ScatterNd{kind.capitalize()}()(p(), tensor([[k]]), floats(1, 2))": "front" for kind in _KINDS},
    **{f"ops.scatter_nd_{kind}(p(), tensor([[k, 0]]), floats(1))": "front" for kind in _KINDS if kind != "update"},
    **{f"ops.TensorScatter{kind.capitalize()}()(x(), tensor([[k]]), floats(1, 2))": "front" for kind in _KINDS},
    **{f"ops.tensor_scatter_{kind}(x(), tensor([[k, 0]]), floats(1))": "front" for kind in _KINDS if kind != "update"},
    **{f"x().scatter_{kind}(tensor([[k]]), floats(1, 2))": "front" for kind in _KINDS if kind != "update"},
    "ms.COOTensor(tensor([[k, 0]]), floats(1), (3, 3)).to_dense()": "front",
    "ms.COOTensor(tensor([[k, 0]]), floats(1), (3, 2)) + x()": "front",
    "(ms.COOTensor(tensor([[k, 0]]), floats(1), (3, 2)) * x()).values": "front",
    "ops.SparseTensorDenseMatmul()(tensor([[k, 0]]), floats(1), (3, 3), x())": "front",
    "array_ops.UnravelIndex()(tensor([k]), tensor([3]))": "front",
    "ops.ReverseSequence(0, 1)(x(), tensor([k, 1], ms.int64))": "lengths",
    "ops.index_add(p(), tensor([k]), floats(1, 2), 0)": "front",
    "x().index_add(tensor([k]), floats(1, 2), 0)": "front",
    "ops.SparseApplyAdagradV2(0.1, 1e-6)(p(), ms.Parameter(floats(3, 2), name='q'), floats(1, 2), tensor([k]))[0]": (
        "front"
    ),
    "ops.inplace_add(x(), floats(1, 2), k)": "front",
    "ops.inplace_sub(x(), floats(1, 2), k)": "front",
    "ops.inplace_update(x(), floats(1, 2), tensor([k]))": "end",
    "ops.Gather()(x(), tensor([k]), 0)": "end",
    "ops.Gather(1)(ms.Tensor(x().asnumpy().T), tensor([[k], [0]]), 1)": "end",
    "ops.gather_elements(x(), 0, tensor([[k, 0]]))": "end",
    "ops.index_select(x(), 0, tensor([k]))": "end",
    "ops.index_fill(x(), 0, tensor([k]), ms.Tensor(9.0))": "end",
    "array_ops.IndexPut()(v(), floats(1), (tensor([k]),))": "end",
    "mnp.take_along_axis(x(), tensor([[k, 0]]), 0)": "end",
    "nn.Embedding(3, 2, embedding_table=x())(tensor([k]))": "end",
    # beyond [-3, 3) real MindSpore leaves the tensor as it is, ours refuses
    "ops.tensor_scatter_elements(x(), tensor([[k, k]]), floats(1, 2), 0)": "end, else unchanged",
    "ops.scatter(x(), 0, tensor([[k, k]]), floats(1, 2))": "end, else unchanged",
    "ops.EmbeddingLookup()(x(), tensor([k]), 0)": "none",
    "ops.one_hot(tensor([k]), 3)": "none",
    "ops.unsorted_segment_sum(x(), tensor([0, k, 1]), 3)": "none below",
    "ops.unsorted_segment_max(x(), tensor([0, k, 1]), 3)": "none below",
}
_TAKEN = {
    "front": (),
    "lengths": (3,),
    "end": (-1,),
    "end, else unchanged": (-1,),
    "none": (-1, -4, 3, 1000),
    "none below": (-1, -4),
}


def _value(expression: str, k: int) -> Any:
    names = {"ms": ms, "ops": ops, "nn": nn, "mnp": ms.numpy, "array_ops": ms.ops.operations.array_ops, "k": k}
    exec(SETUP, names)
    found = eval(expression, names)
    return found.asnumpy().tolist()


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def _mode(request: Any) -> Iterator[None]:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=before)


@pytest.mark.parametrize("expression", ANSWERS)
def test_what_is_out_of_range(expression: str, _mode: None) -> None:
    for k in (-1, -4, 3, 1000):
        if k in _TAKEN[ANSWERS[expression]]:
            last = _value(expression, k)
            if ANSWERS[expression].startswith("end"):
                assert last == _value(expression, 2)
        else:
            with pytest.raises((IndexError, ValueError, RuntimeError)) as caught:
                _value(expression, k)
            assert "9223372036854775" not in str(caught.value)


@pytest.mark.oracle
@pytest.mark.parametrize("mode", ["PYNATIVE_MODE", "GRAPH_MODE"])
def test_real_mindspore_answers_so(mode: str) -> None:
    code = f"""

import mindspore as ms
from mindspore import ops, nn
import mindspore.numpy as mnp
from mindspore.ops.operations import array_ops
ms.set_context(mode=ms.{mode})
{SETUP}
found = {{}}
for expression in {list(ANSWERS)!r}:
    for k in (-1, -4, 3, 1000):
        try:
            found[f"{{expression}}|{{k}}"] = eval(expression).asnumpy().tolist()
        except Exception as error:
            found[f"{{expression}}|{{k}}"] = "refused"
give(found)
"""
    found = run_oracle(code)
    for expression, answer in ANSWERS.items():
        for k in (-1, -4, 3, 1000):
            real = found[f"{expression}|{k}"]
            if k in _TAKEN[answer]:
                assert real == _value(expression, k), (expression, k)
            elif answer != "end, else unchanged":
                assert real == "refused", (expression, k)


@pytest.mark.parametrize("kind", ["mul", "div"])
@pytest.mark.parametrize("place", [[0, 2], [1, -1], [-1, 1], [3, 0]])
def test_a_coordinate_beyond_its_axis_is_no_element_of_the_next_row(kind: str, place: list[int]) -> None:
    scatter = getattr(ops, f"tensor_scatter_{kind}")
    with pytest.raises(IndexError):
        scatter(ops.ones((3, 2)), Tensor([place]), Tensor([5.0]))


def test_nothing_is_changed_by_what_is_refused() -> None:
    parameter = ms.Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(3, 2)))
    for name in ("scatter_update", "scatter_add", "scatter_max"):
        with pytest.raises(IndexError):
            getattr(ops, name)(parameter, Tensor([0, -1]), ops.ones((2, 2)))
    assert parameter.asnumpy().tolist() == [[0, 1], [2, 3], [4, 5]]


def test_no_indices() -> None:
    x, none = ops.ones((3, 2)), Tensor(np.zeros((0, 1), np.int32))
    assert ops.gather_nd(x, none).shape == (0, 2)
    for kind in _KINDS:
        found = getattr(ops, f"tensor_scatter_{kind}", ops.TensorScatterUpdate())(x, none, ops.zeros((0, 2)))
        assert found.asnumpy().tolist() == x.asnumpy().tolist()
    nothing = Tensor(np.zeros((0, 2), np.float32))
    assert ops.gather_nd(nothing, none).shape == (0, 2)


@pytest.mark.parametrize("dtype", [ms.int16, ms.int32, ms.int64, ms.uint8])
def test_every_dtype_of_indices(dtype: Any) -> None:
    assert ops.gather_nd(Tensor([1.0, 2.0, 3.0]), Tensor([[2]], dtype)).asnumpy().tolist() == [3]


class _Step(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.table = ms.Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(3, 2)), name="table")

    def construct(self, i: Any) -> Any:
        ones = ops.ones((2, 2))  # torch differentiates by updates with an operator that no recording takes
        both = ops.tensor_scatter_max(self.table, i, ones) * ops.scatter_nd(i, ones, (3, 2))
        return ops.tensor_scatter_min(both, ops.concat((i, i // 2), 1), ones[0]).sum()


def test_a_recorded_step_is_replayed_and_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computations, "_SHARE", 1e6)  # replays do not depend on how long steps take
    before = ms.get_context("mode")
    try:
        losses = {}
        for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
            ms.set_context(mode=mode)
            network = _Step()
            net = TrainOneStepCell(network, nn.SGD(network.trainable_params(), 0.1))
            losses[mode] = [float(net(Tensor([[k % 3], [1]]))) for k in range(9)]
            assert replays(net) == (6 if mode == ms.GRAPH_MODE else 0)
            with pytest.raises((IndexError, RuntimeError)):
                net(Tensor([[1], [-1]]))
        assert losses[ms.GRAPH_MODE] == losses[ms.PYNATIVE_MODE]
    finally:
        ms.set_context(mode=before)


def test_vmap_and_transforms() -> None:
    x, i = ops.ones((4, 3)), Tensor([[[2]], [[0]], [[1]], [[2]]])
    assert ops.vmap(ops.gather_nd)(x, i).shape == (4, 1)
    assert ops.vmap(ops.tensor_scatter_add)(x, i, ops.ones((4, 1))).asnumpy().sum() == 16
    with pytest.raises(IndexError):
        ops.vmap(ops.gather_nd)(x, i - 1)
    assert torch.func.jacrev(lambda a: ops.tensor_scatter_max(a, i[0], ops.ones((1,))))(x[0]).shape == (3, 3)


@pytest.mark.slow
@pytest.mark.skipif(fakecuda.installed(), reason="the fake device has no compiler")
def test_compiled_by_torch() -> None:
    compiled = torch.compile(lambda a, i, u: ops.tensor_scatter_add(a, i, u) + ops.tensor_scatter_max(a, i, u).sum())
    x, u = ops.ones((3, 2)), ops.ones((1, 2))
    assert compiled(x, Tensor([[1]]), u).shape == (3, 2)
    with pytest.raises((IndexError, RuntimeError)):
        compiled(x, Tensor([[-1]]), u)


@pytest.mark.parametrize("file_format", ["MINDIR", "ONNX"])
def test_a_file_holds_no_check(tmp_path: Any, file_format: str) -> None:
    class Net(nn.Cell):
        def construct(self, x: Any, i: Any) -> Any:
            return ops.gather_nd(x, i) + ops.TensorScatterUpdate()(x, i, ops.gather_nd(x, i)).sum()

    path = tmp_path / f"net.{file_format.lower()}"
    ms.export(Net(), ops.ones((3, 2)), Tensor([[1], [2]]), file_name=str(path), file_format=file_format)
    assert b"itwise" not in path.read_bytes()


@pytest.mark.skipif(not fakecuda.installed(), reason="the fake device is not installed (--device cuda)")
@pytest.mark.parametrize(
    "call",
    [
        lambda x, i, u: ops.gather_nd(x, i),
        lambda x, i, u: ops.scatter_nd(i, u, (3, 2)),
        lambda x, i, u: ops.tensor_scatter_elements(x, i.expand((2, 2)), u),
        *(lambda x, i, u, kind=kind: getattr(x, f"scatter_{kind}")(i, u) for kind in _KINDS[1:]),
        lambda x, i, u: ops.tensor_scatter_mul(x, ops.concat((i, i), 1), u[:, 0]),
        lambda x, i, u: ops.scatter_nd_update(ms.Parameter(x, requires_grad=False), i, u),
        lambda x, i, u: ops.scatter_add(ms.Parameter(x, requires_grad=False), i[:, 0], u),
    ],
)
def test_a_check_does_not_wait_for_the_device(call: Callable[..., Any]) -> None:
    x, i, u = ops.ones((3, 2)), Tensor([[1], [0]]), ops.ones((2, 2))
    with fakecuda.recorded() as traffic:
        call(x, i, u)
    assert not traffic.waits
    with pytest.raises((IndexError, RuntimeError)):  # the CPU's kernels; a real device stops by its assertion
        call(x, i - 9, u)


def test_the_two_ways_to_refuse() -> None:
    assert refuse_negative(torch.tensor([0, 7, -1])).tolist() == [0, 7, 2**63 - 1]
    places = torch.tensor([0, 2]), torch.tensor([1, 0])
    assert check_coordinates(places, (3, 2)).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="with size 2"):
        check_coordinates((places[0], places[0]), (3, 2))


def test_a_label_that_is_no_class_is_refused_by_ctc() -> None:
    """Torch's kernel reads beyond its memory; behind a target's length there may be any padding."""
    x = ops.log_softmax(ops.ones((4, 2, 3)), -1)
    lengths = Tensor([4, 4]), Tensor([2, 1])
    for loss in (ops.ctc_loss, nn.CTCLoss()):
        for bad in (3, -1):
            with pytest.raises((IndexError, RuntimeError)):
                loss(x, Tensor([[1, bad], [1, 0]]), *lengths)
        for padding in (3, -1, 0):
            found = loss(x, Tensor([[1, 2], [1, padding]]), *lengths)
            assert np.isfinite((found[0] if isinstance(found, tuple) else found).asnumpy())


def test_mint_counts_from_the_end() -> None:
    x, index, values = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), Tensor([[0, -1]]), Tensor([[8.0, 9.0]])
    assert mint.gather(x, 0, index).asnumpy().tolist() == [[1, 6]]
    assert mint.scatter(x, 0, index, values).asnumpy().tolist() == [[8, 2], [3, 4], [5, 9]]
    assert mint.scatter_add(x, 0, index, values).asnumpy().tolist() == [[9, 2], [3, 4], [5, 15]]


def test_a_class_that_there_is_not_is_not_among_the_best() -> None:
    x = Tensor([[1.0, 2.0, 3.0]] * 4)
    assert ops.intopk(x, Tensor([2, 0, -1, 7], ms.int32), 1).asnumpy().tolist() == [True, False, False, False]


def test_an_index_that_is_no_class_is_hot_nowhere() -> None:
    places = Tensor([0.0, 2.0, 1.5, 5.0])
    expected = [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert ops.one_hot(places, 3, Tensor(1.0), Tensor(0.0)).asnumpy().tolist() == expected
    assert nn.OneHot(depth=3)(places).asnumpy().tolist() == expected


def test_an_index_without_places_reads_nothing() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    for index in ([], False, [False, False], (slice(None), [])):
        assert x[index].shape == x.asnumpy()[index].shape
