"""What must hold of THOR whatever the numbers are; docs/design/thor.md, invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mindspore_compat import Tensor, nn
from mindspore_compat.nn.optim.thor_precondition import _both_sides
from tests.thor.networks import BATCH, CASES, make_data
from tests.thor.ours import batch, make_net, make_step, make_thor, trainable

FEW = settings(max_examples=12, deadline=None)


def updates(
    case: str, damping: float, scale: float = 1.0, order: list[int] | None = None, seed: int = 0, **options: Any
) -> dict[str, np.ndarray]:
    """What one step with learning rate 1 subtracts from each weight."""
    net = make_net(case)
    optimizer = make_thor(
        net, np.ones(1, np.float32), dampings=np.array([damping], np.float32), momentum=0.0, loss_scale=scale, **options
    )
    before = {name: value.astype(np.float64) for name, value in trainable(net).items()}
    x, y = make_data(case, seed)
    order = list(range(BATCH)) if order is None else order
    make_step(net, optimizer, scale)(Tensor(x[order]), Tensor(y[order]))
    return {name: before[name] - value for name, value in trainable(net).items()}


def gradients(case: str, seed: int = 0) -> dict[str, np.ndarray]:
    net = make_net(case)
    net.set_train()
    x, y = make_data(case, seed)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")(net(Tensor(x)), Tensor(y))
    return {
        item.name: torch.autograd.grad(loss, [item], retain_graph=True)[0].numpy() for item in net.trainable_params()
    }


@FEW
@given(exponent=st.floats(9, 11), seed=st.integers(0, 30))
def test_very_large_damping_divides_the_gradient_by_it(exponent: float, seed: int) -> None:
    damping = float(np.float32(10.0**exponent))
    plain = gradients("dense", seed)
    net = make_net("dense")
    optimizer = make_thor(net, np.zeros(1, np.float32), dampings=np.array([damping], np.float32), momentum=0.0)
    x, y = make_data("dense", seed)
    make_step(net, optimizer)(Tensor(x), Tensor(y))
    for name in ("fc1.weight", "fc2.weight"):
        moment = next(item.asnumpy() for item in optimizer.moments if item.name == f"moments.{name}")
        np.testing.assert_allclose(moment * damping, plain[name], rtol=0, atol=2e-3 * np.abs(plain[name]).max())


@FEW
@given(case=st.sampled_from(CASES), order=st.permutations(list(range(BATCH))), seed=st.integers(0, 30))
def test_the_order_of_samples_does_not_count(case: str, order: list[int], seed: int) -> None:
    one, two = updates(case, 0.05, seed=seed), updates(case, 0.05, order=order, seed=seed)
    for name in one:
        assert np.abs(one[name] - two[name]).max() <= 2e-4 * max(1e-2, np.abs(one[name]).max()), name


@FEW
@given(case=st.sampled_from(CASES), exponent=st.integers(-4, 10), seed=st.integers(0, 30))
def test_the_loss_scale_does_not_count(case: str, exponent: int, seed: int) -> None:
    one, two = updates(case, 0.05, seed=seed), updates(case, 0.05, scale=2.0**exponent, seed=seed)
    for name in one:  # a power of two changes no bit before the inversion
        assert np.abs(one[name] - two[name]).max() <= 1e-5 * max(1e-2, np.abs(one[name]).max()), name


@settings(max_examples=6, deadline=None)
@given(case=st.sampled_from(CASES), frequency=st.integers(2, 6))
def test_on_one_batch_without_learning_the_moments_do_not_depend_on_the_frequency(case: str, frequency: int) -> None:
    moments = []
    for every in (2, frequency):
        net = make_net(case)
        optimizer = make_thor(net, np.zeros(5, np.float32), dampings=np.full(5, 0.05, np.float32), frequency=every)
        step = make_step(net, optimizer)
        for _ in range(5):
            step(*batch(case, 0))
        moments.append([item.asnumpy() for item in optimizer.moments])
    for one, two in zip(*moments):
        np.testing.assert_array_equal(one, two)


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 300), columns=st.integers(1, 300), seed=st.integers(0, 1000))
def test_products_by_blocks_are_the_products_by_the_whole_matrices(rows: int, columns: int, seed: int) -> None:
    random = np.random.RandomState(seed)

    def blocks(size: int) -> tuple[torch.Tensor, np.ndarray]:
        width = min(size, 128)
        parts = random.standard_normal((-(-size // width), width, width))
        whole = np.zeros((len(parts) * width,) * 2)
        for number, part in enumerate(parts):
            whole[number * width : (number + 1) * width, number * width : (number + 1) * width] = part
        return torch.from_numpy(parts), whole[:size, :size]

    (left, whole_left), (right, whole_right) = blocks(rows), blocks(columns)
    gradient = random.standard_normal((rows, columns))
    found = _both_sides(torch.from_numpy(gradient), left, right)
    np.testing.assert_allclose(found.numpy(), whole_left @ gradient @ whole_right, rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1, 6, 127, 128])
def test_up_to_128_nothing_is_split(size: int) -> None:
    from mindspore_compat.nn.optim.thor_inverse import damped_inverse_

    values = torch.randn(size, 2 * size, dtype=torch.float64)
    factor = values @ values.T
    whole = torch.linalg.inv(factor + 0.1 * torch.eye(size, dtype=torch.float64))
    found = torch.zeros(1, size, size, dtype=torch.float64)
    damped_inverse_([found], [factor], [1.0], [0.1], [1.0])
    torch.testing.assert_close(found[0], whole)
