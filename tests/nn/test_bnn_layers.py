"""Layers of Bayesian networks. Numbers are real MindSpore 2.10's, from the same seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.nn.probability import bnn_layers

NAMES = ["weight_posterior.mean", "weight_posterior.untransformed_std"]


@pytest.fixture(autouse=True)
def seeded() -> None:
    ms.set_seed(0)
    np.random.seed(0)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = bnn_layers.ConvReparam(1, 4, 3, has_bias=True, pad_mode="valid")
        self.flatten = nn.Flatten()
        self.dense = bnn_layers.DenseReparam(4 * 6 * 6, 8, activation="relu")
        self.last = bnn_layers.DenseLocalReparam(8, 3)

    def construct(self, x: Any) -> Any:
        return self.last(self.dense(self.flatten(self.conv(x))))


@pytest.mark.cpu_only("a GPU draws torch's numbers")
def test_a_network_trains_as_upstreams() -> None:
    net = Net()
    x = Tensor(np.random.randn(2, 1, 8, 8).astype(np.float32))
    label = Tensor(np.array([0, 2], np.int32))
    np.testing.assert_allclose(net(x), [[-0.0157, 0.1371, 0.0123], [-0.0060, 0.0204, -0.0124]], atol=1e-4)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    with_loss = bnn_layers.WithBNNLossCell(net, loss, dnn_factor=2, bnn_factor=0.01)
    assert with_loss.backbone_network is net
    assert float(with_loss(x, label)) == pytest.approx(2733.5737, rel=1e-5)
    step = nn.TrainOneStepCell(with_loss, nn.Adam(net.trainable_params(), 1e-2))
    losses = [float(step(x, label)) for _ in range(3)]
    np.testing.assert_allclose(losses, [2733.5908, 2475.3916, 2251.3997], rtol=2e-5)


def test_which_parameters_are_trained() -> None:
    net = bnn_layers.ConvReparam(2, 4, (3, 1), stride=2, group=2, has_bias=True)
    assert [item.name for item in net.trainable_params()] == [
        *NAMES,
        *(name.replace("weight", "bias") for name in NAMES),
    ]
    assert [item.name for item in net.untrainable_params()] == ["weight", "bias"]
    assert net(Tensor(np.ones((1, 2, 5, 5), np.float32))).shape == (1, 4, 3, 3)


def test_the_divergence_from_a_prior_of_ones_own() -> None:
    np.random.seed(1)
    prior = bnn_layers.NormalPrior(mean=1, std=2)
    net = bnn_layers.DenseReparam(2, 1, weight_prior_fn=prior, has_bias=False)
    mean, sd = (net.weight_posterior(name).asnumpy() for name in ("mean", "sd"))
    expected = np.log(sd / 2) + (4 + (mean - 1) ** 2) / (2 * sd**2) - 0.5  # of the prior from the posterior
    assert float(net.compute_kl_loss()) == pytest.approx(expected.sum(), rel=1e-5)


class Empty(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.normal = nn.probability.distribution.Normal()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: bnn_layers.DenseReparam(2, 1, weight_prior_fn=Empty), TypeError, "form of `weight_prior_fn`"),
        (lambda: bnn_layers.ConvReparam(1, 1, 1, pad_mode="x"), ValueError, "pad_mode"),
    ],
)
def test_wrong_arguments(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text or None):
        call()
