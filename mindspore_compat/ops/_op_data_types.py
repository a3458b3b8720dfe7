"""Data types and layouts in descriptions of own operators: ``mindspore.ops.DataType``."""

from __future__ import annotations

__all__ = ["DataType"]

_TYPES = {
    "None": "",
    "BOOL": "bool",
    "I8": "int8",
    "U8": "uint8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "C128": "complex128",
}

_LAYOUTS = {
    "None": "",
    "Default": "DefaultFormat",
    "5HD": "NC1HWC0",
    "FracZ": "FRACTAL_Z",
    "FracNZ": "FRACTAL_NZ",
    "C1HWNCoC0": "C1HWNCoC0",
    "NCHW": "NCHW",
    "NHWC": "NHWC",
    "HWCN": "HWCN",
    "NDHWC": "NDHWC",
    "NCDHW": "NCDHW",
    "DHWCN": "DHWCN",
    "NC1HWC0": "NC1HWC0",
    "NDC1HWC0": "NDC1HWC0",
    "ChannelLast": "ChannelLast",
    "FRACTAL_Z_3D": "FRACTAL_Z_3D",
    "FracZNLSTM": "FRACTAL_ZN_LSTM",
    "FracZNRNN": "FRACTAL_ZN_RNN",
    "ND_RNNBIAS": "ND_RNN_BIAS",
}


class DataType:
    """(type, layout) pairs named ``F32_Default``, ``I32_NCHW``, …, every type with every layout."""
