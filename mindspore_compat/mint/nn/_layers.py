"""Layers of ``mindspore.mint.nn`` that call a function of ``functional`` with stored arguments."""

from __future__ import annotations

from typing import Any

from mindspore_compat.mint._declare import parsed, signature_of
from mindspore_compat.mint.nn import functional
from mindspore_compat.nn.cell import Cell

# Layer(its arguments) = function; the function's other arguments are the layer's inputs
ROWS = """
    AdaptiveAvgPool1d(output_size) = adaptive_avg_pool1d
    AdaptiveAvgPool2d(output_size) = adaptive_avg_pool2d
    AdaptiveAvgPool3d(output_size) = adaptive_avg_pool3d
    AdaptiveMaxPool1d(output_size, return_indices=False) = adaptive_max_pool1d
    AdaptiveMaxPool2d(output_size, return_indices=False) = adaptive_max_pool2d
    BCELoss(weight=None, reduction="mean") = binary_cross_entropy
    BCEWithLogitsLoss(weight=None, reduction="mean", pos_weight=None) = binary_cross_entropy_with_logits
    CosineEmbeddingLoss(margin=0.0, reduction="mean") = cosine_embedding_loss
    CrossEntropyLoss(weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0) = cross_entropy
    ELU(alpha=1.0, inplace=False) = elu
    Flatten(start_dim=1, end_dim=-1) = flatten
    Fold(output_size, kernel_size, dilation=1, padding=0, stride=1) = fold
    GELU(approximate="none") = gelu
    GLU(dim=-1) = glu
    Hardshrink(lambd=0.5) = hardshrink
    Hardsigmoid() = hardsigmoid
    Hardswish() = hardswish
    Hardtanh(min_val=-1.0, max_val=1.0, inplace=False) = hardtanh
    KLDivLoss(reduction="mean", log_target=False) = kl_div
    LogSigmoid() = logsigmoid
    MSELoss(reduction="mean") = mse_loss
    MaxUnpool2d(kernel_size, stride=None, padding=0) = max_unpool2d
    Mish() = mish
    NLLLoss(weight=None, ignore_index=-100, reduction="mean") = nll_loss
    PixelShuffle(upscale_factor) = pixel_shuffle
    ReLU() = relu
    ReLU6(inplace=False) = relu6
    SELU() = selu
    SiLU(inplace=False) = silu
    Sigmoid() = sigmoid
    SmoothL1Loss(reduction="mean", beta=1.0) = smooth_l1_loss
    Softmax(dim=None) = softmax
    Softshrink(lambd=0.5) = softshrink
    Tanh() = tanh
    Threshold(threshold, value, inplace=False) = threshold
    Unfold(kernel_size, dilation=1, padding=0, stride=1) = unfold
    Upsample(size=None, scale_factor=None, mode="nearest", align_corners=None, \
        recompute_scale_factor=None) = interpolate
"""
_PADS = {"ConstantPad": ("padding, value", "constant"), "ZeroPad": ("padding", "zero")}
_PADS |= {"ReflectionPad": ("padding", "reflect"), "ReplicationPad": ("padding", "replicate")}


class _Function(Cell):
    """Layer that stores arguments as attributes and passes them to its function with the inputs."""

    _function: Any
    _kept: tuple[str, ...]

    def construct(self, *inputs: Any) -> Any:
        return type(self)._function(*inputs, **{name: getattr(self, name) for name in self._kept})


class _Pad(Cell):
    """Padding of the last ``axes`` axes, by one number for all ends or two for each axis, the last one first."""

    _axes: int
    _mode: str

    def construct(self, input: Any) -> Any:
        padding = self.padding
        if isinstance(padding, int):
            padding = (padding,) * (2 * self._axes)
        if self._mode in ("constant", "zero"):
            return functional.pad(input, tuple(padding), "constant", getattr(self, "value", 0.0))
        return functional.pad(input, tuple(padding), self._mode)


def _layer(base: type, name: str, arguments: str, doc: str, **members: Any) -> type:
    """Return a Cell whose ``__init__`` stores its arguments."""
    names = list(signature_of(arguments).parameters)
    lines = [f"def __init__(self, {arguments}):", "    _Cell.__init__(self)"]
    lines += [f"    self.{item} = {item}" for item in names]
    scope: dict[str, Any] = {"_Cell": Cell}
    exec("\n".join(lines), scope)
    members |= {"__init__": scope["__init__"], "__doc__": doc, "__module__": "mindspore_compat.mint.nn"}
    return type(name, (base,), {**members, "_kept": tuple(names)})


def _layers() -> dict[str, type]:
    made = {}
    for _, name, arguments, function in parsed(ROWS):
        target = staticmethod(getattr(functional, function))
        made[name] = _layer(_Function, name, arguments, f"`functional.{function}` as a layer.", _function=target)
    for axes in (1, 2, 3):
        for kind, (arguments, mode) in _PADS.items():
            doc = f"Pads the last {axes} axes ({mode})."
            made[f"{kind}{axes}d"] = _layer(_Pad, f"{kind}{axes}d", arguments, doc, _axes=axes, _mode=mode)
    return made


def _unpool(input: Any, indices: Any, output_size: Any = None, **kept: Any) -> Any:
    return functional.max_unpool2d(input, indices, output_size=output_size, **kept)


MADE = _layers()
MADE["MaxUnpool2d"]._function = staticmethod(_unpool)  # type: ignore[attr-defined]
globals().update(MADE)
__all__ = list(MADE)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
