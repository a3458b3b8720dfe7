"""Cache of a Cell's last forward: `GradOperation` reuses it after ``set_grad`` (docs/design/differentiation.md)."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import torch

from mindspore_compat._autograd.forward import KEPT, Forward, is_differentiable, keep
from mindspore_compat._autograd.recorded import THREAD, is_spent
from mindspore_compat._graph.mode import EAGER, Call, current
from mindspore_compat._graph.program import program
from mindspore_compat._graph.replay.computations import computations_of
from mindspore_compat._tensor.wrapping import maker, wrap
from mindspore_compat.context import is_graph_mode


def _is_variable(arg: Any) -> bool:
    """Return whether a gradient by this input may be asked for."""
    return is_differentiable(arg) and not isinstance(arg, torch.nn.Parameter)


def _leaves(args: Any) -> list[Any]:
    """Return the items of nested lists, tuples and dicts, in order."""
    if isinstance(args, (list, tuple, dict)):
        return [leaf for item in (args.values() if isinstance(args, dict) else args) for leaf in _leaves(item)]
    return [args]


def _are_same(before: Any, now: Any) -> bool:
    return len(before) == len(now) and all(a is b for a, b in zip(before, now))


def _of_a_graph(arg: Any) -> Any:
    """Return the argument, detached if its graph has already been differentiated. Such an argument is a state that the
    last step returned.
    """
    if isinstance(arg, torch.Tensor):
        return wrap(arg.detach()) if arg.grad_fn is not None and is_spent(arg) else arg
    return make(map(_of_a_graph, arg)) if (make := maker(type(arg))) else arg


def _stamp() -> tuple[int, int]:
    """Return numbers that change with each change of a Cell or update of a Parameter."""
    return program.epoch, program.writes


class _Kept(NamedTuple):
    args: tuple
    leaves: list[Any]  # of ``args``, which may hold lists that are changed in place
    call: Call
    stamp: tuple[int, int]
    variables: list[int]  # positions of ``args``
    forward: Forward


class ForwardCache:
    """Mixin of `Cell` with the cache."""

    def _call_and_keep(self: Any, args: tuple, kwargs: dict[str, Any], call: Call = EAGER) -> Any:
        """Record this forward. As in MindSpore, the `GradOperation` that follows reuses it instead of running a second
        one.

        The outermost ``call`` of a training Cell in graph mode drops it when it ends. Until then the forward keeps the
        weights that it read.
        """
        self._forget_kept()
        if call.is_graph:
            call.kept.append(self)
        THREAD.has_kept = True
        given = args
        if is_graph_mode():
            args = tuple([_of_a_graph(arg) for arg in args])
            kwargs = {name: _of_a_graph(arg) for name, arg in kwargs.items()}
        # what comes from another kept forward stays connected with it, as MindSpore's PYNATIVE_MODE has it
        variables = [position for position, arg in enumerate(args) if _is_variable(arg) and not arg.requires_grad]
        run = self._call_cast
        if is_graph_mode():
            run = functools.partial(computations_of(self).graphs.run, "kept", (args, kwargs), None, self._call_cast)
        forward = Forward(lambda *args: run(args, kwargs), args, wanted=variables, keeps_inputs=True)
        if not kwargs:
            self.__dict__["_captured"] = _Kept(given, _leaves(given), call, _stamp(), variables, forward)
            keep(self)
        return forward.outputs

    def _pop_cached_forward(self: Any, args: tuple, wanted: tuple[int, ...]) -> Forward | None:
        """Pop the last forward if its arguments were these very objects, ready to be differentiated by those at
        ``wanted``.
        """
        kept = self._forget_kept()
        if kept is None or not _are_same(kept.args, args) or not _are_same(kept.leaves, _leaves(args)):
            return None
        # with other weights or attributes it is another forward, as in MindSpore, unless one compiled call has both
        if is_graph_mode() and kept.call is not current() and kept.stamp != _stamp():
            return None
        by_position = dict(zip(kept.variables, kept.forward.variables))
        if any(position not in by_position and _is_variable(args[position]) for position in wanted):
            return None
        return kept.forward.by([by_position.get(position, args[position]) for position in wanted])

    def _forget_kept(self: Any) -> _Kept | None:
        kept, self.__dict__["_captured"] = self.__dict__["_captured"], None
        KEPT.pop(id(self), None)
        return kept

    def _has_kept(self: Any, tensors: list[torch.Tensor]) -> bool:
        """Return whether the cache holds a forward of any of these tensors."""
        kept = self.__dict__["_captured"]
        return kept is not None and any(arg is tensor for arg in kept.args for tensor in tensors)
