"""Conversion of a network's layers to record factors for `thor`: Cells become their Thor classes, torch modules get
hooks.

Both keep their objects, Parameters, flags and hooks; only exact classes are converted. A layer with wrong factors stays
as it is, is trained by first order, and is named in one warning.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.layer.embedding import Embedding, EmbeddingLookup
from mindspore_compat.nn.layer.normalization import LayerNorm
from mindspore_compat.nn.layer.thor_layer import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor, Factors

__all__ = ["convert_network", "factors_of", "layer_norm_parameters"]

_log = logging.getLogger("mindspore_compat")
_CELLS: dict[type, type] = {
    Dense: DenseThor,
    Conv2d: Conv2dThor,
    Embedding: EmbeddingThor,
    EmbeddingLookup: EmbeddingLookupThor,
}
_MODULES: dict[type, str] = {torch.nn.Linear: "dense", torch.nn.Conv2d: "conv", torch.nn.Embedding: "embedding"}
#: MindSpore does not convert layers below these
_SPARED = ("rpn_with_loss.rpn_convs_list.", "wide")


def convert_network(network: torch.nn.Module) -> None:
    """Convert every layer that can be, in place; a second call does nothing."""
    left: list[str] = []
    known = {id(factors.weight) for factors in factors_of(network)}
    for path, module in _modules(network):
        weight = getattr(
            module, "embedding_table" if isinstance(module, (Embedding, EmbeddingLookup)) else "weight", None
        )
        if id(weight) in known:  # converted before, or shared with a layer that is
            continue
        if type(module) in _CELLS:
            _convert_cell(path, module, left)
        elif type(module) in _MODULES:
            _hook_module(path, module, left)
        elif isinstance(module, (*_CELLS, *_MODULES)):
            left.append(f"{path} (a subclass, {type(module).__name__})")
        if "_factors" in module.__dict__:
            known.add(id(weight))
    if left:
        _log.warning("thor: these layers cannot be factored and are trained by first order: %s.", ", ".join(left))


def factors_of(network: torch.nn.Module) -> Iterator[Factors]:
    """Yield the factors of every layer that records them, in order; of a weight in two layers, those of the first."""
    seen: set[int] = set()
    for _, module in _modules(network):
        factors = module.__dict__.get("_factors")
        if factors is not None and id(factors.weight) not in seen:
            seen.add(id(factors.weight))
            yield factors


def layer_norm_parameters(network: torch.nn.Module) -> Iterator[torch.Tensor]:
    """Yield gains and offsets of every LayerNorm."""
    for _, module in _modules(network):
        if isinstance(module, (LayerNorm, torch.nn.LayerNorm)):
            yield from (item for item in module._parameters.values() if item is not None)


def _modules(network: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    return network.cells_and_names() if isinstance(network, Cell) else network.named_modules()


def _is_spared(path: str) -> bool:
    return any(part in path.lower() for part in _SPARED)


def _obstacle(module: Any) -> str:
    """Return why the factors of a convolution or embedding would be wrong; "" without a reason."""
    groups = getattr(module, "group", getattr(module, "groups", 1))
    if groups != 1:
        return f"{groups} groups"
    if getattr(module, "dilation", (1, 1)) != (1, 1):
        return f"dilation {module.dilation}"
    if getattr(module, "data_format", "NCHW") != "NCHW":
        return module.data_format
    return "sparse gradients" if isinstance(module, torch.nn.Embedding) and module.sparse else ""


def _convert_cell(path: str, cell: Any, left: list[str]) -> None:
    is_embedding = isinstance(cell, (Embedding, EmbeddingLookup))
    weight = cell._parameters["embedding_table" if is_embedding else "weight"]
    if not weight.requires_grad or (not is_embedding and _is_spared(path)):
        return
    reason = _obstacle(cell)
    if reason:
        left.append(f"{path} ({reason})")
        return
    cell.__class__ = _CELLS[type(cell)]
    cell.make_factors()


def _hook_module(path: str, module: Any, left: list[str]) -> None:
    kind = _MODULES[type(module)]
    if not module.weight.requires_grad or (kind != "embedding" and _is_spared(path)):
        return
    reason = _obstacle(module)
    if reason:
        left.append(f"{path} ({reason})")
        return
    factors = Factors(kind, module.weight, module.stride) if kind == "conv" else Factors(kind, module.weight)
    module.__dict__["_factors"] = factors
    module.register_forward_hook(_after_forward, with_kwargs=True)


def _after_forward(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: torch.Tensor) -> None:
    factors = module.__dict__["_factors"]
    if output.requires_grad and factors.schedule.is_due():
        factors.watch(args[0] if args else kwargs["input"], output)
