"""Arguments of both optimizers of `thor`, with their checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.nn.optim._groups import not_negative

__all__ = ["check_options", "clipped", "decay_all", "on_host", "scheduled"]


def decay_all(parameter: Any) -> bool:
    """Return the default ``decay_filter``: every parameter, biases and norms too."""
    return True


def check_options(momentum: float, frequency: int, batch_size: int) -> None:
    """Refuse a negative momentum, a batch size that would divide by zero, and a step of second order at every step."""
    not_negative(momentum, "momentum")
    if frequency < 2:
        raise ValueError(f"For 'thor', the argument 'frequency' must be at least 2, but got 'frequency' {frequency}.")
    if batch_size <= 0:
        raise ValueError(f"For 'thor', the 'batch_size' must be positive, but got {batch_size}.")


def on_host(values: Any) -> Any:
    """Return a Tensor's values if reading them waits for no device; anything else unchanged."""
    return plain(values).cpu() if isinstance(values, torch.Tensor) else values


def scheduled(values: Any, name: str, step: int) -> float:
    """Return ``values`` at a step, on the host.

    Raises:
        TypeError: if it is no Tensor of one axis at most. ValueError: past its end.
    """
    if not isinstance(values, torch.Tensor) or values.dim() > 1:
        raise TypeError(
            f"For 'thor', the '{name}' must be a 1-D Tensor with one value for each step, but got {values!r}."
        )
    if values.dim() == 0:
        return float(values)
    if step >= values.shape[0]:
        raise ValueError(
            f"For 'thor', the '{name}' has {values.shape[0]} values, one for each step, but this is step {step + 1}. "
            f"Give it as many values as there are steps."
        )
    return float(values[step])


def clipped(gradients: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return each with a norm of at most 1."""
    norms = torch._foreach_norm(list(gradients))
    return [gradient * torch.clamp(1.0 / norm, max=1.0) for gradient, norm in zip(gradients, norms)]
