"""Probability. Upstream: ``mindspore.nn.probability``; of it the distributions that counted projects use."""

from mindspore_compat.nn.probability import distribution

__all__ = ["distribution"]
