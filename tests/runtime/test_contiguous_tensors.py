"""`ContiguousTensorsHandle`, with real MindSpore 2.10's values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor
from mindspore_compat.hal.contiguous_tensors_handle import ContiguousTensorsHandle, combine_tensor_list_contiguous


@pytest.fixture
def parts() -> tuple[Tensor, Tensor, Tensor]:
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([[4.0, 5.0], [6.0, 7.0]])
    return x, y, x + x


@pytest.mark.cpu_only("on a device the parts are 512 bytes apart")
def test_parts_of_the_memory(parts: Any) -> None:
    handle = combine_tensor_list_contiguous(list(parts))
    assert isinstance(handle, ContiguousTensorsHandle)
    for index, expected in (
        (0, [1]), (9, [6]), (slice(1, 5), [2, 3, 4, 5]), (slice(None), [1, 2, 3, 4, 5, 6, 7, 2, 4, 6]),
        (slice(0, 6, 2), [1, 2, 3, 4, 5, 6]),
    ):  # fmt: skip
        assert handle[index].asnumpy().tolist() == expected
    assert str(handle) == (
        "Handle total size: 40\nTensor[0]: [1. 2. 3.]\nTensor[1]: [[4. 5.]\n [6. 7.]]\nTensor[2]: [2. 4. 6.]\n"
    )
    assert (handle.before_padding_sizes, handle.total_padding_size, handle.handle_shape) == ([12, 16, 12], 40, 10.0)


def test_tensors_by_their_number(parts: Any) -> None:
    values = [x.asnumpy() for x in parts]
    handle = combine_tensor_list_contiguous(parts)
    for place, value in enumerate(values):
        np.testing.assert_array_equal(handle.slice_by_tensor_index(place).asnumpy(), value.ravel())
        np.testing.assert_array_equal(parts[place].asnumpy(), value)
        assert handle.after_padding_sizes[place] >= handle.before_padding_sizes[place]
    whole = handle.slice_by_tensor_index().asnumpy()
    assert [item for item in whole if item] == [1, 2, 3, 4, 5, 6, 7, 2, 4, 6]


def test_the_tensors_share_the_memory(parts: Any) -> None:
    x, y, _ = parts
    handle = combine_tensor_list_contiguous(parts)
    handle[0:3][0] = 50
    x[1] = 70
    assert x.asnumpy().tolist() == handle[0:3].asnumpy().tolist() == [50, 70, 3]
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    handle = combine_tensor_list_contiguous([weight, y])
    weight.set_data(Tensor([8.0, 9.0]))
    assert handle.slice_by_tensor_index(0).asnumpy().tolist() == [8, 9]


def test_several_dtypes_lie_in_one_memory() -> None:
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([4, 5], ms.int64)
    combine_tensor_list_contiguous([x, y], False)
    assert x.asnumpy().tolist() == [1, 2, 3] and y.asnumpy().tolist() == [4, 5]


def test_what_is_refused(parts: Any) -> None:
    for given, error in ((3, TypeError), ([3], TypeError), ([], IndexError)):
        with pytest.raises(error, match="input list"):
            combine_tensor_list_contiguous(given)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="bool"):
        combine_tensor_list_contiguous(parts, 1)  # type: ignore[arg-type]
    handle = combine_tensor_list_contiguous(parts)
    for index, error in ((-1, ValueError), (9999, ValueError), (slice(5, 3), ValueError), ("a", TypeError)):
        with pytest.raises(error, match="slice input"):
            handle[index]  # type: ignore[index]
    for start, end in ((2, 1), (0, 9), (-1, 1)):
        with pytest.raises(ValueError, match="slice input"):
            handle.slice_by_tensor_index(start, end)
