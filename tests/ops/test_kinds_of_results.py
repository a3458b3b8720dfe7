"""dtypes and values that mixed kinds give: real MindSpore's."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


def tensor(dtype):
    return Tensor([1, 0, 2], dtype)


@pytest.mark.parametrize(
    ("function", "args", "dtype", "values"),
    [
        (ops.subtract, (tensor(ms.bool_), tensor(ms.bool_)), ms.int64, [0, 0, 0]),
        (ops.subtract, (tensor(ms.bool_), True), ms.int64, [0, -1, 0]),
        (ops.subtract, (tensor(ms.uint8), tensor(ms.bool_)), ms.int64, [0, 0, 1]),
        (ops.subtract, (tensor(ms.int32), True), ms.int32, [0, -1, 1]),
        (ops.copysign, (tensor(ms.bfloat16), -2.5), ms.float32, [-1, 0, -2]),
        (ops.copysign, (tensor(ms.float16), tensor(ms.float32)), ms.float16, [1, 0, 2]),
        (ops.copysign, (tensor(ms.float32), tensor(ms.float64)), ms.float32, [1, 0, 2]),
        (ops.copysign, (tensor(ms.int32), tensor(ms.float16)), ms.float32, [1, 0, 2]),
        (ops.ldexp, (tensor(ms.float16), True), ms.float16, [2, 0, 4]),
        (ops.ldexp, (tensor(ms.float16), tensor(ms.bool_)), ms.float32, [2, 0, 4]),
        (ops.ldexp, (tensor(ms.float16), tensor(ms.int32)), ms.float32, [2, 0, 8]),
        (ops.ldexp, (tensor(ms.float64), tensor(ms.bool_)), ms.float64, [2, 0, 4]),
        (ops.leaky_relu, (Tensor([-2, 0, 3], ms.int32), 2.0), ms.int32, [-4, 0, 3]),
        (ops.leaky_relu, (Tensor([-2, 0, 3], ms.int8), 0.5), ms.int8, [0, 0, 3]),
        (ops.bincount, (tensor(ms.bool_),), ms.float32, [1, 2]),
        (ops.bincount, (Tensor([1.0, 2.0]),), ms.float32, [0, 1, 1]),
    ],
)
def test_kinds(function, args, dtype, values):
    found = function(*args)
    assert found.dtype == dtype
    assert found.astype(ms.float32).asnumpy().tolist() == values
