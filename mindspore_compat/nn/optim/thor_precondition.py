"""Second-order part of a step of `thor`: inverses from factors, and gradients multiplied by them.

Shapes: a weight as a matrix is (O, K). Its inverses are A (bw, k, k) and G (bh, m, m), blocks on the diagonal, with bw
= ceil(K / 128), bh = ceil(O / 128). The table of an embedding is (V, E), A is (V,) and G (1, E, E), never split.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.nn.layer.thor_layer import Factors

__all__ = ["Layer", "SecondOrder", "initial_inverses"]

_log = logging.getLogger("mindspore_compat")
#: MindSpore's split_dim
_BLOCK = 128


class Layer:
    """Weight with factors: its position among the optimizer's parameters, and its inverses."""

    def __init__(self, factors: Factors, position: int) -> None:
        self.factors, self.position = factors, position
        self.a_inverse: torch.Tensor
        self.g_inverse: torch.Tensor


def initial_inverses(factors: Factors) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (A, G) that change no gradient, until the first second-order step."""
    options: dict[str, Any] = {"dtype": factors.g.dtype, "device": factors.weight.device}
    if factors.kind == "embedding":
        return torch.ones(factors.in_size, **options), torch.eye(factors.out_size, **options)[None].clone()
    return _identities(factors.in_size, options), _identities(factors.out_size, options)


def _identities(size: int, options: dict[str, Any]) -> torch.Tensor:
    return torch.eye(min(size, _BLOCK), **options).repeat(-(-size // _BLOCK), 1, 1)


class SecondOrder:
    """Layers of one optimizer.

    Args:
        norms: positions of LayerNorm's parameters.
        batch_size, loss_scale: B and s.
    """

    def __init__(self, layers: Sequence[Layer], norms: set[int], batch_size: float, loss_scale: float) -> None:
        self.layers, self.norms = list(layers), norms
        self.batch_size, self.loss_scale = float(batch_size), float(loss_scale)
        self._failed = 0
        self._unread: tuple[torch.Tensor, Any] | None = None  # info of the last inversion on its way to the host

    def invert(self, damping: float) -> list[torch.Tensor]:
        """Compute new inverses from the factors, in place; return them."""
        from mindspore_compat.nn.optim.thor_inverse import damped_inverse_  # loads the compiled library: not on import

        self._read_info(wait=False)
        layers = [layer for layer in self.layers if layer.factors.is_recorded]
        inverses: list[torch.Tensor] = []
        factors: list[torch.Tensor] = []
        scales: list[float] = []
        dampings: list[float] = []
        multipliers: list[float] = []
        scale_g = (self.batch_size / self.loss_scale) ** 2
        for layer in layers:
            own = layer.factors
            a_places, g_places = own.places
            multiplier = a_places**-0.5
            if own.kind == "embedding":
                layer.a_inverse.copy_(torch.reciprocal(plain(own.a) / self.batch_size + math.sqrt(damping)))
            else:
                factors.append(plain(own.a))
                inverses.append(plain(layer.a_inverse))
                scales.append(1.0)
                dampings.append(math.sqrt(damping / a_places))
                multipliers.append(multiplier)
            factors.append(plain(own.g))
            inverses.append(plain(layer.g_inverse))
            scales.append(scale_g)
            dampings.append(math.sqrt(damping / g_places))
            multipliers.append(multiplier)
        if factors:
            self._keep_info(damped_inverse_(inverses, factors, scales, dampings, multipliers))
        return [tensor for layer in layers for tensor in (layer.a_inverse, layer.g_inverse)]

    def apply(self, gradients: Sequence[torch.Tensor], damping: float) -> list[torch.Tensor]:
        """Return the gradients, preconditioned where their parameters have factors or belong to a LayerNorm."""
        result = list(gradients)
        for layer in self.layers:
            gradient = result[layer.position]
            if gradient is None:
                continue
            if layer.factors.kind == "embedding":
                rows = plain(layer.a_inverse).to(gradient.dtype)[:, None]
                result[layer.position] = torch.mm(rows * gradient, plain(layer.g_inverse)[0].to(gradient.dtype))
            else:
                result[layer.position] = _both_sides(gradient, plain(layer.g_inverse), plain(layer.a_inverse))
        for position in self.norms:
            gradient = result[position]
            if gradient is not None:
                result[position] = gradient / (torch.square(gradient) / self.batch_size + math.sqrt(damping))
        return result

    # --- blocks that could not be inverted ----------------------------------------------------------------------------

    @property
    def failed(self) -> int:
        """Number of blocks that kept their old inverse; waits for the device."""
        self._read_info(wait=True)
        return self._failed

    def __getstate__(self) -> dict[str, Any]:
        self._read_info(wait=True)  # an event cannot be copied
        return self.__dict__

    def _keep_info(self, info: torch.Tensor) -> None:
        """Store the info for the next second-order step, when it has arrived: no step waits for the device."""
        if info.device.type != "cuda":
            self._unread = (info, None)
            self._read_info(wait=False)
            return
        host = torch.empty(info.shape, dtype=info.dtype, pin_memory=True)
        host.copy_(info, non_blocking=True)
        event = torch.cuda.Event()
        event.record()
        self._unread = (host, event)

    def _read_info(self, wait: bool) -> None:
        if self._unread is None:
            return
        info, event = self._unread
        if event is not None:
            if wait:
                event.synchronize()
            elif not event.query():
                return
        self._unread = None
        count = int(torch.count_nonzero(info))
        if count and not self._failed:
            _log.warning(
                "thor: %d of %d blocks of the damped factors are not positive definite (NaN, infinity or too little "
                "damping); they keep their previous inverses. Raise 'damping', or lower the loss scale. Said once; "
                "see failed_inversions.",
                count,
                info.numel(),
            )
        self._failed += count


def _both_sides(gradient: torch.Tensor, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return left · gradient · right for block-diagonal ``left`` (bh, m, m) and ``right`` (bw, k, k); ``gradient`` (O,
    ...) of any further axes.
    """
    shape = gradient.shape
    matrix = gradient.reshape(shape[0], -1).to(left.dtype)
    rows, columns = matrix.shape
    (bh, m, _), (bw, k, _) = left.shape, right.shape
    if bh == 1 and bw == 1:
        return torch.mm(torch.mm(left[0], matrix), right[0]).reshape(shape).to(gradient.dtype)
    # padding costs less than more operators on parts would
    if (bh * m, bw * k) != (rows, columns):
        matrix = torch._C._nn.pad(matrix, (0, bw * k - columns, 0, bh * m - rows))
    matrix = torch.bmm(left, matrix.reshape(bh, m, bw * k)).reshape(bh * m, bw, k)
    matrix = torch.bmm(matrix.transpose(0, 1), right).transpose(0, 1).reshape(bh * m, bw * k)
    return matrix[:rows, :columns].reshape(shape).to(gradient.dtype)
