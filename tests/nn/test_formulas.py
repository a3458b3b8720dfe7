"""Layers and losses that MindSpore's CPU refuses to run, against their formulas; random layers by their statistics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common.tensor import Tensor
from tests.nn.cases import data, ints

X = data(1, 2, 4, 6, 5)


def close(actual: Any, expected: Any, tolerance: float = 1e-5) -> None:
    actual = actual.asnumpy() if isinstance(actual, Tensor) else actual
    assert tuple(actual.shape) == tuple(np.shape(expected))
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [("InstanceNorm1d", (2, 4, 9)), ("InstanceNorm2d", (2, 4, 6, 5)), ("InstanceNorm3d", (2, 4, 3, 2, 5))],
)
def test_instance_norm_takes_the_statistics_of_each_sample(layer: str, shape: tuple[int, ...]) -> None:
    x, axes = data(2, *shape) * 3 + 1, tuple(range(2, len(shape)))
    net = getattr(nn, layer)(4, gamma_init=2.0, beta_init=0.5)
    assert [(p.name, p.requires_grad) for p in net.get_parameters()] == [
        ("mean", False),
        ("variance", False),
        ("gamma", True),
        ("beta", True),
    ]
    for train in (True, False):
        y = net.set_train(train)(Tensor(x))
        close(y, 2 * (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5) + 0.5, 1e-4)
    assert np.all(net.moving_mean.asnumpy() != 0)


def test_unfold_lists_patches_kernel_place_by_kernel_place() -> None:
    y = nn.Unfold([1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1])(Tensor(X))
    expected = np.stack([X[:, :, row : row + 5 : 2, column : column + 3] for row in range(2) for column in range(3)], 1)
    close(y, expected.reshape(2, 24, 3, 3))
    assert nn.Unfold([1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "same")(Tensor(X)).shape == (2, 36, 3, 3)


def test_diagonal_layers() -> None:
    x = data(3, 2, 3)
    matrices = nn.MatrixDiag()(Tensor(x))
    close(matrices, np.stack([np.diag(row) for row in x]))
    close(nn.MatrixDiagPart()(matrices), x)
    changed = nn.MatrixSetDiag()(Tensor(np.ones((2, 3, 4), np.float32)), Tensor(x)).asnumpy()
    close(np.diagonal(changed, axis1=1, axis2=2), x)
    assert changed.sum() == pytest.approx(x.sum() + 18, rel=1e-5)


def test_roll_moves_elements_round_the_end() -> None:
    close(nn.Roll((1, -2), (0, 3))(Tensor(X)), np.roll(X, (1, -2), (0, 3)))
    close(nn.Roll(2, 1)(Tensor(X)), np.roll(X, 2, 1))


@pytest.mark.parametrize("operator", ["SUM", "MEAN", "MAX"])
def test_multi_field_lookup_merges_weighted_rows(operator: str) -> None:
    net = nn.MultiFieldEmbeddingLookup(7, 2, 3, operator=operator, param_init=1.0)
    table = data(4, 7, 2)
    net.embedding_table.set_data(Tensor(table))
    ids, fields = ints(5, 7, 2, 5), np.array([[0, 0, 1, 2, 0], [0, 1, 1, 1, 1]], np.int32)
    weights = np.array([[1, 1, 1, 0, 0.5], [1, 2, 1, 1, 1]], np.float32)
    expected = np.zeros((2, 3, 2), np.float32)
    for sample in range(2):
        for field in range(3):
            picks = (fields[sample] == field) & (weights[sample] != 0)
            rows = table[ids[sample]][picks] * weights[sample][picks][:, None]
            if picks.any():
                expected[sample, field] = {
                    "SUM": rows.sum(0),
                    "MAX": rows.max(0),
                    "MEAN": rows.sum(0) / weights[sample][picks].sum(),
                }[operator]
    close(net(Tensor(ids), Tensor(weights), Tensor(fields)), expected)


def test_clip_by_norm_over_an_axis() -> None:
    x = data(6, 3, 4)
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    close(nn.ClipByNorm((1,))(Tensor(x), Tensor(1.0)), x / np.maximum(norms, 1.0))
    close(
        nn.EmbeddingLookup(3, 4, Tensor(x), max_norm=1.0)(Tensor([[2, 0]], torch.int32)),
        (x / np.maximum(norms, 1.0))[[2, 0]][None],
    )


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_margin_losses(reduction: str) -> None:
    reduce = {"mean": np.mean, "sum": np.sum, "none": lambda values: values}[reduction]
    a, b, c = data(7, 3, 4), data(8, 3, 4), data(9, 3, 4)
    sign = np.sign(b)
    close(nn.SoftMarginLoss(reduction)(Tensor(a), Tensor(sign)), reduce(np.log1p(np.exp(-sign * a))))
    distances = [np.linalg.norm(a - other + 1e-6, axis=1) for other in (b, c)]
    close(
        nn.TripletMarginLoss(reduction=reduction, margin=0.7)(Tensor(a), Tensor(b), Tensor(c)),
        reduce(np.maximum(distances[0] - distances[1] + 0.7, 0)),
    )
    target = np.array([[1, 3, -1, 0], [2, -1, 1, 0], [0, 1, 2, -1]], np.int32)
    expected = []
    for row, places in zip(a, target):
        right = places[: list(places).index(-1)]
        wrong = [item for item in range(4) if item not in right]
        expected.append(sum(max(0, 1 - (row[r] - row[w])) for r in right for w in wrong) / 4)
    close(nn.MultilabelMarginLoss(reduction)(Tensor(a), Tensor(target)), reduce(np.array(expected, np.float32)))


def test_resize_bilinear_of_1x() -> None:
    x = np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3)
    close(
        nn.ResizeBilinear()(Tensor(x), size=(4, 6)),
        [[[[0, 0.5, 1, 1.5, 2, 2], [1.5, 2, 2.5, 3, 3.5, 3.5], [3, 3.5, 4, 4.5, 5, 5], [3, 3.5, 4, 4.5, 5, 5]]]],
    )
    close(
        nn.ResizeBilinear()(Tensor(x), size=(3, 5), align_corners=True),
        [[[[0, 0.5, 1, 1.5, 2], [1.5, 2, 2.5, 3, 3.5], [3, 3.5, 4, 4.5, 5]]]],
    )
    assert nn.ResizeBilinear()(Tensor(x), scale_factor=2).shape == (1, 1, 4, 6)
    close(
        nn.ResizeBilinear(half_pixel_centers=True)(Tensor(x), size=(2, 6)),
        [[[[0, 0.25, 0.75, 1.25, 1.75, 2], [3, 3.25, 3.75, 4.25, 4.75, 5]]]],
    )
    with pytest.raises(ValueError, match="exactly one of 'size' and 'scale_factor'"):
        nn.ResizeBilinear()(Tensor(x))


def test_channels_last_layers_agree_with_channels_first() -> None:
    last = np.ascontiguousarray(X.transpose(0, 2, 3, 1))
    first, other = nn.Conv2d(4, 3, 3, 2, has_bias=True), nn.Conv2d(4, 3, 3, 2, has_bias=True, data_format="NHWC")
    assert other.weight.shape == (3, 3, 3, 4)
    other.weight.set_data(Tensor(first.weight.asnumpy().transpose(0, 2, 3, 1).copy()))
    other.bias.set_data(first.bias)
    pairs = [
        (first, other),
        (nn.BatchNorm2d(4), nn.BatchNorm2d(4, data_format="NHWC")),
        (nn.MaxPool2d(3, 2, "same"), nn.MaxPool2d(3, 2, "same", data_format="NHWC")),
        (nn.AvgPool2d(2, 2), nn.AvgPool2d(2, 2, data_format="NHWC")),
    ]
    for one, two in pairs:
        close(two.set_train()(Tensor(last)), one.set_train()(Tensor(X)).asnumpy().transpose(0, 2, 3, 1), 1e-4)


@pytest.mark.parametrize(
    ("make", "share"),
    [
        (lambda: nn.Dropout(0.75), 0.25),
        (lambda: nn.Dropout(p=0.3), 0.3),
        (lambda: nn.Dropout(keep_prob=0.9), 0.1),
        (lambda: nn.DropoutExt(0.2), 0.2),
    ],
)
def test_dropout_drops_its_share_and_keeps_the_mean(make: Any, share: float) -> None:
    y = make().set_train()(Tensor(np.ones((300, 300), np.float32))).asnumpy()
    assert (y == 0).mean() == pytest.approx(share, abs=0.01)
    assert y.max() == pytest.approx(1 / (1 - share), rel=1e-5)
    assert np.all(make()(Tensor(X)).asnumpy() == X)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Dropout1d, (50, 40, 3)),
        (nn.Dropout1d, (40, 3)),
        (nn.Dropout2d, (50, 40, 3, 2)),
        (nn.Dropout3d, (50, 40, 2, 3, 2)),
    ],
)
def test_channel_dropout_drops_whole_channels(layer: Any, shape: tuple[int, ...]) -> None:
    y = (
        layer(0.4)
        .set_train()(Tensor(np.ones(shape, np.float32)))
        .asnumpy()
        .reshape(int(np.prod(shape[:-1] if len(shape) == 2 else shape[:2])), -1)
    )
    assert np.all((y == 0).all(1) | (y != 0).all(1))
    assert (y[:, 0] == 0).mean() == pytest.approx(0.4, abs=0.25 if len(shape) == 2 else 0.06)


def test_rrelu_draws_slopes_from_its_range() -> None:
    y = nn.RReLU(0.1, 0.4)(Tensor(-np.ones((100, 100), np.float32))).asnumpy()
    assert -0.4 <= y.min() < -0.39 and -0.11 < y.max() <= -0.1


def test_sampled_softmax_draws_only_wrong_classes() -> None:
    loss = nn.SampledSoftmaxLoss(4, 5, seed=3)
    classes, *counts = loss._sampled(Tensor([[2]], torch.int64))
    assert sorted(classes.tolist()) == [0, 1, 3, 4]
    assert all(float(item.max()) == pytest.approx(0.8) for item in counts)
    values = loss(
        Tensor(data(10, 5, 3)), Tensor(np.zeros(5, np.float32)), Tensor([[2], [2]], torch.int32), Tensor(data(11, 2, 3))
    )
    assert values.shape == (2,)


def test_recurrent_layers_freeze_empty_sequences() -> None:
    net, x, start = nn.GRU(3, 2), Tensor(data(12, 4, 2, 3)), Tensor(data(13, 1, 2, 2))
    output, end = net(x, start, Tensor([0, 3], torch.int32))
    assert np.all(output.asnumpy()[:, 0] == 0) and np.all(output.asnumpy()[3, 1] == 0)
    close(end[:, 0], start.asnumpy()[:, 0])


def test_pad_without_batch_axis_and_max_unpool_invert() -> None:
    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    largest, places = nn.MaxPool2d(2, 2, "pad", return_indices=True)(x)
    back = nn.MaxUnpool2d(2)(largest, places).asnumpy()
    assert back[0, 0, 1, 1] == 5 and back[0, 0, 3, 3] == 15 and (back != 0).sum() == 4


def test_layers_keep_moving_statistics_and_cast_weights_under_to_float() -> None:
    net = nn.SequentialCell(nn.Conv2d(4, 3, 3), nn.BatchNorm2d(3), nn.ReLU()).to_float(torch.bfloat16).set_train()
    y = net(Tensor(X))
    assert y.dtype is torch.bfloat16
    assert net[1].moving_mean.dtype is torch.float32 and np.any(net[1].moving_mean.asnumpy() != 0)


def test_losses_of_user_code_inherit_get_loss() -> None:
    class Own(nn.LossBase):
        def construct(self, logits: Any, labels: Any) -> Any:
            return self.get_loss(self.mul(logits - labels, logits - labels), 2.0)

    a, b = data(14, 3, 2), data(15, 3, 2)
    close(Own()(Tensor(a), Tensor(b)), 2 * np.mean((a - b) ** 2))
    close(Own("sum")(Tensor(a), Tensor(b)), 2 * np.sum((a - b) ** 2))
    close(Own("none")(Tensor(a), Tensor(b)), 2 * (a - b) ** 2)
    half = Own()(Tensor(a.astype(np.float16)), Tensor(b.astype(np.float16)))
    assert half.dtype is torch.float16
    assert nn.loss.loss._Loss is nn.LossBase


def test_class_indices_out_of_range_cost_nothing_unless_averaged() -> None:
    logits = Tensor(data(16, 2, 3))
    for bad in (-1, -100, 5):
        labels = Tensor([0, bad], torch.int32)
        assert nn.SoftmaxCrossEntropyWithLogits(True, "none")(logits, labels).asnumpy()[1] == 0
        with pytest.raises(IndexError, match="out of bounds"):
            nn.SoftmaxCrossEntropyWithLogits(True, "mean")(logits, labels)


def test_second_derivative_of_binary_cross_entropy() -> None:
    x = Tensor(np.array([0.3, 0.6], np.float32)).requires_grad_(True)
    loss = nn.BCELoss(reduction="sum")(x, Tensor(np.array([1.0, 0.0], np.float32)))
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    close(second.numpy(), [1 / 0.3**2, 1 / 0.4**2], 1e-4)


def test_binary_cross_entropy_is_differentiable_by_its_labels_and_under_vmap() -> None:
    p, y = (Tensor(np.array(rows, np.float32)) for rows in ([[0.3, 0.6], [0.9, 0.2]], [[1.0, 0.2], [0.0, 0.7]]))
    for loss in (nn.BCELoss(reduction="sum"), ops.BinaryCrossEntropy("sum")):
        by_p, by_y = ops.grad(loss, (0, 1))(p, y)
        close(by_p.asnumpy(), (p - y).asnumpy() / (p * (1 - p)).asnumpy(), 1e-5)
        close(by_y.asnumpy(), np.log(1 / p.asnumpy() - 1), 1e-5)
    rows = ops.vmap(lambda a, b: ops.binary_cross_entropy(a, b, reduction="none"))(p, y)
    close(rows.asnumpy(), ops.binary_cross_entropy(p, y, reduction="none").asnumpy(), 1e-6)


@pytest.mark.cpu_only("which order of memory is the faster on a CPU")
def test_convolutions_in_channels_last_order_give_the_same_values_gradients_and_shapes() -> None:
    random = np.random.default_rng(0)
    x, w = (Tensor(random.standard_normal(shape).astype(np.float32)) for shape in ((2, 16, 9, 7), (24, 16, 3, 3)))
    net = nn.Conv2d(16, 24, 3, pad_mode="valid")
    net.weight.set_data(w)
    out, gradient = ops.value_and_grad(lambda x: (net(x) ** 2).sum(), 0)(x)
    leaf = torch.tensor(x.asnumpy(), requires_grad=True)
    expected = torch.nn.functional.conv2d(leaf, torch.tensor(w.asnumpy()))
    (expected**2).sum().backward()
    y = net(x)
    assert torch._C.TensorBase.is_contiguous(y, memory_format=torch.channels_last), "the faster order was taken"
    np.testing.assert_allclose(y.asnumpy(), expected.detach().numpy(), 1e-4, 1e-4)
    np.testing.assert_allclose(y.view(2, -1).asnumpy(), expected.detach().reshape(2, -1).numpy(), 1e-4, 1e-4)
    np.testing.assert_allclose(float(out), float((expected**2).sum()), 1e-4)
    np.testing.assert_allclose(gradient.asnumpy(), leaf.grad.numpy(), 1e-3, 1e-3)
    assert net.weight.is_contiguous() and y.shape == tuple(expected.shape)


def test_adaptive_max_pool3d_of_integers_and_its_places() -> None:
    """Values and dtypes are real MindSpore 2.10's."""
    for dtype in (ms.int32, ms.float32):
        x = Tensor(np.arange(64).reshape(1, 4, 4, 4)).astype(dtype)
        values, places = nn.AdaptiveMaxPool3d(2, True)(x)
        assert values.dtype == dtype and places.dtype == ms.int32
        assert (
            values.asnumpy().ravel().tolist() == places.asnumpy().ravel().tolist() == [21, 23, 29, 31, 53, 55, 61, 63]
        )
        assert nn.AdaptiveMaxPool3d((2, None, 1))(x).shape == (1, 2, 4, 1)
