"""Builders of operator descriptions, called by golden-stick's `mindspore_gs/ops/gs_custom.py`, mindyolo's
`examples/custom_gpu_op/fused_op` and the zoo's `research/cv/E-NET/modelarts/tensor_move.py`.

A description gives Ascend's kernel selection an operator's dtypes and layouts. Here it is unused data: `ops.Custom`
runs its function on any dtype, and a call of an operator with a description alone raises. MindSpore:
``mindspore.ops.op_info_register``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

#: argument -> key of the description
_KEYS = {
    "param_type": "paramType",
    "value_type": "type",
    "default_value": "defaultValue",
    "value_depend": "valueDepend",
}


def _adds(attribute: str, arguments: str, keys: dict[str, str] = _KEYS, **defaults: str) -> Callable[..., Any]:
    """Return a method that appends one more input, output or attribute, of those arguments that are not None."""
    kind = inspect.Parameter
    parameters = [kind(name, kind.POSITIONAL_OR_KEYWORD, default=defaults.get(name)) for name in arguments.split()]
    signature = inspect.Signature([kind("self", kind.POSITIONAL_ONLY), *parameters, kind("kwargs", kind.VAR_KEYWORD)])

    def add(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given, extra = bound.arguments, bound.arguments["kwargs"]
        parts = {keys.get(item.name, item.name): given[item.name] for item in parameters}
        getattr(self, attribute).append({**{key: part for key, part in parts.items() if part is not None}, **extra})
        return self

    add.__signature__ = signature  # type: ignore[attr-defined]
    add.__doc__ = "Add one more of the description's parts."
    return add


def _sets(key: str, *default: Any) -> Callable[..., Any]:
    """Return a method that sets one entry of the description."""

    def keep(self: Any, value: Any = default[0] if default else inspect.Parameter.empty) -> Any:
        if value is inspect.Parameter.empty:
            raise TypeError(f"a value is missing for '{key}'")
        if value is not None or not default:
            self.description[key] = value
        return self

    keep.__doc__ = f"Set ``{key}``."
    return keep


class RegOp:
    """Builder; each method returns it."""

    def __init__(self, op_name: str = "", **entries: Any) -> None:
        self.inputs: list[dict[str, Any]] = []
        self.outputs: list[dict[str, Any]] = []
        self.attributes: list[dict[str, Any]] = []
        self.dtypes: list[tuple] = []
        self.description: dict[str, Any] = {
            "op_name": op_name,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "attr": self.attributes,
            "fusion_type": "",
            "dtype_format": self.dtypes,
            **entries,
        }

    input = _adds("inputs", "index name param_type", param_type="required")
    output = _adds("outputs", "index name param_type", param_type="required")
    attr = _adds("attributes", "name param_type value_type default_value")
    fusion_type = _sets("fusion_type")

    def dtype_format(self, *args: tuple) -> Any:
        """Add one more combination: a `DataType` for each input and output."""
        self.dtypes.append(args)
        return self

    def get_op_info(self) -> dict[str, Any]:
        """Return the description."""
        return dict(self.description)


class CustomRegOp(RegOp):
    """Description of a function of `ops.Custom`."""

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name, target="UnKnown")

    def target(self, target: str | None = None) -> CustomRegOp:
        """Set the device."""
        self.description["target"] = target
        return self


class TBERegOp(RegOp):
    """Description of a kernel for Ascend's vector core."""

    def __init__(self, op_name: str) -> None:
        off = "dynamicRankSupport dynamicShapeSupport dynamicCompileStatic needCheckSupport dynamicFormat".split()
        lists: dict[str, Any] = {"real_input_index": [], "input_to_attr_index": [], "unknown_shape_formats": []}
        first = {"imply_type": "TBE", "async_flag": False, "binfile": "", "compute_cost": 10, "kernel": ""}
        super().__init__(
            op_name, **first, partial_flag=False, reshape_type="", **dict.fromkeys(off, False), op_pattern="", **lists
        )

    input = _adds(
        "inputs", "index name need_compile param_type shape value_depend", {**_KEYS, "need_compile": "needCompile"}
    )
    output = _adds("outputs", "index name need_compile param_type shape")
    attr = _adds("attributes", "name param_type value_type value default_value")
    async_flag, binfile_name = _sets("async_flag", False), _sets("binfile")
    compute_cost, kernel_name = _sets("compute_cost", 10), _sets("kernel")
    partial_flag, reshape_type = _sets("partial_flag", True), _sets("reshape_type")
    dynamic_rank_support, dynamic_shape = _sets("dynamicRankSupport"), _sets("dynamicShapeSupport", False)
    dynamic_compile_static, need_check_supported = (
        _sets("dynamicCompileStatic", False),
        _sets("needCheckSupport", False),
    )
    is_dynamic_format, op_pattern = _sets("dynamicFormat", False), _sets("op_pattern", None)
    real_input_index, input_to_attr_index = _sets("real_input_index"), _sets("input_to_attr_index")

    def unknown_shape_formats(self, unknown_shape_formats: list[str]) -> TBERegOp:
        """Add one more list of layouts for inputs whose shapes are unknown."""
        self.description["unknown_shape_formats"].append(unknown_shape_formats)
        return self


class CpuRegOp(RegOp):
    """Description of a kernel of MindSpore's CPU library."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name, imply_type="CPU")

    input, output = _adds("inputs", "index name param_type"), _adds("outputs", "index name param_type")
    attr = _adds("attributes", "name value_type value")


class AiCPURegOp(CpuRegOp):
    """Description of a kernel for Ascend's AI CPU."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self.description["imply_type"] = "AiCPU"


class AkgGpuRegOp(RegOp):
    """Description of a CUDA kernel of the AKG compiler."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name, imply_type="AKG", processor="CUDA")

    input, output = _adds("inputs", "index name param_type"), _adds("outputs", "index name")
    attr = _adds("attributes", "name param_type value_type")


class AkgAscendRegOp(AkgGpuRegOp):
    """Description of an Ascend kernel of the AKG compiler."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self.description["processor"] = "AiCore"


class DataType:
    """(dtype, layout) pairs named ``F32_Default``, ``I32_NCHW``, …, every dtype with every layout."""


def _add_pairs() -> None:
    numbers = {"I": "int", "U": "uint", "F": "float", "BF": "bfloat", "C": "complex"}
    widths = {"I": (8, 16, 32, 64), "U": (8, 16, 32, 64), "F": (16, 32, 64), "BF": (16,), "C": (64, 128)}
    dtypes = {f"{short}{width}": f"{numbers[short]}{width}" for short in widths for width in widths[short]}
    same = "C1HWNCoC0 NCHW NHWC HWCN NDHWC NCDHW DHWCN NC1HWC0 NDC1HWC0 ChannelLast FRACTAL_Z_3D".split()
    layouts = {"None": "", "Default": "DefaultFormat", "5HD": "NC1HWC0", **{name: name for name in same}}
    layouts |= {"FracZ": "FRACTAL_Z", "FracNZ": "FRACTAL_NZ", "FracZNLSTM": "FRACTAL_ZN_LSTM"}
    layouts |= {"FracZNRNN": "FRACTAL_ZN_RNN", "ND_RNNBIAS": "ND_RNN_BIAS"}
    for short, dtype in {"None": "", "BOOL": "bool", **dtypes}.items():
        for name, layout in layouts.items():
            setattr(DataType, f"{short}_{name}", (dtype, layout))
        for kind in ("List", "Tuple"):
            setattr(DataType, f"{short}_Default_{kind}", (dtype, "DefaultFormat", kind.lower()))


_add_pairs()


def custom_info_register(*reg_info: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that keeps descriptions as ``reg_info`` of a function for `ops.Custom`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.reg_info = reg_info  # type: ignore[attr-defined]
        return function

    return decorate


def op_info_register(op_info: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that keeps a description as ``op_info`` of a kernel's function."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def kernel(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        kernel.op_info = op_info  # type: ignore[attr-defined]
        return kernel

    return decorate


class VmImplRegistry(dict):
    """Registry: name of an operator -> function that computes it for debugging."""

    def register(self, prim: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that keeps a function for a Primitive class, or a name."""

        def keep(function: Callable[..., Any]) -> Callable[..., Any]:
            self[prim if isinstance(prim, str) else prim.__name__] = function
            return function

        return keep

    def get(self, prim: Any, default: Any = None) -> Any:
        """Return the function for a Primitive or a name."""
        return super().get(prim if isinstance(prim, str) else prim.name, default)


vm_impl_registry = VmImplRegistry()


def get_vm_impl_fn(prim: Any) -> Any:
    """Return the function that was registered for a Primitive or its name, called with it; None without one."""
    found = vm_impl_registry.get(prim)
    return found(prim) if found is not None else None
