"""Layers that record Kronecker factors for the optimizer `thor`. MindSpore: ``mindspore.nn.layer.thor_layer``.

For a layer with input x and gradient d of its product's or convolution's output (before the activation), from one
batch:

    Dense       A = xᵀx / I,  G = dᵀd / N                        x (N, I), d (N, O); leading axes count as N
    Conv2d      A = P Pᵀ / a, G = Q Qᵀ / g                       P (C·kh·kw, a) patches of the batch's mean input,
    padded as "same"
                                                                 whatever the pad_mode; Q (O, g) mean of d; a, g numbers
                                                                 of places
    Embedding   A = how often each id occurs (V,), G = dᵀd / T   d (T, E), T ids

The backward pass computes both when d is known, always in float32.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.layer._shapes import same_padding
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.layer.embedding import Embedding, EmbeddingLookup

__all__ = ["DenseThor", "Conv2dThor", "EmbeddingThor", "EmbeddingLookupThor"]

_linear = torch._C._nn.linear


class Schedule:
    """Schedule of second-order steps: every ``frequency``-th, counted by ``step``.

    ``scale`` is the loss scale of a training step that passes unscaled gradients, as a tensor, else None.
    """

    def __init__(self, step: Callable[[], int], frequency: int) -> None:
        self.step, self.frequency = step, frequency
        self.scale: torch.Tensor | None = None

    def is_due(self) -> bool:
        """Return whether the next step is of second order."""
        return self.step() % self.frequency == 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Schedule:
        """Return the schedule of the optimizer that is copied with the network."""
        result = Schedule(copy.deepcopy(self.step, memo), self.frequency)
        result.scale = copy.deepcopy(self.scale, memo)
        return result

    def __reduce__(self) -> Any:
        """Pickle a network without its optimizer."""
        return Schedule, (int, 1)


#: of a layer that no optimizer knows yet
ALWAYS = Schedule(int, 1)


class Factors:
    """Factors of one weight, and their computation.

    Args:
        kind: "dense", "conv" or "embedding".
        weight: (O, I), (O, C, kh, kw) or (V, E).
        stride: of a convolution.
    """

    def __init__(self, kind: str, weight: torch.Tensor, stride: tuple[int, ...] = (1, 1)) -> None:
        self.kind, self.weight, self.stride = kind, weight, stride
        self.schedule = ALWAYS
        self.places = (1, 1)  # a and g of a convolution, else 1
        self.is_recorded = False
        shape = tuple(weight.shape)
        self.in_size = shape[0] if kind == "embedding" else int(weight[0].numel())
        self.out_size = shape[1] if kind == "embedding" else shape[0]
        dtype = torch.float64 if weight.dtype is torch.float64 else torch.float32
        make: Any = torch.eye if kind == "dense" else lambda n, **options: torch.zeros((n, n), **options)
        options: dict[str, Any] = {"dtype": dtype, "device": weight.device}
        self.a: torch.Tensor = (
            torch.zeros(self.in_size, **options) if kind == "embedding" else make(self.in_size, **options)
        )
        self.g: torch.Tensor = make(self.out_size, **options)
        self.normalizers: tuple[torch.Tensor, torch.Tensor] | None = None

    def watch(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Record the factors once the gradient of ``y``, the output for ``x``, is known."""
        if y.requires_grad:
            torch.Tensor.register_hook(y, functools.partial(self._on_gradient, plain(x)))

    def _on_gradient(self, x: torch.Tensor, d: torch.Tensor) -> None:
        with torch.no_grad():
            self.record(x, plain(d))

    def record(self, x: torch.Tensor, d: torch.Tensor) -> None:
        """Replace the factors by those of input ``x`` and output gradient ``d``."""
        if self.a.device != x.device:  # the module has moved since
            self.a, self.g = self.a.to(x.device), self.g.to(x.device)
        a, g = plain(self.a), plain(self.g)
        if self.kind == "dense":
            d = _gram_of_rows(g, d, self.out_size)
            x = x.reshape(-1, self.in_size).to(a.dtype)
            torch.addmm(a, x.mT, x, beta=0, alpha=1 / self.in_size, out=a)
        elif self.kind == "conv":
            patches = mean_patches(x, tuple(self.weight.shape[2:]), self.stride, a.dtype)
            mean = d.mean(0, dtype=g.dtype).flatten(1)
            self.places = (patches.shape[1], mean.shape[1])
            torch.addmm(a, patches, patches.mT, beta=0, alpha=1 / self.places[0], out=a)
            torch.addmm(g, mean, mean.mT, beta=0, alpha=1 / self.places[1], out=g)
            if self.normalizers is not None:
                for parameter, value in zip(self.normalizers, self.places):
                    plain(parameter).fill_(value)
        else:
            _gram_of_rows(g, d, self.out_size)
            a.zero_().index_add_(
                0,
                x.reshape(-1).to(torch.int64).clamp(0, self.in_size - 1),
                torch.ones((), dtype=a.dtype, device=a.device).expand(x.numel()),
            )
        if self.schedule.scale is not None:
            g.div_(torch.square(plain(self.schedule.scale).to(g.dtype)).reshape(()))
        self.is_recorded = True


def _gram_of_rows(out: torch.Tensor, d: torch.Tensor, size: int) -> torch.Tensor:
    d = d.reshape(-1, size).to(out.dtype)
    return torch.addmm(out, d.mT, d, beta=0, alpha=1 / d.shape[0], out=out)


def mean_patches(x: torch.Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """Return patches (C·kh·kw, places) of the mean over the batch of ``x`` (N, C, H, W), with "same" padding: the mean
    of the patches.
    """
    mean = x.mean(0, keepdim=True, dtype=dtype)
    pads = [same_padding(size, width, step) for size, width, step in zip(mean.shape[2:], kernel, stride)]
    mean = torch._C._nn.pad(mean, (*pads[1], *pads[0]))
    return torch._C._nn.im2col(mean, kernel, (1, 1), (0, 0), stride)[0]


class _Recording:
    """Mixin of the four layers, before the layer's own class."""

    def make_factors(self) -> None:
        """Add the factors, as untrained Parameters; for a layer that has its weight already."""
        cell: Any = self
        weight = cell._parameters["embedding_table" if isinstance(cell, (Embedding, EmbeddingLookup)) else "weight"]
        kind = (
            "embedding"
            if weight is cell._parameters.get("embedding_table")
            else "conv"
            if weight.dim() == 4
            else "dense"
        )
        factors = Factors(kind, weight, cell.stride) if kind == "conv" else Factors(kind, weight)
        prefix = "".join(weight.name.rpartition(".")[:2])
        names = ("matrix_a_cov", "matrix_g_cov") if kind == "conv" else ("matrix_a", "matrix_g")
        factors.a, factors.g = (
            Parameter(value, prefix + name, requires_grad=False) for name, value in zip(names, (factors.a, factors.g))
        )
        for name, value in zip(names, (factors.a, factors.g)):
            cell.insert_param_to_cell(name, value)
        if kind == "conv":
            one = torch.ones(1, device=weight.device)
            factors.normalizers = (
                Parameter(one, prefix + "a_normalizer", requires_grad=False),
                Parameter(one.clone(), prefix + "g_normalizer", requires_grad=False),
            )
            cell.insert_param_to_cell("a_normalizer", factors.normalizers[0])
            cell.insert_param_to_cell("g_normalizer", factors.normalizers[1])
        cell.__dict__["_factors"] = factors

    @property
    def thor(self) -> bool:
        """True if the next step records: by ``add_flags_recursive(thor=...)``, else by the optimizer's schedule."""
        forced = self._func_graph_flags.get("thor")  # type: ignore[attr-defined]
        return self._factors.schedule.is_due() if forced is None else bool(forced)  # type: ignore[attr-defined]

    @thor.setter
    def thor(self, value: bool) -> None:
        self.add_flags(thor=value)  # type: ignore[attr-defined]

    def _watched(self, x: Any, y: Any) -> Any:
        if y.requires_grad:
            program.not_repeatable("THOR's layers record in some steps only")
        if y.requires_grad and self.thor:
            self.__dict__["_factors"].watch(x, y)
        return y


class DenseThor(_Recording, Dense):
    """`Dense` that records its factors ``matrix_a`` (I, I) and ``matrix_g`` (O, O)."""

    @arguments_of(Dense, without="dtype")
    def __init__(self, weight_init: Any = "normal", bias_init: Any = "zeros", **dense: Any) -> None:
        super().__init__(weight_init=weight_init, bias_init=bias_init, **dense)
        self.make_factors()

    def construct(self, x: Any) -> Any:
        y = self._watched(x, _linear(x, self.weight, self.bias if self.has_bias else None))
        return self.activation(y) if self.activation_flag else y


class Conv2dThor(_Recording, Conv2d):
    """`Conv2d` that records its factors ``matrix_a_cov`` (C·kh·kw, C·kh·kw) and ``matrix_g_cov`` (O, O).

    Raises:
        ValueError: for ``group`` or ``dilation`` other than 1, of which the factors would be wrong.
    """

    @arguments_of(Conv2d, without="data_format dtype")
    def __init__(
        self, dilation: Any = 1, group: int = 1, weight_init: Any = "normal", bias_init: Any = "zeros", **conv: Any
    ) -> None:
        super().__init__(dilation=dilation, group=group, weight_init=weight_init, bias_init=bias_init, **conv)
        if group != 1 or self.dilation != (1, 1):
            raise ValueError(
                f"For 'Conv2dThor', 'group' and 'dilation' must be 1, but got group {group} and dilation {dilation}. "
                "Use nn.Conv2d, which thor trains by first order."
            )
        self.make_factors()

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, bias_init={self.bias_init}"
        )

    def construct(self, x: Any) -> Any:
        return self._watched(x, super().construct(x))


class EmbeddingThor(_Recording, Embedding):
    """`Embedding` that records its factors ``matrix_a`` (V,) and ``matrix_g`` (E, E)."""

    @arguments_of(Embedding)
    def __init__(self, **embedding: Any) -> None:
        super().__init__(**embedding)
        self.make_factors()

    def construct(self, ids: Any) -> Any:
        return self._watched(ids, super().construct(ids))


class EmbeddingLookupThor(_Recording, EmbeddingLookup):
    """`EmbeddingLookup` that records its factors, with ``target`` "CPU" too; its table is float32, not float16.

    With ``max_norm`` d is the gradient of the rows after clipping.
    """

    @arguments_of(EmbeddingLookup, without="dtype", vocab_cache_size="sparse")
    def __init__(self, vocab_cache_size: int = 0, **embedding: Any) -> None:
        super().__init__(**embedding)
        self.make_factors()

    def construct(self, indices: Any) -> Any:
        return self._watched(indices, super().construct(indices))
