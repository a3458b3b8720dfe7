"""Upstream: ``mindspore.nn.utils``."""

from mindspore_compat.nn._cell_hints import no_init_parameters

__all__ = ["no_init_parameters"]
