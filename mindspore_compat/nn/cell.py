"""`Cell`, the base of all networks: a ``torch.nn.Module`` with MindSpore's rules for names, flags and calls. Upstream:
``mindspore.nn.Cell``.

Children live in torch's ``_modules`` and ``_parameters``, so ``state_dict``, DDP, FSDP and hooks of torch's work on
Cells.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._differentiation import THREAD
from mindspore_compat.common._program import program
from mindspore_compat.common._tracing import not_traced
from mindspore_compat.common._wrap import _is_tracing, wrap, wrapped_in_trace
from mindspore_compat.common.parameter import Parameter, ParameterTuple, _is_parameter_generated
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn import _inner_operators as _inner
from mindspore_compat.nn._bprop import call_with_bprop, recomputed
from mindspore_compat.nn._cell_hints import Hints
from mindspore_compat.nn._cell_listing import Listing
from mindspore_compat.nn._kept_forward import KeptForward

__all__ = ["Cell"]

_Plain = torch.Tensor
_FLOATS = (torch.float16, torch.float32, torch.bfloat16, torch.float64)
_FLAG_DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "bf16": torch.bfloat16}


class _Casting(threading.local):
    """How many Cells with a dtype from `to_float` are running: while one is, it sees its own and its children's
    parameters in that dtype.
    """

    depth = 0


_casting = _Casting()


def _adopt(module: torch.nn.Module, prefix: str) -> None:
    """Make the parameters of a torch module inside a Cell into Parameters with names, in place (same objects, same
    storage).
    """
    for name, parameter in module.named_parameters():
        if type(parameter) is torch.nn.Parameter:
            wants_grad = parameter.requires_grad
            parameter.__class__ = Parameter
            parameter.__init__(parameter, prefix + name, wants_grad)  # type: ignore[misc]


def _cast_floats(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        return (
            wrap(torch._C.TensorBase.to(value, dtype)) if value.dtype in _FLOATS and value.dtype is not dtype else value
        )
    if isinstance(value, (tuple, list)):
        return type(value)([_cast_floats(item, dtype) for item in value]) if type(value) in (tuple, list) else value
    return value


class Cell(KeptForward, Hints, Listing):
    """A network or a part of one. Subclasses set layers and Parameters in ``__init__`` and compute in ``construct``.

    Args:
        auto_prefix: whether parameters of a child get the child's attribute name in front of theirs.
        flags: flags as for `add_flags`.
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
        )
        program.cell_made(state)
        if hasattr(type(self), "bprop"):
            state["_special_call"] = True
        if flags:
            self.add_flags(**flags)

    # --- calling ------------------------------------------------------------------------------------------------------

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """The computation; to be overridden."""
        raise AttributeError(
            f"For 'Cell', the method 'construct' is not defined in {type(self).__name__}. "
            "Define 'construct(self, ...)' in the subclass."
        )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """torch's name for `construct`; what ``torch.nn.Module`` machinery (hooks, compile, DDP) calls."""
        return self.construct(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        state = self.__dict__
        if (
            state["_cast_dtype"] is not None
            or state["requires_grad"]
            or state["_forward_hooks"]
            or state["_forward_pre_hooks"]
            or state["_backward_hooks"]
            or state["_backward_pre_hooks"]
            or self._special_call
        ):
            return self._call_with_extras(args, kwargs)
        result = self.construct(*args, **kwargs)
        cls = type(result)
        if cls is Tensor:
            return result
        if cls is _Plain:
            if _is_tracing():
                return wrapped_in_trace(result)
            result.__class__ = Tensor
            return result
        if torch.compiler.is_exporting() and not _is_tracing():
            self._check_export()
        return wrap(result)

    def _call_with_extras(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call with hooks, a dtype from `to_float`, a custom ``bprop``, recomputation, or a forward kept for
        `GradOperation`.
        """
        if _is_tracing():
            if self._special_call and "_compiled_call_impl" not in self.__dict__:
                return not_traced(Cell._call_with_extras, self, args, kwargs)
        elif self.__dict__.get("_compiled_call_impl") is not None:
            return wrap(self.__dict__["_compiled_call_impl"](*args, **kwargs))
        if self.__dict__["requires_grad"] and not THREAD.running and torch.is_grad_enabled() and not self._trains:
            return not_traced(self._call_and_keep, args, kwargs) if _is_tracing() else self._call_and_keep(args, kwargs)
        return self._call_cast(args, kwargs)

    def _call_cast(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        state = self.__dict__
        dtype = state["_cast_dtype"]
        if dtype is not None:
            args = tuple([_cast_floats(arg, dtype) for arg in args])
            kwargs = {key: _cast_floats(value, dtype) for key, value in kwargs.items()}
        _casting.depth += dtype is not None
        try:
            if (
                state["_forward_hooks"]
                or state["_forward_pre_hooks"]
                or state["_backward_hooks"]
                or state["_backward_pre_hooks"]
            ):
                program.not_repeatable("it has hooks")
                return wrap(torch.nn.Module.__call__(self, *args, **kwargs))
            return wrap(self._run_construct(args, kwargs))
        finally:
            _casting.depth -= dtype is not None

    def _run_construct(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if hasattr(type(self), "bprop") and torch.is_grad_enabled():
            return call_with_bprop(self, args, kwargs)
        if self._recompute and torch.is_grad_enabled():
            return recomputed(self._construct_at(_casting.depth), args, kwargs)
        if self._trains and not kwargs and not self._is_optimizer:
            from mindspore_compat._capture.step.replay import replayed

            return replayed(self, (torch.is_grad_enabled(),), lambda inputs: self.construct(*inputs), args)
        return self.construct(*args, **kwargs)

    def _construct_at(self, depth: int) -> Callable[..., Any]:
        """``construct`` with its Parameters cast as now, also when it runs again in the backward pass."""

        def construct(*args: Any, **kwargs: Any) -> Any:
            before, _casting.depth = _casting.depth, depth
            try:
                return self.construct(*args, **kwargs)
            finally:
                _casting.depth = before

        return construct

    # --- attributes ---------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        parameters = state.get("_parameters")
        if parameters is not None and name in parameters:
            parameter = parameters[name]
            if (
                _casting.depth
                and state["_cast_dtype"] is not None
                and parameter is not None
                and parameter.dtype in _FLOATS
            ):
                shown = _cast_floats(parameter, state["_cast_dtype"])
                if shown is not parameter:
                    shown.shows = parameter  # what is written to it is written to the Parameter
                return shown
            return parameter
        for store in ("_modules", "_buffers"):
            if name in state.get(store, ()):
                return state[store][name]
        if (operator := _inner.inner_operator(self, name)) is not None:
            return operator
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """torch's, which takes a dot in a parameter's name (an optimizer's ``moments.weight``) for a child that is not
        there.
        """
        unknown: list[str] = []
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unknown, error_msgs)
        own = {prefix + name for name in self.__dict__["_parameters"]}
        unexpected_keys.extend(key for key in unknown if key not in own)

    def _restructured(self) -> None:
        """Say that the Cell has other children or Parameters from now on."""
        program.cell_restructured(self.__dict__)

    def _changed(self) -> None:
        """Say that the Cell may compute something else from now on; what was recorded of it then holds no more."""
        program.cell_changed(self.__dict__)

    def __setattr__(self, name: str, value: Any) -> None:
        self._changed()
        if name in _inner.NAMES:
            _inner.replaced(self, name)
        if isinstance(value, Parameter):
            self.__dict__.pop(name, None)
            self.insert_param_to_cell(name, value)
        elif isinstance(value, torch.nn.Module):
            self._set_child(name, value)
        elif isinstance(value, ParameterTuple):
            self._set_parameter_tuple(value)
            object.__setattr__(self, name, value)
        elif isinstance(value, torch.nn.Parameter) and type(value) is not torch.nn.Parameter:  # such as FSDP's DTensors
            self.__dict__.pop(name, None)
            self.register_parameter(name, value)
        elif isinstance(value, torch.nn.Parameter):
            wants_grad = value.requires_grad
            value.__class__ = Parameter
            value.__init__(value, None, wants_grad)  # type: ignore[misc]
            self.insert_param_to_cell(name, value)  # type: ignore[arg-type]
        else:
            if type(value) in (list, tuple) and value and all(isinstance(item, Parameter) for item in value):
                self._check_parameter_sequence(value)
            self._set_object(name, value)

    def _set_object(self, name: str, value: Any) -> None:
        state = self.__dict__
        parameters = state.get("_parameters")
        if parameters is not None and name in parameters:
            if isinstance(value, torch.Tensor) and parameters[name] is not None:
                parameters[name].set_data(value)
                return
            if value is not None:
                raise TypeError(
                    f"Parameter '{name}' already exists in network, can not assign this type: '{type(value)}' as a "
                    "parameter."
                )
            self._restructured()
            parameters[name] = None
            return
        modules = state.get("_modules")
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"Sub cell '{name}' already exists in network, can not assign this type: '{type(value)}' as a cell."
                )
            self._restructured()
            modules[name] = None
            return
        buffers = state.get("_buffers")
        if buffers is not None and name in buffers:
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(
                    f"Buffer '{name}' already exists in network, can not assign this type: '{type(value)}' as a buffer."
                )
            buffers[name] = value
            return
        object.__setattr__(self, name, value)

    def _has_own(self, name: str) -> bool:
        """Whether there is such an attribute already; an inner operator that nobody asked for does not stand in the way
        of a user's name.
        """
        return hasattr(type(self), name) or any(
            name in place for place in (self.__dict__, self._parameters, self._modules, self._buffers)
        )

    def _set_child(self, name: str, child: torch.nn.Module) -> None:
        if "_modules" not in self.__dict__:
            raise AttributeError("For 'Cell', please call Cell.__init__() before setting a child cell.")
        self.__dict__.pop(name, None)
        if isinstance(child, Cell):
            if self._auto_prefix:
                child.update_parameters_name(name + ".")
            self.insert_child_to_cell(name, child)
            if child._is_optimizer:
                self.__dict__.update(_trains=True, _special_call=True)
        else:
            _adopt(child, name + "." if self._auto_prefix else "")
            self._restructured()
            self._modules[name] = child

    def _set_parameter_tuple(self, parameters: ParameterTuple) -> None:
        names: dict[str, int] = {}
        for item in parameters:
            if _is_parameter_generated(item.name):
                item.name = f"Parameter${self._id}"
                self.__dict__["_id"] += 1
            if names.setdefault(item.name, id(item)) != id(item):
                raise ValueError(
                    f"The value {parameters} , its name '{item.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            self.insert_param_to_cell(item.name, item, check_name_contain_dot=False)

    def _check_parameter_sequence(self, parameters: Any) -> None:
        state = self.__dict__
        if state["_exist_names"] is None:
            state["_exist_names"], state["_exist_objs"] = set(), set()
        for item in parameters:
            if id(item) in state["_exist_objs"]:
                continue
            state["_exist_objs"].add(id(item))
            if item.name in state["_exist_names"]:
                raise ValueError(
                    f"The value {parameters} , its name '{item.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            state["_exist_names"].add(item.name)

    def __delattr__(self, name: str) -> None:
        self._restructured()
        for store in (self._parameters, self._modules, self._buffers):
            if name in store:
                del store[name]
                return
        object.__delattr__(self, name)

    def __bool__(self) -> bool:
        return True

    @property
    def _cells(self) -> dict[str, Any]:
        self._restructured()  # whoever asks may change it; the package uses torch's names
        return self.__dict__["_modules"]

    @property
    def _params(self) -> dict[str, Any]:
        self._restructured()
        return self.__dict__["_parameters"]

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

    # --- inserting ----------------------------------------------------------------------------------------------------

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Register ``param`` under ``param_name``; it takes that name if it has none of its own.

        Raises:
            KeyError: for an empty, dotted or taken name. TypeError: if ``param`` is no Parameter.
        """
        if not param_name:
            raise KeyError("For 'insert_param_to_cell', the argument 'param_name' should not be None.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError("For 'insert_param_to_cell', the argument 'param_name' should not contain'.' ")
        if "_parameters" not in self.__dict__:
            raise AttributeError("For 'insert_param_to_cell', please call Cell.__init__() firstly.")
        if param_name not in self._parameters and self._has_own(param_name):
            raise KeyError(
                f"For 'insert_param_to_cell', the {param_name} parameter already exists in the network. "
                "Cannot insert another parameter with the same name."
            )
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                "For 'insert_param_to_cell', the argument 'param' must be 'Parameter' if not None, but got "
                f"{type(param)}."
            )
        if param is not None and _is_parameter_generated(param.name):
            param.name = param_name
        self._restructured()
        self._parameters[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Any) -> None:
        """Register a child under a name, without touching its parameters' names.

        Raises:
            TypeError: for a name that is no str, or a child that is no Cell. KeyError: for an empty, dotted or taken
                name.
        """
        if not isinstance(child_name, str):
            raise TypeError(
                "For 'insert_child_to_cell', the type of parameter 'child_name' must be str, but got "
                f"{type(child_name)}."
            )
        if not child_name or "." in child_name:
            raise KeyError(
                "For 'insert_child_to_cell', the parameter 'child_name' can not be None and can not contain '.' "
            )
        if child_name not in self._modules and self._has_own(child_name):
            raise KeyError(
                f"For 'insert_child_to_cell', the {child_name} child cell already exists in the network. "
                "Cannot insert another child cell with the same name."
            )
        if child_cell is not None and not isinstance(child_cell, torch.nn.Module):
            raise TypeError(
                "For 'insert_child_to_cell', the argument 'child_cell' must be 'Cell' if not None, "
                f"but got type {type(child_cell)}."
            )
        self._restructured()
        self._modules[child_name] = child_cell

    def register_parameter(self, name: str, param: Any) -> None:
        """torch's: without MindSpore's checks of the name."""
        self._restructured()
        super().register_parameter(name, param)

    def add_module(self, name: str, module: Any) -> None:
        """torch's: without MindSpore's names for the module's parameters."""
        self._restructured()
        super().add_module(name, module)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """torch's."""
        self._changed()
        super().register_buffer(name, tensor, persistent)

    # --- modes and flags ----------------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Cell:
        """Training mode for this Cell and all below (a new Cell is in evaluation mode, unlike a torch module)."""
        self.__dict__["_phase"] = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def train(self, mode: bool = True) -> Cell:  # type: ignore[override]
        """torch's name for `set_train`."""
        return self.set_train(mode)

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """Mark the Cell as differentiated: a call keeps its forward for the `GradOperation` that follows."""
        self.__dict__["requires_grad"] = requires_grad
        return self

    def add_flags(self, **flags: Any) -> Cell:
        """Set attributes of this Cell; ``fp16=True`` and the like choose the dtype it computes in."""
        state = self.__dict__
        self._func_graph_flags.update(flags)
        if "training" in flags and state["training"] is not flags["training"]:
            program.changed()
        if any(state.get(name, flags) is not flag for name, flag in flags.items() if name != "training"):
            self._changed()
        state.update(flags)
        for name, dtype in _FLAG_DTYPES.items():
            if flags.get(name):
                self.__dict__["_cast_dtype"] = dtype
        return self

    def add_flags_recursive(self, **flags: Any) -> Cell:
        """`add_flags` for this Cell and all below."""
        self.add_flags(**flags)
        for cell in self.cells():
            if isinstance(cell, Cell):
                cell.add_flags_recursive(**flags)
            elif "training" in flags:
                cell.train(flags["training"])
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags set by `add_flags`."""
        return self._func_graph_flags

    def to_float(self, dst_type: torch.dtype) -> Cell:
        """Compute in ``dst_type``: inputs, and Parameters where they are used, are cast; the Parameters stay as they
        are.

        Raises:
            ValueError: unless it is float16, float32 or bfloat16.
        """
        if dst_type not in _FLAG_DTYPES.values():
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or mstype.bfloat16, "
                f"but got type: {type(dst_type)} and value: {dst_type}."
            )
        return self.add_flags_recursive(**{name: dst_type is dtype for name, dtype in _FLAG_DTYPES.items()})

    def recompute(self, **kwargs: Any) -> None:
        """Recompute this Cell's activations in the backward pass instead of keeping them."""
        unknown = set(kwargs) - {
            "mp_comm_recompute",
            "parallel_optimizer_comm_recompute",
            "use_reentrant",
            "output_recompute",
            "recompute_slice_activation",
        }
        if unknown:
            raise ValueError(f"For 'recompute', keyword {sorted(unknown)} is not recognized.")
        self._changed()
        self.__dict__.update(_recompute=True, _special_call=True)

    # --- data and hooks -----------------------------------------------------------------------------------------------

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """{Parameter: itself}: here data exist from the start."""
        return {parameter: parameter for parameter in self.get_parameters()}

    def apply(self, fn: Callable[[Any], Any]) -> Cell:  # type: ignore[override]
        """``fn`` on every Cell below and on this one."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    def register_forward_hook(self, hook_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``hook_fn(cell, inputs, output)`` after each call; what it returns, if anything, is the output. Returns a
        handle with ``remove()``.
        """
        self._changed()
        return super().register_forward_hook(hook_fn, *args, **kwargs)

    def register_forward_pre_hook(self, hook_fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``hook_fn(cell, inputs)`` before each call; what it returns, if anything, are the inputs."""
        self._changed()
        return super().register_forward_pre_hook(hook_fn, *args, **kwargs)

    def register_full_backward_hook(self, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._changed()
        KeptForward._hooked = True
        warnings.filterwarnings(
            "ignore", "Full backward hook is firing when gradients are computed with respect to module outputs"
        )
        return super().register_full_backward_hook(hook, *args, **kwargs)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._changed()
        KeptForward._hooked = True
        return super().register_full_backward_pre_hook(hook, *args, **kwargs)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        """``hook_fn(cell, grad_input, grad_output)`` after the gradient of the inputs is known; returns a handle with
        ``remove()``.
        """
        return self.register_full_backward_hook(hook_fn)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> Any:
        """``hook_fn(cell, grad_output)`` before; returns a handle with ``remove()``."""
        return self.register_full_backward_pre_hook(hook_fn)

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

    __str__ = __repr__
