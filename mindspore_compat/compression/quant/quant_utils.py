"""MindSpore: ``mindspore.compression.quant.quant_utils``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mindspore_compat.compression.quant._threshold import compute_KL_threshold, weight_bounds
from mindspore_compat.nn.layer.quant import FakeQuantWithMinMaxObserver

__all__ = ["load_nonquant_param_into_quant_net", "query_quant_layers", "compute_KL_threshold"]

_KINDS = ("weight", "bias", "gamma", "beta", "moving_mean", "moving_variance", "minq", "maxq", "quant_max")


def query_quant_layers(network: Any) -> None:
    """Print the place and the type of every observer."""
    for path, cell in network.cells_and_names():
        if isinstance(cell, FakeQuantWithMinMaxObserver):
            print(f"{path:60}\t{cell.quant_dtype!s:10}")


def load_nonquant_param_into_quant_net(
    quant_model: Any, params_dict: Mapping[str, Any], quant_new_params: list[str] | None = None
) -> None:
    """Copy parameters of a network in floats into a quantizing one, which has other names: by kind, each kind in its
    order.

    Learned ranges of weights start anew from the weights, unless the checkpoint has ranges.

    Args:
        quant_model: a Cell.
        params_dict: what `load_checkpoint` gives.
        quant_new_params: last parts of the names of parameters that only the quantizing network has, such as "step";
            those of observers go without saying.

    Raises:
        ValueError: for a parameter of no known kind, or one whose shape
            differs.
    """
    waiting = {
        kind: iter([(name, value) for name, value in params_dict.items() if name.endswith(kind)]) for kind in _KINDS
    }
    for path, parameter in quant_model.parameters_and_names():
        kind = path.rsplit(".", 1)[-1]
        if kind not in waiting:
            if kind in (quant_new_params or ()):
                continue
            raise ValueError(
                f"For 'load_nonquant_param_into_quant_net', the checkpoint has no counterpart of the parameter {path}. "
                f"Add {kind!r} to 'quant_new_params' if it is new in the quantizing network."
            )
        found = next(waiting[kind], None)
        if found is None:
            continue
        if tuple(found[1].shape) != tuple(parameter.shape):
            raise ValueError(
                f"For 'load_nonquant_param_into_quant_net', the parameter {path} must have shape "
                f"{tuple(parameter.shape)}, but its "
                f"counterpart {found[0]} of the checkpoint has {tuple(found[1].shape)}: the networks differ."
            )
        parameter.set_data(found[1].data)
        print(f"init model param {path} with checkpoint param {found[0]}")
    if not any(name.endswith("maxq") for name in params_dict):
        for _, cell in quant_model.cells_and_names():
            observer = getattr(cell, "fake_quant_weight", None)
            if observer is not None and observer.mode == "LEARNED_SCALE":
                low, high = weight_bounds(
                    cell, cell if hasattr(cell, "gamma") else None, observer.quant_dtype, observer.per_channel
                )
                observer.reset(observer.quant_dtype, low, high)
