"""dtypes and values that mixed kinds give: real MindSpore's."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat import numpy as mnp

SQUARE = Tensor([[4.0, 1.0], [1.0, 3.0]])


def tensor(dtype):
    return Tensor([1, 0, 2], dtype)


@pytest.mark.parametrize(
    ("function", "args", "dtype", "values"),
    [
        (ops.huber_loss, (tensor(ms.float16), tensor(ms.float32) + 1, "none"), ms.float32, [0.5, 0.5, 0.5]),
        (ops.huber_loss, (tensor(ms.float32), tensor(ms.float64) + 1, "none"), ms.float64, [0.5, 0.5, 0.5]),
        (ops.addcdiv, (*[tensor(ms.float16) + 1] * 3, Tensor([2.0])), ms.float16, [4, 3, 5]),
        (ops.mse_loss, (tensor(ms.float16), tensor(ms.int32) + 2), ms.float16, 4),
        (ops.mse_loss, (tensor(ms.int64), tensor(ms.int32) + 2), ms.float32, 4),
        (ops.diagonal_scatter, (SQUARE.int(), Tensor([0.5, 1.5])), ms.float32, [[0.5, 1], [1, 1.5]]),
        (ops.diagonal_scatter, (SQUARE, Tensor([5, 6], ms.int64)), ms.float32, [[5, 1], [1, 6]]),
        (ops.index_add, (ms.Parameter(SQUARE), Tensor([1]), SQUARE[:1].half(), 0), ms.float32, [[4, 1], [5, 4]]),
        (
            mnp.interp,
            (tensor(ms.float16) / 2, tensor(ms.int32)[:2].flip(0), tensor(ms.float16)),
            ms.float32,
            [0.5, 1, 0],
        ),
        (mnp.average, (tensor(ms.int32), None, tensor(ms.float32) + 1), ms.float32, 8 / 6),
        (mnp.average, (tensor(ms.int64), None, tensor(ms.float16) + 1), ms.float16, [1.3330078125]),
        (mnp.average, (tensor(ms.float16), None, tensor(ms.float32) + 1), ms.float32, 8 / 6),
        (mnp.average, (tensor(ms.int32), None, tensor(ms.int64) + 1), ms.int64, 1),
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
        (ops.histc, (tensor(ms.float16), 2), ms.float32, [1, 2]),
        (ops.cov, (tensor(ms.float16),), ms.float32, 1),
        (ops.argmax, (tensor(ms.bool_),), ms.int64, 0),
        (ops.clip_by_value, (tensor(ms.uint8), -0.5, 1.5), ms.uint8, [1, 0, 1]),
        (ops.vector_norm, (tensor(ms.int32),), ms.float32, 5**0.5),
        (ops.vector_norm, (tensor(ms.int32), 0), ms.int64, 2),
        (ops.matrix_norm, (SQUARE.astype(ms.int32), 1), ms.int64, 5),
        (ops.matrix_norm, (SQUARE.astype(ms.int32), float("inf")), ms.int32, 5),
        (ops.norm, (SQUARE.astype(ms.int32),), ms.float32, 27**0.5),
        (ops.clip_by_norm, (Tensor([3, 4], ms.int32), 1.0), ms.float32, [0.6, 0.8]),
        (ops.mse_loss, (tensor(ms.int32), tensor(ms.int32) * 2 + 1), ms.float32, 14 / 3),
        (ops.mse_loss, (tensor(ms.int32), tensor(ms.int32) * 2 + 1, "none"), ms.float32, [4, 1, 9]),
        (ops.l1_loss, (tensor(ms.int32), tensor(ms.int32) * 3 + 1), ms.int32, 3),
        (ops.l1_loss, (tensor(ms.int32), tensor(ms.int32) * 2 + 1, "sum"), ms.int32, 6),
        (ops.huber_loss, (tensor(ms.int32), tensor(ms.int32) * 2 + 1, "sum"), ms.float32, 4.5),
        (ops.nll_loss, (SQUARE.astype(ms.int32), Tensor([1, 0], ms.int32), None, -100, "none"), ms.float32, [-1, -1]),
        (ops.operations.CumProd(), (tensor(ms.int32) + 1, 0), ms.int32, [2, 2, 6]),
        (ops.vecdot, (tensor(ms.int32), tensor(ms.int32)), ms.int64, 5),
        (ops.addcmul, (tensor(ms.int32), tensor(ms.int32), tensor(ms.int32), 0.5), ms.int32, [1, 0, 2]),
        (ops.unfold, (SQUARE.astype(ms.int32)[None, None], 2), ms.int32, [[[4], [1], [1], [3]]]),
        (
            ops.operations.ResizeNearestNeighbor((1, 4)),
            (SQUARE.astype(ms.int32)[None, None],),
            ms.int32,
            [[[[4, 4, 1, 1]]]],
        ),
        (ops.adaptive_avg_pool3d, (SQUARE.astype(ms.int32)[None, None], 1), ms.int32, [[[[2]]]]),
        (mnp.around, (tensor(ms.int32), 1), ms.int32, [1, 0, 2]),
        (mnp.norm, (SQUARE.astype(ms.int32), float("inf"), 1), ms.int32, [4, 3]),
        (mnp.correlate, (tensor(ms.int32), tensor(ms.int32)), ms.float32, [5]),
        (mnp.maximum, (tensor(ms.int32), 1.5), ms.int32, [1, 1, 2]),
        (mnp.minimum, (0.5, tensor(ms.float16)), ms.float16, [0.5, 0, 0.5]),
        (mnp.average, (Tensor([1, 2, 2], ms.int32),), ms.int32, 1),
        (mnp.select, ([tensor(ms.bool_)], [tensor(ms.int32)], 1.5), ms.int32, [1, 1, 2]),
        (mnp.piecewise, (tensor(ms.int32), [tensor(ms.bool_)], [1.5]), ms.float32, [1.5, 0, 1.5]),
        (mnp.where, (tensor(ms.bool_), tensor(ms.float16), 0.5), ms.float32, [1, 0.5, 2]),
        (mnp.norm, (Tensor([3, 4], ms.float16),), ms.float32, 5),
        (mnp.gradient, (tensor(ms.float16),), ms.float32, [-1, 0.5, 2]),
        (mnp.true_divide, (tensor(ms.float16), 0.5), ms.float32, [2, 0, 4]),
        (mnp.true_divide, (tensor(ms.float16), 2), ms.float16, [0.5, 0, 1]),
    ],
)
def test_kinds(function, args, dtype, values):
    found = function(*args)
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(ms.float32).asnumpy(), values, rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "args", "dtypes"),
    [
        (ops.cholesky, (), ["float16"]),
        (ops.det, (), ["float16"]),
        (ops.logdet, (), ["float16"]),
        (ops.slogdet, (), ["float16", "float16"]),
        (ops.matrix_solve, (SQUARE,), ["float16"]),
        (ops.qr, (), ["float16", "float16"]),
        (ops.geqrf, (), ["float16", "float16"]),
        (ops.lstsq, (SQUARE,), ["float16"]),
        (ops.fft, (), ["complex64"]),
        (ops.rfft2, (), ["complex64"]),
        (ops.hfft, (), ["float32"]),
        (ops.irfftn, (), ["float32"]),
        (lambda x: ops.prelu(x, Tensor([0.5], ms.float32)), (), ["float16"]),
        (lambda x: ops.multi_margin_loss(x, Tensor([1, 0], ms.int64)), (), ["float16"]),
    ],
)
def test_float16_where_torch_has_no_kernel(function, args, dtypes):
    """As real MindSpore, which has kernels: what float32 gives, rounded."""

    def of(dtype):
        found = function(SQUARE.astype(dtype), *[item.astype(dtype) for item in args])
        return found if isinstance(found, tuple) else (found,)

    halves, wholes = of(ms.float16), of(ms.float32)
    assert [str(item.dtype).removeprefix("torch.") for item in halves] == dtypes
    for half, whole in zip(halves, wholes, strict=True):
        np.testing.assert_allclose(half.asnumpy(), whole.asnumpy(), rtol=2e-3, atol=2e-3)


def test_gradients_of_float16_where_torch_has_no_kernel():
    found = ms.grad(ops.det)(SQUARE.astype(ms.float16))
    assert found.dtype == ms.float16
    np.testing.assert_allclose(found.asnumpy(), [[3, -1], [-1, 4]], rtol=2e-3)


@pytest.mark.parametrize("function", [ops.bessel_i1, ops.bessel_i1e, ops.operations.BesselI1()])
def test_gradients_of_bessel_functions_of_float16(function):
    found, wide = ms.grad(function)(SQUARE.astype(ms.float16)), ms.grad(function)(SQUARE)
    assert found.dtype == ms.float16
    np.testing.assert_allclose(found.asnumpy(), wide.asnumpy(), rtol=2e-3)


LABELS = Tensor([1, 0], ms.int32)


@pytest.mark.parametrize(
    ("cell", "args", "dtype"),
    [
        (nn.NLLLoss(Tensor([1.0, 2.0])), (LABELS,), ms.float32),
        (nn.CrossEntropyLoss(Tensor([1.0, 2.0])), (LABELS,), ms.float32),
        (nn.CrossEntropyLoss(), (LABELS,), ms.float16),
        (nn.MultiMarginLoss(), (LABELS.astype(ms.int64),), ms.float16),
        (nn.FractionalMaxPool2d(1, output_size=1, _random_samples=Tensor([[[0.5, 0.5]]])), (), ms.float16),
        (nn.LRN().to_float(ms.float16), (), ms.float16),
    ],
)
def test_cells_of_float16(cell, args, dtype):
    """Kinds are real MindSpore's; numbers are those of float32, rounded."""
    x = SQUARE[None, None] if isinstance(cell, (nn.LRN, nn.FractionalMaxPool2d)) else SQUARE
    found = cell(x.astype(ms.float16), *args)
    assert found.dtype == dtype
    wide = ops.lrn(x) if isinstance(cell, nn.LRN) else cell(x, *args)
    np.testing.assert_allclose(found.asnumpy(), wide.asnumpy(), rtol=2e-3)


def test_ctc_loss_of_float16():
    logits = Tensor(np.random.RandomState(0).randn(4, 1, 3), ms.float32)
    labels = Tensor([[0, 0]], ms.int64), Tensor([1], ms.int32), Tensor([4], ms.int32)
    for merge in (True, False):
        loss, gradient = ops.operations.CTCLoss(ctc_merge_repeated=merge)(logits.astype(ms.float16), *labels)
        wide = ops.operations.CTCLoss(ctc_merge_repeated=merge)(logits, *labels)
        assert loss.dtype == ms.float16 and gradient.dtype == ms.float16
        np.testing.assert_allclose(loss.asnumpy(), wide[0].asnumpy(), rtol=3e-3)
        np.testing.assert_allclose(gradient.asnumpy(), wide[1].asnumpy(), atol=2e-3)


def test_numpys_pieces_are_a_tuple_by_number_and_a_list_by_places() -> None:
    x = mnp.ones((4, 4, 4))
    for split in (mnp.split, mnp.array_split, mnp.hsplit, mnp.vsplit, mnp.dsplit):
        assert type(split(x, 2)) is tuple
        assert type(split(x, [1, 3])) is type(split(x, (1, 3))) is list


def test_weights_of_classes_take_the_dtype_of_the_log_probabilities() -> None:
    scores = Tensor([[-1.0, -2.0], [-0.5, -4.0]], ms.float16)
    loss, total = ops.NLLLoss()(scores, Tensor([1, 0], ms.int32), Tensor([1.0, 3.0]))
    assert (loss.dtype, total.dtype) == (ms.float16, ms.float16)
    assert (loss.item(), total.item()) == (1.625, 4)


@pytest.mark.parametrize("function", [ops.huber_loss, ops.binary_cross_entropy_with_logits])
def test_losses_of_float16_and_float32_are_float32(function) -> None:
    x, y = Tensor([0.5, -1.0, 2.0], ms.float16), Tensor([1.0, 0.0, 0.5])
    assert function(x, y).dtype == ms.float32
    found, expected = ms.grad(function)(x, y), ms.grad(function)(x.float(), y)
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-3)


def test_a_class_to_ignore_does_not_count_for_probabilities() -> None:
    x, y = Tensor([[0.5, -1.0, 2.0]]), Tensor([[0.2, 0.3, 0.5]])
    assert nn.CrossEntropyLoss(ignore_index=1)(x, y) == nn.CrossEntropyLoss()(x, y)


@pytest.mark.parametrize(("sparse", "indexing"), [(False, "xy"), (False, "ij"), (True, "xy"), (True, "ij")])
def test_grids_keep_the_dtypes_of_their_coordinates(sparse, indexing) -> None:
    given = np.arange(2, dtype=np.int32), np.arange(3, dtype=np.float16), np.arange(4, dtype=np.float32)
    found = mnp.meshgrid(*map(Tensor, given), sparse=sparse, indexing=indexing)
    for item, expected in zip(found, np.meshgrid(*given, sparse=sparse, indexing=indexing)):
        assert item.asnumpy().dtype == expected.dtype
        np.testing.assert_array_equal(item.asnumpy(), expected)


@pytest.mark.parametrize("dtypes", [(ms.float32, ms.float64), (ms.float64, ms.float16), (ms.int32, ms.int64)])
def test_a_matrix_product_of_two_dtypes_is_float32_as_in_earlier_releases(dtypes) -> None:
    """Releases before 2.3; later ones refuse it. HiFaceGAN's spectral norm draws its vectors in NumPy's float64."""
    left, right = (SQUARE.astype(dtype) for dtype in dtypes)
    found = ops.matmul(left, right)
    assert found.dtype == ms.float32
    assert found.asnumpy().tolist() == [[17, 7], [7, 10]]
