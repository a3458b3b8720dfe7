"""Descriptions of operators for upstream's AKG compiler: kept, nothing is compiled by them. Upstream:
``mindspore.ops.op_info_register``.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat.ops.op_info_register import RegOp

__all__ = ["AkgAscendRegOp", "AkgGpuRegOp"]


class _AkgRegOp(RegOp):
    def __init__(self, op_name: str, processor: str) -> None:
        super().__init__(op_name)
        self.imply_type = "AKG"
        self.processor = processor

    def input(
        self, index: int | None = None, name: str | None = None, param_type: str | None = None, **kwargs: Any
    ) -> Any:
        """One more input tensor."""
        return super().input(index, name, param_type, **kwargs)

    def output(self, index: int | None = None, name: str | None = None, **kwargs: Any) -> Any:
        """One more output tensor."""
        self.outputs.append(self._described({"index": (index, int), "name": (name, str)}, kwargs))
        return self

    def attr(
        self, name: str | None = None, param_type: str | None = None, value_type: str | None = None, **kwargs: Any
    ) -> Any:
        """One more attribute."""
        self.attr_.append(
            self._described({"name": (name, str), "paramType": (param_type, str), "type": (value_type, str)}, kwargs)
        )
        return self


class AkgGpuRegOp(_AkgRegOp):
    """A kernel on CUDA."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name, "CUDA")


class AkgAscendRegOp(_AkgRegOp):
    """A kernel on Ascend."""

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name, "AiCore")
