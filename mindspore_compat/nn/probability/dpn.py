"""Variational autoencoders. MindSpore until 1.9: ``mindspore.nn.probability.dpn``."""

from __future__ import annotations

from typing import Any

from mindspore_compat import ops
from mindspore_compat._ops.creation import one_hot
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense

__all__ = ["VAE", "ConditionalVAE"]


class _Autoencoder(Cell):
    """Encoder, decoder, and the three layers between them."""

    def __init__(self, encoder: Any, decoder: Any, hidden_size: int, latent_size: int, num_classes: int = 0) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.hidden_size, self.latent_size, self.num_classes = hidden_size, latent_size, num_classes
        self.dense1, self.dense2 = Dense(hidden_size, latent_size), Dense(hidden_size, latent_size)
        self.dense3 = Dense(latent_size + num_classes, hidden_size)

    def _encode(self, *inputs: Any) -> tuple[Any, Any]:
        """Return mean and logarithm of the variance of the latent variables (N, latent_size)."""
        hidden = self.encoder(*inputs)
        return self.dense1(hidden), self.dense2(hidden)

    def _compute(self, x: Any, *labels: Any) -> tuple[Any, Any, Any, Any]:
        mean, log_variance = self._encode(x, *labels)
        std = ops.exp(0.5 * log_variance)
        z = ops.normal(mean.shape, mean, std, seed=0)
        return self._decode(z, *labels), x, mean, std

    def _generate(self, count: int, shape: tuple[int, ...], *labels: Any) -> Any:
        z = ops.standard_normal((count, self.latent_size))
        return ops.reshape(self._decode(z, *labels), shape)

    def _decode(self, z: Any, *labels: Any) -> Any:
        z = ops.concat((z, *(one_hot(label, self.num_classes, 1.0, 0.0) for label in labels)), 1)
        return self.decoder(self.dense3(z))


class VAE(_Autoencoder):
    """Variational autoencoder: returns (reconstruction, x, mean, std), the last two of its latent variables.

    Args:
        encoder: a Cell from x (N, ...) to (N, hidden_size).
        decoder: a Cell from (N, hidden_size) to the shape of x.
        hidden_size, latent_size: numbers of features.

    Examples:
        >>> net = nn.probability.dpn.VAE(nn.Dense(6, 4), nn.Dense(4, 6), 4, 2)
        >>> print([item.shape for item in net(ops.ones((3, 6)))])
        [(3, 6), (3, 6), (3, 2), (3, 2)]
    """

    def __init__(self, encoder: Any, decoder: Any, hidden_size: int, latent_size: int) -> None:
        super().__init__(encoder, decoder, hidden_size, latent_size)

    def construct(self, x: Any) -> Any:
        return self._compute(x)

    def generate_sample(self, generate_nums: int, shape: tuple[int, ...]) -> Any:
        """Return as many new samples, in ``shape``."""
        return self._generate(generate_nums, shape)

    def reconstruct_sample(self, x: Any) -> Any:
        """Return the reconstruction of ``x``."""
        return self(x)[0]


class ConditionalVAE(_Autoencoder):
    """`VAE` whose encoder takes (x, y), and whose decoder knows the label y (N,), too.

    Args:
        encoder, decoder, hidden_size, latent_size: as of `VAE`.
        num_classes: the number of labels.

    Examples:
        >>> class Encoder(nn.Dense):
        ...     def construct(self, x, y):
        ...         return super().construct(x)
        >>> net = nn.probability.dpn.ConditionalVAE(Encoder(6, 4), nn.Dense(4, 6), 4, 2, num_classes=3)
        >>> print(net.generate_sample(Tensor([0, 2]), 2, (2, 6)).shape)
        (2, 6)
    """

    def __init__(self, encoder: Any, decoder: Any, hidden_size: int, latent_size: int, num_classes: int) -> None:
        super().__init__(encoder, decoder, hidden_size, latent_size, num_classes)

    def construct(self, x: Any, y: Any) -> Any:
        return self._compute(x, y)

    def generate_sample(self, sample_y: Any, generate_nums: int, shape: tuple[int, ...]) -> Any:
        """Return new samples of the labels ``sample_y`` (generate_nums,), in ``shape``."""
        return self._generate(generate_nums, shape, sample_y)

    def reconstruct_sample(self, x: Any, y: Any) -> Any:
        """Return the reconstruction of ``x``, whose labels are ``y``."""
        return self(x, y)[0]
