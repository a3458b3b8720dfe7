"""`thor` itself: the schedule, saved state, loss scale, failed inversions, bad arguments."""

from __future__ import annotations

import copy
import logging
from pathlib import Path

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from tests.thor.networks import BATCH, DAMPINGS, RATES
from tests.thor.ours import batch, make_net, make_step, make_thor, trainable


def constant(steps: int, value: float) -> np.ndarray:
    return np.full(steps, value, np.float32)


def test_returns_thor_gpu_with_its_frequency() -> None:
    optimizer = make_thor(make_net("dense"), RATES["dense"], frequency=7)
    assert type(optimizer).__name__ == "ThorGpu"
    assert optimizer.get_frequency() == 7
    assert optimizer.thor is True
    assert isinstance(optimizer, nn.Optimizer)


def test_every_frequency_th_step_is_of_second_order() -> None:
    net = make_net("dense")
    optimizer = make_thor(net, constant(9, 0.01), dampings=constant(9, 0.03), frequency=4)
    step = make_step(net, optimizer)
    seen = []
    for number in range(9):
        before = net.fc1.matrix_g.asnumpy().copy()
        assert optimizer.thor == net.fc1.thor == net.fc2.thor
        seen.append(optimizer.thor)
        step(*batch("dense", number))
        assert np.array_equal(net.fc1.matrix_g.asnumpy(), before) is not seen[-1]
    assert seen == [True, False, False, False, True, False, False, False, True]


def test_flags_set_by_hand_win_over_the_schedule() -> None:
    net = make_net("dense")
    optimizer = make_thor(net, constant(4, 0.01))
    step = make_step(net, optimizer)
    for number, flag in enumerate((True, True, False, False)):
        step.add_flags_recursive(thor=flag)
        assert optimizer.thor is flag
        assert net.fc2.thor is flag
        before = optimizer.matrix_a[0].asnumpy().copy()
        step(*batch("dense", number))
        assert np.array_equal(optimizer.matrix_a[0].asnumpy(), before) is not flag


@pytest.mark.parametrize("case", ["dense", "conv", "embedding"])
def test_a_run_goes_on_from_saved_state_as_if_never_stopped(case: str, tmp_path: Path) -> None:
    def start() -> tuple:
        net = make_net(case)
        rates = np.concatenate([RATES[case], RATES[case]])
        optimizer = make_thor(net, rates, dampings=np.concatenate([DAMPINGS, DAMPINGS]), frequency=3)
        return net, optimizer, make_step(net, optimizer)

    net, _, step = start()
    for number in range(5):
        step(*batch(case, number))
    ms.save_checkpoint(step, str(tmp_path / "at_5.ckpt"))
    for number in range(5, 8):
        step(*batch(case, number))
    again, optimizer, resumed = start()
    left, _ = ms.load_param_into_net(resumed, ms.load_checkpoint(str(tmp_path / "at_5.ckpt")))
    assert left == []
    assert int(optimizer.cov_step) == 5
    assert optimizer.thor is False
    for number in range(5, 8):
        resumed(*batch(case, number))
    for name, value in trainable(net).items():
        np.testing.assert_array_equal(trainable(again)[name], value)


def test_a_checkpoint_holds_upstreams_names(tmp_path: Path) -> None:
    net = make_net("dense")
    optimizer = make_thor(net, RATES["dense"])
    step = make_step(net, optimizer)
    step(*batch("dense", 0))
    ms.save_checkpoint(step, str(tmp_path / "all.ckpt"))
    names = set(ms.load_checkpoint(str(tmp_path / "all.ckpt")))
    assert {
        "fc1.matrix_a",
        "fc2.matrix_g",
        "matrix_a_inv_0",
        "matrix_g_inv_1",
        "moments.fc1.weight",
        "momentum",
        "cov_step",
        "global_step",
        "learning_rate",
        "fc1.weight",
    } <= names


@pytest.mark.parametrize("values", ["rate", "damping"])
def test_a_schedule_that_is_too_short_is_named(values: str) -> None:
    net = make_net("dense")
    lengths = {"rate": 3, "damping": 3, values: 1}
    optimizer = make_thor(net, constant(lengths["rate"], 0.01), dampings=constant(lengths["damping"], 0.03))
    step = make_step(net, optimizer)
    step(*batch("dense", 0))
    with pytest.raises(ValueError):
        step(*batch("dense", 1))


@pytest.mark.parametrize(("options", "error"), [({"batch_size": 0}, ValueError), ({"frequency": 1}, ValueError)])
def test_bad_arguments_are_named(options: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        make_thor(make_net("dense"), RATES["dense"], **options)


def test_blocks_that_can_not_be_inverted_keep_their_inverse_and_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    net = make_net("dense")
    optimizer = make_thor(net, constant(3, 0.01), dampings=constant(3, 0.03), frequency=2)
    step = make_step(net, optimizer)
    step.add_flags_recursive(thor=True)
    step(*batch("dense", 0))
    kept = optimizer.matrix_g[0].asnumpy().copy()
    x, y = batch("dense", 1)
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        for _ in range(2):
            net.fc1.matrix_a.set_data(Tensor(np.full((6, 6), np.nan, np.float32)))
            net.__dict__["_modules"]["fc1"].add_flags(thor=False)  # keep the bad factor
            step(x, y)
    assert optimizer.failed_inversions == 2
    assert len([record for record in caplog.records if "not positive definite" in record.message]) == 1
    assert np.isfinite(optimizer.matrix_a[0].asnumpy()).all()
    assert all(np.isfinite(value).all() for value in trainable(net).values())
    assert np.isfinite(kept).all()


def test_a_network_copied_with_its_optimizer_trains_on_its_own() -> None:
    net = make_net("conv")
    step = make_step(net, make_thor(net, RATES["conv"]))
    step(*batch("conv", 0))
    other = copy.deepcopy(step)
    for number in range(1, 4):
        step(*batch("conv", number))
    assert int(other.optimizer.cov_step) == 1
    for number in range(1, 4):
        other(*batch("conv", number))
    for one, two in zip(step.optimizer.parameters, other.optimizer.parameters):
        np.testing.assert_array_equal(one.asnumpy(), two.asnumpy())


def test_dense_of_three_axes_counts_the_leading_ones_as_samples() -> None:
    flat, deep = nn.DenseThor(6, 3).set_train(), nn.DenseThor(6, 3).set_train()
    deep.weight.set_data(flat.weight)
    x = Tensor(np.random.standard_normal((8, 6)).astype(np.float32))
    for layer, inputs in ((flat, x), (deep, x.reshape(2, 4, 6))):
        torch.autograd.grad(torch.square(layer(inputs)).sum(), [layer.weight])
    np.testing.assert_allclose(deep.matrix_a.asnumpy(), flat.matrix_a.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(deep.matrix_g.asnumpy(), flat.matrix_g.asnumpy(), rtol=1e-6)


def test_nothing_is_recorded_without_gradients() -> None:
    layer = nn.DenseThor(6, 3)
    with torch.no_grad():
        layer(Tensor(np.ones((2, 6), np.float32)))
    np.testing.assert_array_equal(layer.matrix_a.asnumpy(), np.eye(6))


def test_float16_layers_record_float32_factors() -> None:
    net = make_net("dense")
    make_thor(net, RATES["dense"])
    net.to_float(ms.float16).set_train()
    x, y = batch("dense", 0)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")(net(x).astype(ms.float32), y) * 2.0**12
    torch.autograd.grad(loss, list(net.trainable_params()))
    assert net.fc1.matrix_g.dtype is torch.float32
    assert np.isfinite(net.fc1.matrix_g.asnumpy()).all()
    assert net.fc1.matrix_g.asnumpy().max() > 0


def test_batch_size_scales_g() -> None:
    results = []
    for size in (BATCH, 2 * BATCH):
        net = make_net("dense")
        optimizer = make_thor(net, RATES["dense"], batch_size=size)
        make_step(net, optimizer)(*batch("dense", 0))
        expected = np.linalg.inv(
            net.fc1.matrix_g.asnumpy().astype(np.float64) * size**2 + np.sqrt(DAMPINGS[0]) * np.eye(8)
        )
        np.testing.assert_allclose(optimizer.matrix_g[0].asnumpy()[0], expected, rtol=1e-5, atol=1e-5)
        results.append(optimizer.matrix_g[0].asnumpy())
    assert np.abs(results[0] - results[1]).max() > 0.01
