"""`Cell`, the base of all networks: a ``torch.nn.Module`` with MindSpore's rules for names, flags and calls. MindSpore:
``mindspore.nn.Cell``.

Children live in torch's ``_modules`` and ``_parameters``, so ``state_dict``, DDP, FSDP and torch's hooks work on Cells.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import logging
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd.cell_bprop import call_with_bprop, recomputed
from mindspore_compat._autograd.forward_cache import ForwardCache
from mindspore_compat._autograd.inference import called, is_inference, may_keep, set_recording, without_graph
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.element_stores import plain_codes, register, register_attribute
from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import EAGER, OUTSIDE, Call, begin, current, end, in_graph, run_in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._graph.replay.computations import computations_of
from mindspore_compat._graph.replay.replay import evaluated, replayed
from mindspore_compat._numerics.dtype_fallback import note_operator
from mindspore_compat._ops.adapt import fitting
from mindspore_compat._runtime import placement
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.module_tree import children, parameters_of, walk
from mindspore_compat._tensor.aliasing import num_aliases, write_values
from mindspore_compat._tensor.data import device_from
from mindspore_compat._tensor.tracing import not_traced, traced_as
from mindspore_compat._tensor.wrapping import _is_tracing, giving_tensors, wrap
from mindspore_compat.common.hook_handle import HookHandle, check_hook_fn
from mindspore_compat.common.parameter import Parameter, ParameterTuple, _Buffer, _is_parameter_generated
from mindspore_compat.common.saved_tensors import saved_tensors_hooks
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication.management import get_group_size, get_rank
from mindspore_compat.context import get_auto_parallel_context, is_graph_mode, parallel_listeners
from mindspore_compat.nn import _inner_operators as _inner
from mindspore_compat.nn import _parameter_hooks
from mindspore_compat.nn._backward_hooks import BackwardHooks, handle
from mindspore_compat.nn._cell_dtype import (
    FLAG_DTYPES,
    FLOATS,
    Computing,
    MixedPrecisionType,
    cast_floats,
    cast_inputs,
    casting,
    casts_itself,
    compiled_dtype,
    let_methods_compute,
    run_in_dtype,
)
from mindspore_compat.ops.function import assign
from mindspore_compat.parallel import _modes  # noqa: F401  (sets program.parallel)
from mindspore_compat.parallel.shard import shard

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Cell", "TORCH_ONLY", "adopt", "no_init_parameters"]


def adopt(module: torch.nn.Module, prefix: str) -> None:
    """Turn the parameters of a torch module inside a Cell into named Parameters, in place (same objects, same storage),
    on the Cells' device. From Tensors it computes Tensors from now on.
    """
    placement.adopted(module)
    if _give_tensors not in module._forward_hooks.values():
        module.register_forward_hook(_give_tensors, with_kwargs=True)
    for name, parameter in module.named_parameters():
        if type(parameter) is torch.nn.Parameter:
            wants_grad = parameter.requires_grad
            parameter.__class__ = Parameter
            parameter.__init__(parameter, prefix + name, wants_grad)  # type: ignore[misc]


def _give_tensors(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any], result: Any) -> Any:
    return wrap(result) if _has_tensor((*args, *kwargs.values())) else None


def _has_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or (isinstance(value, (tuple, list)) and any(map(_has_tensor, value)))


#: members of torch.nn.Module that MindSpore's Cell does not have, or, as `buffers`, only since 2.4
TORCH_ONLY = frozenset(
    """
    add_module bfloat16 buffers call_super_init children cpu cuda double dump_patches eval extra_repr float forward
    get_buffer get_parameter get_submodule half ipu modules mtia named_children named_modules named_parameters
    parameters register_full_backward_hook register_full_backward_pre_hook register_module register_parameter
    requires_grad_ set_submodule share_memory train type xpu zero_grad
    """.split()
)


def _compiled_value(parameter: Parameter, value: Any) -> Any:
    """Return the value of an assignment in compiled code: the Parameter's shape, a dtype that is cast implicitly."""
    if torch.promote_types(value.dtype, parameter.dtype) is not parameter.dtype:
        raise TypeError(
            f"Data type conversion is not supported for a 'Parameter': {parameter.name} is of {parameter.dtype}, but "
            f"got a value of {value.dtype} in compiled code. Cast the value first."
        )
    return fitting("Assign", parameter, value)


def _try_assign(parameter: Parameter, value: Any) -> bool:
    """Assign a Tensor, or in compiled code a number, to a Cell's Parameter. Return False for others."""
    if in_graph():  # there it is MindSpore's Assign, which writes where the Parameter is
        if isinstance(value, torch.Tensor):
            write_values(parameter, _compiled_value(parameter, value).detach())
        else:
            assign(parameter, value)
    elif isinstance(value, torch.Tensor):
        parameter.set_data(value)
    else:
        return False
    return True


class TorchMember:
    """Member of torch.nn.Module that MindSpore's Cell does not have. A child, a Parameter or a later mixin's member of
    its name takes precedence.
    """

    def __init__(self, name: str, own: Any) -> None:
        self._name, self._own = name, own

    def __get__(self, cell: Any, owner: type) -> Any:
        name, member = self._name, self._own
        if cell is not None:
            state = cell.__dict__
            if any(name in state.get(store, ()) for store in ("_parameters", "_modules", "_buffers")):
                return Cell.__getattr__(cell, name)
        bases = owner.__mro__
        for base in bases[bases.index(Cell) + 1 : -1]:
            if base is not torch.nn.Module and name in vars(base):
                member = vars(base)[name]
                break
        return member.__get__(cell, owner) if hasattr(member, "__get__") else member


def _placed(device: Any) -> Any:
    """Return torch's device for MindSpore's names; others are torch's own."""
    is_ours = isinstance(device, str) and device.partition(":")[0].upper() in ("CPU", "GPU", "ASCEND")
    return device_from(device) if is_ours else device


_log = logging.getLogger("mindspore_compat")


def _empty(make: Callable[[], Any]) -> Any:
    """Return an attribute of each Cell that is empty until a program fills it."""
    return functools.cached_property(lambda cell: make())


#: whether torch.export runs; torch 2.6 says only whether something compiles
_is_exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)
#: attributes that hold no functions of the program
_HOLD_NOTHING = frozenset((Tensor, int, float, bool, str, type(None), torch.dtype))
#: results that `wrap` leaves as they are
_NOT_WRAPPED = frozenset((Tensor, int, float, bool, str, type(None)))


class Cell(ForwardCache, torch.nn.Module):
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

    # attributes that MindSpore's compiler fills; borrowers: mindformers, mindediting, mindone
    #: names of attributes that no Cell of a `CellDict` may have
    IGNORE_LIST = """
        _scope _cell_init_args _auto_prefix _cells _params _create_time _func_graph_flags _parameter_layout_dict
        _params_list _phase _bprop_debug _forward_pre_hook _forward_hook _backward_pre_hook _backward_hook
        _cell_backward_pre_hook _cell_backward_hook _param_prefix requires_grad cell_type _in_strategy _out_strategy
    """.split()
    bprop_debug = compiled = False
    compile_phase: Any = None
    parallel_parameter_name_list: tuple[str, ...] = ()
    global_cells: dict[Any, Any] = {}
    #: set by `_extends.cell_attr_register`
    cell_init_args = ""
    #: set by `nn.PipelineCell`, without effect: stages run one after the other
    pipeline_segment: int | None = None
    phase_cache, parameter_layout_dict, parallel_parameter_merge_net_dict = _empty(dict), _empty(dict), _empty(dict)
    exist_names, exist_objs, create_time = _empty(set), _empty(set), _empty(time.time_ns)

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
        """Compute the outputs; to be overridden."""
        raise AttributeError(
            f"For 'Cell', the method 'construct' is not defined in {type(self).__name__}. "
            "Define 'construct(self, ...)' in the subclass."
        )

    def forward(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run `construct` under torch's name, for ``torch.nn.Module`` machinery (hooks, compile, DDP)."""
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
        """Run an outermost call, outside of other Cells and functions under ``jit``."""
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
            call = Call(True, (*args, *kwargs.values()))
            if not state["training"] or self._trains or state["requires_grad"]:
                return around(run_in_graph, call, compute, *args, **kwargs)
            return computations_of(self).graphs.run(
                "forward", (args, kwargs), None, run_in_graph, call, compute, *args, **kwargs
            )
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
        """Run a call that torch.compile traces."""
        return wrap(self._construct_now(args, kwargs) if is_plain else self._call_with_extras(*args, **kwargs))

    def _call_with_extras(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run a first call, or one with hooks, a dtype from `to_float`, a custom ``bprop``, recomputation, or a forward
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
        """Return ``construct`` with the present casts, also for a second run in the backward pass."""
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
        self.__dict__["_phase"] = value

    def __deepcopy__(self, memo: dict) -> Cell:
        import copy

        clone = type(self).__new__(type(self))
        memo[id(self)] = clone
        for key, value in self.__dict__.items():
            clone.__dict__[key] = None if key in ("_captured", "_compiled_call_impl") else copy.deepcopy(value, memo)
        return clone

    # --- names and listing -------------------------------------------------------------------------------------------

    def __dir__(self) -> list[str]:
        """Return names without those of children and Parameters, as MindSpore: libraries search them for operators."""
        return list(object.__dir__(self))

    # --- listing ------------------------------------------------------------------------------------------------------

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Yield (path, Parameter) of this Cell and, with ``expand``, all below; each once, at its first place."""
        return parameters_of(self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)])

    def cells_and_names(self, cells: set | None = None, name_prefix: str = "") -> Iterator[tuple[str, Any]]:
        """Yield (path, Cell) of this Cell and all below, each once.

        Examples:
            >>> net = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())
            >>> print([name for name, _ in net.cells_and_names()])
            ['', '0', '1']
        """
        seen = cells if cells else set()
        yield from walk(self, seen, name_prefix)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Yield the Parameters of `parameters_and_names`.

        Examples:
            >>> print([item.name for item in nn.Dense(3, 2).get_parameters()])
            ['weight', 'bias']
        """
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters with ``requires_grad``.

        Examples:
            >>> print([item.name for item in nn.Dense(3, 2).trainable_params()])
            ['weight', 'bias']
        """
        return [parameter for parameter in self.get_parameters(expand=recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters without ``requires_grad``."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if not parameter.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Return {Parameter.name: Parameter}."""
        return OrderedDict((parameter.name, parameter) for parameter in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter] | None:
        """Return the Parameters that are the same on all devices: all that are not layerwise_parallel; None if there
        are none.
        """
        found = OrderedDict((p.name, p) for p in self.get_parameters(expand=recurse) if not p.layerwise_parallel)
        return found or None

    def name_cells(self) -> OrderedDict[str, Any]:
        """Return {name: child} of the immediate children, each once."""
        return OrderedDict(children(self))

    def cells(self) -> Any:
        """Return the immediate children."""
        return self.name_cells().values()

    def get_sub_cell(self, target: str) -> Any:
        """Return the Cell at a dotted path."""
        return self.get_submodule(target)

    # --- names --------------------------------------------------------------------------------------------------------

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every Parameter by its path below this Cell, with ``prefix`` in front."""
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + path

    _update_local_parameters_name = update_parameters_name  # of Cells of programs; MindSpore's too renames all

    def update_cell_prefix(self) -> None:
        """Set ``param_prefix`` of all Cells below."""
        for path, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = path

    def update_cell_type(self, cell_type: str) -> None:
        """Mark the Cell, e.g. as "quant" or "second-order"."""
        self.__dict__["cell_type"] = cell_type

    def check_names(self) -> None:
        """Raise a ValueError if two Parameters have one name."""
        names = set()
        for path, parameter in self.parameters_and_names():
            if parameter.name in names:
                raise ValueError(
                    f"The value of {path} is {parameter}, its name '{parameter.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            names.add(parameter.name)

    def check_names_and_refresh_name(self) -> None:
        """Rename all Parameters by their paths if two have one name."""
        names = [parameter.name for parameter in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    def _name_at_first_call(self) -> None:
        """Name Parameters before the first call, as MindSpore: where two have one name, as in Cells joined by
        ``append``, all get their paths for names.
        """
        if not all(isinstance(parameter, Parameter) for parameter in self.get_parameters()):
            return  # torch.func.functional_call has put other tensors in their place
        self.check_names_and_refresh_name()
        for _, cell in self.cells_and_names():  # whose names differ from now on
            if isinstance(cell, Cell):
                cell.__dict__["_unnamed"] = False

    def get_scope(self) -> str | None:
        """Return the scope set by `generate_scope`."""
        return self._scope

    def generate_scope(self) -> None:
        """Give each Cell below a scope such as ``Default/layer1-Dense``."""
        for name, cell in _scopes(self, "Default"):
            if isinstance(cell, Cell) and cell._scope in (None, "recompute_"):
                cell.__dict__["_scope"] = (cell._scope or "") + name

    # --- attributes: children, Parameters, buffers -------------------------------------------------------------------

    def _attribute(self, name: str) -> Any:
        """Return a Parameter, child or buffer, without graph mode's replacement of a Parameter."""
        state = self.__dict__
        for store in ("_parameters", "_modules", "_buffers"):
            if name in state.get(store, ()):
                found = state[store][name]
                return self._in_own_dtype(found) if casting.depth and store == "_parameters" else found
        if (operator := _inner.inner_operator(self, name)) is not None:
            return operator
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    @traced_as(_attribute)
    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        parameters = state.get("_parameters", ())
        if name not in parameters:
            children = state.get("_modules", ())
            return children[name] if name in children else self._attribute(name)
        parameter = parameters[name]
        if parameter is not None:
            call = current()
            if call.is_graph:
                if id(parameter) not in call.aliases:
                    call.aliases[id(parameter)] = num_aliases(parameter)
                if "_forward_hook" in parameter.__dict__:
                    parameter = parameter.__dict__["_forward_hook"](parameter)
            if casting.depth:
                return self._in_own_dtype(parameter)
        return parameter

    def _in_own_dtype(self, parameter: Any) -> Any:
        """Return the Parameter in the dtype that this Cell computes in."""
        if parameter is None or parameter.dtype not in FLOATS:
            return parameter
        dtype = compiled_dtype(self.__dict__)
        if dtype is None or not casts_itself(self):
            return parameter
        shown = cast_floats(parameter, dtype)
        if shown is not parameter:
            shown.shows = parameter  # what is written to it is written to the Parameter
        return shown

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
        """Load as torch, which takes a dot in a parameter's name (an optimizer's ``moments.weight``) for a missing
        child.
        """
        unknown: list[str] = []
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unknown, error_msgs)
        own = {prefix + name for name in self.__dict__["_parameters"]}
        unexpected_keys.extend(key for key in unknown if key not in own)

    def _restructured(self) -> None:
        """Report that the Cell has other children or Parameters from now on."""
        program.cell_restructured(self.__dict__)

    def _changed(self) -> None:
        """Report that the Cell may compute something else from now on; recordings of it are no longer valid."""
        program.cell_changed(self.__dict__)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, (torch.Tensor, int, float)) and not isinstance(value, torch.nn.Parameter):
            parameter = self.__dict__.get("_parameters", {}).get(name)
            if parameter is not None and _try_assign(parameter, value):
                return
        if value.__class__ in _HOLD_NOTHING and self.__dict__.get(name, self) is value:
            return
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
            if value.__class__ not in _HOLD_NOTHING:
                register_attribute(name, value)
            self._set_object(name, value)

    def _set_object(self, name: str, value: Any) -> None:
        state = self.__dict__
        parameters = state.get("_parameters")
        if parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"Parameter '{name}' already exists in network, cannot assign this type: '{type(value)}' as a "
                    "parameter."
                )
            self._restructured()
            parameters[name] = None
            return
        modules = state.get("_modules")
        if modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"Sub cell '{name}' already exists in network, cannot assign this type: '{type(value)}' as a cell."
                )
            self._restructured()
            modules[name] = None
            return
        buffers = state.get("_buffers")
        if buffers is not None and name in buffers:
            if value is not None and not isinstance(value, torch.Tensor):
                raise TypeError(
                    f"Buffer '{name}' already exists in network, cannot assign this type: '{type(value)}' as a buffer."
                )
            buffers[name] = value
            return
        if isinstance(value, _Buffer):
            state.pop(name, None)
            self.register_buffer(name, value, value.persistent)
            return
        object.__setattr__(self, name, value)

    def _has_own(self, name: str) -> bool:
        """Return whether there is such an attribute already. An unused inner operator does not conflict with a user's
        name.
        """
        if any(name in place for place in (self.__dict__, self._parameters, self._modules, self._buffers)):
            return True
        found = inspect.getattr_static(type(self), name, None)
        if inspect.ismemberdescriptor(found):  # of `__slots__`: there once it was set
            return hasattr(self, name)
        return found is not None and not isinstance(found, TorchMember)

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
            adopt(child, name + "." if self._auto_prefix else "")
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
        self._restructured()  # the caller may change it; the package uses torch's names
        return self.__dict__["_modules"]

    @property
    def _params(self) -> dict[str, Any]:
        self._restructured()
        return self.__dict__["_parameters"]

    # --- inserting ----------------------------------------------------------------------------------------------------

    @renamed_args(check_name="check_name_contain_dot")
    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Register ``param`` under ``param_name``; it takes that name if it has none of its own.

        Raises:
            KeyError: for an empty, dotted or taken name. TypeError: if ``param`` is no Parameter.
        """
        if not param_name or (check_name_contain_dot and "." in param_name):
            raise KeyError(f"For 'insert_param_to_cell', {param_name!r} is empty or has a dot.")
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

    @renamed_args(child="child_cell")
    def insert_child_to_cell(self, child_name: str, child_cell: Any) -> None:
        """Register a child under a name, without touching its parameters' names.

        Raises:
            TypeError: for a child that is no Cell. KeyError: for an empty, dotted or taken name.
        """
        if not child_name or "." in child_name:
            raise KeyError(
                "For 'insert_child_to_cell', the parameter 'child_name' cannot be None and cannot contain '.' "
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

    def _exchange_child(self, name: str, child: Any) -> None:
        """Set ``child`` under a name, also in the Cell's list of children to call."""
        self._restructured()
        self._modules[name] = child

    def register_parameter(self, name: str, param: Any) -> None:
        """Register as torch, without MindSpore's checks of the name."""
        self._restructured()
        super().register_parameter(name, param)

    def add_module(self, name: str, module: Any) -> None:
        """Add as torch, without MindSpore's names for the module's parameters."""
        self._restructured()
        super().add_module(name, module)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Register a Tensor, or None, that belongs to the state without being a Parameter.

        Raises:
            TypeError: for a name that is no string, a value that is no Tensor.
            KeyError: for a name that is empty, taken or holds a dot.
        """
        self._changed()
        super().register_buffer(name, tensor, persistent)

    # --- hooks -------------------------------------------------------------------------------------------------------

    def register_forward_hook(
        self,
        hook_fn: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> Any:
        """Call ``hook_fn(cell, inputs, output)`` after each call; its result, if any, replaces the output. Return a
        handle with ``remove()``. As in MindSpore, a Cell with a ``bprop`` calls none.

        Args:
            prepend: before the hooks that are there.
            with_kwargs: ``hook_fn(cell, inputs, keywords, output)``.
            always_call: also if the call fails; the output is None then.

        Raises:
            TypeError: unless ``hook_fn`` can be called, or if `jit` compiles it.
        """
        check_hook_fn(hook_fn)
        if hasattr(type(self), "bprop"):
            return HookHandle(collections.OrderedDict())
        self._changed()
        return handle(
            super().register_forward_hook(hook_fn, prepend=prepend, with_kwargs=with_kwargs, always_call=always_call)
        )

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Any:
        """Call ``hook_fn(cell, inputs)`` before each call; its result, if any, replaces the inputs.

        Args:
            prepend: before the hooks that are there.
            with_kwargs: ``hook_fn(cell, inputs, keywords)``, which returns None or both.

        Raises:
            TypeError: unless ``hook_fn`` can be called, or if `jit` compiles it.
        """
        check_hook_fn(hook_fn)
        self._changed()
        return handle(super().register_forward_pre_hook(hook_fn, prepend=prepend, with_kwargs=with_kwargs))

    def register_full_backward_hook(self, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        check_hook_fn(hook)
        self._changed()
        return handle(super().register_full_backward_hook(hook, *args, **kwargs))

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        check_hook_fn(hook)
        self._changed()
        return handle(super().register_full_backward_pre_hook(hook, *args, **kwargs))

    @renamed_args(fn="hook_fn")
    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> Any:  # type: ignore[override]
        """Call ``hook_fn(cell, grad_input, grad_output)`` once the gradients of the inputs are known; its result, if
        any, replaces them. Return a handle with ``remove()``.

        ``grad_input`` has one gradient for each positional input that is a Tensor. If the output does not depend on it,
        the gradient is None, in compiled code zeros (the hook's result for them is ignored). If no input needs a
        gradient, it is ``(None,)``.

        Raises:
            TypeError: unless ``hook_fn`` can be called; in the backward pass, if it returns another number of
                gradients, or what is no Tensor.
            ValueError: in the backward pass, if shape or type of a gradient differ.
        """
        return self.register_full_backward_hook(hook_fn)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> Any:
        """Call ``hook_fn(cell, grad_output)`` before; its result, if any, replaces grad_output. As
        `register_backward_hook`.
        """
        return self.register_full_backward_pre_hook(hook_fn)

    def _has_hooks(self) -> bool:
        state = self.__dict__
        return bool(
            state["_forward_hooks"]
            or state["_forward_pre_hooks"]
            or state["_backward_hooks"]
            or state["_backward_pre_hooks"]
        )

    def _call_hooked(self, run: Callable[[tuple, dict[str, Any]], Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run ``run(args, kwargs)`` with all hooks around it."""
        called: set[int] = set()
        try:
            args, kwargs = self._run_forward_pre_hooks(wrap(args), wrap(kwargs))
            backward = BackwardHooks(self) if self._backward_hooks or self._backward_pre_hooks else None
            output = wrap(run(backward.inputs(args) if backward else args, kwargs))
            for key, hook in list(self._forward_hooks.items()):
                called.add(key)
                given = (args, kwargs) if key in self._forward_hooks_with_kwargs else (args,)
                changed = hook(self, *given, output)
                output = output if changed is None else changed
            return backward.outputs(output) if backward else output
        except Exception:
            for key, hook in list(self._forward_hooks.items()):
                if key in self._forward_hooks_always_called and key not in called:
                    self._call_after_failure(key, hook, args, kwargs)
            raise

    def _call_after_failure(self, key: int, hook: Callable[..., Any], args: tuple, kwargs: dict) -> None:
        try:
            hook(self, *((args, kwargs) if key in self._forward_hooks_with_kwargs else (args,)), None)
        except Exception as error:
            warnings.warn(
                f"A forward hook with always_call=True failed after its Cell had failed: {error}", stacklevel=2
            )

    def _run_forward_pre_hooks(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        for key, hook in list(self._forward_pre_hooks.items()):
            if key in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is None:
                    continue
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        "forward pre hook with kwargs must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {changed}"
                    )
                args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    # --- modes and flags ---------------------------------------------------------------------------------------------

    _run_method = run_in_dtype  # `jit` of a method calls it

    def set_train(self, mode: bool = True) -> Self:
        """Set training mode for this Cell and all below (a new Cell is in evaluation mode, unlike a torch module).

        Examples:
            >>> net = nn.Dropout(p=0.5).set_train(False)
            >>> print(net(Tensor([1.0, 2.0])))
            [1. 2.]
        """
        self.__dict__["_phase"] = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def train(self, mode: bool = True) -> Self:  # type: ignore[override]
        """Run `set_train` under torch's name."""
        return self.set_train(mode)

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Mark the Cell as differentiated: a call keeps its forward for the `GradOperation` that follows.

        Examples:
            >>> net = nn.Dense(3, 2).set_grad()
            >>> print(net.requires_grad)
            True
        """
        self.__dict__["requires_grad"] = requires_grad
        return self

    def add_flags(self, **flags: Any) -> Self:
        """Set attributes of this Cell; ``fp16=True`` and the like choose the dtype it computes in."""
        state = self.__dict__
        self._func_graph_flags.update(flags)
        if "training" in flags and state["training"] is not flags["training"]:
            program.changed()
        if any(state.get(name, flags) is not flag for name, flag in flags.items() if name != "training"):
            self._changed()
        state.update(flags)
        for name, dtype in FLAG_DTYPES.items():
            if flags.get(name):
                state.update(_cast_dtype=dtype, _compiled_type=None)
                let_methods_compute(self)
        return self

    def add_flags_recursive(self, **flags: Any) -> Self:
        """Run `add_flags` for this Cell and all below."""
        self.add_flags(**flags)
        for cell in self.cells():
            if isinstance(cell, Cell):
                cell.add_flags_recursive(**flags)
            elif "training" in flags:
                cell.train(flags["training"])
        return self

    def get_flags(self) -> dict[str, Any]:
        """Return the flags set by `add_flags`."""
        return self._func_graph_flags

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move Parameters and buffers to a device ("CPU", "GPU", "Ascend", "GPU:1" or one of torch's), and floats among
        them to a dtype. Arguments as those of `torch.nn.Module.to`.

        Raises:
            ValueError: if there is no such device.
        """
        if "device" in kwargs:
            kwargs["device"] = _placed(kwargs["device"])
        return super().to(*map(_placed, args), **kwargs)

    def to_empty(self, *, device: Any = None, recurse: bool = True) -> Self:
        """Allocate new storage without values for all Parameters and buffers, on ``device`` or, for None, the current
        one.
        """
        place = current_device() if device is None else _placed(device)
        return super().to_empty(device=place, recurse=recurse)

    def to_float(self, dst_type: torch.dtype) -> Self:
        """Compute in ``dst_type``: inputs, and Parameters where they are used, are cast; the Parameters stay as they
        are.

        Raises:
            ValueError: unless it is float16, float32 or bfloat16.

        Examples:
            >>> net = nn.Dense(3, 2).to_float(ms.float16)
            >>> print(net(ops.ones((1, 3))).dtype == ms.float16)
            True
        """
        if dst_type not in FLAG_DTYPES.values():
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or mstype.bfloat16, "
                f"but got type: {type(dst_type)} and value: {dst_type}."
            )
        return self.add_flags_recursive(**{name: dst_type is dtype for name, dtype in FLAG_DTYPES.items()})

    def recompute(self, **kwargs: Any) -> None:
        """Recompute this Cell's activations in the backward pass instead of keeping them."""
        unknown = set(kwargs) - {
            "mode",
            "mp_comm_recompute",
            "parallel_optimizer_comm_recompute",
            "use_reentrant",
            "output_recompute",
            "recompute_slice_activation",
        }
        if unknown:
            raise ValueError(f"For 'recompute', keyword {sorted(unknown)} is not recognized.")
        self._changed()
        scope = self._scope or ""
        scope = scope if scope.startswith("recompute_") else f"recompute_{scope}"  # by which libraries tell
        self.__dict__.update(_recompute=True, _special_call=True, _scope=scope)

    # --- data ---------------------------------------------------------------------------------------------------------

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Return {Parameter: itself}: data exist from the start."""
        return {parameter: parameter for parameter in self.get_parameters()}

    def apply(self, fn: Callable[[Any], Any]) -> Self:  # type: ignore[override]
        """Call ``fn`` on every Cell below and on this one."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # --- hints for MindSpore's compiler and pipelines: kept, or without effect ---------------------------------------

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """Call it; there is no separate compilation."""
        return self(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile calls of the Cell from now on, by torch's ``compile(fullgraph=, dynamic=, backend=, mode=,
        options=)``.

        MindSpore's form, with inputs to compile for, does nothing.
        """
        if args or not kwargs.keys() <= {"fullgraph", "dynamic", "backend", "mode", "options", "disable"}:
            return
        self._changed()
        self.__dict__.update(_compiled_call_impl=torch.compile(self._call_cast_plainly, **kwargs), _special_call=True)

    def _call_cast_plainly(self, *args: Any, **kwargs: Any) -> Any:
        return self._call_cast(args, kwargs)

    def _check_export(self) -> None:
        """Raise for torch.export without ``strict``: it runs Python with torch's own tensors, on which ``~x``,
        ``x.max(axis=1)`` and the like have torch's meaning.
        """
        if not type(self).__module__.startswith("mindspore_compat."):
            raise RuntimeError(
                f"torch.export.export of the Cell '{type(self).__name__}' needs strict=True: without it, operators and "
                "methods in 'construct' would have torch's meaning."
            )

    def set_broadcast_flag(self, mode: bool = True) -> Any:
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_boost(self, boost_type: str) -> Any:
        """Set the flag for Ascend's boost library: only ``"less_bn"`` is known; without effect here."""
        return self.add_flags_recursive(less_bn=True)

    def set_comm_fusion(self, fusion_type: int, recurse: bool = True) -> Any:
        """Store a hint for fusing communication on the Parameters; torch's buckets decide."""
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    @property
    def pipeline_stage(self) -> Any:
        """The stage of a pipeline that the Cell belongs to, None unless set (docs/design/parallel.md)."""
        return self.__dict__.get("_pipeline_stage")

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        if value < 0:
            raise ValueError(f"For 'Cell', the property 'pipeline_stage' cannot be less than 0, but got {value}")
        self.__dict__["_pipeline_stage"] = value

    def infer_param_pipeline_stage(self) -> list[Any]:
        """Return the trainable Parameters of this process's stage: of Cells of the stage, of Cells without one, and
        those that `Parameter.add_pipeline_stage` assigns to it.
        """
        stages = get_auto_parallel_context("pipeline_stages")
        stage = get_rank() // max(get_group_size() // stages, 1)
        found: dict[int, Any] = {}
        _collect(self, None, stage, found)
        return [item for item in self.trainable_params() if id(item) in found]

    @property
    def compile_cache(self) -> set[str]:
        """Compiled graphs of the Cell: always empty."""
        return set()

    #: the level of `auto_mixed_precision`, which keeps its own here
    _amp_level = ""

    def _get_attr_from_cell(self, network: Any) -> None:
        """Copy the compiler's options and the level of mixed precision from the inner network."""
        for name in ("_jit_level", "_amp_level"):
            if name in getattr(network, "__dict__", {}):
                self.__dict__[name] = network.__dict__[name]

    def _parallel_optimizer_comm_recompute(self, parallel_optimizer_comm_recompute: bool = False) -> None:
        """Mark the Parameters, as MindSpore does."""
        for parameter in self.trainable_params():
            parameter.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute

    def set_jit_config(self, jit_config: Any) -> None:
        """Set the ``jit_level`` of a training Cell in GRAPH_MODE: at "O1" and "O2" inductor compiles replays. Other
        options have no effect.

        Raises:
            ValueError: for another level than "O0", "O1" and "O2".
        """
        level = jit_config.jit_config_dict["jit_level"]
        if level not in ("", "O0", "O1", "O2"):
            raise ValueError(
                f"For 'set_jit_config', the 'jit_level' must be one of ['O0', 'O1', 'O2'], but got {level!r}."
            )
        self._changed()
        self.__dict__["_jit_level"] = level

    def shard(self, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None, **more: Any) -> Any:
        """Return the Cell with its inputs split over processes, as `mindspore.shard`."""
        return shard(self, in_strategy, out_strategy, parameter_plan, **more)

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Store shapes of dynamic inputs for `get_inputs`; eager execution takes any shape."""
        self.__dict__["_inputs_spec"] = inputs or kwargs

    def get_inputs(self) -> Any:
        """Return the inputs from `set_inputs`.

        Examples:
            >>> net = nn.Dense(3, 2)
            >>> net.set_inputs(Tensor(shape=[None, 3], dtype=ms.float32))
            >>> print(net.get_inputs()[0].shape)
            (-1, 3)
        """
        return self._inputs_spec

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The options of `set_jit_config`, by name."""
        level = self.__dict__.get("_jit_level")
        return {"jit_level": level} if level else {}

    def get_func_graph_proto(self) -> None:
        """Return None: there is no compiled graph. ``mindspore.export`` writes one."""

    def run_construct(self, cast_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run ``construct`` without hooks."""
        return self.construct(*cast_inputs, **kwargs)

    def cast_inputs(self, inputs: Any, dst_type: Any) -> None:
        """Do nothing, as MindSpore since 2.9; `to_float` casts."""
        _log.warning("'cast_inputs' will be deprecated in future versions.")

    def flatten_weights(self, fusion_size: int = 0) -> None:
        """Do nothing: whether weights share one block of memory changes no result."""

    def remove_redundant_parameters(self) -> None:
        """Do nothing, as MindSpore since 2.9."""
        _log.warning("'remove_redundant_parameters' will be deprecated in future versions.")

    def set_data_parallel(self) -> None:
        """Do nothing: operators without a strategy split the batch anyway."""

    def offload(self, backward_prefetch: str | int = "Auto") -> None:
        """Do nothing: whether activations stay in device memory changes no result."""

    def register_saved_tensors_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Use `mindspore.saved_tensors_hooks` around each ``construct`` of this Cell."""
        inner = self.construct

        @functools.wraps(inner)
        def construct(*args: Any, **kwargs: Any) -> Any:
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return inner(*args, **kwargs)

        self.construct = construct  # type: ignore[method-assign]

    def register_parameter_forward_hook(self, hook: Callable[[Any], Any] | list[dict[str, Any]]) -> None:
        """Compute with ``hook(parameter)`` in place of a Parameter, in GRAPH_MODE and `mindspore.jit`.

        Args:
            hook: for every Parameter of the Cell, or a list of {"params": Parameters, "hook": their function}. A
                Parameter keeps its last hook.

        Raises:
            TypeError: for what is neither. ValueError: if a dict lacks one of the keys.

        Examples:
            >>> class Net(nn.Cell):
            ...     def __init__(self):
            ...         super().__init__()
            ...         self.weight = Parameter(Tensor(2.0))
            ...     def construct(self, x):
            ...         return x * self.weight
            >>> net = Net()
            >>> net.register_parameter_forward_hook([{"params": [net.weight], "hook": lambda weight: weight * 10}])
            >>> print(ms.jit(lambda x: net(x))(Tensor(3.0)))
            60.0
        """
        _parameter_hooks.register(self, hook)

    def get_mixed_precision_type(self) -> MixedPrecisionType:
        """Return the type from `to_float` or `set_mixed_precision_type`."""
        dtype = self.__dict__["_cast_dtype"]
        cast = (MixedPrecisionType[name.upper()] for name, item in FLAG_DTYPES.items() if item is dtype)
        return self.__dict__.get("_compiled_type") or next(cast, MixedPrecisionType.NOTSET)

    def set_mixed_precision_type(self, mixed_type: MixedPrecisionType) -> None:
        """Cast inputs and own Parameters of this Cell, not its children's, in GRAPH_MODE and `mindspore.jit`."""
        self._changed()
        self.__dict__.update(_compiled_type=mixed_type, _special_call=True)
        let_methods_compute(self)

    # --- printing -----------------------------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """Return the text in the parentheses; subclasses override it."""
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


def _scopes(cell: Any, parent: str) -> Iterator[tuple[str, Any]]:
    scopes = [(f"{parent}/{name}-{type(child).__name__}", child) for name, child in children(cell).items()]
    yield from scopes
    for scope, child in scopes:
        yield from _scopes(child, scope)


def _collect(cell: Any, around: int | None, stage: int, found: dict[int, Any]) -> None:
    """Add the Parameters of ``stage``; a Cell without a stage is in that of the Cell around it."""
    own = getattr(cell, "pipeline_stage", None)
    own = around if own is None else own
    for item in cell._parameters.values():
        if item is not None and (own in (None, stage) or stage in item.__dict__.get("_pipeline_stages", ())):
            found[id(item)] = item
    for child in cell._modules.values():
        if child is not None:
            _collect(child, own, stage, found)


@contextlib.contextmanager
def no_init_parameters() -> Iterator[None]:
    """Do nothing, for networks whose values come from a checkpoint. Parameters have first values at once, so a network
    without a checkpoint runs with these, as in MindSpore.
    """
    yield


for _name in TORCH_ONLY - {"named_modules"}:  # torch walks through a network by that one
    setattr(Cell, _name, TorchMember(_name, inspect.getattr_static(Cell, _name)))

placement.follow(Cell)


def _parallel_changed() -> None:
    Cell._special_call = program.parallel is not None


parallel_listeners.append(_parallel_changed)  # behind that of _modes
_parallel_changed()


__getattr__ = module_getattr(__name__, {"GraphCell": "nn._graph_cell", "GraphKernel": "nn.layer._earlier"})
