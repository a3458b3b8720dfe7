"""Mixed precision and loss scales against real MindSpore's values, and what its CPU build refuses to run against a
float64 reference.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, amp, nn, ops
from tests.train.amp_program import CASES, cell_digest, manager_digest, scaler_digest, trained

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "amp.json").read_text())
REFUSED = {"error": "ValueError"}  # a loss scale that drops steps: upstream's CPU build has none


@pytest.mark.parametrize("case", CASES)
def test_dtypes_and_losses_of_every_level(case: str) -> None:
    ours, theirs = trained(ms, case), GOLDEN["trained"][case]
    if theirs == REFUSED:
        assert ours["cell"] == "TrainOneStepWithLossScaleCell" and all(math.isfinite(loss) for loss in ours["losses"])
        theirs = GOLDEN["trained"][case.replace(case.split(":")[1], "none")]
    count = 1 if case.startswith("O2:unset") else 3  # its scale of 2 ** 24 overflows float16, and the steps are dropped
    np.testing.assert_allclose(
        ours["losses"][:count], theirs["losses"][:count], rtol=2e-6 if case.startswith("O0") else 3e-3
    )
    if count == 3:
        np.testing.assert_allclose(ours["moving_mean"], theirs["moving_mean"], rtol=1e-3)
    for key in ("dtypes", "loss_dtype", "parameters", "predict", "eval"):
        assert ours[key] == theirs[key], key


def test_ten_thousand_overflow_patterns_scale_as_upstream() -> None:
    assert manager_digest(ms) == GOLDEN["digests"]["manager"]
    assert cell_digest(ms, nn) == GOLDEN["digests"]["cell"]
    assert scaler_digest(ms, amp) == GOLDEN["digests"]["scaler"]


class Quadratic(nn.Cell):
    """loss = sum(w * x); its gradient is x."""

    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.w = ms.Parameter(Tensor(np.ones(size, np.float32)), name="w")

    def construct(self, x):
        return (self.w * x).sum()


class Reference:
    """A scaled step by the book, in float64 and integers."""

    def __init__(self, scale: float, factor: int | None, window: int, rate: float, momentum: float) -> None:
        self.w, self.moment = np.ones(3), np.zeros(3)
        self.scale, self.factor, self.window, self.rate, self.momentum = scale, factor, window, rate, momentum
        self.iteration, self.last = 1, 0

    def step(self, x) -> bool:
        overflow = not np.isfinite(x).all()
        if self.factor is not None:
            grows = self.iteration - self.last >= self.window
            if overflow:
                self.scale = max(self.scale / self.factor, 1.0)
            elif grows:
                self.scale *= self.factor
            if overflow or grows:
                self.last = self.iteration
            self.iteration += 1
        if not overflow:
            self.moment = self.momentum * self.moment + x
            self.w = self.w - self.rate * self.moment
        return overflow


@pytest.mark.parametrize(
    ("manager", "factor", "window"),
    [
        (lambda: amp.FixedLossScaleManager(512.0), None, 0),
        (lambda: amp.DynamicLossScaleManager(2.0**20, 2, 3), 2, 3),
        (lambda: amp.DynamicLossScaleManager(2.0**4, 4, 5), 4, 5),
    ],
)
def test_four_hundred_steps_with_random_overflows_follow_the_reference(manager, factor, window) -> None:
    net, rng = Quadratic(), np.random.RandomState(4)
    step = amp.build_train_network(net, nn.Momentum(net.trainable_params(), 0.01, 0.9), loss_scale_manager=manager())
    reference = Reference(float(step.scale_sense.asnumpy()), factor, window, 0.01, 0.9)
    assert type(step) is nn.TrainOneStepWithLossScaleCell
    for _ in range(400):
        x = rng.randn(3).astype(np.float32)
        if rng.rand() < 0.3:
            x[rng.randint(3)] = rng.choice([np.inf, -np.inf, np.nan])
        loss, overflow, scale = step(Tensor(x))
        assert bool(overflow) == reference.step(x.astype(np.float64))
        assert float(scale) == float(step.scale_sense) == reference.scale  # as upstream returns it: after its update
        np.testing.assert_allclose(net.w.asnumpy(), reference.w, rtol=1e-4, atol=1e-5)
        assert loss.dtype is torch.float32


def test_fixed_scale_without_dropping_updates_on_overflow_too() -> None:
    net = Quadratic()
    step = amp.build_train_network(
        net, nn.SGD(net.trainable_params(), 0.1), loss_scale_manager=amp.FixedLossScaleManager(4.0, False)
    )
    step(Tensor(np.array([1, np.inf, 0], np.float32)))
    assert np.isinf(net.w.asnumpy()[1]) and net.w.asnumpy()[0] == pytest.approx(1 - 0.4)


def test_a_thousand_overflows_in_a_row_end_the_training() -> None:
    manager = amp.DynamicLossScaleManager()
    for _ in range(1000):
        manager.update_loss_scale(True)
    assert manager.get_loss_scale() == 1
    with pytest.raises(RuntimeError):
        manager.update_loss_scale(True)


def test_scalers_scale_in_the_dtype_of_their_inputs() -> None:
    scaler = amp.StaticLossScaler(1024)
    grads = (Tensor(np.array([1.5, 1.0], np.float16)), Tensor(np.array([1.2], np.float32)))
    scaled, back = scaler.scale(grads), scaler.unscale(scaler.scale(grads))
    assert [item.dtype for item in scaled] == [torch.float16, torch.float32] and isinstance(scaled, tuple)
    np.testing.assert_allclose(back[1].asnumpy(), [1.2], rtol=1e-6)
    assert scaler.adjust(Tensor(False)) is False and float(scaler.scale(Tensor(2.0))) == 2048.0


@pytest.mark.parametrize(
    ("values", "finite"), [([1.0], True), ([np.inf], False), ([np.nan], False), ([65504.0] * 9, True)]
)
def test_all_finite(values, finite) -> None:
    assert bool(amp.all_finite((Tensor(np.array(values, np.float16)), [Tensor([1.0])]))) is finite
    assert bool(amp.all_finite([Tensor([1])], amp.init_status())) is True


class Two(nn.Cell):
    """A Dense outside and one inside, seen with their dtypes."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Dense(4, 4), nn.Dense(4, 4)
        self.layers = [self.first, self.second]
        self.norm = nn.LayerNorm((4,))
        self.matmul, self.seen = ops.MatMul(), []
        self.w = ms.Parameter(Tensor(np.eye(4, dtype=np.float32)), name="w")

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
            self.seen.append(x.dtype)
        x = self.norm(x)
        return self.matmul(x, self.w)


def _x() -> Tensor:
    return Tensor(np.random.RandomState(0).randn(2, 4).astype(np.float32))


def test_o1_copies_the_network_and_shares_its_parameters() -> None:
    net = Two()
    converted = amp.auto_mixed_precision(net, "O1")
    assert converted is not net and converted.first is not net.first and converted.first.weight is net.first.weight
    assert converted.layers[0] is converted.first, "lists of Cells refer to the copy"
    exact, rounded = net(_x()).asnumpy(), converted(_x()).asnumpy()
    assert 0 < abs(exact - rounded).max() < 0.02 and rounded.dtype == np.float32
    net.first.weight.set_data(ops.zeros_like(net.first.weight))
    assert not converted.first.weight.asnumpy().any()


def test_o1_leaves_cells_alone_whose_precision_the_user_chose() -> None:
    net = Two()
    net.second.to_float(torch.bfloat16)
    converted = amp.auto_mixed_precision(net, "O1")
    converted(_x())
    assert converted.second is net.second and converted.seen[-2:] == [torch.float32, torch.bfloat16]


def test_o1_gradients_reach_the_parameters_through_recomputation() -> None:
    net = Two()
    net.first.recompute()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(amp.auto_mixed_precision(net, "O1"), nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    before = net.first.weight.asnumpy().copy()
    step(_x(), Tensor(np.zeros((2, 4), np.float32)))
    assert abs(before - net.first.weight.asnumpy()).max() > 0


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto"])
def test_recomputed_layers_have_the_gradients_of_others(level: str) -> None:
    def gradients(is_recomputed: bool) -> list[np.ndarray]:
        ms.set_seed(0)
        net = Two()
        if is_recomputed:
            net.recompute() if level == "O0" else net.first.recompute()
        run = amp.auto_mixed_precision(net, level)
        step = ms.value_and_grad(
            lambda x: ops.softmax(run(x).astype(ms.float32)).pow(2).sum(), None, net.trainable_params()
        )
        return [g.asnumpy() for g in step(_x())[1]]

    for kept, again in zip(gradients(False), gradients(True), strict=True):
        np.testing.assert_array_equal(kept, again)


def test_custom_lists_decide_what_is_converted() -> None:
    only_norm = amp.custom_mixed_precision(Two(), white_list=[nn.LayerNorm])
    only_norm(_x())
    assert set(only_norm.seen) == {torch.float32}
    all_but_norm = amp.custom_mixed_precision(Two(), black_list=[nn.LayerNorm], dtype=torch.bfloat16)
    assert all_but_norm(_x()).dtype is torch.float32 and set(all_but_norm._backbone.seen) == {torch.bfloat16}
    assert all_but_norm._backbone.norm._backbone._cast_dtype is torch.float32
    lists = amp.get_white_list(), amp.get_black_list()
    lists[0].append(nn.Flatten)
    assert nn.Flatten not in amp.get_white_list() and nn.BatchNorm2d in lists[1] and ops.MatMul in lists[0]


def test_auto_decides_by_operator_in_functions_too() -> None:
    w = Tensor(np.ones((4, 4), np.float32))
    run = amp.auto_mixed_precision(
        lambda x: (ops.matmul(x, w), ops.exp(x), ops.softmax(ops.matmul(x, w)), x + x), "auto", torch.bfloat16
    )
    assert [item.dtype for item in run(_x())] == [torch.bfloat16, torch.float32, torch.float32, torch.float32]


def _accumulating(loss_scale_manager=None):
    rng = np.random.RandomState(0)
    net = nn.Dense(4, 3)
    net.weight.set_data(Tensor(rng.randn(3, 4).astype(np.float32)))
    net.bias.set_data(Tensor(np.zeros(3, np.float32)))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    data = Tensor(rng.randn(8, 4).astype(np.float32)), Tensor(rng.randint(0, 3, 8).astype(np.int32))
    return net, nn.WithLossCell(net, loss), nn.SGD(net.trainable_params(), 0.1), data


@pytest.mark.parametrize("manager", [None, amp.FixedLossScaleManager(256.0), amp.DynamicLossScaleManager(256, 2, 100)])
def test_gradients_of_parts_of_a_batch_make_one_update(manager) -> None:
    whole, parts = _accumulating(), _accumulating()
    nn.TrainOneStepCell(whole[1], whole[2])(*whole[3])
    model = ms.Model(nn.GradAccumulationCell(parts[1], 4), optimizer=parts[2], loss_scale_manager=manager)
    loss = model.train_network(*parts[3])
    loss = loss[0] if isinstance(loss, tuple) else loss
    assert float(loss) == pytest.approx(4 * float(whole[1](*whole[3])), rel=0.2), "the sum over the parts"
    np.testing.assert_allclose(parts[0].weight.asnumpy(), whole[0].weight.asnumpy(), rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError):
        model.train_network(parts[3][0][:6], parts[3][1][:6])


def test_boost_gradient_accumulation_updates_every_n_calls() -> None:
    from mindspore_compat.boost import GradientAccumulation

    whole, parts = _accumulating(), _accumulating()
    nn.TrainOneStepCell(whole[1], whole[2])(*whole[3])
    accumulate = GradientAccumulation(2, parts[2])
    gradients = ops.GradOperation(get_by_list=True)(parts[1], accumulate.weights)
    x, y = parts[3]
    before = parts[0].weight.asnumpy().copy()
    for half in (slice(0, 4), slice(4, 8)):
        assert (parts[0].weight.asnumpy() == before).all()
        accumulate(Tensor(0.0), gradients(x[half], y[half]))
    np.testing.assert_allclose(parts[0].weight.asnumpy(), whole[0].weight.asnumpy(), rtol=1e-4, atol=1e-6)


class _Apply(nn.Cell):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def construct(self, *args: Any) -> Any:
        return self.function(*args)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y: ops.pow(x, 2.0), "float32"),
        (lambda x, y: ops.cumsum(x, 0), "float32"),
        (lambda x, y: x.prod(), "float32"),
        (lambda x, y: x.std(), "float32"),
        (lambda x, y: ops.logsumexp(x, 0), "float32"),
        (lambda x, y: ops.cdist(x, x), "float32"),
        (lambda x, y: ops.cosine_similarity(x, x), "float32"),
        (lambda x, y: ops.cross(x, y), "float32"),
        (lambda x, y: ops.cross(x, x), "float16"),
        (lambda x, y: ops.norm(x), "float16"),
        (lambda x, y: ops.square(x), "float16"),
        (lambda x, y: ops.matmul(y, x.T), "float16"),
        (lambda x, y: nn.Conv1d(3, 2, 1, has_bias=True)(x.T[None]), "float32"),
        (lambda x, y: nn.Conv1d(3, 2, 1)(x.T[None]), "float16"),
        (lambda x, y: nn.Conv1dTranspose(3, 2, 1)(y.T[None]), "float32"),
        (lambda x, y: nn.Conv1dTranspose(3, 2, 1, has_bias=True)(x.T[None]), "float32"),
        (lambda x, y: nn.Dense(3, 2)(x), "float32"),
        (lambda x, y: nn.Dense(3, 2)(y), "float32"),
        (lambda x, y: nn.Dense(3, 2, has_bias=False)(y), "float16"),
        (lambda x, y: ops.dense(y, y, y[:, 0]), "float16"),
        (lambda x, y: ops.conv2d(y[None, None], y[None, None], y[0, :1]), "float32"),
        (lambda x, y: nn.MultiheadAttention(3, 1)(y[None], y[None], y[None])[0], "float32"),
        (lambda x, y: nn.BiDense(3, 3, 2)(x, x), "float32"),
        (lambda x, y: nn.RNNCell(3, 3)(x, x), "float32"),
        (lambda x, y: nn.RNNCell(3, 3)(y, y), "float32"),
        (lambda x, y: nn.CrossEntropyLoss()(x, ms.Tensor([0, 1], ms.int32)), "float32"),
        (lambda x, y: ops.addmm(y, y[:, :2], y), "float32"),
        (lambda x, y: ops.addbmm(y, y[None, :, :2], y[None]), "float32"),
        (lambda x, y: ops.baddbmm(y[None], y[None, :, :2], y[None]), "float32"),
        (lambda x, y: ops.mv(y, y[0]), "float16"),
        (lambda x, y: ops.cov(y), "float16"),
        (lambda x, y: ops.tensor_dot(x, y, (0, 0)), "float16"),
        (lambda x, y: ops.exp(y.astype(ms.float64)), "float32"),
        (lambda x, y: ops.matmul(y.astype(ms.float64), y.T.astype(ms.float64)), "float16"),
        (lambda x, y: ops.logaddexp(x, x), "float32"),
        (lambda x, y: ops.pdist(x), "float32"),
        (lambda x, y: ops.vector_norm(x), "float16"),
        (lambda x, y: ops.matrix_power(y[:, :2], 2), "float32"),
        (lambda x, y: ops.cholesky_inverse(y[:, :2]), "float32"),
        (lambda x, y: ops.interpolate(y[None, None], (4, 4), mode="bicubic"), "float32"),
        (lambda x, y: ops.max_pool3d(x[None, None, None], (1, 2, 2)), "float16"),
        (lambda x, y: ms.numpy.convolve(y[0], y[1]), "float32"),
        (lambda x, y: nn.Conv2dTranspose(1, 2, 2, has_bias=True)(x[None, None]), "float32"),
    ],
)
def test_dtypes_of_operators_under_auto_are_upstreams(function: Any, expected: str) -> None:
    x = ms.Tensor(np.arange(1, 7).reshape(2, 3), ms.float16)
    result = ms.amp.auto_mixed_precision(_Apply(function), "auto")(x, x.astype(ms.float32) + 1)
    assert str(result.dtype).removeprefix("torch.") == expected


@pytest.mark.parametrize("function", [ops.ReduceSum(), ops.L2Normalize(), ops.std, ops.lrn])
def test_operators_made_of_listed_ones_give_float32_under_auto(function: Any) -> None:
    """docs/differences.md: upstream gives float16."""
    x = ms.Tensor(np.arange(1, 5).reshape(1, 1, 2, 2), ms.float16)
    found, wide = ms.amp.auto_mixed_precision(_Apply(function), "auto")(x), function(x.astype(ms.float32))
    assert found.dtype is ms.float32
    np.testing.assert_allclose(found.asnumpy(), wide.asnumpy(), rtol=2e-3)


def test_cells_with_a_dtype_of_their_own_are_left_alone_under_auto() -> None:
    inner = _Apply(lambda x: ops.cumsum(ops.pow(x, 2.0), 0)).to_float(ms.float16)
    result = ms.amp.auto_mixed_precision(_Apply(inner), "auto")(ms.Tensor([[1.0, 2.0]], ms.float32))
    assert result.dtype is ms.float16


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("dtype", [ms.float16, ms.float32])
def test_recurrent_layers_keep_the_dtype_under_auto(layer: Any, dtype: Any) -> None:
    network = ms.amp.auto_mixed_precision(_Apply(layer(3, 2)), "auto").set_train()
    x = ms.Tensor(np.ones((2, 4, 3)), dtype)
    assert network(x)[0].dtype is dtype
    gradients = ms.grad(lambda x: network(x)[0].sum(), None, network.trainable_params())(x)
    assert len(gradients) == 4 and all(gradient.dtype is ms.float32 for gradient in gradients)
