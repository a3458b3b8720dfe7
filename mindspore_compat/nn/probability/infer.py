"""Stochastic variational inference. MindSpore until 1.9: ``mindspore.nn.probability.infer``."""

from __future__ import annotations

from typing import Any

from mindspore_compat import ops
from mindspore_compat.common import dtype as mstype
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.loss.loss import MSELoss
from mindspore_compat.nn.probability.distribution.normal import Normal
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell

__all__ = ["ELBO", "SVI"]


class ELBO(Cell):
    """Negative evidence lower bound of a `VAE`'s outputs: the sum of squared errors of the reconstruction, plus the
    divergence of the latent variables from a standard normal distribution. The label is not used.

    Args:
        latent_prior, output_prior: "Normal".

    Raises:
        ValueError: for another distribution.

    Examples:
        >>> x, mean = ops.ones((2, 3)), ops.zeros((2, 1))
        >>> print(nn.probability.infer.ELBO()((x - 2, x, mean, mean + 1), None))
        24.0
    """

    def __init__(self, latent_prior: str = "Normal", output_prior: str = "Normal") -> None:
        super().__init__()
        if (latent_prior, output_prior) != ("Normal", "Normal"):
            raise ValueError(
                f"Expected 'Normal' as latent_prior and output_prior, but got {latent_prior!r} and {output_prior!r}."
            )
        self.posterior, self.recon_loss = Normal(), MSELoss("sum")

    def construct(self, data: Any, label: Any) -> Any:
        reconstruction, x, mean, std = data
        zeros = ops.zeros_like(mean)
        divergence = self.posterior("kl_loss", "Normal", zeros, zeros + 1, mean, std)
        return self.recon_loss(x, reconstruction) + ops.reduce_sum(divergence)


class SVI:
    """Training of a network by `ELBO`.

    Args:
        net_with_loss: a Cell that computes the loss of (image, label), such as `nn.WithLossCell`.
        optimizer: of its parameters.

    Examples:
        >>> vae = nn.probability.dpn.VAE(nn.Dense(6, 4), nn.Dense(4, 6), 4, 2)
        >>> net_with_loss = nn.WithLossCell(vae, nn.probability.infer.ELBO())
        >>> svi = nn.probability.infer.SVI(net_with_loss, nn.Adam(vae.trainable_params()))
        >>> data = {"image": np.ones((4, 6), np.float32), "label": np.zeros(4, np.int32)}
        >>> print(svi.run(ds.NumpySlicesDataset(data).batch(2), epochs=1) is vae, svi.get_train_loss() > 0)
        True True
    """

    def __init__(self, net_with_loss: Any, optimizer: Any) -> None:
        self.net_with_loss, self.optimizer = net_with_loss, optimizer
        self._loss: Any = 0.0

    def run(self, train_dataset: Any, epochs: int = 10) -> Any:
        """Train by the columns "image" and "label". Return the network."""
        step = TrainOneStepCell(self.net_with_loss, self.optimizer).set_train()
        for _ in range(epochs):
            total, count = 0.0, 0
            for row in train_dataset.create_dict_iterator(num_epochs=1):
                image, label = Tensor(row["image"], mstype.float32), Tensor(row["label"], mstype.int32)
                count += len(image)
                total = total + step(image, label).asnumpy()
            self._loss = total / count
        return self.net_with_loss.backbone_network

    def get_train_loss(self) -> Any:
        """Return the loss of the last epoch per sample, a NumPy number."""
        return self._loss
