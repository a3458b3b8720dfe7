"""What a Cell does when its attributes are read and set: children, Parameters, their names; inserting them."""

from __future__ import annotations

import inspect
from typing import Any

import torch

from mindspore_compat._api.former_names import formerly
from mindspore_compat._runtime import placement
from mindspore_compat.common._graph_mode import current, in_graph
from mindspore_compat.common._program import program
from mindspore_compat.common._shared_memory import write_values
from mindspore_compat.common._tracing import is_tracing
from mindspore_compat.common.parameter import Parameter, ParameterTuple, _Buffer, _is_parameter_generated
from mindspore_compat.nn import _inner_operators as _inner
from mindspore_compat.nn._cell_dtype import FLOATS, cast_floats, casting, casts_itself, compiled_dtype
from mindspore_compat.nn._cell_listing import Listing
from mindspore_compat.nn._parameter_hooks import read_in_graph
from mindspore_compat.ops._adapt import fitting
from mindspore_compat.ops.function import assign

__all__ = ["TORCH_ONLY", "Attributes", "TorchMember", "adopt"]


def adopt(module: torch.nn.Module, prefix: str) -> None:
    """Make the parameters of a torch module inside a Cell into Parameters with names, in place (same objects, same
    storage), on the device where Cells lie.
    """
    placement.adopted(module)
    for name, parameter in module.named_parameters():
        if type(parameter) is torch.nn.Parameter:
            wants_grad = parameter.requires_grad
            parameter.__class__ = Parameter
            parameter.__init__(parameter, prefix + name, wants_grad)  # type: ignore[misc]


def _assign_number(parameter: Parameter, value: float) -> None:
    """``self.count = 0`` in a ``construct`` that upstream compiles."""
    if parameter.dim():
        raise ValueError(
            "For 'Assign','value' must have the same rank as 'variable'. But got 'value' rank: 0, 'variable' rank: "
            f"{parameter.dim()}. Use ops.assign with a Tensor of the Parameter's shape."
        )
    if isinstance(value, float) and not parameter.dtype.is_floating_point:
        raise TypeError(
            "Data type conversion is not supported for a 'Parameter', so a float can not be assigned to "
            f"'{parameter.name}' of {parameter.dtype}."
        )
    assign(parameter, value)


#: members of torch.nn.Module that MindSpore's Cell does not have, or, as `buffers`, only since 2.4
TORCH_ONLY = frozenset(
    """
    add_module bfloat16 buffers call_super_init children cpu cuda double dump_patches eval extra_repr float forward
    get_buffer get_parameter get_submodule half ipu modules mtia named_children named_modules named_parameters parameters
    register_full_backward_hook register_full_backward_pre_hook register_module register_parameter requires_grad_
    set_submodule share_memory train type xpu zero_grad
    """.split()
)


def _compiled_value(parameter: Parameter, value: Any) -> Any:
    """What compiled code assigns to a Parameter: of its shape, and of a dtype that is cast to its own implicitly."""
    if torch.promote_types(value.dtype, parameter.dtype) is not parameter.dtype:
        raise TypeError(
            f"Data type conversion is not supported for a 'Parameter': {parameter.name} is of {parameter.dtype}, but "
            f"got a value of {value.dtype} in compiled code. Cast the value first."
        )
    return fitting("Assign", parameter, value)


class TorchMember:
    """A member of torch.nn.Module that MindSpore's Cell does not have. A child or Parameter of its name comes first,
    and so does a member of a mixin behind Cell.
    """

    def __init__(self, name: str, own: Any) -> None:
        self._name, self._own = name, own

    def __get__(self, cell: Any, owner: type) -> Any:
        name, member = self._name, self._own
        if cell is not None:
            state = cell.__dict__
            if any(name in state.get(store, ()) for store in ("_parameters", "_modules", "_buffers")):
                return Attributes.__getattr__(cell, name)
        bases = owner.__mro__
        for base in bases[bases.index(Listing) + 1 : -1]:
            if base is not torch.nn.Module and name in vars(base):
                member = vars(base)[name]
                break
        return member.__get__(cell, owner) if hasattr(member, "__get__") else member


class Attributes(Listing):
    """The part of `Cell` that keeps children and Parameters."""

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        parameters = state.get("_parameters")
        if parameters is not None and name in parameters:
            parameter = parameters[name]
            if parameter is not None and not is_tracing() and (call := current()).is_graph:
                parameter = read_in_graph(parameter, call)
            if (
                casting.depth
                and parameter is not None
                and parameter.dtype in FLOATS
                and (dtype := compiled_dtype(state)) is not None
                and casts_itself(self)
            ):
                shown = cast_floats(parameter, dtype)
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
                if in_graph():  # there it is upstream's Assign, which writes where the Parameter is
                    write_values(parameters[name], _compiled_value(parameters[name], value).detach())
                else:
                    parameters[name].set_data(value)
                return
            if isinstance(value, (int, float)) and parameters[name] is not None and in_graph():
                _assign_number(parameters[name], value)
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
        if isinstance(value, _Buffer):
            state.pop(name, None)
            self.register_buffer(name, value, value.persistent)
            return
        object.__setattr__(self, name, value)

    def _has_own(self, name: str) -> bool:
        """Whether there is such an attribute already; an inner operator that nobody asked for does not stand in the way
        of a user's name.
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
        if isinstance(child, Attributes):
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
        self._restructured()  # whoever asks may change it; the package uses torch's names
        return self.__dict__["_modules"]

    @property
    def _params(self) -> dict[str, Any]:
        self._restructured()
        return self.__dict__["_parameters"]

    # --- inserting ----------------------------------------------------------------------------------------------------

    @formerly(check_name="check_name_contain_dot")
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

    @formerly(child="child_cell")
    def insert_child_to_cell(self, child_name: str, child_cell: Any) -> None:
        """Register a child under a name, without touching its parameters' names.

        Raises:
            TypeError: for a child that is no Cell. KeyError: for an empty, dotted or taken name.
        """
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

    def _exchange_child(self, name: str, child: Any) -> None:
        """``child`` under a name, also where the Cell keeps a list of what it calls."""
        self._restructured()
        self._modules[name] = child

    def register_parameter(self, name: str, param: Any) -> None:
        """torch's: without MindSpore's checks of the name."""
        self._restructured()
        super().register_parameter(name, param)

    def add_module(self, name: str, module: Any) -> None:
        """torch's: without MindSpore's names for the module's parameters."""
        self._restructured()
        super().add_module(name, module)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """A Tensor, or None, that belongs to the state without being a Parameter.

        Raises:
            TypeError: for a name that is no string, a value that is no Tensor.
            KeyError: for a name that is empty, taken or holds a dot.
        """
        self._changed()
        super().register_buffer(name, tensor, persistent)
