"""Base of layers with random weights."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn.cell import Cell


class Variational(Cell):
    """Layer that draws its weight, and its bias, anew in each call."""

    has_bias: bool

    def _add_distributions(self, part: str, prior_fn: Any, posterior_fn: Any, shape: list[int]) -> None:
        """Create ``weight_prior`` and ``weight_posterior``, or those of the bias."""
        setattr(self, f"{part}_prior", _prior(prior_fn, f"{part}_prior_fn"))
        setattr(self, f"{part}_posterior", _posterior(posterior_fn, shape, f"bnn_{part}", f"{part}_posterior_fn"))

    def compute_kl_loss(self) -> Any:
        """Return the divergence of the prior from the posterior, as in MindSpore, summed over weight and bias."""
        total = self._divergence("weight")
        return wrap(total + self._divergence("bias")) if self.has_bias else wrap(total)

    def _divergence(self, part: str) -> Any:
        prior, posterior = getattr(self, f"{part}_prior"), getattr(self, f"{part}_posterior")
        return torch.sum(prior("kl_loss", posterior("get_dist_type"), *posterior("get_dist_args")))


def _prior(given: Any, argument: str) -> Any:
    prior = given if isinstance(given, Cell) else given()
    for distribution in _normal_only(prior, argument):
        if not all(isinstance(getattr(distribution, name), torch.Tensor) for name in ("_mean_value", "_sd_value")):
            raise TypeError(f"The input form of `{argument}` is incorrect: its Normal must have a mean and an sd.")
    return prior


def _posterior(given: Any, shape: list[int], name: str, argument: str) -> Any:
    posterior = given(shape=shape, name=name)
    _normal_only(posterior, argument)
    return posterior


def _normal_only(cell: Any, argument: str) -> list[Any]:
    """Return the distributions that a Cell holds, each of them under the name "normal" as MindSpore asks for."""
    cells = cell.name_cells()
    if any(name != "normal" for name in cells):
        raise TypeError(f"The type of distribution of `{argument}` must be `normal`, but got {', '.join(cells)}.")
    return list(cells.values())


def shown_distributions(cell: Any, part: str) -> str:
    """Return the Parameters of a posterior, for `extend_repr`."""
    posterior = getattr(cell, f"{part}_posterior")
    return f"{part}_mean={posterior.mean}, {part}_std={posterior.untransformed_std}"
