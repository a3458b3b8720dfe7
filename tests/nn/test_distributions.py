"""Distributions: what test_against_golden does not compare, that is samples, defaults and errors (as real MindSpore
2.10 has them).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.nn.probability.distribution as msd
from mindspore_compat import nn, ops

T = ms.Tensor
PROBS = T(np.array([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]], np.float32))


@pytest.mark.parametrize(
    ("distribution", "shape", "expected"),
    [
        (msd.Normal(0.3, 2.0), (), ()),
        (msd.Normal(0.3, 2.0), (2, 3), (2, 3)),
        (msd.Normal([0.1, 0.2], T([1.0, 2.0])), (3,), (3, 2)),
        (msd.Uniform(-0.5, 2.0), (3,), (3,)),
        (msd.Categorical([0.3, 0.7]), (), ()),
        (msd.Categorical([0.3, 0.7]), (4,), (4,)),
        (msd.Categorical(PROBS), (2, 3), (2, 3, 2)),
    ],
)
def test_shape_of_samples(distribution: Any, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    sample = distribution.sample(shape)
    assert isinstance(sample, T) and sample.shape == expected and sample.dtype is distribution.dtype
    assert distribution("sample", shape).shape == expected


def test_samples_have_their_distribution() -> None:
    ms.set_seed(1)
    normal = msd.Normal(3.0, 2.0).sample((20000,)).asnumpy()
    uniform = msd.Uniform(-1.0, 3.0).sample((20000,)).asnumpy()
    classes = msd.Categorical(PROBS).sample((20000,)).asnumpy()
    assert abs(normal.mean() - 3) < 0.1 and abs(normal.std() - 2) < 0.1
    assert uniform.min() >= -1 and uniform.max() < 3 and abs(uniform.mean() - 1) < 0.1
    np.testing.assert_allclose([np.bincount(classes[:, row]) / 20000 for row in (0, 1)], PROBS.asnumpy(), atol=0.02)


def test_the_global_seed_gives_the_same_samples_again() -> None:
    """A seed of its own is one of two: upstream counts the other one on with every use."""

    def samples() -> list[list[float]]:
        ms.set_seed(4)
        first, second = (msd.Normal(0.0, 1.0, seed=3) for _ in range(2))
        return [item.sample((3,)).asnumpy().tolist() for item in (first, first, second)]

    drawn = samples()
    assert drawn == samples()
    assert drawn[0] != drawn[1] != drawn[2] != drawn[0]


def test_gradient_reaches_the_parameters_of_a_sample() -> None:
    normal = msd.Normal()
    gradient = ms.grad(lambda mean: normal.sample((5,), mean, T([1.0])).sum())(T([2.0]))
    assert gradient.asnumpy().tolist() == [5]


def test_attributes() -> None:
    normal, batch, open_one = msd.Normal(0.3, 2.0), msd.Categorical(PROBS), msd.Normal()
    assert (normal.name, normal.seed, normal.batch_shape, normal.is_scalar_batch) == ("Normal", 0, (), True)
    assert (batch.batch_shape, batch.broadcast_shape, batch.is_scalar_batch) == ((2, 3), (2,), False)
    assert open_one.batch_shape is None and isinstance(open_one, nn.Cell)
    assert normal.get_dist_type() == "Normal" and [item.item() for item in normal.get_dist_args()] == [
        pytest.approx(0.3),
        2.0,
    ]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: msd.Normal(0.0, -1.0), ValueError),
        (lambda: msd.Normal(T([1, 2]), T([1.0, 2.0])), TypeError),
        (lambda: msd.Uniform(3.0, 1.0), ValueError),
        (lambda: msd.Categorical([0.2, 0.9]), ValueError),
        (lambda: msd.Uniform(0.0, 1.0).mode(), NotImplementedError),
    ],
)
def test_errors(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


class Slow(msd.Normal):
    """As reinforcement learning's (mindspore_rl's `MultivariateNormalDiag`): by the insides of the base class."""

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        value = self.cast(self._check_value(value, "value"), self.dtype)
        mean, sd = self._check_param_type(mean, sd)
        return self.exp(self.log(sd)) * self.sq(value - mean) + self.sqrt(sd)

    def _sample(self, shape: tuple[int, ...] = (), mean: Any = None, sd: Any = None) -> Any:
        shape = self.checktuple(shape, "shape")
        mean, sd = self._check_param_type(mean, sd)
        return self.cast(ops.zeros(shape + self.shape(mean + sd)), self.dtype) + sd


def test_distributions_of_programs_use_the_insides_of_the_base_class() -> None:
    found = Slow(0.5, [1.0, 2.0], dtype=ms.float32)
    np.testing.assert_allclose(found.log_prob(T([1.0, 3.0])).asnumpy(), [1.25, 13.914213], rtol=1e-6)
    given = found.log_prob(T([1.0, 3.0]), T([2.0]), T([1.0, 4.0]))
    np.testing.assert_allclose(given.asnumpy(), [2.0, 6.0], rtol=1e-6)
    assert found.sample((3,)).asnumpy().tolist() == [[1.0, 2.0]] * 3
    assert found.squeeze(T([[1.0, 2.0]])).shape == (2,)


def test_an_own_operator_of_a_distribution_is_nothing_to_warn_of(caplog: pytest.LogCaptureFixture) -> None:
    found = Slow(0.0, 1.0)
    found.exp = ops.Exp()
    assert not caplog.text


ORDERS, PLACES = T([0.5, 2.0, 3.0]), T([0.7, 1.0, 5.0])


@pytest.mark.parametrize(
    ("function", "at", "expected"),
    [
        (
            lambda a: msd.Gamma(dtype=ms.float32)("cdf", PLACES, a, T([1.0, 1.0, 1.0])),
            ORDERS,
            [-0.531339, -0.276196, -0.113693],
        ),
        (lambda v: msd.Poisson(dtype=ms.float32)("cdf", v, T([1.5, 1.0, 2.0])), PLACES, [0.33717, 0.276196, 0.0203557]),
        (lambda a: nn.IGamma()(a, PLACES), ORDERS, [-0.531339, -0.276196, -0.113693]),
    ],
    ids=["Gamma", "Poisson", "IGamma"],
)
def test_derivatives_by_the_order_of_the_incomplete_gamma_function(
    function: Any, at: Any, expected: list[float]
) -> None:
    """As real MindSpore 2.10, whose nn.IGamma gives NaN beside the first."""
    np.testing.assert_allclose(ms.grad(function)(at).asnumpy(), expected, 1e-5)


def test_functions_take_numbers() -> None:
    normal = msd.Normal(0.5, 2.0, dtype=ms.float32)
    np.testing.assert_allclose(normal.log_prob(1.0, 1.0, 0.5).asnumpy(), -np.log(0.5 * np.sqrt(2 * np.pi)), rtol=1e-5)
    np.testing.assert_allclose(normal.kl_loss("Normal", 0.0, 1.0).asnumpy(), 1.625 - np.log(2.0), rtol=1e-6)
    expected = 0.3 * np.log(0.3 / 0.6) + 0.7 * np.log(0.7 / 0.4)
    found = msd.Bernoulli(0.3, dtype=ms.int32).kl_loss("Bernoulli", 0.6)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)
    slope = ms.grad(lambda mean: normal.log_prob(T([0.5]), mean, 1.0))(T([1.5]))
    np.testing.assert_allclose(slope.asnumpy(), [-1.0], rtol=1e-6)
