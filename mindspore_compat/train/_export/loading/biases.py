"""Fusion of a bias with its product or convolution: one call of torch, as in layers.

Files separate the two, but torch's fused kernels round differently: a network and its file must agree exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat import ops
from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap

Step = tuple[str, Callable[..., Any], list[str]]


class Biased:
    """Operator with ``biased``, the same with a bias behind its inputs."""

    def __init__(self, operator: Callable[..., Any], biased: Callable[..., Any]) -> None:
        self._operator, self.biased = operator, biased

    def __call__(self, *inputs: Any) -> Any:
        return self._operator(*inputs)


class Bias:
    """BiasAdd of a known format."""

    def __init__(self, format: Any) -> None:
        self.format, self._operator = format, ops.operations.BiasAdd(format)

    def __call__(self, x: Any, bias: Any, *_: Any) -> Any:
        return self._operator(x, bias)


def through(value: Any, *_: Any) -> Any:
    """Return the first input, for nodes that pass it on."""
    return value


def biased_product(product: Callable[..., Any], left: bool, right: bool) -> Biased:
    """Return a product of matrices that may enter transposed."""

    def biased(x: Any, y: Any, *rest: Any) -> Any:
        pair = [torch.t(item) if flag else item for item, flag in ((x, left), (y, right))]
        return wrap(kernels.addmm(rest[-1], *pair))

    return Biased(product, biased)


def with_biases(steps: list[Step], outputs: list[str]) -> None:
    """Join each BiasAdd with the operator before it, if its result has no other use and nothing comes in between."""
    uses: dict[str, int] = {}
    for name in [*outputs, *(name for _, _, inputs in steps for name in inputs)]:
        uses[name] = uses.get(name, 0) + 1
    places = {name: place for place, (name, _, _) in enumerate(steps)}
    joined: set[int] = set()
    for place, (name, function, inputs) in enumerate(steps):
        source = places.get(inputs[0], place) if isinstance(function, Bias) and function.format != "NHWC" else place
        made = steps[source][1]
        if (
            source < place
            and isinstance(made, Biased)
            and uses[inputs[0]] == 1
            and all(function is through for _, function, _ in steps[source + 1 : place])
        ):
            steps[place] = name, made.biased, [*steps[source][2], inputs[1]]
            joined.add(source)
    steps[:] = [step for place, step in enumerate(steps) if place not in joined]
