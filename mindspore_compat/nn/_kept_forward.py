"""The forward that a Cell with ``set_grad`` keeps for the `GradOperation` that follows (docs/design/differentiation.md)."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _grad_state
from mindspore_compat.common._differentiation import KEPT, Forward, is_differentiable, keep
from mindspore_compat.context import is_graph_mode

__all__ = ["KeptForward"]


def _is_variable(arg: Any) -> bool:
    """Whether somebody may ask a forward for the gradient by this input."""
    return is_differentiable(arg) and not isinstance(arg, torch.nn.Parameter)


def _leaves(args: Any) -> list[Any]:
    """What lists, tuples and dicts hold, which may be changed in place."""
    if isinstance(args, (list, tuple, dict)):
        return [leaf for item in (args.values() if isinstance(args, dict) else args) for leaf in _leaves(item)]
    return [args]


def _are_same(before: Any, now: Any) -> bool:
    return len(before) == len(now) and all(a is b or (isinstance(a, int) and a == b) for a, b in zip(before, now))


def _stamp() -> tuple[int, int]:
    """Other numbers after each change of a Cell or update of a Parameter."""
    return _grad_state.epoch, _grad_state.writes


class KeptForward:
    """A part of `Cell`."""

    _hooked = False  # some Cell has a backward hook

    def _call_and_keep(self: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """As MindSpore, record this forward: the `GradOperation` that follows takes it instead of a second one."""
        self._forget_kept()
        # torch calls a backward hook of the first layers only if nobody could ask for the inputs' gradients, or somebody does
        has_hooks = KeptForward._hooked and any(module._backward_hooks or module._backward_pre_hooks for module in self.modules())
        # what comes from another kept forward stays connected with it, as upstream
        variables = [] if has_hooks else [position for position, arg in enumerate(args) if _is_variable(arg) and not arg.requires_grad]
        forward = Forward(lambda *args: self._call_cast(args, kwargs), args, wanted=variables)
        if not kwargs:
            self.__dict__["_captured"] = args, (*_leaves(args), *_stamp()), variables, forward
            keep(self)
        return forward.outputs

    def _take_kept(self: Any, args: tuple, wanted: tuple[int, ...]) -> Forward | None:
        """The last forward if it had just these argument objects, ready to be differentiated by those at ``wanted``; it can be taken once."""
        captured = self._forget_kept()
        if captured is None or not _are_same(captured[0], args):
            return None
        # what lists hold may have been changed in place; in GRAPH_MODE a forward with other weights or attributes is another one, as upstream
        now = (*_leaves(args), *(_stamp() if is_graph_mode() else captured[1][-2:]))
        if not _are_same(captured[1], now):
            return None
        _, _, variables, forward = captured
        by_position = dict(zip(variables, forward.variables))
        if any(position not in by_position and _is_variable(args[position]) for position in wanted):
            return None
        return forward.by([by_position.get(position, args[position]) for position in wanted])

    def _forget_kept(self: Any) -> Any:
        captured, self.__dict__["_captured"] = self.__dict__["_captured"], None
        KEPT.pop(id(self), None)
        return captured

    def _has_kept(self: Any, tensors: list[torch.Tensor]) -> bool:
        """Whether it keeps a forward of any of these tensors."""
        captured = self.__dict__["_captured"]
        return captured is not None and any(arg is tensor for arg in captured[0] for tensor in tensors)
