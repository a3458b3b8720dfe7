"""`Cell`, the base of all networks: a ``torch.nn.Module`` with MindSpore's rules for names, flags and calls. Upstream:
``mindspore.nn.Cell``.

Children live in torch's ``_modules`` and ``_parameters``, so ``state_dict``, DDP, FSDP and hooks of torch's work on
Cells.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd.cell_bprop import call_with_bprop, recomputed
from mindspore_compat._autograd.forward_cache import KeptForward
from mindspore_compat._autograd.inference import called, is_inference, may_keep, set_recording, without_graph
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.element_stores import plain_codes, register
from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import EAGER, OUTSIDE, Call, begin, current, end, in_graph, run_in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._graph.replay.replay import evaluated, replayed
from mindspore_compat._numerics.dtype_fallback import note_operator
from mindspore_compat._runtime import placement
from mindspore_compat._tensor.tracing import not_traced
from mindspore_compat._tensor.wrapping import _is_tracing, giving_tensors, wrap
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import is_graph_mode, parallel_listeners
from mindspore_compat.nn._cell_attributes import TORCH_ONLY, TorchMember
from mindspore_compat.nn._cell_dtype import Computing, cast_inputs, casting, casts_itself, compiled_dtype
from mindspore_compat.nn._cell_hints import Hints
from mindspore_compat.nn._cell_insides import Insides
from mindspore_compat.nn._cell_modes import Modes
from mindspore_compat.parallel import _modes  # noqa: F401  (sets program.parallel)

__all__ = ["Cell"]

#: whether torch.export runs; torch 2.6 says only whether something compiles
_is_exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)
#: results that `wrap` leaves as they are
_NOT_WRAPPED = frozenset((Tensor, int, float, bool, str, type(None)))


class Cell(KeptForward, Hints, Insides, Modes):
    """A network or a part of one. Subclasses set layers and Parameters in ``__init__`` and compute in ``construct``.

    Args:
        auto_prefix: whether parameters of a child get the child's attribute name in front of theirs.
        flags: flags as for `add_flags`.

    Examples:
        >>> class Net(nn.Cell):
        ...     def construct(self, x):
        ...         return x + 1
        >>> print(Net()(Tensor([1.0, 2.0])))
        [2. 3.]
    """

    _phase = "train"
    _special_call = False  # a subclass or an instance whose call needs more than construct
    _is_optimizer = False
    _trains = False  # holds an optimizer: a call is a training step

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        super().__init__()
        state = self.__dict__
        state.update(
            training=False,
            requires_grad=False,
            _param_prefix="",
            _auto_prefix=auto_prefix,
            _scope=None,
            _phase="train",
            cell_type=None,
            _cast_dtype=None,
            _recompute=False,
            _func_graph_flags={},
            _captured=None,
            _id=1,
            _exist_names=None,
            _exist_objs=None,
            _inputs_spec=None,
            _unnamed=True,
        )
        program.cell_made(state)
        register(type(self))
        if hasattr(type(self), "bprop"):
            state["_special_call"] = True
        if flags:
            self.add_flags(**flags)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("mindspore_compat.") and "construct" in vars(cls):
            cls.construct = giving_tensors(vars(cls)["construct"])  # type: ignore[method-assign]

    # --- calling ------------------------------------------------------------------------------------------------------

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; to be overridden."""
        raise AttributeError(
            f"For 'Cell', the method 'construct' is not defined in {type(self).__name__}. "
            "Define 'construct(self, ...)' in the subclass."
        )

    def forward(self, /, *args: Any, **kwargs: Any) -> Any:
        """torch's name for `construct`; what ``torch.nn.Module`` machinery (hooks, compile, DDP) calls."""
        return self.construct(*args, **kwargs)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        state = self.__dict__
        try:
            is_plain = not (
                state["_cast_dtype"] is not None
                or state["requires_grad"]
                or state["_forward_hooks"]
                or state["_forward_pre_hooks"]
                or state["_backward_hooks"]
                or state["_backward_pre_hooks"]
                or state["_unnamed"]
                or self._special_call
            )
        except KeyError:
            raise AttributeError(
                f"For '{type(self).__name__}', the parent's '__init__' has not run. Call 'super().__init__()' first."
            ) from None
        if _is_tracing():
            return self._call_traced(is_plain, args, kwargs)
        call = current()
        if call is OUTSIDE:
            return self._call_outermost(is_plain, args, kwargs)
        if not is_plain:
            return self._call_with_extras(*args, **kwargs)
        construct = self.construct
        if call.is_graph:
            if call.trains and not THREAD.running and may_keep():
                return self._call_and_keep(args, kwargs, call)
            if id(getattr(construct, "__code__", None)) not in plain_codes:
                construct = in_graph_version(construct)
        result = construct(*args, **kwargs)
        return result if type(result) in _NOT_WRAPPED else wrap(result)

    def _call_outermost(self, is_plain: bool, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call that no other call of a Cell or function under ``jit`` is around."""
        state = self.__dict__
        is_training = state["training"] or THREAD.running or self._trains or self._is_optimizer
        is_constant = not is_training and is_inference(args, kwargs)
        if is_graph_mode() or "_is_jit" in state:
            compute = self.construct if is_plain else self._call_with_extras
            if is_plain and id(getattr(compute, "__code__", None)) not in plain_codes:
                compute = in_graph_version(compute)
            around = without_graph if is_constant else called
            if not is_training and (is_constant or not torch.is_grad_enabled()) and not state["requires_grad"]:
                return evaluated(self, around, compute, args, kwargs)
            return around(run_in_graph, Call(True, (*args, *kwargs.values())), compute, *args, **kwargs)
        compute = self.construct if is_plain else self._call_with_extras
        token = begin(EAGER)
        try:
            if is_constant:
                set_recording(False)
                THREAD.unrecorded = True
            result = compute(*args, **kwargs)
        except Exception as error:
            note_operator(error)
            raise
        finally:
            end(token)
            if is_constant:
                THREAD.unrecorded = False
                set_recording(True)
        if type(result) in _NOT_WRAPPED:
            return result
        if _is_exporting():
            self._check_export()
        return wrap(result)

    def _call_traced(self, is_plain: bool, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call that torch.compile traces."""
        return wrap(self._construct_now(args, kwargs) if is_plain else self._call_with_extras(*args, **kwargs))

    def _call_with_extras(self, /, *args: Any, **kwargs: Any) -> Any:
        """A first call, or one with hooks, a dtype from `to_float`, a custom ``bprop``, recomputation, or a forward
        kept for `GradOperation`; in the parallel modes any call.
        """
        if self.__dict__["_unnamed"] and not _is_tracing():
            self._name_at_first_call()
        if _is_tracing():
            if (self._special_call or Cell._special_call) and "_compiled_call_impl" not in self.__dict__:
                return not_traced(Cell._call_with_extras, self, *args, **kwargs)
        elif self.__dict__.get("_compiled_call_impl") is not None:
            return wrap(self.__dict__["_compiled_call_impl"](*args, **kwargs))
        elif program.parallel is not None:
            return program.parallel.called(self, args, kwargs)
        return self._call_here(args, kwargs)

    def _call_here(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if THREAD.running or self._trains:
            return self._call_cast(args, kwargs)
        if _is_tracing():
            is_kept = self.__dict__["requires_grad"] and may_keep()
            return not_traced(self._call_and_keep, args, kwargs) if is_kept else self._call_cast(args, kwargs)
        call = current()
        if (self.__dict__["requires_grad"] or (call.trains and not self._is_optimizer)) and may_keep():
            return self._call_and_keep(args, kwargs, call)
        return self._call_cast(args, kwargs)

    def _call_cast(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if self._has_hooks():  # these see what the caller gave
            program.not_repeatable("it has hooks")
            return self._call_hooked(self._run_cast, args, kwargs)
        return wrap(self._run_cast(args, kwargs))

    def _run_cast(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        dtype = compiled_dtype(self.__dict__)
        if dtype is None:
            return self._run_construct(args, kwargs)
        with Computing(self, dtype, casting.depth + 1):
            if casts_itself(self):
                args, kwargs = cast_inputs(args, kwargs, dtype)
            return self._run_construct(args, kwargs)

    def _run_construct(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if hasattr(type(self), "bprop") and torch.is_grad_enabled():
            return call_with_bprop(self, args, kwargs)
        if self._recompute and torch.is_grad_enabled():
            return recomputed(self, self._construct_as_now(), args, kwargs)
        if self._trains and not self._is_optimizer:
            current().trains = current().is_graph and not THREAD.running
            if not kwargs:
                return replayed(self, (torch.is_grad_enabled(),), lambda inputs: self._construct_now(inputs, {}), args)
        return self._construct_now(args, kwargs)

    def _construct_now(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if not in_graph():
            return self.construct(*args, **kwargs)
        if _is_tracing():  # Dynamo makes no bound methods
            return in_graph_version(type(self).construct)(self, *args, **kwargs)
        return in_graph_version(self.construct)(*args, **kwargs)

    def _construct_as_now(self) -> Callable[..., Any]:
        """``construct`` with the casts of now, also when it runs again in the backward pass."""
        construct = in_graph_version(self.construct) if in_graph() else self.construct
        if not casting.depth:
            return construct
        now = Computing(self, compiled_dtype(self.__dict__), casting.depth)

        def computing(*args: Any, **kwargs: Any) -> Any:
            with now:
                return construct(*args, **kwargs)

        return computing

    @property
    def cls_name(self) -> str:
        return type(self).__name__

    @property
    def param_prefix(self) -> str:
        """The prefix of its own parameters' names; empty until `update_cell_prefix` of the whole network ran."""
        return self._param_prefix

    @property
    def phase(self) -> str:
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"For 'Cell', the 'phase' must be a string, but got {type(value).__name__}.")
        self.__dict__["_phase"] = value

    def __deepcopy__(self, memo: dict) -> Cell:
        import copy

        clone = type(self).__new__(type(self))
        memo[id(self)] = clone
        for key, value in self.__dict__.items():
            clone.__dict__[key] = None if key in ("_captured", "_compiled_call_impl") else copy.deepcopy(value, memo)
        return clone

    # --- printing -----------------------------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """What a subclass shows in the parentheses."""
        return ""

    def extra_repr(self) -> str:
        return self.extend_repr()

    def __repr__(self) -> str:
        extra = self.extend_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): " + repr(cell).replace("\n", "\n  ") for name, cell in self._modules.items()]
        if len(extra_lines) == 1 and not child_lines:
            return f"{type(self).__name__}({extra})"
        body = "".join(f"\n  {line}" for line in extra_lines + child_lines)
        return f"{type(self).__name__}({body}\n)" if body else f"{type(self).__name__}()"


for _name in TORCH_ONLY - {"named_modules"}:  # torch walks through a network by that one
    setattr(Cell, _name, TorchMember(_name, inspect.getattr_static(Cell, _name)))

placement.follow(Cell)


def _parallel_changed() -> None:
    Cell._special_call = program.parallel is not None


parallel_listeners.append(_parallel_changed)  # behind that of _modes
_parallel_changed()


__getattr__ = module_getattr(__name__, {"GraphCell": "nn._graph_cell", "GraphKernel": "nn.layer._earlier"})
