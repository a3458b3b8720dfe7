"""Differences in arithmetic between a torch network and the MindSpore network of a map: an epsilon, the form of GELU,
padding.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from mindspore_compat.train.checkpoint_maps._rules import read_rules


def match_arithmetic(net: nn.Module, rules: str | os.PathLike[str] | Mapping[str, Any]) -> list[str]:
    """Let a torch network compute as the MindSpore network of the map does; its names and parameters stay.

    Attributes of layers are set. Where the MindSpore network has ``pad_mode="same"``, which pads by the size of the
    input, the layer's own padding becomes 0 and a hook pads before it. Return the changes, a line each.

    Raises:
        ValueError: if the network has no layer that the map speaks of, or the layer has no such attribute.
    """
    file = read_rules(rules)
    return [
        line
        for number, row in enumerate(file.arithmetic, 1)
        for line in _apply(net, row, f"row {number} of 'arithmetic' of {file.name}", file.name)
    ]


def _apply(net: nn.Module, row: Any, place: str, map_name: str) -> Iterator[str]:
    keys = set(row) - {"why"} if isinstance(row, dict) else set()
    if keys not in ({"module", "path", "set"}, {"module", "path", "pad_mode"}) or not isinstance(
        row.get("set", {}), dict
    ):
        raise ValueError(
            f"{place} must have 'module', 'path' and either 'set' (an object) or 'pad_mode', but is {row!r:.200}"
        )
    found = [
        (path, module)
        for path, module in net.named_modules()
        if row["module"] in {kind.__name__ for kind in type(module).__mro__} and re.fullmatch(row["path"], path)
    ]
    if not found:
        raise ValueError(f"The network has no {row['module']} at {row['path']!r}: is {map_name} its map?")
    for path, module in found:
        for key, value in row.get("set", {}).items():
            if not hasattr(module, key):
                raise ValueError(f"{path}, a {type(module).__name__}, has no {key!r} to set: {place}")
            if getattr(module, key) != value:
                setattr(module, key, value)
                yield f"{path}.{key} = {value!r}"
        if "pad_mode" in row and _pad_same(module, row["pad_mode"], place):
            yield f"{path}: pad_mode = 'same'"


# --- padding ----------------------------------------------------------------------------------------------------------


def _pad_same(module: nn.Module, mode: Any, place: str) -> bool:
    """Return whether the layer now pads by its input; one of stride 1 does so already."""
    if mode != "same" or not isinstance(module, (nn.Conv2d, nn.MaxPool2d)):
        raise ValueError(f"{place}: 'pad_mode' is 'same', for a Conv2d or a MaxPool2d")
    if (
        max(_pair(module.stride)) == 1
        or isinstance(module.padding, str)
        or _before in module._forward_pre_hooks.values()
    ):
        return False
    if type(module).forward not in (nn.Conv2d.forward, nn.MaxPool2d.forward):
        return False  # timm's own layers for this pad by themselves
    module.padding = (0, 0)
    if isinstance(module, nn.Conv2d):
        module._reversed_padding_repeated_twice = [0, 0, 0, 0]
    module.register_forward_pre_hook(_before)
    return True


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _before(module: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """Return the input with the padding of ``pad_mode="same"``: the output has size ceil(input / stride), the odd row
    is behind.
    """
    padding: list[int] = []
    for size, kernel, stride, dilation in zip(
        inputs[0].shape[:-3:-1],
        *(reversed(_pair(getattr(module, key))) for key in ("kernel_size", "stride", "dilation")),
    ):
        total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
        padding += [total // 2, total - total // 2]
    fill = float("-inf") if isinstance(module, nn.MaxPool2d) else 0.0
    return (nn.functional.pad(inputs[0], padding, value=fill), *inputs[1:])
