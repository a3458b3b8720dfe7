"""Uncertainty and anomalies by Bayesian networks. MindSpore until 1.9: ``mindspore.nn.probability.toolbox``."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from mindspore_compat import ops
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense, Dropout, Flatten
from mindspore_compat.nn.layer.container import SequentialCell
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.loss.loss import MSELoss, SoftmaxCrossEntropyWithLogits
from mindspore_compat.nn.optim.adam import Adam
from mindspore_compat.nn.probability.dpn import VAE
from mindspore_compat.nn.probability.infer import ELBO, SVI
from mindspore_compat.nn.wrap.cell_wrapper import WithLossCell
from mindspore_compat.train.callback import CheckpointConfig, LossMonitor, ModelCheckpoint
from mindspore_compat.train.model import Model
from mindspore_compat.train.serialization import load_checkpoint, load_param_into_net

__all__ = ["UncertaintyEvaluation", "VAEAnomalyDetection"]


class VAEAnomalyDetection:
    """Detection of unusual samples by the error of their reconstruction by a `VAE`.

    Args:
        encoder, decoder, hidden_size, latent_size: as of `nn.probability.dpn.VAE`.

    Examples:
        >>> detection = nn.probability.toolbox.VAEAnomalyDetection(nn.Dense(6, 4), nn.Dense(4, 6), 4, 2)
        >>> print(detection.predict_outlier(ops.ones((1, 6)), threshold=1e4))
        False
    """

    def __init__(self, encoder: Any, decoder: Any, hidden_size: int = 400, latent_size: int = 20) -> None:
        self.vae: Any = VAE(encoder, decoder, hidden_size, latent_size)

    def train(self, train_dataset: Any, epochs: int = 5) -> Any:
        """Train by the columns "image" and "label", with Adam and a rate of 0.001. Return the network."""
        optimizer = Adam(self.vae.trainable_params(), 0.001)
        self.vae = SVI(WithLossCell(self.vae, ELBO()), optimizer).run(train_dataset, epochs)
        return self.vae

    def predict_outlier_score(self, sample_x: Any) -> Any:
        """Return the Euclidean distance of all samples (N, ...) from their reconstructions."""
        return np.sqrt(np.sum(np.square(sample_x.asnumpy() - self.vae.reconstruct_sample(sample_x).asnumpy())))

    def predict_outlier(self, sample_x: Any, threshold: float = 100.0) -> Any:
        """Return whether the score is at least ``threshold``."""
        return self.predict_outlier_score(sample_x) >= threshold


class UncertaintyEvaluation:
    """Uncertainty of a network's predictions, because of the network (epistemic) or of the data (aleatoric).

    A network without `nn.Dropout` gets one of 0.5 after its first `nn.Dense` or `nn.Conv2d`, and is trained with it.

    Args:
        model: the network; it is copied.
        train_dataset: rows (input, label).
        task_type: "classification" or "regression".
        num_classes: the number of classes.
        epochs: of the trainings by Adam.
        epi_uncer_model_path, ale_uncer_model_path: folders for checkpoints if ``save_model``, else files to be loaded
            in place of a training.
        save_model: whether each step is saved; the last ``epochs`` files are kept.

    Raises:
        ValueError: for another task, for ``save_model`` without both paths, or for a network without such layers.

    Examples:
        >>> data = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.zeros(4, np.int32)), ["x", "y"]).batch(2)
        >>> net = nn.SequentialCell(nn.Dense(3, 8), nn.Dropout(p=0.5), nn.Dense(8, 2))
        >>> evaluation = nn.probability.toolbox.UncertaintyEvaluation(net, data, "classification", num_classes=2)
        >>> print(evaluation.eval_epistemic_uncertainty(ops.ones((5, 3))).shape)
        (5, 2)
    """

    def __init__(
        self,
        model: Any,
        train_dataset: Any,
        task_type: str,
        num_classes: int | None = None,
        epochs: int = 1,
        epi_uncer_model_path: str | None = None,
        ale_uncer_model_path: str | None = None,
        save_model: bool = False,
    ) -> None:
        if task_type not in ("regression", "classification"):
            raise ValueError(f"Expected 'regression' or 'classification' as task_type, but got {task_type!r}.")
        if save_model and None in (epi_uncer_model_path, ale_uncer_model_path):
            raise ValueError("With save_model=True, give both epi_uncer_model_path and ale_uncer_model_path.")
        self.epi_model, self.ale_model = deepcopy(model), deepcopy(model)
        self.epi_train_dataset, self.ale_train_dataset = train_dataset, deepcopy(train_dataset)
        self.task_type, self.num_classes, self.epochs, self.save_model = task_type, num_classes, epochs, save_model
        self.epi_uncer_model_path, self.ale_uncer_model_path = epi_uncer_model_path, ale_uncer_model_path
        self.epi_uncer_model: Any = None
        self.ale_uncer_model: Any = None

    def eval_epistemic_uncertainty(self, eval_data: Any) -> Any:
        """Return the variance of ten predictions with dropout, a NumPy array of their shape."""
        if self.epi_uncer_model is None:
            is_classification = self.task_type == "classification"
            self.epi_uncer_model = _Epistemic(self.epi_model)
            if not self.epi_uncer_model.drop_count and self.epi_train_dataset is not None:
                loss = SoftmaxCrossEntropyWithLogits(True, "mean") if is_classification else MSELoss()
                self._train(self.epi_uncer_model, loss, self.epi_train_dataset, "epi", self.epi_uncer_model_path)
        self.epi_uncer_model.set_train(True)
        return np.var([self.epi_uncer_model(eval_data).asnumpy() for _ in range(10)], axis=0)

    def eval_aleatoric_uncertainty(self, eval_data: Any) -> Any:
        """Return the squares of the predicted spread, added up over its axis 1, as a NumPy array."""
        if self.ale_uncer_model is None:
            self.ale_uncer_model = _Aleatoric(self.ale_model, self.num_classes, self.task_type)
            loss = _AleatoricLoss(self.task_type)
            self._train(self.ale_uncer_model, loss, self.ale_train_dataset, "ale", self.ale_uncer_model_path)
        _, spread = self.ale_uncer_model(eval_data)
        return ops.reduce_sum(ops.pow(spread, 2), 1).asnumpy()

    def _train(self, network: Any, loss: Any, dataset: Any, kind: str, path: str | None) -> None:
        """Train the network, or load it."""
        if path is not None and not self.save_model:
            load_param_into_net(network, load_checkpoint(path))
            return
        config = CheckpointConfig(keep_checkpoint_max=self.epochs)
        saving = [ModelCheckpoint(f"checkpoint_{kind}_uncer_model", path, config)] if self.save_model else []
        model = Model(network, loss, Adam(network.trainable_params()))
        model.train(self.epochs, dataset, callbacks=[*saving, LossMonitor()], dataset_sink_mode=False)


class _Epistemic(Cell):
    """Network with dropout after its first layer, unless it has one."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.epi_model = network
        first = next(_layers(network, (Conv2d, Dense, Dropout)), None)
        if first is None:
            raise ValueError("Expected a network with an nn.Dense or nn.Conv2d, after which dropout is added.")
        parent, name, layer = first
        self.drop_count = int(isinstance(layer, Dropout))
        if not self.drop_count:
            parent._exchange_child(name, SequentialCell(layer, Dropout(p=0.5)))

    def construct(self, x: Any) -> Any:
        return self.epi_model(x)


class _Aleatoric(Cell):
    """Network that also predicts the spread of its outputs."""

    def __init__(self, network: Any, num_classes: Any, task_type: str) -> None:
        super().__init__()
        self.ale_model, self.pred_layer = network, None
        if task_type == "classification":
            self.var_layer = Dense(num_classes, num_classes)
            return
        names = [name for name, layer in network.name_cells().items() if isinstance(layer, Dense)]
        if not names:
            raise ValueError("Expected a network whose last layer is an nn.Dense, beside which another one is added.")
        self.pred_layer = last = network.name_cells()[names[-1]]
        network._exchange_child(names[-1], Flatten())
        self.var_layer = Dense(last.in_channels, last.out_channels)

    def construct(self, x: Any) -> Any:
        x = self.ale_model(x)
        return (x if self.pred_layer is None else self.pred_layer(x)), self.var_layer(x)


class _AleatoricLoss(Cell):
    """Mean cross entropy of ten draws of the outputs, or the likelihood of a normal distribution."""

    def __init__(self, task_type: str) -> None:
        super().__init__()
        self.entropy = SoftmaxCrossEntropyWithLogits(True, "mean") if task_type == "classification" else None

    def construct(self, outputs: Any, label: Any) -> Any:
        mean, spread = outputs
        if self.entropy is None:
            return ops.reduce_mean(0.5 * ops.exp(-spread) * ops.pow(label - mean, 2) + 0.5 * spread)
        draws = ops.standard_normal((10,))
        return sum(self.entropy(mean + draws[number] * spread, label) for number in range(10)) / 10


def _layers(cell: Any, kinds: tuple[type, ...]) -> Any:
    """Yield (parent, name, layer) of the layers of these classes, depth first."""
    for name, child in cell.name_cells().items():
        if isinstance(child, kinds):
            yield cell, name, child
        else:
            yield from _layers(child, kinds)
