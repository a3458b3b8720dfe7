"""``ops.auto_generate``: what libraries import from there, and operators with torch's arguments against torch."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.ops import auto_generate

#: what mindformers and mindnlp import
_IMPORTED = """
    AddExt ArgMaxWithValue AssignAdd BatchMatMulExt Cast Concat Cos CumsumExt Div Erf Exp ExpandDims FmodScalar GatherD
    GeLU GroupedMatmul IndexSelect Log MatMulExt MeanExt MoeComputeExpertTokens MoeFinalizeRouting MoeGatingTopKSoftmax
    MoeInitRouting MoeInitRoutingV2 MoeTokenUnpermute Mul Neg OneHotExt OnesLike Outer ReLU Reshape Rsqrt Scatter Shape
    SiLU Sigmoid Sin Softmax SortExt Split SplitWithSize Sqrt StackExt StridedSlice SubExt SumExt Swiglu Tile TopkExt
    Transpose Zeros ZerosLikeExt gen_ops_prim pyboost_inner_prim
""".split()


@pytest.mark.parametrize("name", _IMPORTED)
def test_what_libraries_import_is_there(name: str) -> None:
    found = getattr(auto_generate, name)
    assert found is getattr(ops, name, found)
    if isinstance(found, type):
        assert issubclass(found, ops.Primitive)
        assert getattr(importlib.import_module("mindspore_compat.ops.auto_generate.gen_ops_prim"), name) is found


@pytest.mark.parametrize("name", ["FusedAddTopKDiv", "MoeDistributeDispatch", "MoeDistributeCombine"])
def test_what_only_ascend_has_can_be_made_and_refuses_to_run(name: str) -> None:
    made = getattr(auto_generate, name)()
    with pytest.raises(UnsupportedError):
        made(torch.ones(2))


def _f(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape) + sum(shape)))


A, B, INDEX = _f(3, 4), _f(3, 4), torch.tensor([[0, 2, 1, 0], [1, 0, 0, 2]])
_CLASSES: dict[str, tuple[Any, tuple, dict, Any]] = {
    "AddExt": ((), (A, B, 2), {}, A + 2 * B),
    "AddExt of a number": ((), (A, 3), {}, A + 3),
    "SubExt": ((), (A, B, 0.5), {}, A - 0.5 * B),
    "SumExt": ((), (A,), {}, A.sum()),
    "SumExt of an axis": ((), (A, 1, True), {}, A.sum(1, True)),
    "SumExt in another dtype": ((), (A,), {"dim": (0, 1), "dtype": torch.float64}, A.sum((0, 1), dtype=torch.float64)),
    "MeanExt": ((), (A, (0,)), {}, A.mean(0)),
    "CumsumExt": ((), (A, 1), {}, A.cumsum(1)),
    "MatMulExt": ((), (A, B.T), {}, A @ B.T),
    "BatchMatMulExt": ((), (A[None], B.T[None]), {}, (A @ B.T)[None]),
    "FmodScalar": ((), (A, 0.7), {}, torch.fmod(A, 0.7)),
    "FmodTensor": ((), (A, B), {}, torch.fmod(A, B)),
    "Outer": ((), (A[0], B[1]), {}, torch.outer(A[0], B[1])),
    "SiLU": ((), (A,), {}, torch.nn.functional.silu(A)),
    "SortExt": ((), (A, 0, True), {}, tuple(torch.sort(A, 0, True))),
    "TopkExt": ((), (A, 2), {}, tuple(torch.topk(A, 2))),
    "TopkExt of the least": ((), (A, 2, 0, False), {}, tuple(torch.topk(A, 2, 0, False))),
    "SplitWithSize": ((), (A, (1, 3), 1), {}, torch.split(A, (1, 3), 1)),
    "SplitTensor": ((), (A, 2, 0), {}, torch.split(A, 2, 0)),
    "ZerosLikeExt": ((), (A,), {"dtype": torch.int32}, torch.zeros(3, 4, dtype=torch.int32)),
    "OnesLikeExt": ((), (A,), {}, torch.ones(3, 4)),
    "Swiglu": ((), (A,), {}, torch.nn.functional.silu(A[:, :2]) * A[:, 2:]),
    "Scatter": ((), (A, 0, INDEX, B), {}, A.scatter(0, INDEX, B)),
    "Scatter adding": ((), (A, 0, INDEX, B, "add"), {}, A.scatter_add(0, INDEX, B)),
    "Scatter of a number": ((), (A, 0, INDEX, 2.0), {}, A.scatter(0, INDEX, 2.0)),
    "IndexSelect": ((), (A, 1, INDEX[0]), {}, A.index_select(1, INDEX[0])),
    "StackExt": ((1,), ((A, B),), {}, torch.stack((A, B), 1)),
    "OneHotExt": (
        (),
        (INDEX, 3, torch.tensor(1.0), torch.tensor(0.0)),
        {},
        torch.nn.functional.one_hot(INDEX, 3).float(),
    ),
}


def _ours(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return Tensor(value.numpy())
    return tuple(_ours(item) for item in value) if isinstance(value, tuple) else value


def _same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for mine, other in zip(found, expected):
            _same(mine, other)
        return
    assert isinstance(found, Tensor) and found.dtype == expected.dtype and found.shape == tuple(expected.shape)
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", list(_CLASSES))
def test_operators_with_torchs_arguments_are_torchs(case: str) -> None:
    attributes, inputs, named, expected = _CLASSES[case]
    operator = getattr(auto_generate, case.split()[0])(*attributes)
    _same(operator(*_ours(inputs), **named), expected)


def test_functions_with_torchs_arguments() -> None:
    from mindspore_compat.ops.auto_generate.gen_extend_func import add_ext, cumsum_ext, sum_ext, topk_ext

    _same(add_ext(_ours(A), _ours(B), alpha=3), A + 3 * B)
    _same(sum_ext(_ours(A), 1), A.sum(1))
    _same(cumsum_ext(_ours(A), 0), A.cumsum(0))
    _same(topk_ext(_ours(A), 1), tuple(torch.topk(A, 1)))
    _same(auto_generate.matmul_ext(_ours(A), _ours(B.T)), A @ B.T)


def test_gradients_of_operators_with_torchs_arguments() -> None:
    inputs = [_ours(A), _ours(B)]
    found = ms.grad(lambda a, b: (auto_generate.AddExt()(a, b, 2) * auto_generate.SiLU()(a)).sum(), (0, 1))(*inputs)
    a, b = A.clone().requires_grad_(), B.clone().requires_grad_()
    ((a + 2 * b) * torch.nn.functional.silu(a)).sum().backward()
    for mine, other in zip(found, (a.grad, b.grad)):
        np.testing.assert_allclose(mine.asnumpy(), other.numpy(), rtol=1e-5)


def test_functions_behind_operators() -> None:
    from mindspore_compat.ops.auto_generate import pyboost_inner_prim as inner

    _same(inner.matmul_impl(_ours(A), _ours(B), False, True), A @ B.T)
    _same(inner.softmax_impl(_ours(A), -1), torch.softmax(A, -1))
    _same(inner.reduce_max_impl(_ours(A), 1, True), A.amax(1, True))
    _same(inner.concat_impl((_ours(A), _ours(B)), 1), torch.cat((A, B), 1))
    _same(inner.squeeze_impl(_ours(A[None]), 0), A)
    _same(inner.split_impl(_ours(A), 1, 2), torch.split(A, 2, 1))
    _same(inner.batch_mat_mul_impl(_ours(A[None]), _ours(B[None]), True, False), (A.T @ B)[None])


def test_slices_convolutions_and_nearest_neighbours() -> None:
    """Classes that exporters of MindSpore's own tests use."""
    x = Tensor(np.arange(32, dtype=np.float32).reshape(1, 2, 4, 4))
    weight = Tensor(np.linspace(-1, 1, 24, dtype=np.float32).reshape(3, 2, 2, 2))
    np.testing.assert_array_equal(auto_generate.SliceExt()(x, -1, 1, 4, 2).asnumpy(), x.asnumpy()[..., 1:4:2])
    np.testing.assert_array_equal(auto_generate.SliceExt()(x, 2, 0, 3, 1).asnumpy(), x.asnumpy()[:, :, :3])
    forward = auto_generate.Convolution()(x, weight, None, 2, (1, 1), 1, False, 0, 1)
    np.testing.assert_allclose(forward.asnumpy(), ops.conv2d(x, weight, None, 2, "pad", 1).asnumpy(), rtol=1e-6)
    bias = Tensor([1.0, 2.0])
    expected = auto_generate.ConvTranspose2D()(forward, weight, bias, 2, 1, 1)
    assert expected.shape == (1, 2, 5, 5)
    again = auto_generate.Convolution()(forward, weight, bias, (2, 2), 1, 1, True, 1, 1)
    np.testing.assert_array_equal(again.asnumpy(), expected.asnumpy())
    twice = x.asnumpy().repeat(2, -1).repeat(2, -2)
    for found in (
        auto_generate.UpsampleNearest2D()(x, (8, 8), None),
        auto_generate.UpsampleNearest2D()(x, None, [2.0, 2.0]),
    ):
        np.testing.assert_array_equal(found.asnumpy(), twice)


def test_upstreams_files_are_attributes_of_their_packages() -> None:
    """Code writes ``ops.function.nn_func.interpolate_ext`` after ``from mindspore import ops``."""
    from mindspore_compat import ops

    assert ops.function.nn_func.interpolate_ext and ops.function.array_func.new_zeros
    assert ops.operations.manually_defined.tile is ops.tile
