"""THOR in float64 numpy, as docs/design/thor.md states it: explicit loops, no torch, no code shared with the package.

Networks are lists of layers; `Reference.step` makes one training step on a batch and returns the loss.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "BatchNorm",
    "Conv",
    "Dense",
    "Embedding",
    "Flatten",
    "Layer",
    "LayerNorm",
    "MeanOverAxis1",
    "Reference",
    "Relu",
]

Array = np.ndarray
BLOCK = 128


class Layer:
    """Parameters in ``values``, their gradients after `backward` in ``gradients``; ``factors``: (A, G, a, g) of the
    last batch.
    """

    kind = "other"

    def __init__(self, name: str = "", **values: Array) -> None:
        self.name = name
        self.values = {key: np.asarray(value, np.float64).copy() for key, value in values.items()}
        self.gradients: dict[str, Array] = {}

    def forward(self, x: Array) -> Array:
        raise NotImplementedError

    def backward(self, d: Array) -> Array:
        raise NotImplementedError


class Dense(Layer):
    kind = "dense"

    def forward(self, x: Array) -> Array:
        self.x = x
        return x @ self.values["weight"].T + self.values.get("bias", 0.0)

    def backward(self, d: Array) -> Array:
        self.d = d
        self.gradients = {"weight": d.T @ self.x, "bias": d.sum(0)}
        return d @ self.values["weight"]

    def factors(self) -> tuple[Array, Array, int, int]:
        rows, width = self.x.shape
        a, g = np.zeros((width, width)), np.zeros((self.d.shape[1],) * 2)
        for row in range(rows):
            a += np.outer(self.x[row], self.x[row]) / width
            g += np.outer(self.d[row], self.d[row]) / rows
        return a, g, 1, 1


def patches(
    image: Array, kernel: tuple[int, int], stride: tuple[int, int], pads: tuple[tuple[int, int], tuple[int, int]]
) -> Array:
    """(C·kh·kw, places) of one image (C, H, W)."""
    channels = image.shape[0]
    padded = np.pad(image, ((0, 0), *pads))
    height = (padded.shape[1] - kernel[0]) // stride[0] + 1
    width = (padded.shape[2] - kernel[1]) // stride[1] + 1
    out = np.zeros((channels * kernel[0] * kernel[1], height * width))
    for channel in range(channels):
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                for y in range(height):
                    for x in range(width):
                        row = (channel * kernel[0] + i) * kernel[1] + j
                        out[row, y * width + x] = padded[channel, y * stride[0] + i, x * stride[1] + j]
    return out


def same_pads(size: int, kernel: int, stride: int) -> tuple[int, int]:
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return total // 2, total - total // 2


class Conv(Layer):
    kind = "conv"

    def __init__(self, name: str, stride: tuple[int, int], mode: str, **values: Array) -> None:
        super().__init__(name, **values)
        self.stride, self.mode = stride, mode

    def _pads(self, x: Array, mode: str) -> Any:
        kernel = self.values["weight"].shape[2:]
        if mode == "valid":
            return (0, 0), (0, 0)
        return tuple(same_pads(size, width, step) for size, width, step in zip(x.shape[2:], kernel, self.stride))

    def forward(self, x: Array) -> Array:
        weight = self.values["weight"]
        self.x, self.pads = x, self._pads(x, self.mode)
        self.columns = [patches(image, weight.shape[2:], self.stride, self.pads) for image in x]
        (top, bottom), (left, right) = self.pads
        height = (x.shape[2] + top + bottom - weight.shape[2]) // self.stride[0] + 1
        width = (x.shape[3] + left + right - weight.shape[3]) // self.stride[1] + 1
        matrix = weight.reshape(weight.shape[0], -1)
        y = np.stack([(matrix @ columns).reshape(-1, height, width) for columns in self.columns])
        return y + self.values["bias"][:, None, None] if "bias" in self.values else y

    def backward(self, d: Array) -> Array:
        self.d = d
        weight = self.values["weight"]
        matrix = weight.reshape(weight.shape[0], -1)
        self.gradients = {
            "weight": sum(d[n].reshape(len(matrix), -1) @ self.columns[n].T for n in range(len(d))).reshape(
                weight.shape
            ),
            "bias": d.sum((0, 2, 3)),
        }
        (top, bottom), (left, right) = self.pads
        result = np.zeros((*self.x.shape[:2], self.x.shape[2] + top + bottom, self.x.shape[3] + left + right))
        _, channels, kh, kw = weight.shape
        for n in range(len(d)):
            columns = (matrix.T @ d[n].reshape(len(matrix), -1)).reshape(channels, kh, kw, *d.shape[2:])
            for i in range(kh):
                for j in range(kw):
                    for y in range(d.shape[2]):
                        for x in range(d.shape[3]):
                            result[n, :, y * self.stride[0] + i, x * self.stride[1] + j] += columns[:, i, j, y, x]
        return result[:, :, top : top + self.x.shape[2], left : left + self.x.shape[3]]

    def factors(self) -> tuple[Array, Array, int, int]:
        kernel, pads = self.values["weight"].shape[2:], self._pads(self.x, "same")
        p = sum(patches(image, kernel, self.stride, pads) for image in self.x) / len(self.x)
        q = self.d.mean(0).reshape(self.d.shape[1], -1)
        return p @ p.T / p.shape[1], q @ q.T / q.shape[1], p.shape[1], q.shape[1]


class Embedding(Layer):
    kind = "embedding"

    def forward(self, x: Array) -> Array:
        self.ids = x.reshape(-1)
        return self.values["embedding_table"][x]

    def backward(self, d: Array) -> Array:
        self.d = d.reshape(len(self.ids), -1)
        table = np.zeros_like(self.values["embedding_table"])
        for place, number in enumerate(self.ids):
            table[number] += self.d[place]
        self.gradients = {"embedding_table": table}
        return np.zeros(1)

    def factors(self) -> tuple[Array, Array, int, int]:
        counts = np.zeros(len(self.values["embedding_table"]))
        for number in self.ids:
            counts[number] += 1
        return counts, self.d.T @ self.d / len(self.ids), 1, 1


class BatchNorm(Layer):
    """Over (N, C, H, W), in training mode."""

    def forward(self, x: Array) -> Array:
        self.deviation = np.sqrt(x.var((0, 2, 3), keepdims=True) + 1e-5)
        self.normal = (x - x.mean((0, 2, 3), keepdims=True)) / self.deviation
        return self.normal * self.values["gamma"][:, None, None] + self.values["beta"][:, None, None]

    def backward(self, d: Array) -> Array:
        self.gradients = {"gamma": (d * self.normal).sum((0, 2, 3)), "beta": d.sum((0, 2, 3))}
        d = d * self.values["gamma"][:, None, None]
        mean = d.mean((0, 2, 3), keepdims=True)
        return (d - mean - self.normal * (d * self.normal).mean((0, 2, 3), keepdims=True)) / self.deviation


class LayerNorm(Layer):
    """Over the last axis."""

    kind = "layer_norm"

    def forward(self, x: Array) -> Array:
        self.deviation = np.sqrt(x.var(-1, keepdims=True) + 1e-7)
        self.normal = (x - x.mean(-1, keepdims=True)) / self.deviation
        return self.normal * self.values["gamma"] + self.values["beta"]

    def backward(self, d: Array) -> Array:
        axes = tuple(range(d.ndim - 1))
        self.gradients = {"gamma": (d * self.normal).sum(axes), "beta": d.sum(axes)}
        d = d * self.values["gamma"]
        return (
            d - d.mean(-1, keepdims=True) - self.normal * (d * self.normal).mean(-1, keepdims=True)
        ) / self.deviation


class Relu(Layer):
    def forward(self, x: Array) -> Array:
        self.positive = x > 0
        return x * self.positive

    def backward(self, d: Array) -> Array:
        return d * self.positive


class Flatten(Layer):
    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, d: Array) -> Array:
        return d.reshape(self.shape)


class MeanOverAxis1(Layer):
    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        return x.mean(1)

    def backward(self, d: Array) -> Array:
        return np.broadcast_to(d[:, None] / self.shape[1], self.shape)


def block_inverses(matrix: Array, damping: float, whole: bool = False) -> list[Array]:
    """Inverses of the damped diagonal blocks; the last one without its padding."""
    damped = matrix + damping * np.eye(len(matrix))
    width = len(matrix) if whole else BLOCK
    return [
        np.linalg.inv(damped[start : start + width, start : start + width]) for start in range(0, len(matrix), width)
    ]


def whole_matrix(blocks: list[Array]) -> Array:
    size = sum(len(block) for block in blocks)
    result, start = np.zeros((size, size)), 0
    for block in blocks:
        result[start : start + len(block), start : start + len(block)] = block
        start += len(block)
    return result


class Reference:
    """A network under THOR with softmax cross entropy, the mean over the batch."""

    def __init__(
        self,
        layers: list[Layer],
        learning_rate: Array,
        damping: Array,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        batch_size: int = 32,
        use_nesterov: bool = False,
        decay_filter: Callable[[str], bool] = lambda name: True,
        enable_clip_grad: bool = False,
    ) -> None:
        self.layers, self.learning_rate, self.damping = (
            layers,
            np.asarray(learning_rate, np.float64),
            np.asarray(damping, np.float64),
        )
        self.momentum, self.weight_decay, self.loss_scale, self.batch_size = (
            momentum,
            weight_decay,
            loss_scale,
            batch_size,
        )
        self.use_nesterov, self.decay_filter, self.enable_clip_grad = use_nesterov, decay_filter, enable_clip_grad
        self.count = 0
        self.moments = {name: np.zeros_like(value) for name, value in self.weights().items()}
        self.inverses: dict[str, tuple[Array, Array]] = {}

    def weights(self) -> dict[str, Array]:
        return {f"{layer.name}.{key}": value for layer in self.layers for key, value in layer.values.items()}

    def step(self, x: Array, labels: Array, second_order: bool) -> float:
        loss = self._run_backward(np.asarray(x, np.float64) if np.asarray(x).dtype.kind == "f" else x, labels)
        damping, rate = self.damping[self.count], self.learning_rate[self.count]
        for layer in self.layers:
            if second_order and layer.kind in ("dense", "conv", "embedding"):
                self._invert(layer, damping)
            for key in layer.values:
                self._update(layer, key, damping, rate)
        self.count += 1
        return loss

    def _run_backward(self, x: Array, labels: Array) -> float:
        for layer in self.layers:
            x = layer.forward(x)
        shifted = x - x.max(1, keepdims=True)
        logarithms = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
        rows = np.arange(len(labels))
        d = np.exp(logarithms)
        d[rows, labels] -= 1
        d *= self.loss_scale / len(labels)
        for layer in reversed(self.layers):
            d = layer.backward(d)
        return float(-logarithms[rows, labels].mean())

    def _invert(self, layer: Any, damping: float) -> None:
        a, g, a_places, g_places = layer.factors()
        g = g * self.batch_size**2 / self.loss_scale**2
        outside = a_places**-0.5
        if layer.kind == "embedding":
            self.inverses[layer.name] = (
                1 / (a / self.batch_size + np.sqrt(damping)),
                whole_matrix(block_inverses(g, np.sqrt(damping), whole=True)),
            )
        else:
            self.inverses[layer.name] = (
                outside * whole_matrix(block_inverses(a, np.sqrt(damping / a_places))),
                outside * whole_matrix(block_inverses(g, np.sqrt(damping / g_places))),
            )

    def _update(self, layer: Layer, key: str, damping: float, rate: float) -> None:
        name, weight = f"{layer.name}.{key}", layer.values[key]
        gradient = layer.gradients[key] / self.loss_scale
        if layer.kind in ("dense", "conv") and key == "weight":
            a, g = self.inverses[layer.name]
            gradient = (g @ gradient.reshape(len(gradient), -1) @ a).reshape(weight.shape)
        elif layer.kind == "embedding":
            a, g = self.inverses[layer.name]
            gradient = (a[:, None] * gradient) @ g
        elif layer.kind == "layer_norm":
            gradient = gradient / (gradient**2 / self.batch_size + np.sqrt(damping))
        if self.weight_decay > 0 and self.decay_filter(name):
            gradient = gradient + self.weight_decay * weight
        if self.enable_clip_grad:
            gradient = gradient * min(1.0, 1.0 / max(float(np.sqrt((gradient**2).sum())), 1e-300))
        self.moments[name] = self.momentum * self.moments[name] + gradient
        change = gradient + self.momentum * self.moments[name] if self.use_nesterov else self.moments[name]
        layer.values[key] = weight - rate * change
