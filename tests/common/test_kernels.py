"""16-bit floats on a CPU: nothing reaches those kernels of torch that are slow or absent, and the results are no less
exact.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

import mindspore_compat as ms
from mindspore_compat import amp, nn, ops
from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from tests.nn.cases import CASES
from tests.nn.test_against_golden import built, leaves, to_tensor
from tests.ops.cases import cases, inputs, names_in

PACKAGE = Path(ms.__file__).parent
ROOMS = [
    "_tensor",
    "_numerics",
    "_random",
    "_autograd",
    "common",
    "ops",
    "nn/layer",
    "nn/loss",
    "nn/transformer",
    "nn/probability",
    "nn/wrap",
    "numpy",
]
#: they update float32 state or say what a file holds
FREE = {"_numerics/kernels.py", "_ops/update.py", "nn/layer/thor_layer.py"}
#: aten's names of what is to be computed in float32
TRAPS = {
    "mm",
    "addmm",
    "bmm",
    "baddbmm",
    "addbmm",
    "mv",
    "addmv",
    "convolution",
    "convolution_backward",
    "mkldnn_rnn_layer",
    "native_group_norm",
    "native_group_norm_backward",
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool2d_backward",
    "_adaptive_avg_pool3d",
    "avg_pool3d",
    "col2im",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_flash_attention_for_cpu_backward",
    "_cdist_forward",
    "_adaptive_avg_pool3d_backward",
    "avg_pool3d_backward",
    "linear",
    "matmul",
    "logsumexp",
    "linalg_vector_norm",
    "lstm",
    "gru",
}
SIZES = {
    "conv1d": [(2, 3, 9), (4, 3, 3)],
    "conv2d": [(2, 3, 7, 7), (4, 3, 3, 3)],
    "conv3d": [(1, 2, 5, 5, 5), (3, 2, 3, 3, 3)],
    "conv_transpose1d": [(2, 3, 9), (3, 4, 3)],
    "conv_transpose2d": [(2, 3, 7, 7), (3, 4, 3, 3)],
    "conv_transpose3d": [(1, 2, 5, 5, 5), (2, 3, 3, 3, 3)],
    "matmul": [(2, 5, 6), (6, 4)],
    "mm": [(5, 6), (6, 4)],
    "bmm": [(2, 5, 6), (2, 6, 4)],
    "mv": [(5, 6), (6,)],
    "addmm": [(5, 4), (5, 6), (6, 4)],
    "addmv": [(5,), (5, 6), (6,)],
    "addbmm": [(5, 4), (2, 5, 6), (2, 6, 4)],
    "baddbmm": [(2, 5, 4), (2, 5, 6), (2, 6, 4)],
    "addr": [(5, 4), (5,), (4,)],
    "inner": [(3, 6), (4, 6)],
    "linear": [(3, 6), (4, 6), (4,)],
    "bilinear": [(3, 4), (3, 5), (2, 4, 5)],
    "cdist": [(3, 4), (5, 4)],
    "scaled_dot_product_attention": [(2, 2, 4, 8)] * 3,
    "square": [(3, 4)],
    "vector_norm": [(3, 4)],
    "lstm_cell": None,
    "gru_cell": None,
    "rnn_tanh_cell": None,
    "rnn_relu_cell": None,
    "lstm": None,
    "gru": None,
    "rnn_tanh": None,
    "rnn_relu": None,
}
MORE: dict[str, Any] = {
    "tensordot": lambda f, a, b: f(a, b, 1),
    "einsum": lambda f, a, b: f("ij,jk->ik", a, b),
    "multi_dot": lambda f, a, b: f([a, b]),
    "prod": lambda f, a, b: f(a, 1),
    "logsumexp": lambda f, a, b: f(a, 1),
    "pow": lambda f, a, b: f(a, 3),
    "matrix_power": lambda f, a, b: f(a, 3),
    "cov": lambda f, a, b: f(a),
    "corrcoef": lambda f, a, b: f(a),
    "affine_grid": lambda f, a, b: f(a, [2, 1, 4, 4], True),
    "unfold": lambda f, a, b: f(a[None], 2),
    "interpolate": lambda f, a, b: f(a[None], (4, 4), mode="bilinear"),
    "norm": lambda f, a, b: f(a, dim=1),
    "matrix_norm": lambda f, a, b: f(a),
    "renorm": lambda f, a, b: f(a, 2, 0, 1.0),
    "cosine_similarity": lambda f, a, b: f(a, b),
    "group_norm": lambda f, a, b: f(a, 2),
    "fold": lambda f, a, b: f(a[None], (3, 3), (2, 2)),
    "adaptive_avg_pool1d": lambda f, a, b: f(a[None], 2),
    "adaptive_avg_pool2d": lambda f, a, b: f(a[None], 2),
    "adaptive_avg_pool3d": lambda f, a, b: f(a[None, None], 2),
    "avg_pool3d": lambda f, a, b: f(a[None, None], 2),
}


class Watch(TorchDispatchMode):
    """Notes the operators of `TRAPS` that got 16-bit floats."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        given = [item for arg in args for item in (arg if isinstance(arg, (list, tuple)) else [arg])]
        if name in TRAPS and any(isinstance(item, torch.Tensor) and item.dtype is torch.float16 for item in given):
            self.found.add(name)
        return func(*args, **(kwargs or {}))


def test_nothing_calls_torch_around_the_table() -> None:
    wrong = []
    for path in (path for room in ROOMS for path in sorted((PACKAGE / room).rglob("*.py"))):
        place = str(path.relative_to(PACKAGE))
        if place in FREE:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in kernels.KERNELS:
                owner = ast.unparse(node.value)
                if owner in (
                    "torch",
                    "tf",
                    "_nn",
                    "torch._C._nn",
                    "torch.nn.functional",
                    "torch.linalg",
                    "_Base",
                    "b",
                    "torch._VF",
                ):
                    wrong.append(f"{place}:{node.lineno} {owner}.{node.attr}")
            if (
                isinstance(node, ast.BinOp)
                and isinstance(node.op, ast.MatMult)
                and isinstance(node.left, ast.Attribute)
            ):
                wrong.append(f"{place}:{node.lineno} @")
    assert not wrong, (
        "\n".join(f"{key}: {value}" for key, value in dict(wrong).items()) if isinstance(wrong, dict) else wrong
    )


def operands(name: str) -> tuple[list[torch.Tensor], Any]:
    torch.manual_seed(len(name))
    if name in MORE:
        shapes: Any = {
            "fold": [(4, 4), (4, 4)],
            "group_norm": [(2, 4, 6)],
            "cosine_similarity": [(4, 4), (4, 4)],
            "affine_grid": [(2, 2, 3)],
            **{
                key: [(2, 3, 4)]
                for key in "adaptive_avg_pool2d adaptive_avg_pool3d avg_pool3d unfold interpolate".split()
            },
        }
        shapes = shapes.get(name, [(4, 4), (4, 5)])
        tensors = [torch.randn(*shape) for shape in shapes]
        return tensors, lambda f, *given: MORE[name](f, given[0], given[-1])
    if SIZES[name] is not None:
        return [torch.randn(*shape) for shape in SIZES[name]], lambda f, *given: f(*given)
    gates = 4 if "lstm" in name else 3 if "gru" in name else 1
    weights = [torch.randn(gates * 5, 3), torch.randn(gates * 5, 5), torch.randn(gates * 5), torch.randn(gates * 5)]
    if name.endswith("cell"):
        start: Any = (lambda h: (h, h)) if "lstm" in name else (lambda h: h)
        return [torch.randn(2, 3), torch.randn(2, 5), *weights], lambda f, x, h, *w: f(x, start(h), *w)
    state: Any = (lambda h: (h, h)) if name == "lstm" else (lambda h: h)
    return (
        [torch.randn(4, 2, 3), torch.randn(1, 2, 5), *weights],
        lambda f, x, h, *w: f(x, state(h), list(w), True, 1, 0.0, True, False, False),
    )


def first(result: Any) -> torch.Tensor:
    return first(result[0]) if isinstance(result, (tuple, list)) else result


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", sorted(kernels.KERNELS))
def test_a_row_rounds_once_forward_and_backward(name: str, dtype: torch.dtype) -> None:
    tensors, call = operands(name)
    halves = [tensor.to(dtype).requires_grad_(True) for tensor in tensors]
    exact = [tensor.detach().double().requires_grad_(True) for tensor in halves]
    found = first(call(kernels.KERNELS[name], *halves))
    wanted = first(call(kernels._TABLE[name][0], *exact))
    assert found.dtype is dtype
    step = 2.0**-10 if dtype is torch.float16 else 2.0**-7
    close = {
        "rtol": step * (1 if dtype in kernels._TABLE[name][1] else 4),
        "atol": step * (0.1 if dtype in kernels._TABLE[name][1] else 4),
    }
    torch.testing.assert_close(found.double(), wanted, **close)
    weights = torch.cos(torch.arange(wanted.numel(), dtype=torch.float64)).reshape(wanted.shape).to(dtype)
    gradients = torch.autograd.grad(found, halves, weights, allow_unused=True)
    expected = torch.autograd.grad(wanted, exact, weights.double(), allow_unused=True)
    for gradient, reference in zip(gradients, expected):
        if reference is not None:
            assert gradient is not None and gradient.dtype is dtype
            torch.testing.assert_close(gradient.double(), reference, **close)


@pytest.mark.parametrize("dtype", sorted(kernels._INTEGERS, key=str), ids=str)
@given(st.integers(0, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_products_of_integers_by_floats_are_exact(dtype: torch.dtype, length: int, seed: int) -> None:
    """CUDA has no kernels for them; numpy's products go around the dtype's ends as well."""
    info, random = torch.iinfo(dtype), np.random.RandomState(seed)
    kind = str(dtype).removeprefix("torch.")
    x, y = (random.randint(info.min, info.max, size, kind) for size in ((2, 3, length), (2, length, 4)))
    found = kernels.integer_product(torch.matmul, torch.from_numpy(x), torch.from_numpy(y))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found.numpy(), np.matmul(x, y), strict=True)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64])
def test_products_of_integers_wherever_they_lie(dtype: torch.dtype) -> None:
    a, b, v = torch.tensor([[1, -2, 3], [4, 5, -6]]), torch.tensor([[7, 1], [-8, 0], [2, 9]]), torch.tensor([1, -1, 2])
    a, b, v = (item.to(current_device(), dtype) for item in (a, b, v))
    own = torch.ones(2, 2, dtype=dtype, device=a.device)
    for found, wanted in (
        (kernels.KERNELS["matmul"](a, b), [[29, 28], [-24, -50]]),
        (kernels.KERNELS["matmul"](a, v), [9, -13]),
        (kernels.KERNELS["mv"](a, v), [9, -13]),
        (kernels.KERNELS["inner"](a, b.T), [[29, 28], [-24, -50]]),
        (kernels.KERNELS["tensordot"](a, b, ([1], [0])), [[29, 28], [-24, -50]]),
        (kernels.KERNELS["bmm"](a[None], b[None]), [[[29, 28], [-24, -50]]]),
        (kernels.KERNELS["addmm"](own, a, b, beta=2, alpha=-1), [[-27, -26], [26, 52]]),
        (kernels.KERNELS["addmv"](own[0], a, v), [10, -12]),
        (kernels.KERNELS["baddbmm"](own[None], a[None], b[None]), [[[30, 29], [-23, -49]]]),
    ):
        assert found.dtype is dtype and found.tolist() == wanted


def _half(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_half(item) for item in value)
    return value.astype(np.float16) if isinstance(value, np.ndarray) and value.dtype == np.float32 else value


def _backward(result: Any) -> None:
    floats = [
        item
        for item in leaves(result)
        if isinstance(item, torch.Tensor) and item.requires_grad and item.is_floating_point()
    ]
    if floats:
        torch.autograd.backward([torch.sum(item.float()) for item in floats])


@pytest.mark.cpu_only("which of the CPU's kernels are slow in 16 bits")
@pytest.mark.filterwarnings("ignore")
def test_no_layer_reaches_a_slow_kernel() -> None:
    wrong, ran = {}, 0
    for case in CASES:
        net = built(case).to_float(ms.float16)
        with Watch() as watch:
            try:
                _backward(net(*[to_tensor(_half(item)) for item in case.inputs]))
                ran += 1
            except Exception:  # float16 is refused, here or there
                continue
        if watch.found:
            wrong[case.name] = watch.found
    assert not wrong, (
        "\n".join(f"{key}: {value}" for key, value in dict(wrong).items()) if isinstance(wrong, dict) else wrong
    )
    assert ran > 0.7 * len(CASES)


@pytest.mark.cpu_only("which of the CPU's kernels are slow in 16 bits")
@pytest.mark.filterwarnings("ignore")
def test_no_operator_reaches_a_slow_kernel() -> None:
    arrays = {name: _half(array) for name, array in inputs().items()}
    scope = {
        "ms": ms,
        "ops": ops,
        "P": ops.operations,
        "F": ops.functional,
        "C": ops.composite,
        "mnp": ms.numpy,
        "np": np,
        "Tensor": ms.Tensor,
    }
    wrong, ran = {}, 0
    wanted = [case.removeprefix("g ") for case in cases() if not case.startswith("!")]
    for case in wanted:
        names = names_in(case, arrays)
        given = {name: ms.Tensor(arrays[name]) for name in names}
        for tensor in given.values():
            if tensor.is_floating_point():
                tensor.requires_grad_(True)
        with Watch() as watch:
            try:
                _backward(eval(case, {**scope, **given}))
                ran += 1
            except Exception:
                continue
        if watch.found:
            wrong[case] = watch.found
    assert not wrong, (
        "\n".join(f"{key}: {value}" for key, value in dict(wrong).items()) if isinstance(wrong, dict) else wrong
    )
    assert ran > 0.5 * len(wanted)


@pytest.mark.cpu_only("which of the CPU's kernels are slow in 16 bits")
def test_operators_and_methods_of_tensors() -> None:
    x, y = ms.Tensor(np.ones((4, 4)), ms.float16), ms.Tensor(np.ones((4, 4)), ms.float16)
    with Watch() as watch:
        results = [x @ y, x.mm(y), x.matmul(y), x.addmm(x, y), x.mv(y[0]), y.T @ x]
    assert not watch.found
    assert all(result.dtype == ms.float16 and type(result) is ms.Tensor for result in results)


@pytest.mark.cpu_only("which of the CPU's kernels are slow in 16 bits")
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_casts_by_operator(dtype: Any) -> None:
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Dense(32, 3))
    x = ms.Tensor(np.random.RandomState(0).randn(2, 1, 4, 4).astype(np.float32))
    before = net(x)
    cast = amp.auto_mixed_precision(net, "auto", dtype)
    with Watch() as watch:
        after = cast(x)
        _backward(after)
    assert not watch.found
    assert after.dtype == ms.float32  # the bias is added apart
    np.testing.assert_allclose(after.asnumpy(), before.asnumpy(), atol=0.05)


def test_what_is_exported_has_no_casts(tmp_path: Path) -> None:
    net = nn.Dense(3, 4).to_float(ms.float16)
    x = ms.Tensor(np.ones((2, 3), np.float16))
    expected = net(x)
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="MINDIR")
    graph = ms.load(str(tmp_path / "net.mindir"))
    np.testing.assert_allclose(
        nn.GraphCell(graph)(x).asnumpy(), expected.asnumpy(), rtol=4e-3, atol=1e-3
    )  # the file adds the bias to a rounded product
    assert (tmp_path / "net.mindir").read_bytes().count(b"Cast") <= 4  # weight and bias
