"""Distributions and bijectors against real MindSpore and ``torch.distributions``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
import mindspore_compat.nn.probability.bijector as msb
import mindspore_compat.nn.probability.distribution as msd
from mindspore_compat import Tensor
from tests.support.oracle import run_program_both

PROGRAM = Path(__file__).with_name("probability_program.py")


def _differences(ours: Any, real: Any, where: str) -> list[str]:
    if isinstance(real, str) and real.endswith("Error"):
        return []
    if isinstance(real, dict):
        return [item for key in real for item in _differences(ours[key], real[key], f"{where}/{key}".lstrip("/"))]
    if isinstance(real, list) and isinstance(ours, list) and len(real) == len(ours) == 2 and isinstance(real[0], str):
        if real[0] == ours[0] and (isinstance(real[1], str) or np.shape(real[1]) == np.shape(ours[1])):
            same = real[1] == ours[1] if isinstance(real[1], str) else np.allclose(ours[1], real[1], 1e-5, 1e-5)
            return [] if same else [f"{where}: {ours} is not {real}"]
    return [] if ours == real else [f"{where}: {ours} is not {real}"]


@pytest.mark.oracle
def test_answers_are_those_of_real_mindspore(tmp_path: Path) -> None:
    ours, real = run_program_both(PROGRAM, tmp_path)
    assert len(real) > 150 and ours.keys() == real.keys()
    assert _differences(ours, real, "") == []


D = torch.distributions
T = torch.tensor
AS_TORCH: dict[str, tuple[tuple[Any, ...], Any, list[float]]] = {
    "Bernoulli": ((0.3,), D.Bernoulli(0.3, validate_args=False), [0.0, 1.0]),
    "Beta": ((2.0, 3.0), D.Beta(2.0, 3.0), [0.2, 0.9]),
    "Cauchy": ((0.5, 2.0), D.Cauchy(0.5, 2.0), [-1.0, 0.3]),
    "Exponential": ((0.7,), D.Exponential(0.7), [0.2, 3.0]),
    "Gamma": ((2.0, 1.5), D.Gamma(2.0, 1.5), [0.2, 3.0]),
    "Geometric": ((0.3,), D.Geometric(0.3, validate_args=False), [0.0, 2.0]),
    "Gumbel": ((0.5, 2.0), D.Gumbel(0.5, 2.0), [-1.0, 0.3]),
    "LogNormal": ((0.5, 0.4), D.LogNormal(0.5, 0.4), [0.2, 3.0]),
    "Poisson": ((2.5,), D.Poisson(2.5), [0.0, 3.0]),
    "Laplace": ((0.5, 2.0), D.Laplace(0.5, 2.0), [-1.0, 0.3]),
    "StudentT": ((3.0, 0.5, 2.0), D.StudentT(3.0, 0.5, 2.0), [-1.0, 0.3]),
    "HalfNormal": ((0.0, 2.0), D.HalfNormal(2.0), [0.7, 3.0]),
}


@pytest.mark.parametrize("name", AS_TORCH)
def test_densities_and_moments_are_those_of_torch(name: str) -> None:
    parameters, reference, values = AS_TORCH[name]
    mine = getattr(msd, name)(*parameters)
    expected = reference.log_prob(T(values))
    np.testing.assert_allclose(mine.log_prob(Tensor(values, ms.float32)).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(mine.prob(Tensor(values, ms.float32)).asnumpy(), expected.exp(), rtol=1e-5, atol=1e-6)
    if name in ("Laplace", "StudentT", "HalfNormal"):
        with pytest.raises(NotImplementedError, match="mean is not implemented"):
            mine.mean()
        return
    if name != "Cauchy":
        assert float(mine.mean()) == pytest.approx(float(reference.mean), rel=1e-5)
        assert float(mine.var()) == pytest.approx(float(reference.variance), rel=1e-5)
    if name != "Poisson":
        assert float(mine.entropy()) == pytest.approx(float(reference.entropy()), rel=1e-5)
    if name not in ("Bernoulli", "Beta", "Geometric", "Poisson"):
        np.testing.assert_allclose(mine.cdf(Tensor(values, ms.float32)).asnumpy(), reference.cdf(T(values)), rtol=1e-4)


@pytest.mark.parametrize("name", [name for name in AS_TORCH if name not in ("Laplace", "StudentT", "HalfNormal")])
def test_samples_have_their_distribution(name: str) -> None:
    ms.set_seed(2)
    parameters, reference, _ = AS_TORCH[name]
    mine = getattr(msd, name)(*parameters)
    samples = mine.sample((40000,)).asnumpy()
    assert samples.shape == (40000,) and np.isfinite(samples).all()
    if name == "Cauchy":
        assert np.median(samples) == pytest.approx(0.5, abs=0.06)
        return
    assert samples.mean() == pytest.approx(float(reference.mean), abs=0.05)
    assert samples.std() == pytest.approx(float(reference.stddev), rel=0.05)
    again = []
    for _ in range(2):
        ms.set_seed(3)
        again.append(getattr(msd, name)(*parameters, seed=4).sample((3,)).asnumpy())
    np.testing.assert_array_equal(*again)


def test_gradients_reach_parameters() -> None:
    gamma = msd.Gamma()
    rate = Tensor([1.5], ms.float32)

    def log_probability(concentration: Tensor) -> Tensor:
        return gamma.log_prob(Tensor([0.7], ms.float32), concentration, rate).sum()

    own = ms.grad(log_probability)(Tensor([2.0], ms.float32)).asnumpy()
    a = torch.tensor([2.0], requires_grad=True)
    D.Gamma(a, 1.5).log_prob(T([0.7])).sum().backward()
    np.testing.assert_allclose(own, a.grad, rtol=1e-5)


@pytest.mark.parametrize(
    ("bijector", "reference"),
    [
        (msb.Exp(), D.ExpTransform()),
        (msb.ScalarAffine(2.0, 0.5), D.AffineTransform(0.5, 2.0)),
        (msb.ScalarAffine(2, 1), D.AffineTransform(1.0, 2.0)),
        (msb.Softplus(), D.SoftplusTransform()),
        (msb.PowerTransform(0.5), None),
        (msb.PowerTransform(2), None),
        (msb.GumbelCDF(0.5, 2.0), None),
    ],
)
def test_bijectors_invert_and_know_their_slopes(bijector: Any, reference: Any) -> None:
    x = Tensor([0.2, 0.7], ms.float32)
    y = bijector.forward(x)
    np.testing.assert_allclose(bijector.inverse(y).asnumpy(), x.asnumpy(), rtol=1e-5)
    slope = ms.grad(lambda value: bijector.forward(value).sum())(x).asnumpy()
    found = np.broadcast_to(bijector.forward_log_jacobian(x).asnumpy(), (2,))
    np.testing.assert_allclose(found, np.log(slope), rtol=1e-4, atol=1e-6)
    back = np.broadcast_to(bijector.inverse_log_jacobian(y).asnumpy(), (2,))
    np.testing.assert_allclose(back, -np.log(slope), rtol=1e-4, atol=1e-6)
    if reference is not None:
        np.testing.assert_allclose(y.asnumpy(), reference(T([0.2, 0.7])), rtol=1e-6)


def test_a_bijector_of_a_distribution_is_one() -> None:
    made = msb.Exp()(msd.Normal(0.5, 0.4))
    assert isinstance(made, msd.TransformedDistribution)
    value = Tensor([0.2, 3.0], ms.float32)
    np.testing.assert_allclose(made.prob(value).asnumpy(), msd.LogNormal(0.5, 0.4).prob(value).asnumpy(), rtol=1e-5)
    with pytest.raises(ValueError, match="linear"):
        made.mean()
    by_dtype = msd.TransformedDistribution(bijector=msb.Exp(), distribution=msd.Normal(0.5, 0.4), dtype=ms.float32)
    np.testing.assert_array_equal(by_dtype.prob(value).asnumpy(), made.prob(value).asnumpy())


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: msd.Normal(0.0, 1.0), [1.5750539, -0.51410174, 1.48967, -1.8740035, -0.9208972, 2.5710285]),
        (lambda: msd.Normal(0.0, 1.0, seed=3), [-0.10591543, 3.2993042, -0.176883, 1.352296, 0.01822519, -1.0100774]),
        (lambda: msd.Uniform(0.0, 1.0), [0.29337725, 0.11669815, 0.29323754, 0.33119595, 0.0865533, 0.85375124]),
    ],
)
@pytest.mark.cpu_only("a GPU draws torch's numbers")
def test_samples_are_upstreams_from_the_same_seed(make: Any, expected: list[float]) -> None:
    ms.set_seed(0)
    distribution = make()
    drawn = np.concatenate([distribution.sample((4,)), distribution.sample((2,))])
    np.testing.assert_allclose(drawn, expected, rtol=1e-5)


def test_printed_names() -> None:
    """As real MindSpore 2.10 prints them."""
    assert repr(msd.Normal(0.0, 1.0)) == "Normal(mean = 0.0, standard deviation = 1.0)"
    assert repr(msd.Cauchy(0.0, 1.0)) == "Cauchy(location = 0.0, scale = 1.0)"
    assert repr(msd.Normal([1.0, 2.0], 3.0)) == "Normal(batch_shape = (2,))"
    assert repr(msd.HalfNormal(0.0, 1.0)) == "HalfNormal()"
    transformed = msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0))
    assert "mean = 0.0, sd" not in repr(transformed)
    assert repr(msd.LogNormal(0.0, 1.0)).splitlines()[1] == "  loc = 0.0, scale = 1.0"
