"""`ops.Custom` and the descriptions of user operators."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, context, ops
from mindspore_compat._api.errors import UnsupportedError

X, Y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0])

ADD = """
#include <stdint.h>
#include <string.h>
int add(int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, void *extra) {
    if (nparam != 3 || strcmp(dtypes[2], "float32")) return 7;
    int64_t size = 1;
    for (int i = 0; i < ndims[2]; i++) size *= shapes[2][i];
    for (int64_t i = 0; i < size; i++) ((float*)params[2])[i] = ((float*)params[0])[i] + ((float*)params[1])[i];
    return 0;
}
"""

SCALE = """
#include <stdint.h>
int scale(int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes, void *stream, void *extra) {
    if (nparam != 3 || ndims[1]) return nparam;
    float by = dtypes[1][0] == 'f' ? *(float*)params[1] : dtypes[1][0] == 'i' ? *(int64_t*)params[1] : *(char*)params[1];
    for (int64_t i = 0; i < shapes[0][0]; i++) ((float*)params[2])[i] = ((float*)params[0])[i] * by;
    return 0;
}
"""


def product_and_sum(x: np.ndarray, y: np.ndarray) -> tuple:
    return x * y, x.sum(keepdims=True)


def same_and_one(a: Any, b: Any) -> tuple:
    return a, [1]


def test_python_function_with_several_outputs() -> None:
    operator = ops.Custom(product_and_sum, same_and_one, lambda a, b: (a, a))
    product, total = operator(X, Y)
    assert isinstance(product, ms.Tensor) and product.asnumpy().tolist() == [3, 10] and total.asnumpy().tolist() == [3]


def test_shape_and_dtype_as_values() -> None:
    assert ops.Custom(lambda x: x * 2, (2,), ms.float32, "pyfunc")(X).asnumpy().tolist() == [2, 4]


def test_gradient_by_bprop() -> None:
    operator = ops.Custom(
        product_and_sum, same_and_one, lambda a, b: (a, a), bprop=lambda x, y, out, dout: (dout[0] * y, dout[0] * x)
    )
    gradients = ms.grad(lambda x, y: operator(x, y)[0].sum(), grad_position=(0, 1))(X, Y)
    assert [item.asnumpy().tolist() for item in gradients] == [[3, 5], [1, 2]]


def test_without_bprop_the_gradient_is_refused() -> None:
    operator = ops.Custom(lambda x: x * 2, (2,), ms.float32)
    with pytest.raises(RuntimeError):
        ms.grad(lambda x: operator(x).sum())(X)


@pytest.mark.parametrize("kind", ["akg", "aicpu"])
def test_what_needs_a_compiler_is_refused_when_it_is_called(kind: str) -> None:
    made = ops.Custom(product_and_sum, lambda *shapes: shapes[0], lambda *dtypes: dtypes[0], kind)  # at import, often
    with pytest.raises(UnsupportedError):
        made(X, Y)


def test_a_number_has_a_shape_and_a_dtype() -> None:
    """As for the thresholds of minddet's suppression of boxes; real MindSpore 2.10 gives the same."""
    seen: list[Any] = []
    operator = ops.Custom(lambda x, by: seen.append(by) or x * by, lambda x, by: seen.append(by) or x, lambda x, by: x)
    assert operator(X, 0.5).asnumpy().tolist() == [0.5, 1.0] and seen == [[], 0.5]
    dtypes = ops.Custom(lambda x, *by: x, lambda x, *by: x, lambda x, *by: seen.append(by) or x)
    dtypes(X, 0.5, 3, True)
    assert seen[-1] == (ms.float32, ms.int64, ms.bool_)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_library_gets_a_number_as_a_tensor_without_axes(tmp_path: Path) -> None:
    source, library = tmp_path / "scale.c", tmp_path / "scale.so"
    source.write_text(SCALE)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    operator = ops.Custom(f"{library}:scale", lambda x, by: x, lambda x, by: x, "aot")
    for by in (0.5, 3, True, ms.Tensor(0.5)):
        np.testing.assert_array_equal(operator(X, by).asnumpy(), X.asnumpy() * float(by))


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_function_of_a_shared_library(tmp_path: Path) -> None:
    source, library = tmp_path / "add.c", tmp_path / "add.so"
    source.write_text(ADD)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    operator = ops.Custom(f"{library}:add", lambda a, b: a, lambda a, b: a, "aot")
    assert operator(X, Y).asnumpy().tolist() == [4, 7]
    with pytest.raises(RuntimeError, match="returned 7"):
        ops.Custom(f"{library}:add", lambda a: a, lambda a: a, "aot")(X)
    with pytest.raises(AttributeError, match="undefined symbol"):
        ops.Custom(f"{library}:nothing", lambda a: a, lambda a: a, "aot")(X)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_function_with_an_init_function_is_refused(tmp_path: Path) -> None:
    """It reads attributes from an object of MindSpore's, which would be a null pointer."""
    source, library = tmp_path / "add.c", tmp_path / "add.so"
    source.write_text(ADD + "int addInit(int *ndims, int64_t **shapes, const char **dtypes, void *extra) { return 0; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    with pytest.raises(UnsupportedError, match="AotExtra"):
        ops.Custom(f"{library}:add", lambda a, b: a, lambda a, b: a, "aot")(X, Y)


def test_description_is_that_of_upstream() -> None:
    info = (
        ops.CustomRegOp()
        .input(0, "x", "dynamic")
        .output(0, "y")
        .attr("a", "optional", "int")
        .dtype_format(ops.DataType.F16_Default, ops.DataType.F32_NCHW)
        .target("GPU")
        .get_op_info()
    )
    assert info == {
        "op_name": "Custom",
        "inputs": [{"index": 0, "name": "x", "paramType": "dynamic"}],
        "outputs": [{"index": 0, "name": "y", "paramType": "required"}],
        "attr": [{"name": "a", "paramType": "optional", "type": "int"}],
        "fusion_type": "",
        "dtype_format": [(("float16", "DefaultFormat"), ("float32", "NCHW"))],
        "target": "GPU",
    }
    assert ops.DataType.I32_Default_Tuple == ("int32", "DefaultFormat", "tuple") and ops.DataType.None_Default == (
        "",
        "DefaultFormat",
    )


def test_description_is_kept_with_the_function() -> None:
    decorated = ops.custom_info_register({"op_name": "f"})(lambda x: x + 1)
    assert ops.Custom(decorated, (2,), ms.float32)(X).asnumpy().tolist() == [2, 3]


def test_kernels_for_ascend_are_described_but_not_run() -> None:
    info = (
        ops.TBERegOp("CusSquare")
        .fusion_type("OPAQUE")
        .partial_flag(True)
        .async_flag(False)
        .input(0, "x")
        .output(0, "y")
        .get_op_info()
    )

    @ops.op_info_register(info)
    def kernel(x: Any) -> None: ...

    assert kernel.op_info["op_name"] == "CusSquare"  # type: ignore[attr-defined]
    with pytest.raises(NotImplementedError, match="no computation on PyTorch"):
        ops.PrimitiveWithInfer("CusSquare")(X)


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_a_function_of_array_loops_gives_its_own_outputs(mode: int) -> None:
    @ops.kernel
    def product(a: Any, b: Any) -> Any:
        c = output_tensor((a.shape[0], b.shape[1]), a.dtype)  # type: ignore[name-defined]  # noqa: F821
        for row, column in grid(c.shape):  # type: ignore[name-defined]  # noqa: F821
            c[row, column] = 0.0
            for place in range(a.shape[1]):
                c[row, column] = c[row, column] + a[row, place] * b[place, column]
        return c

    context.set_context(mode=mode)
    a, b = (np.arange(6, dtype=np.float32).reshape(shape) for shape in ((2, 3), (3, 2)))
    found = ops.Custom(product, func_type="hybrid")(Tensor(a), Tensor(b))
    assert isinstance(found, Tensor) and found.dtype == ms.float32
    np.testing.assert_array_equal(found.asnumpy(), a @ b)
    pair = ops.Custom(lambda x: (x.astype(np.int32), x.sum()))(Tensor([1.5, 2.0]))
    assert [item.asnumpy().tolist() for item in pair] == [[1, 2], 3.5]
