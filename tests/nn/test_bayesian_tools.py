"""Tools for Bayesian networks of 1.x: autoencoders, variational inference, conversion, uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, context, nn, ops
from mindspore_compat.nn.probability import bnn_layers, dpn, infer, toolbox, transforms

MODES = pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
RNG = np.random.default_rng(0)
PICTURES = RNG.random((32, 1, 4, 4), np.float32)
LABELS = RNG.integers(0, 3, 32).astype(np.int32)


def pictures() -> Any:
    return ds.NumpySlicesDataset({"image": PICTURES, "label": LABELS}, shuffle=False).batch(8)


class Encoder(nn.Cell):
    def __init__(self, num_classes: int = 0) -> None:
        super().__init__()
        self.fc, self.relu, self.flatten = nn.Dense(16 + num_classes, 12), nn.ReLU(), nn.Flatten()
        self.num_classes = num_classes

    def construct(self, x: Any, y: Any = None) -> Any:
        x = self.flatten(x)
        if self.num_classes:
            x = ops.concat((x, ops.one_hot(y, self.num_classes, Tensor(1.0), Tensor(0.0))), 1)
        return self.relu(self.fc(x))


class Decoder(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc, self.sigmoid = nn.Dense(12, 16), nn.Sigmoid()

    def construct(self, z: Any) -> Any:
        return self.sigmoid(ops.reshape(self.fc(z), (-1, 1, 4, 4)))


class Classifier(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.ReLU())
        self.flatten, self.fc = nn.Flatten(), nn.Dense(32, 3)

    def construct(self, x: Any) -> Any:
        return self.fc(self.flatten(self.conv(x)))


def test_the_bound_is_the_error_plus_the_divergence() -> None:
    x, seen, mean = (RNG.standard_normal(shape).astype(np.float32) for shape in ((4, 6), (4, 6), (4, 2)))
    std = RNG.random((4, 2), np.float32) + 0.1
    found = infer.ELBO()(tuple(map(Tensor, (seen, x, mean, std))), None)
    divergence = 0.5 * (mean**2 + std**2 - 1) - np.log(std)
    np.testing.assert_allclose(found.asnumpy(), np.sum((x - seen) ** 2) + divergence.sum(), 1e-5)


@MODES
def test_an_autoencoder_learns(mode: int) -> None:
    context.set_context(mode=mode)
    ms.set_seed(1)
    vae = dpn.VAE(Encoder(), Decoder(), hidden_size=12, latent_size=4)
    svi = infer.SVI(nn.WithLossCell(vae, infer.ELBO()), nn.Adam(vae.trainable_params(), 0.01))
    losses = []
    for epochs in (1, 12):
        assert svi.run(pictures(), epochs) is vae
        losses.append(float(svi.get_train_loss()))
    assert losses[0] > 1.05 * losses[1] > 0
    first, second = vae.generate_sample(5, (-1, 1, 4, 4)), vae.generate_sample(5, (-1, 1, 4, 4))
    assert first.shape == (5, 1, 4, 4) and not np.array_equal(first.asnumpy(), second.asnumpy())
    error = np.abs(vae.reconstruct_sample(Tensor(PICTURES)).asnumpy() - PICTURES).mean()
    assert error < np.abs(0.5 - PICTURES).mean() * 1.1


@MODES
def test_a_conditional_autoencoder_uses_labels(mode: int) -> None:
    context.set_context(mode=mode)

    class WithLoss(nn.WithLossCell):
        def construct(self, data: Any, label: Any) -> Any:
            return self._loss_fn(self._backbone(data, label), label)

    vae = dpn.ConditionalVAE(Encoder(3), Decoder(), hidden_size=12, latent_size=4, num_classes=3)
    svi = infer.SVI(WithLoss(vae, infer.ELBO()), nn.Adam(vae.trainable_params(), 0.01))
    svi.run(pictures(), epochs=1)
    assert vae.dense3.in_channels == 7 and np.isfinite(svi.get_train_loss())
    assert vae.generate_sample(Tensor(LABELS[:5]), 5, (5, 1, 4, 4)).shape == (5, 1, 4, 4)
    assert vae.reconstruct_sample(Tensor(PICTURES), Tensor(LABELS)).shape == PICTURES.shape


def test_anomalies_are_reconstructed_worse() -> None:
    ms.set_seed(2)
    detection = toolbox.VAEAnomalyDetection(Encoder(), Decoder(), 12, 4)
    detection.train(pictures(), epochs=10)
    usual, unusual = (detection.predict_outlier_score(Tensor(x)) for x in (PICTURES[:1], 9 + PICTURES[:1]))
    assert usual < 5 < unusual
    assert detection.predict_outlier(Tensor(9 + PICTURES[:1]), 5.0) and not detection.predict_outlier(
        Tensor(PICTURES[:1]), 5.0
    )


@MODES
@pytest.mark.parametrize("whole", [True, False])
def test_layers_become_random_ones(mode: int, whole: bool) -> None:
    context.set_context(mode=mode)
    net = Classifier()
    optimizer = nn.Momentum(net.trainable_params(), 0.03, 0.5)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(True, "mean")), optimizer)
    transformer = transforms.TransformToBNN(step, dnn_factor=2, bnn_factor=1e-3)
    if whole:
        step = transformer.transform_to_bnn_model()
    else:
        step = transformer.transform_to_bnn_layer(
            nn.Dense,
            bnn_layers.DenseReparam,
            lambda layer: {"in_channels": layer.in_channels, "out_channels": layer.out_channels},
            {"activation": "tanh"},
        )
        assert isinstance(net.fc.activation, nn.Tanh)
    assert isinstance(net.fc, bnn_layers.DenseReparam)
    assert isinstance(net.conv[0], bnn_layers.ConvReparam if whole else nn.Conv2d)
    assert {item.name for item in net.get_parameters()} == {name for name, _ in net.parameters_and_names()}
    assert isinstance(step.optimizer, nn.Momentum) and step.optimizer.get_lr().asnumpy() == np.float32(0.03)
    assert step.optimizer.momentum.asnumpy() == 0.5
    assert {id(item) for item in step.optimizer.parameters} == {id(item) for item in net.trainable_params()}
    before = {item.name: item.asnumpy().copy() for item in net.trainable_params()}
    step.set_train()
    losses = [float(step(Tensor(PICTURES), Tensor(LABELS)).asnumpy()) for _ in range(30)]
    assert all(not np.array_equal(item.asnumpy(), before[item.name]) for item in net.trainable_params())
    assert np.mean(losses[-5:]) < np.mean(losses[:5])
    assert not np.array_equal(net(Tensor(PICTURES)).asnumpy(), net(Tensor(PICTURES)).asnumpy())


def test_a_conversion_keeps_a_schedule() -> None:
    net = nn.SequentialCell(nn.Dense(3, 2))
    optimizer = nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.5, 1))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    step = transforms.TransformToBNN(step).transform_to_bnn_model()
    step(ops.ones((2, 3)), ops.ones((2, 2)))
    np.testing.assert_allclose(step.optimizer.get_lr().asnumpy(), 0.05)


@MODES
def test_uncertainty_of_a_classifier(mode: int, tmp_path: Path) -> None:
    context.set_context(mode=mode)
    net = Classifier()
    given = net.fc.weight.asnumpy().copy()
    evaluation = toolbox.UncertaintyEvaluation(
        net, pictures(), "classification", 3, 2, str(tmp_path), str(tmp_path), True
    )
    found = evaluation.eval_epistemic_uncertainty(Tensor(PICTURES))
    assert found.shape == (32, 3) and (found > 0).all()
    assert evaluation.eval_aleatoric_uncertainty(Tensor(PICTURES)).shape == (32,)
    np.testing.assert_array_equal(net.fc.weight.asnumpy(), given)
    assert not isinstance(net.conv[0], nn.SequentialCell)
    saved = sorted(path.name for path in tmp_path.glob("*.ckpt"))
    assert saved == [f"checkpoint_{kind}_uncer_model-2_{step}.ckpt" for kind in ("ale", "epi") for step in (3, 4)]
    loaded = toolbox.UncertaintyEvaluation(
        net, pictures(), "classification", 3, 1, *(str(tmp_path / saved[place]) for place in (3, 1))
    )
    np.testing.assert_allclose(
        loaded.eval_aleatoric_uncertainty(Tensor(PICTURES)),
        evaluation.eval_aleatoric_uncertainty(Tensor(PICTURES)),
        1e-5,
    )
    assert (loaded.eval_epistemic_uncertainty(Tensor(PICTURES)) > 0).all()


def test_uncertainty_of_a_regression_grows_with_the_noise_of_the_data() -> None:
    ms.set_seed(3)
    x = RNG.random((256, 1), np.float32)
    y = (x + np.where(x > 0.5, 1.0, 0.01) * RNG.standard_normal((256, 1))).astype(np.float32)
    data = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(16)

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.relu, self.last = nn.Dense(1, 32), nn.ReLU(), nn.Dense(32, 1)

        def construct(self, x: Any) -> Any:
            return self.last(self.relu(self.first(x)))

    evaluation = toolbox.UncertaintyEvaluation(Net(), data, "regression", epochs=60)
    evaluation.eval_aleatoric_uncertainty(Tensor(x))
    _, spread = evaluation.ale_uncer_model(
        Tensor(np.array([[0.1], [0.9]], np.float32))
    )  # the logarithm of the variance
    assert spread.asnumpy()[0] < spread.asnumpy()[1]
    assert evaluation.eval_epistemic_uncertainty(Tensor(x)).shape == (256, 1)
