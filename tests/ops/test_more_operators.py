"""Operators that real MindSpore's CPU refuses, or whose values are random, against NumPy and their definitions; the
others are compared with it (cases_9_primitives.txt, cases_9_functions.txt).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.ops import kernel

R = np.random.RandomState(4)


def _f(*shape: int) -> np.ndarray:
    return R.randn(*shape).astype(np.float32)


def _par(x: np.ndarray) -> Any:
    return ms.Parameter(Tensor(x.copy()))


# --- boxes and windows ------------------------------------------------------------------------------------------------


def test_non_max_suppression_v3_as_upstreams_example() -> None:
    boxes = Tensor([[1, 2, 3, 4], [1, 3, 3, 4], [1, 3, 4, 4], [1, 1, 4, 4], [1, 1, 3, 4]], ms.float32)
    scores = Tensor([0.4, 0.5, 0.72, 0.9, 0.45], ms.float32)
    assert ops.NonMaxSuppressionV3()(boxes, scores, 5, 0.5, 0.0).asnumpy().tolist() == [3, 2, 0]
    assert ops.NonMaxSuppressionV3()(boxes, scores, 1, 0.5, 0.0).asnumpy().tolist() == [3]
    assert ops.NonMaxSuppressionV3()(boxes, scores, 5, 0.5, 0.5).asnumpy().tolist() == [3, 2]
    turned = Tensor(boxes.asnumpy()[:, [2, 3, 0, 1]])
    assert ops.NonMaxSuppressionV3()(turned, scores, 5, 0.5, 0.0).asnumpy().tolist() == [3, 2, 0]


@pytest.mark.parametrize("mode", ["VALID", "SAME"])
@pytest.mark.parametrize(("stride", "rate"), [(1, 1), ((2, 1), 1), ((1, 1, 1, 2), (1, 2))])
def test_dilation(mode: str, stride: Any, rate: Any) -> None:
    x, filter = _f(2, 3, 6, 7), _f(3, 2, 3)
    found = ops.Dilation2D(stride, rate, mode)(Tensor(x), Tensor(filter)).asnumpy()
    strides = (stride,) * 2 if isinstance(stride, int) else stride[-2:]
    rates = (rate,) * 2 if isinstance(rate, int) else rate[-2:]
    spans = [(size - 1) * step + 1 for size, step in zip((2, 3), rates)]
    pads = [max((-(-size // step) - 1) * step + span - size, 0) for size, step, span in zip((6, 7), strides, spans)]
    sides = [(pad // 2, pad - pad // 2) if mode == "SAME" else (0, 0) for pad in pads]
    wide = np.pad(x, ((0, 0), (0, 0), *sides), constant_values=-np.inf)
    counts = [(size - span) // step + 1 for size, span, step in zip(wide.shape[2:], spans, strides)]
    expected = np.full((2, 3, *counts), -np.inf)
    for i, j, dy, dx in np.ndindex(*counts, 2, 3):
        part = wide[:, :, i * strides[0] + dy * rates[0], j * strides[1] + dx * rates[1]] + filter[:, dy, dx]
        expected[:, :, i, j] = np.maximum(expected[:, :, i, j], part)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["FractionalMaxPool", "FractionalAvgPool"])
@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize("overlapping", [False, True])
def test_fractional_pooling_takes_the_windows_that_it_returns(
    name: str, pseudo_random: bool, overlapping: bool
) -> None:
    x = _f(2, 11, 7, 3)
    operator = getattr(ops, name)([1.0, 1.4, 2.2, 1.0], pseudo_random, overlapping, True, 3, 4)
    out, rows, columns = (item.asnumpy() for item in operator(Tensor(x)))
    assert out.shape == (2, 7, 3, 3) and rows[0] == columns[0] == 0 and (rows[-1], columns[-1]) == (11, 7)
    assert set(np.diff(rows)) <= {1, 2} and set(np.diff(columns)) <= {2, 3}
    reduce = np.max if "Max" in name else np.mean
    for i, j in np.ndindex(7, 3):
        window = x[:, rows[i] : rows[i + 1] + overlapping, columns[j] : columns[j + 1] + overlapping]
        np.testing.assert_allclose(out[:, i, j], reduce(window, (1, 2)), rtol=1e-5, atol=1e-6)
    again = [item.asnumpy() for item in operator(Tensor(x))]
    assert np.array_equal(again[1], rows) and np.array_equal(again[2], columns)
    with pytest.raises(ValueError, match="pooling_ratio"):
        getattr(ops, name)([2.0, 1.4, 1.4, 1.0])(Tensor(x))


def test_sampled_boxes_keep_their_promises() -> None:
    operator = ops.SampleDistortedBoundingBoxV2(5, 6, (0.5, 2.0), (0.2, 0.6))
    boxes = Tensor([[[0.2, 0.3, 0.6, 0.8]]], ms.float32)
    begin, size, box = operator(Tensor([100, 200, 3], ms.int32), boxes, Tensor([0.5]))
    (top, left, _), (rows, columns, rest) = begin.asnumpy().tolist(), size.asnumpy().tolist()
    assert rest == -1 and 0 <= top <= top + rows <= 100 and 0 <= left <= left + columns <= 200
    assert 0.19 <= rows * columns / 20000 <= 0.61 and 0.48 <= columns / rows <= 2.05
    covered = (min(60, top + rows) - max(20, top)) * (min(160, left + columns) - max(60, left)) / (40 * 100)
    assert covered >= 0.5
    np.testing.assert_allclose(
        box.asnumpy()[0, 0], [top / 100, left / 200, (top + rows) / 100, (left + columns) / 200], rtol=1e-6
    )
    whole = ops.SampleDistortedBoundingBoxV2(1, 1, (50.0, 60.0), max_attempts=3)
    assert whole(Tensor([100, 200, 3], ms.int32), boxes, Tensor([0.5]))[1].asnumpy().tolist() == [100, 200, -1]


@pytest.mark.parametrize("noise", ["uniform", "gaussian", "zero"])
def test_glimpses_beyond_the_image_are_noise(noise: str) -> None:
    operator = ops.ExtractGlimpse(centered=False, normalized=False, uniform_noise=noise == "uniform", noise=noise)
    x = -np.ones((1, 4, 4, 2), np.float32)
    found = operator(Tensor(x), Tensor([40, 40], ms.int32), Tensor([[0.0, 0.0]])).asnumpy()[0, ..., 0]
    outside = found[found != -1]
    assert outside.size == 1600 - 16
    assert (outside == 0).all() if noise == "zero" else 100 < outside.mean() < 155 and outside.std() > 30


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_betainc_where_it_is_known() -> None:
    x = np.array([0.0, 0.1, 0.5, 0.999, 1.0])
    for a, b, expected in (
        (1.0, 1.0, x),
        (3.0, 1.0, x**3),
        (1.0, 4.0, 1 - (1 - x) ** 4),
        (0.5, 0.5, 2 / np.pi * np.arcsin(np.sqrt(x))),
        (2.0, 3.0, 6 * x**2 - 8 * x**3 + 3 * x**4),
    ):
        found = ops.Betainc()(Tensor(np.full(5, a)), Tensor(np.full(5, b)), Tensor(x))
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-10, atol=1e-12)
    large = ops.Betainc()(Tensor(np.array([1e4])), Tensor(np.array([1e4])), Tensor(np.array([0.5])))
    np.testing.assert_allclose(large.asnumpy(), 0.5, rtol=1e-8)
    assert np.isnan(ops.Betainc()(*(Tensor(np.array([value])) for value in (1.0, 1.0, 1.5))).asnumpy()).all()


def test_random_operators() -> None:
    for dtype in (ms.int32, ms.int64):
        drawn = ops.NonDeterministicInts(dtype)(Tensor([50, 40], ms.int32)).asnumpy()
        assert drawn.shape == (50, 40) and len(np.unique(drawn)) > 1900 and (drawn < 0).any() and (drawn > 0).any()
    operator = ops.ParameterizedTruncatedNormal(seed=1)
    parts = [Tensor(item, ms.float32) for item in ([0, 5], [1, 2], [-1, 5], [1, 50])]
    drawn = operator(Tensor([2, 20000], ms.int32), *parts).asnumpy()
    assert drawn.min(1)[0] >= -1 and drawn.max(1)[0] <= 1 and drawn.min(1)[1] >= 5
    np.testing.assert_allclose(drawn[0].mean(), 0, atol=0.02)
    np.testing.assert_allclose(drawn[1].mean(), 5 + 2 * np.sqrt(2 / np.pi), atol=0.05)
    certain = ops.bernoulli_ext(Tensor([[0.0, 1.0]]))
    assert certain.asnumpy().tolist() == [[0.0, 1.0]]


# --- steps of optimizers ----------------------------------------------------------------------------------------------


def test_steps_by_rows_are_the_dense_ones_on_those_rows() -> None:
    var, accum, linear, grad = _f(4, 3), R.rand(4, 3).astype(np.float32) + 1, _f(4, 3), _f(2, 3)
    rows = Tensor([3, 1], ms.int32)
    for sparse, dense, states in (
        (lambda *s: ops.SparseApplyProximalAdagrad()(*s, 0.1, 0.02, 0.3, Tensor(grad), rows),
         lambda *s: ops.ApplyProximalAdagrad()(*s, 0.1, 0.02, 0.3, Tensor(grad)), (var, accum)),
        (lambda *s: ops.SparseApplyFtrlV2(0.1, 0.02, 0.3, 0.0, -0.5)(*s, Tensor(grad), rows),
         lambda *s: ops.ApplyFtrl()(*s, Tensor(grad), 0.1, 0.02, 0.3, -0.5), (var, accum, linear)),
        (lambda *s: ops.SparseApplyAdadelta(1e-6)(*s, 0.1, 0.9, Tensor(grad), rows),
         lambda *s: ops.ApplyAdadelta()(*s, 0.1, 0.9, 1e-6, Tensor(grad)), (var, accum, accum)),
    ):  # fmt: skip
        whole, part = [_par(item) for item in states], [_par(item[[3, 1]]) for item in states]
        sparse(*whole)
        dense(*part)
        for state, mine, other in zip(states, whole, part):
            np.testing.assert_allclose(mine.asnumpy()[[3, 1]], other.asnumpy(), rtol=1e-5)
            np.testing.assert_array_equal(mine.asnumpy()[[0, 2]], state[[0, 2]])


def test_ftrl_with_shrinkage() -> None:
    var, accum, linear, grad = _f(2, 3), np.ones((2, 3), np.float32), _f(2, 3), _f(2, 3)
    states = [_par(item) for item in (var, accum, linear)]
    ops.SparseApplyFtrlV2(0.1, 0.02, 0.3, 0.4, -0.5)(*states, Tensor(grad), Tensor([0, 1], ms.int32))
    new = accum + grad**2
    expected = linear + grad + 2 * 0.4 * var - (np.sqrt(new) - np.sqrt(accum)) / 0.1 * var
    np.testing.assert_allclose(states[2].asnumpy(), expected, rtol=1e-4, atol=1e-5)
    quadratic = np.sqrt(new) / 0.1 + 2 * 0.3
    shrunk = np.where(np.abs(expected) > 0.02, (np.sign(expected) * 0.02 - expected) / quadratic, 0)
    np.testing.assert_allclose(states[0].asnumpy(), shrunk, rtol=1e-4, atol=1e-5)


def test_adagrad_da_follows_the_documented_formula() -> None:
    var, total, squares, grad = _f(2, 3), _f(2, 3), np.ones((2, 3), np.float32), _f(2, 3)
    states = [_par(item) for item in (var, total, squares)]
    ops.ApplyAdagradDA()(*states, Tensor(grad), 0.1, 0.2, 0.3, 2)
    total, squares = total + grad, squares + grad**2
    top = np.sign(total) * np.maximum(np.abs(total) - 0.2 * 2, 0)
    np.testing.assert_allclose(
        states[0].asnumpy(), -0.1 * top / (0.3 * 2 * 0.1 + np.sqrt(squares)), rtol=1e-5, atol=1e-6
    )


# --- derivatives, functions as operators ------------------------------------------------------------------------------


def test_a_gradient_stopped_in_place() -> None:
    def total(x: Any, y: Any) -> Any:
        kept, stopped = x * y, x * y
        assert ops.stop_gradient_(stopped) is None
        return kept.sum() + (stopped * 5).sum()

    found = ms.grad(total)(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert found.asnumpy().tolist() == [3.0, 4.0]


def test_a_gradient_is_not_stopped_in_a_view() -> None:
    def total(x: Any) -> Any:
        part = (x * x)[0]
        ops.stop_gradient_(part)
        return part * 2

    x = Tensor([2.0, 3.0])
    with pytest.raises(RuntimeError, match="Cannot stop_gradient view inplace"):
        ms.grad(total)(x)
    assert total(x).asnumpy() == 8  # nothing to stop


def test_a_generator_that_compiled_code_returns_is_a_list() -> None:
    squares = ms.jit(lambda x: (x * k for k in range(3)))
    assert [float(item) for item in squares(Tensor(2.0))] == [0, 2, 4]
    assert isinstance(squares(Tensor(2.0)), list)


class _Waves(nn.Cell):
    def construct(self, x: Any) -> Any:
        return ops.exp(ops.sin(x))


def test_jet_as_real_mindspore_in_graph_mode() -> None:
    x = Tensor([[1, 2], [3, 4]], ms.float32)
    series = np.zeros((3, 2, 2), np.float32)
    series[0] = 1
    value, derivatives = ops.jet(_Waves(), x, Tensor(series))
    np.testing.assert_allclose(value.asnumpy(), [[2.319777, 2.4825778], [1.1515628, 0.4691641]], rtol=1e-5)
    expected = [
        [[1.2533808, -1.0331169], [-1.1400385, -0.3066661]],
        [[-1.2748204, -1.8274748], [0.966121, 0.5555149]],
        [[-4.0515366, 3.6724353], [0.5053504, -0.5206140]],
    ]
    np.testing.assert_allclose(derivatives.asnumpy(), expected, rtol=1e-5)


def test_jet_of_several_inputs_along_a_curve() -> None:
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])
    along = Tensor([[1.0, 2.0], [0.5, 0.0]]), Tensor([[2.0, 1.0], [0.0, 1.0]])
    value, derivatives = ops.jet(lambda x, y: x * x * y, [x, y], list(along))
    (x1, x2), (y1, y2) = (item.asnumpy() for item in along)
    x0, y0 = x.asnumpy(), y.asnumpy()
    np.testing.assert_allclose(value.asnumpy(), x0**2 * y0)
    np.testing.assert_allclose(derivatives.asnumpy()[0], 2 * x0 * x1 * y0 + x0**2 * y1)
    second = (2 * x1**2 + 2 * x0 * x2) * y0 + 4 * x0 * x1 * y1 + x0**2 * y2
    np.testing.assert_allclose(derivatives.asnumpy()[1], second, rtol=1e-6)
    with pytest.raises(ValueError, match="series"):
        ops.jet(_Waves(), x, Tensor([1.0, 2.0]))


def test_morph_takes_the_gradient_of_its_function_or_of_bprop_fn() -> None:
    def same(x: Any) -> Any:
        return x

    x = Tensor([1.0, 2.0])
    plain = ops.Morph(lambda x: x * x, same, same)
    own = ops.Morph(lambda x: x * x, same, same, lambda x, out, dout: dout * 100)
    run_plain, run_own = ms.jit(lambda x: plain(x)), ms.jit(lambda x: own(x))
    assert run_plain(x).asnumpy().tolist() == run_own(x).asnumpy().tolist() == [1.0, 4.0]
    assert ms.grad(lambda x: run_plain(x).sum())(x).asnumpy().tolist() == [2.0, 4.0]
    assert ms.grad(lambda x: run_own(x).sum())(x).asnumpy().tolist() == [100.0, 100.0]


def test_a_recomputed_block_runs_twice_and_has_the_same_gradient() -> None:
    runs = []

    def block(x: Any) -> Any:
        runs.append(1)
        return ops.sin(x) ** 2

    x = Tensor([0.3, 0.7])
    found = ms.grad(lambda x: ops.recompute_block(block)(x).sum())(x)
    assert len(runs) == 2
    np.testing.assert_allclose(found.asnumpy(), np.sin(2 * x.asnumpy()), rtol=1e-6)


def test_kernel_runs_the_language_of_loops() -> None:
    def outer(a, b):  # type: ignore[no-untyped-def]  # the language has no annotations
        c = output_tensor(a.shape, a.dtype)  # noqa: F821
        for i in range(a.shape[0]):
            for j in parallel(b.shape[1]):  # noqa: F821
                c[i, j] = 0.0
                for k in serial(b.shape[0]):  # noqa: F821
                    c[i, j] = c[i, j] + exp(a[i, k]) * b[k, j]  # noqa: F821
        return c

    a, b = _f(3, 3), _f(3, 3)
    for made in (kernel(outer), kernel(reg_info={"x": 1}, compile_attrs={})(outer), ops.ms_kernel(outer)):
        np.testing.assert_allclose(made(a, b), np.exp(a) @ b, rtol=1e-5)
    np.testing.assert_allclose(kernel(outer)(Tensor(a), Tensor(b)).asnumpy(), np.exp(a) @ b, rtol=1e-5)
    with pytest.raises(ValueError, match="function"):
        kernel(3)


@pytest.mark.parametrize(("cell", "expected"), [(nn.Jvp, [3.0, 12.0]), (nn.Vjp, [3.0, 12.0])])
def test_derivatives_as_cells(cell: Any, expected: list[float]) -> None:
    value, found = cell(lambda x: x**3)(Tensor([1.0, 2.0]), Tensor([1.0, 1.0]))
    assert value.asnumpy().tolist() == [1.0, 8.0] and found.asnumpy().tolist() == expected


def test_networks_without_first_values_have_some() -> None:
    with nn.no_init_parameters():
        net = nn.Dense(3, 4)
    net.init_parameters_data()
    assert net.weight.asnumpy().std() > 0


# --- descriptions and registries --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "processor"), [("AkgGpuRegOp", "CUDA"), ("AkgAscendRegOp", "AiCore")])
def test_akg_descriptions_are_real_mindspores(name: str, processor: str) -> None:
    made = getattr(ops, name)("n").input(0, "x", "required").output(0, "y").attr("a", "required", "int").get_op_info()
    assert made == {
        "op_name": "n",
        "inputs": [{"index": 0, "name": "x", "paramType": "required"}],
        "outputs": [{"index": 0, "name": "y"}],
        "attr": [{"name": "a", "paramType": "required", "type": "int"}],
        "fusion_type": "",
        "dtype_format": [],
        "imply_type": "AKG",
        "processor": processor,
    }


def test_functions_for_debugging_are_found_again() -> None:
    @ops.vm_impl_registry.register("TypeOfTest")
    def impl(prim: Any) -> Any:
        return lambda x: type(x)

    assert ops.get_vm_impl_fn("TypeOfTest")(1.0) is float
    assert ops.get_vm_impl_fn("Nothing") is None
    del ops.vm_impl_registry["TypeOfTest"]


def test_signatures_can_be_made() -> None:
    from mindspore_compat.ops import signature as sig

    made = sig.make_sig("x", sig.sig_rw.RW_WRITE, dtype=sig.sig_dtype.T1)
    assert (made.name, made.rw, made.dtype) == ("x", sig.sig_rw.RW_WRITE, sig.sig_dtype.T1)
    assert made.default is sig.sig_kind.KIND_EMPTY_DEFAULT_VALUE


def test_switch_layer_and_registered_operators() -> None:
    assert float(ops.switch_layer(Tensor(1, ms.int32), (ops.neg, ops.square))(Tensor(3.0))) == 9
    ops.tensor_operator_registry.register("of_test", ops.neg)
    assert ops.tensor_operator_registry.get("of_test") is ops.neg


# --- operators of other names -----------------------------------------------------------------------------------------

X, POSITIVE = _f(2, 3), R.uniform(0.5, 2, (2, 3)).astype(np.float32)
_NAMED: dict[str, tuple[Any, Any]] = {
    "LogSoftmaxExt": (lambda: ops.LogSoftmaxExt()(Tensor(X), 0), X - np.log(np.exp(X).sum(0))),
    "adaptive_avg_pool2d_ext": (
        lambda: ops.adaptive_avg_pool2d_ext(Tensor(X.reshape(1, 2, 3)), (1, None)), X.mean(0).reshape(1, 1, 3)
    ),
    "Reshard": (lambda: ops.Reshard((), (), ())(Tensor(X)), X),
    "TypeAs": (lambda: ops.TypeAs()(Tensor(X), Tensor([1], ms.int32)), X.astype(np.int32)),
    "view_as": (lambda: ops.view_as(Tensor(X), Tensor(np.zeros((3, 2)))), X.reshape(3, 2)),
    "CountNonZero": (lambda: ops.CountNonZero((0,))(Tensor(X > 0)), (X > 0).sum(0).astype(np.int32)),
    "DynamicShape": (lambda: ops.operations.DynamicShape()(Tensor(X)), np.array([2, 3])),
    "MoveTo": (lambda: ops.operations.MoveTo()(Tensor(X), "CPU", True), X),
    "move_to": (lambda: ops.move_to(Tensor(X), "CPU"), X),
    "Median": (lambda: ops.operations.Median(True)(Tensor(X))[0], np.sort(X.reshape(-1))[2]),
    "eigvals": (lambda: ops.eigvals(Tensor(np.diag([3.0, 1.0]).astype(np.float32))), np.array([3, 1], np.complex64)),
    "MixedPrecisionCast": (
        lambda: ops.operations.MixedPrecisionCast()(ms.float16, Tensor(X)), X.astype(np.float16)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(_NAMED))
def test_values_by_definition(name: str) -> None:
    call, expected = _NAMED[name]
    found = call().asnumpy()
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_instance_norm() -> None:
    x, gamma, beta = _f(2, 3, 4, 5), _f(3), _f(3)
    mean, variance = _par(np.zeros(3, np.float32)), _par(np.ones(3, np.float32))
    y, own_mean, _ = ops.operations.InstanceNorm(1e-5, 0.1)(
        Tensor(x), ms.Parameter(Tensor(gamma)), ms.Parameter(Tensor(beta)), mean, variance
    )
    center, spread = x.mean((2, 3), keepdims=True), x.var((2, 3), keepdims=True)
    expected = (x - center) / np.sqrt(spread + 1e-5) * gamma[:, None, None] + beta[:, None, None]
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(own_mean.asnumpy(), center.ravel(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(mean.asnumpy(), 0.1 * center.mean(0)[:, 0, 0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda: ops.random_poisson(Tensor([20000], ms.int32), Tensor([3.0])), 3.0),
        (lambda: ops.random_gamma((20000,), Tensor([2.0])), 2.0),
        (lambda: ops.exponential_(Tensor(np.zeros(20000, np.float32)), 0.5), 2.0),
        (lambda: ops.bernoulli_(Tensor(np.zeros(20000, np.float32)), 0.3), 0.3),
        (lambda: ops.random_(Tensor(np.zeros(20000, np.float32)), 0, 11), 5.0),
    ],
    ids=["random_poisson", "random_gamma", "exponential_", "bernoulli_", "random_"],
)
def test_means_of_random_values(draw: Any, mean: float) -> None:
    ms.set_seed(1)
    assert abs(float(draw().asnumpy().mean()) - mean) < 0.03 * max(mean, 1) * 2


def test_helpers_of_python_values() -> None:
    assert ops.bool_and(True, False) is False and ops.bool_or(True, False) is True
    assert ops.make_dict(("a", "b"), (1, 2)) == {"a": 1, "b": 2}
    assert ops.dict_setitem({"a": 3}, "b", 4) == {"a": 3, "b": 4}
    assert ops.zip_operation((1, 2), (3, 4)) == ((1, 3), (2, 4))
    assert ops.tuple_reversed((1, 2, 3)) == (3, 2, 1)
    assert ops.tuple_div((4, 6), (2, 3)) == (2, 2)


def test_a_transposed_convolution_of_volumes_is_that_of_its_operator() -> None:
    volume = Tensor(np.arange(54, dtype=np.float32).reshape(1, 2, 3, 3, 3))
    kernel = Tensor(np.linspace(-1, 1, 48, dtype=np.float32).reshape(2, 3, 2, 2, 2))
    expected = torch.nn.functional.conv_transpose3d(torch.Tensor(volume.asnumpy()), torch.Tensor(kernel.asnumpy()))
    for found in (ops.conv3d_transpose(volume, kernel), ops.Conv3DTranspose(2, 3, 2)(volume, kernel)):
        np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-5)


def test_a_tensor_becomes_a_tuple() -> None:
    assert ops.operations.TensorToTuple()(Tensor([1, 2, 3])) == (1, 2, 3)
    assert ops.functional.is_dynamic_sequence_element_unknown((1, 2)) is False
