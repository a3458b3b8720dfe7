"""`Cell.register_parameter_forward_hook`: what compiled code computes with in place of a Parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore_compat.common._tracing import is_tracing
from mindspore_compat.common.parameter import Parameter

__all__ = ["hooked", "register"]

#: set by the first hook: until then nobody looks for one
_is_used = False


def register(cell: Any, hook: Callable[..., Any] | Sequence[dict[str, Any]]) -> None:
    """Give hooks to all Parameters of ``cell``, or to those that the dicts list; a Parameter keeps its last one.

    Raises:
        TypeError, ValueError: if ``hook`` is neither a function nor a list of {"params": ..., "hook": ...}.
    """
    if callable(hook):
        pairs: list[Any] = [(list(cell.get_parameters()), hook)]
    elif isinstance(hook, list):
        pairs = [_checked(item) for item in hook]
    else:
        raise TypeError(f"Hook must be a callable function or a list of dictionaries, but got {type(hook)}.")
    global _is_used
    _is_used = True
    cell._changed()
    for parameters, function in pairs:
        for parameter in parameters:
            parameter.__dict__["_forward_hook"] = function


def _checked(item: Any) -> tuple[list[Any], Callable[..., Any]]:
    if not isinstance(item, dict):
        raise TypeError(f"Each item in the hook list must be a dictionary, but got {type(item)}.")
    if not {"params", "hook"} <= item.keys():
        raise ValueError("Each dictionary in the hook list must contain both params and hook keys.")
    for parameter in item["params"]:
        if not isinstance(parameter, Parameter):
            raise TypeError(f"All items in params must be of type 'Parameter', but got {type(parameter)}.")
    if not callable(item["hook"]):
        raise TypeError(f"The hook value must be callable, but got {type(item['hook'])}.")
    return list(item["params"]), item["hook"]


def hooked(parameter: Any, in_graph: Callable[[], bool]) -> Any:
    """What a Cell's code sees of a Parameter: where upstream compiles, what its hook makes of it."""
    if not _is_used or parameter is None or is_tracing():  # torch.compile does not follow a Parameter's attributes
        return parameter
    hook = parameter.__dict__.get("_forward_hook")
    return hook(parameter) if hook is not None and in_graph() else parameter
