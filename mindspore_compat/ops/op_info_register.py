"""Descriptions of user operators: which types and layouts they take. Upstream: ``mindspore.ops.op_info_register``.

They are data for upstream's kernel selection. Here `ops.Custom` runs what it is given on any type, so a description is built, checked
and kept, and nothing is selected by it.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.placeholders import describe_partial

__all__ = ["op_info_register", "custom_info_register", "RegOp", "CustomRegOp", "TBERegOp", "AiCPURegOp", "CpuRegOp", "DataType"]

_ASCEND_ONLY = "describes a kernel for Ascend, which can not run here: give the Primitive a __call__, or use ops.Custom"


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

    def input(self, index: int | None = None, name: str | None = None, param_type: str | None = "required", **kwargs: Any) -> Any:
        """One more input tensor."""
        self.inputs.append(self._described({"index": (index, int), "name": (name, str), "paramType": (param_type, str)}, kwargs))
        return self

    def output(self, index: int | None = None, name: str | None = None, param_type: str | None = "required", **kwargs: Any) -> Any:
        """One more output tensor."""
        self.outputs.append(self._described({"index": (index, int), "name": (name, str), "paramType": (param_type, str)}, kwargs))
        return self

    def attr(self, name: str | None = None, param_type: str | None = None, value_type: str | None = None, default_value: str | None = None,
             **kwargs: Any) -> Any:
        """One more attribute."""
        self.attr_.append(self._described({"name": (name, str), "paramType": (param_type, str), "type": (value_type, str),
                                           "defaultValue": (default_value, str)}, kwargs))
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
            raise ValueError("The size of 'args' must be equal to the sum of input tensors and output tensors, but got "
                             f"{len(args)} vs {len(self.inputs) + len(self.outputs)}")
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


class _AscendRegOp(RegOp):
    """Every other setting of these builders is one text, number or flag: ``.compute_cost(10).partial_flag(True)``."""

    def __getattr__(self, setting: str) -> Any:
        if setting.startswith("_") or setting.endswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{setting}'")

        def keep(value: Any = True) -> Any:
            setattr(self, f"{setting}_", _of_type(value, (str, int)))  # type: ignore[arg-type]
            return self
        return keep


@describe_partial(_ASCEND_ONLY)
class TBERegOp(_AscendRegOp):
    """Describes a kernel for Ascend's vector core; it can not run here."""


@describe_partial(_ASCEND_ONLY)
class AiCPURegOp(_AscendRegOp):
    """Describes a kernel for Ascend's AI CPU; it can not run here."""


@describe_partial("describes a kernel of upstream's library, which does not run here: use ops.Custom")
class CpuRegOp(_AscendRegOp):
    """Describes a kernel of upstream's CPU library; it does not run here."""


def custom_info_register(*reg_info: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: keep descriptions as ``reg_info`` of a function for `ops.Custom`."""
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.reg_info = reg_info  # type: ignore[attr-defined]

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)
        return wrapper
    return decorate


@describe_partial("keeps the description; no kernel is registered by it")
def op_info_register(op_info: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: keep a description (dict or JSON text) of a kernel as ``op_info`` of the function.

    Raises:
        TypeError: if it is neither dict nor text.
    """
    if not isinstance(op_info, (dict, str)):
        raise TypeError(f"For 'op_info_register', the 'op_info' must be a dict or a str, but got {type(op_info).__name__}.")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        function.op_info = op_info  # type: ignore[attr-defined]
        return function
    return decorate


_TYPES = {"None": "", "BOOL": "bool", "I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64",
          "U64": "uint64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64", "C64": "complex64", "C128": "complex128"}
_LAYOUTS = {"None": "", "Default": "DefaultFormat", "5HD": "NC1HWC0", "FracZ": "FRACTAL_Z", "FracNZ": "FRACTAL_NZ", "C1HWNCoC0": "C1HWNCoC0",
            "NCHW": "NCHW", "NHWC": "NHWC", "HWCN": "HWCN", "NDHWC": "NDHWC", "NCDHW": "NCDHW", "DHWCN": "DHWCN", "NC1HWC0": "NC1HWC0",
            "NDC1HWC0": "NDC1HWC0", "ChannelLast": "ChannelLast", "FRACTAL_Z_3D": "FRACTAL_Z_3D", "FracZNLSTM": "FRACTAL_ZN_LSTM",
            "FracZNRNN": "FRACTAL_ZN_RNN", "ND_RNNBIAS": "ND_RNN_BIAS"}


class DataType:
    """(type, layout) pairs named ``F32_Default``, ``I32_NCHW``, …, every type with every layout."""


for _type, _dtype in _TYPES.items():
    for _layout, _format in _LAYOUTS.items():
        setattr(DataType, f"{_type}_{_layout}", (_dtype, _format))
    for _kind in ("List", "Tuple"):
        setattr(DataType, f"{_type}_Default_{_kind}", (_dtype, "DefaultFormat", _kind.lower()))
