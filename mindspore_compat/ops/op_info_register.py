"""Descriptions of user operators: which types and layouts they take. Upstream: ``mindspore.ops.op_info_register``.

They are data for upstream's kernel selection. Here `ops.Custom` runs what it is given on any type, so a description is
built, checked and kept, and nothing is selected by it: an operator that has nothing else raises when it is called, as
upstream off Ascend.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable
from typing import Any

from mindspore_compat.ops._op_data_types import _LAYOUTS, _TYPES, DataType

__all__ = """
    op_info_register custom_info_register RegOp CustomRegOp TBERegOp AiCPURegOp CpuRegOp DataType
""".split()


def _of_type(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value} value must be {kind.__name__}")
    return value


class RegOp:
    """Builds an operator's description; each method returns the builder.

    Raises:
        ValueError: if ``op_name`` is no text or empty.
    """

    def __init__(self, op_name: str = "") -> None:
        if not isinstance(op_name, str) or not op_name.strip():
            raise ValueError(f"op name value must be a string that is not empty, but got {op_name!r}.")
        self.op_name = op_name
        self.inputs: list[dict[str, Any]] = []
        self.outputs: list[dict[str, Any]] = []
        self.attr_: list[dict[str, Any]] = []
        self.fusion_type_ = ""
        self.dtype_format_: list[tuple] = []

    @staticmethod
    def _described(values: dict[str, tuple[Any, type]], extra: dict[str, Any]) -> dict[str, Any]:
        return {**{key: _of_type(value, kind) for key, (value, kind) in values.items() if value is not None}, **extra}

    def input(
        self, index: int | None = None, name: str | None = None, param_type: str | None = "required", **kwargs: Any
    ) -> Any:
        """One more input tensor."""
        self.inputs.append(
            self._described({"index": (index, int), "name": (name, str), "paramType": (param_type, str)}, kwargs)
        )
        return self

    def output(
        self, index: int | None = None, name: str | None = None, param_type: str | None = "required", **kwargs: Any
    ) -> Any:
        """One more output tensor."""
        self.outputs.append(
            self._described({"index": (index, int), "name": (name, str), "paramType": (param_type, str)}, kwargs)
        )
        return self

    def attr(
        self,
        name: str | None = None,
        param_type: str | None = None,
        value_type: str | None = None,
        default_value: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """One more attribute."""
        self.attr_.append(
            self._described(
                {
                    "name": (name, str),
                    "paramType": (param_type, str),
                    "type": (value_type, str),
                    "defaultValue": (default_value, str),
                },
                kwargs,
            )
        )
        return self

    def fusion_type(self, fusion_type: str) -> Any:
        """How upstream may fuse it."""
        self.fusion_type_ = _of_type(fusion_type, str)
        return self

    def dtype_format(self, *args: tuple) -> Any:
        """One more combination of types and layouts: a `DataType` for each input and output.

        Raises:
            ValueError: if there are not as many as inputs and outputs, or one is not a tuple of two or three texts.
        """
        if len(args) != len(self.inputs) + len(self.outputs):
            raise ValueError(
                "The size of 'args' must be equal to the sum of input tensors and output tensors, but got "
                f"{len(args)} vs {len(self.inputs) + len(self.outputs)}"
            )
        for item in args:
            if not isinstance(item, tuple) or len(item) not in (2, 3):
                raise ValueError("dtype and format value must be tuple of two or three elements")
            for text in item:
                _of_type(text, str)
        self.dtype_format_.append(args)
        return self

    def get_op_info(self) -> dict[str, Any]:
        """The description."""
        return {key.rstrip("_"): value for key, value in self.__dict__.items()}


class CustomRegOp(RegOp):
    """Describes a function of `ops.Custom`."""

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name)
        self.target_: str | None = "UnKnown"

    def target(self, target: str | None = None) -> CustomRegOp:
        """The device that the description is for."""
        self.target_ = target if target is None else _of_type(target, str)
        return self


def _setting(attribute: str, kind: type, default: Any = inspect.Parameter.empty) -> Callable[..., Any]:
    """A method that sets one attribute to a value of a type; without a default the value must be given."""

    def keep(self: Any, value: Any = default) -> Any:
        if value is inspect.Parameter.empty:
            raise TypeError(f"a value is missing for '{attribute.rstrip('_')}'")
        if not (value is None and default is None):
            setattr(self, attribute, _of_type(value, kind))
        return self

    keep.__doc__ = f"Sets ``{attribute.rstrip('_')}``, a {kind.__name__}."
    return keep


class TBERegOp(RegOp):
    """Describes a kernel for Ascend's vector core, in upstream's terms; an operator with nothing else can not be called
    off Ascend.
    """

    #: Names in the description that are not the attribute's.
    _KEYS = {
        "dynamic_rank_support": "dynamicRankSupport",
        "dynamic_shape_support": "dynamicShapeSupport",
        "dynamic_format": "dynamicFormat",
        "dynamic_compile_static": "dynamicCompileStatic",
        "need_check_support": "needCheckSupport",
    }

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self.imply_type = "TBE"
        self.async_flag_, self.binfile_, self.compute_cost_, self.kernel_, self.partial_flag_ = False, "", 10, "", False
        self.reshape_type_ = ""
        self.dynamic_rank_support_ = self.dynamic_shape_support_ = self.dynamic_compile_static_ = False
        self.need_check_support_ = self.dynamic_format_ = False
        self.op_pattern_ = ""
        self.real_input_index_: list[Any] = []
        self.input_to_attr_index_: list[Any] = []
        self.unknown_shape_formats_: list[Any] = []

    async_flag, binfile_name = _setting("async_flag_", bool, False), _setting("binfile_", str)
    compute_cost, kernel_name = _setting("compute_cost_", int, 10), _setting("kernel_", str)
    partial_flag, reshape_type = _setting("partial_flag_", bool, True), _setting("reshape_type_", str)
    dynamic_rank_support = _setting("dynamic_rank_support_", bool)
    dynamic_shape = _setting("dynamic_shape_support_", bool, False)
    dynamic_compile_static = _setting("dynamic_compile_static_", bool, False)
    need_check_supported = _setting("need_check_support_", bool, False)
    is_dynamic_format = _setting("dynamic_format_", bool, False)
    op_pattern = _setting("op_pattern_", str, None)
    real_input_index, input_to_attr_index = _setting("real_input_index_", list), _setting("input_to_attr_index_", list)

    def unknown_shape_formats(self, unknown_shape_formats: list[str]) -> TBERegOp:
        """One more list of layouts for inputs whose shapes are not known before."""
        self.unknown_shape_formats_.append(_of_type(unknown_shape_formats, list))
        return self

    def attr(
        self,
        name: str | None = None,
        param_type: str | None = None,
        value_type: str | None = None,
        value: str | None = None,
        default_value: str | None = None,
        **kwargs: Any,
    ) -> TBERegOp:
        """One more attribute."""
        self.attr_.append(
            self._described(
                {
                    "name": (name, str),
                    "paramType": (param_type, str),
                    "type": (value_type, str),
                    "value": (value, str),
                    "defaultValue": (default_value, str),
                },
                kwargs,
            )
        )
        return self

    def input(
        self,
        index: int | None = None,
        name: str | None = None,
        need_compile: bool | None = None,
        param_type: str | None = None,
        shape: str | None = None,
        value_depend: str | None = None,
        **kwargs: Any,
    ) -> TBERegOp:
        """One more input tensor. Raises: ValueError if ``value_depend`` is not "ignored", "optional" or "required"."""
        described = self._described(
            {
                "index": (index, int),
                "name": (name, str),
                "needCompile": (need_compile, bool),
                "paramType": (param_type, str),
                "shape": (shape, str),
                "valueDepend": (value_depend, str),
            },
            kwargs,
        )
        if value_depend and value_depend.lower() not in ("ignored", "optional", "required"):
            raise ValueError(
                f"For '{self.op_name}', 'value_depend' of input {index} must be 'ignored', 'optional' or 'required', "
                f"but got {value_depend!r}."
            )
        self.inputs.append(described)
        return self

    def output(
        self,
        index: int | None = None,
        name: str | None = None,
        need_compile: bool | None = None,
        param_type: str | None = None,
        shape: str | None = None,
        **kwargs: Any,
    ) -> TBERegOp:
        """One more output tensor."""
        self.outputs.append(
            self._described(
                {
                    "index": (index, int),
                    "name": (name, str),
                    "need_compile": (need_compile, bool),
                    "paramType": (param_type, str),
                    "shape": (shape, str),
                },
                kwargs,
            )
        )
        return self

    def get_op_info(self) -> dict[str, Any]:
        """The description."""
        return {self._KEYS.get(key, key): value for key, value in super().get_op_info().items()}


class CpuRegOp(RegOp):
    """Describes a kernel of upstream's CPU library, in upstream's terms; it does not run here: use ops.Custom."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self.imply_type = "CPU"

    def input(
        self, index: int | None = None, name: str | None = None, param_type: str | None = None, **kwargs: Any
    ) -> Any:
        """One more input tensor."""
        return super().input(index, name, param_type, **kwargs)

    def output(
        self, index: int | None = None, name: str | None = None, param_type: str | None = None, **kwargs: Any
    ) -> Any:
        """One more output tensor."""
        return super().output(index, name, param_type, **kwargs)

    def attr(
        self,
        name: str | None = None,
        value_type: str | None = None,
        value: str | None = None,  # type: ignore[override]
        **kwargs: Any,
    ) -> Any:
        """One more attribute."""
        self.attr_.append(
            self._described({"name": (name, str), "type": (value_type, str), "value": (value, str)}, kwargs)
        )
        return self


class AiCPURegOp(CpuRegOp):
    """Describes a kernel for Ascend's AI CPU, in upstream's terms; an operator with nothing else can not be called off
    Ascend.
    """

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self.imply_type = "AiCPU"


def custom_info_register(*reg_info: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: keep descriptions as ``reg_info`` of a function for `ops.Custom`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.reg_info = reg_info  # type: ignore[attr-defined]

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    return decorate


def op_info_register(op_info: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: keep a description (dict or JSON text) of a kernel as ``op_info`` of the function. As upstream off
    Ascend, that is all.

    Raises:
        TypeError: from the decorator, if it is neither dict nor text. ValueError: if its ``imply_type`` is unknown.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if not isinstance(op_info, (dict, str)):
            raise TypeError(
                f"For 'op_info_register', the 'op_info' must be a dict or a str, but got {type(op_info).__name__}."
            )
        if _imply_type(op_info) not in (*_IMPLY_TYPES, None):
            raise ValueError(
                f"For 'op_info_register', the 'imply_type' must be one of {', '.join(_IMPLY_TYPES)}, but got "
                f"{_imply_type(op_info)!r}."
            )

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        wrapper.op_info = op_info  # type: ignore[attr-defined]
        return wrapper

    return decorate


_IMPLY_TYPES = ("TBE", "AKG", "CPU", "AiCPU")


def _imply_type(op_info: Any) -> Any:
    try:
        described = json.loads(op_info) if isinstance(op_info, str) else op_info
    except ValueError:  # upstream takes any text
        return None
    return described.get("imply_type") if isinstance(described, dict) else None


for _type, _dtype in _TYPES.items():
    for _layout, _format in _LAYOUTS.items():
        setattr(DataType, f"{_type}_{_layout}", (_dtype, _format))
    for _kind in ("List", "Tuple"):
        setattr(DataType, f"{_type}_Default_{_kind}", (_dtype, "DefaultFormat", _kind.lower()))
