"""Tensor methods where MindSpore's and torch's call forms meet; the values themselves are compared in tests/ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from mindspore_compat import ops
from mindspore_compat.common.dtype import bool_, float16, int32
from mindspore_compat.common.tensor import Tensor


@pytest.fixture
def x() -> Tensor:
    return Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))


def test_transpose_takes_all_axes_or_two(x: Tensor) -> None:
    assert x.transpose(2, 0, 1).shape == (4, 2, 3)
    assert x.transpose((1, 0, 2)).shape == (3, 2, 4)
    assert x.transpose(1, 2).shape == (2, 4, 3)
    with pytest.raises(RuntimeError):
        x.transpose(0, 1, 1)


def test_max_gives_values_by_axis_and_pairs_by_dim(x: Tensor) -> None:
    assert x.max().shape == ()
    assert x.max(axis=1).shape == (2, 4)
    values, indices = x.max(dim=1)
    assert values.shape == indices.shape == (2, 4)
    assert x.max(axis=(0, 1), keepdims=True).shape == (1, 1, 4)


def test_sum_takes_both_names(x: Tensor) -> None:
    assert x.sum(axis=1, keepdims=True).shape == x.sum(dim=1, keepdim=True).shape == x.sum(1, True).shape == (2, 1, 4)
    with pytest.raises(TypeError, match="keep"):
        x.sum(axis=1, keeps=True)


def test_var_counts_all_elements_by_default(x: Tensor) -> None:
    assert float(x.var()) == pytest.approx(float(np.arange(24).var()))
    assert float(x.var(ddof=1)) == pytest.approx(float(np.arange(24).var(ddof=1)))


def test_repeat_is_numpys_unless_each_axis_has_a_count(x: Tensor) -> None:
    vector = Tensor([1, 2])
    assert vector.repeat(2).asnumpy().tolist() == [1, 1, 2, 2]
    assert x.repeat(2, axis=1).shape == (2, 6, 4)
    assert x.repeat(2, 1).shape == (2, 6, 4)
    assert x.repeat((1, 2, 1)).shape == (2, 6, 4)
    assert x.repeat(1, 2, 1).shape == (2, 6, 4)


def test_gather_takes_slices_or_single_elements(x: Tensor) -> None:
    assert x.gather(Tensor([0, 2], int32), 1).shape == (2, 2, 4)
    assert x.gather(1, Tensor(np.zeros((2, 1, 4), np.int64))).shape == (2, 1, 4)


def test_flatten_takes_order_or_axes(x: Tensor) -> None:
    assert x.flatten().shape == (24,)
    assert x.flatten(start_dim=1).shape == x.flatten(1).shape == (2, 12)
    assert x.flatten("F").asnumpy().tolist() == x.asnumpy().flatten("F").tolist()
    with pytest.raises(ValueError, match="'order' value must be 'C' or 'F'"):
        x.flatten("K")


def test_conversions_have_mindspores_width() -> None:
    value = Tensor([1.5])
    assert [value.int().dtype, value.long().dtype, value.half().dtype] == [torch.int32, torch.int64, torch.float16]
    assert value.to("float16").dtype is value.astype(np.float16).dtype is float16


def test_clip_takes_the_names_of_1x() -> None:
    assert Tensor([-1.0, 2.0]).clip(xmin=0, xmax=1).asnumpy().tolist() == [0.0, 1.0]
    assert Tensor([-1.0, 2.0]).clip(0, 1, dtype=int32).dtype is int32


def test_resize_cuts_or_fills_with_zeros() -> None:
    assert Tensor([1, 2, 3]).resize(2, 2).asnumpy().tolist() == [[1, 2], [3, 0]]
    assert Tensor([1, 2, 3]).resize((2,)).asnumpy().tolist() == [1, 2]


def test_itemset_leaves_the_original() -> None:
    original = Tensor([[1, 2], [3, 4]])
    assert original.itemset(3, 9).asnumpy().tolist() == [[1, 2], [3, 9]]
    assert original.itemset((0, 0), 7).asnumpy().tolist() == [[7, 2], [3, 4]]
    assert original.T.itemset(1, 9).asnumpy().tolist() == [[1, 9], [2, 4]]
    assert original.asnumpy().tolist() == [[1, 2], [3, 4]]


def test_methods_are_the_functions_of_ops() -> None:
    assert Tensor.masked_fill is ops.masked_fill


def test_torch_code_that_uses_methods_still_works(x: Tensor) -> None:
    assert torch.einsum("bij->bj", x).shape == (2, 4)
    assert torch.stft(x.reshape(-1), 8, return_complex=True, window=torch.ones(8, device=x.device)).shape[0] == 5
    assert torch.nn.functional.layer_norm(x, (4,)).shape == (2, 3, 4)
    assert torch.split(x, 2, 1)[0].shape == (2, 2, 4)
    assert torch.nn.functional.cosine_embedding_loss(x[0], x[0], torch.ones(3, device=x.device)).shape == ()


@pytest.mark.parametrize(
    "function",
    [np.max, np.min, np.sum, np.mean, np.std, np.var, np.prod, np.all, np.any, np.ptp, np.argmax, np.argmin],
)
def test_numpy_reduces_a_tensor_to_numpys_values(function: Any, x: Tensor) -> None:
    for given in ({}, {"axis": 1}):
        found, expected = function(x, **given), function(x.asnumpy(), **given)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected)
    assert function(a=x) == function(x.asnumpy())


def test_numpy_on_the_left_compares() -> None:
    """As on real MindSpore: numpy compares element by element; a number of numpy's is an operand like any other."""
    array, tensor = np.array([1.0, 2.0], np.float32), Tensor([1.0, 3.0])
    for found, expected in (
        (array == tensor, [True, False]),
        (array != tensor, [False, True]),
        (array < tensor, [False, True]),
        (array >= tensor, [True, False]),
        (array + tensor, [2.0, 5.0]),
    ):
        assert type(found) is np.ndarray and found.tolist() == expected
    assert (tensor == array) is False
    assert isinstance(np.float32(2) * tensor, Tensor) and isinstance(np.float32(1) == tensor, Tensor)


def test_sums_and_differences_take_a_factor_by_name() -> None:
    x, y = Tensor([4.0, 5.0]), Tensor([1.0, 2.0])
    for name, expected in (("add", [6.0, 9.0]), ("sub", [2.0, 1.0])):
        assert getattr(x, f"__{name}__")(y, alpha=2).asnumpy().tolist() == expected
        assert getattr(Tensor([4.0, 5.0]), f"__i{name}__")(y, alpha=2).asnumpy().tolist() == expected
    assert x.__sub__(3, alpha=2).asnumpy().tolist() == [-2.0, -1.0]
    with pytest.raises(TypeError, match="no argument 'alpha'"):
        x.__mul__(y, alpha=2)


@pytest.mark.parametrize("kind", [list, tuple])
def test_add_and_sub_take_sequences_and_comparisons_do_not(kind: type) -> None:
    x = Tensor([[1.0, 3.0], [0.0, 2.0]])
    assert x.add(kind([1, 2])).asnumpy().tolist() == [[2, 5], [1, 4]]
    assert x.sub(kind([1, 2])).asnumpy().tolist() == [[0, 1], [-1, 0]]
    for name in ("eq", "ne", "not_equal", "equal"):
        if hasattr(x, name):
            with pytest.raises(TypeError, match="must be Tensors or numbers"):
                getattr(x, name)(kind([1, 3]))


def test_a_sum_of_bools_from_an_initial_value_is_a_bool() -> None:
    for initial, found in ((12, True), (0, False)):
        total = Tensor([0.0, 0.0]).sum(dtype=bool_, initial=initial)
        assert isinstance(total, Tensor) and total.dtype == bool_ and bool(total) is found
