"""The other layers of ``mindspore.mint.nn`` that are more than a function with its arguments."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.common.initializer import Normal, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.mint.nn import functional
from mindspore_compat.mint.nn._shared import parameter
from mindspore_compat.nn.cell import Cell

__all__ = ["Dropout", "Dropout2d", "Embedding", "Identity", "PReLU", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Embedding(Cell):
    """torch's ``Embedding``; ``weight``: (num_embeddings, embedding_dim), normal with deviation 1.

    ``sparse`` is without effect: gradients are dense.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = check_positive_int(num_embeddings, "num_embeddings", "Embedding")
        self.embedding_dim = check_positive_int(embedding_dim, "embedding_dim", "Embedding")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(
                f"For 'Embedding', the 'padding_idx' must be in [{-num_embeddings}, {num_embeddings}), but got "
                f"{padding_idx}."
            )
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        shape = (num_embeddings, embedding_dim)
        values = initializer(Normal(1.0), shape, dtype or torch.float32) if _weight is None else _weight
        if _weight is None and padding_idx is not None:
            values[padding_idx] = 0
        self.weight = Parameter(values, name="weight", requires_grad=not _freeze)

    def construct(self, input: Any) -> Any:
        options = (self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)
        return functional.embedding(input, self.weight, *options)


class Dropout(Cell):
    """torch's ``Dropout``."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def construct(self, input: Any) -> Any:
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """torch's ``Dropout2d``: whole channels."""

    def construct(self, input: Any) -> Any:
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class PReLU(Cell):
    """torch's ``PReLU``."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        self.weight = parameter(init, (num_parameters,), dtype, "weight")

    def construct(self, input: Any) -> Any:
        return functional.prelu(input, self.weight)


class Identity(Cell):
    """The input itself; arguments are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class UpsamplingNearest2d(Cell):
    """`functional.interpolate` with mode "nearest"."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def construct(self, input: Any) -> Any:
        return functional.interpolate(input, self.size, self.scale_factor, "nearest")


class UpsamplingBilinear2d(UpsamplingNearest2d):
    """`functional.interpolate` with mode "bilinear" and aligned corners."""

    def construct(self, input: Any) -> Any:
        return functional.interpolate(input, self.size, self.scale_factor, "bilinear", True)
