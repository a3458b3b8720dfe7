"""Operators in class form whose attributes are set after they were made: `add_prim_attr`, or an assignment.
tests/golden/make_json.py primitive_attributes notes what real MindSpore computes; the module has to work without anything of
this repository.

A line is ``constructor|inputs``.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import numpy as np

from tests.support.noted import noted

LINES = [
    line.strip()
    for line in """
    Softmax(0)|X(2,3)
    LogSoftmax(0)|X(2,3)
    ReduceSum(False)|X(2,3),0
    ReduceMean(False)|X(2,3),0
    ReduceMax(False)|X(2,3),0
    ReduceMin(True)|X(2,3),0
    ReduceProd(False)|X(2,3),0
    ReduceAny(False)|X(2,3)>0,0
    ArgMaxWithValue(0,False)|X(2,3)
    ArgMinWithValue(0,False)|X(2,3)
    Argmax(0)|X(2,3)
    Argmin(0)|X(2,3)
    Concat(0)|(X(2,3),X(2,3))
    Stack(0)|(X(2,3),X(2,3))
    Unstack(0)|X(2,3)
    Split(0,1)|X(2,4)
    CumSum(False,False)|X(2,3),0
    CumProd(False,False)|X(2,3),0
    MatMul(False,False)|X(3,3),X(3,3)
    BatchMatMul(False,False)|X(2,3,3),X(2,3,3)
    Squeeze(0)|X(1,3,1)
    Gather(0)|X(3,3),I(2),0
    OneHot(0)|I(2,3),4,Tensor(1.0),Tensor(0.0)
    Conv2D(3,3,pad_mode='valid',stride=1)|X(1,3,6,6),X(3,3,3,3)
    MaxPool(2,2,'valid')|X(1,2,5,5)
    AvgPool(2,2,'valid')|X(1,2,5,5)
    Elu(1.0)|X(2,3)
    SoftShrink(0.5)|X(2,3)
    HShrink(0.5)|X(2,3)
    LRN(2)|ops.abs(X(1,4,3,3))
    L2Normalize(0)|X(2,3)
    BiasAdd('NCHW')|X(2,3,4,4),X(3)
    Pad(((1,1),(0,2)))|X(2,3)
    MirrorPad('REFLECT')|X(3,3),Tensor(np.array([[1,1],[1,1]],np.int32))
    ResizeNearestNeighbor((4,4),False)|X(1,1,2,2)
    SmoothL1Loss(1.0,'none')|X(2,3),X(2,3)*0.5
    KLDivLoss('mean')|X(2,3),ops.abs(X(2,3))
    BinaryCrossEntropy('mean')|ops.sigmoid(X(2,3)),ops.sigmoid(X(2,3))
    DepthToSpace(2)|X(1,8,2,2)
    SpaceToDepth(2)|X(1,2,4,4)
    Range(100)|Tensor(0,ms.int32),Tensor(5,ms.int32),Tensor(1,ms.int32)
    StridedSlice(0,0,0,0,0)|X(3,4),(0,0),(2,2),(1,1)
    Sort(0,False)|X(2,3)
    ReverseV2([0])|X(2,3)
    LayerNorm(1,1,1e-5)|X(2,3),X(3),X(3)
    NLLLoss('mean')|X(2,3),I(2),ops.abs(X(3))
    Eps()|X(2)
    ApproximateEqual(1e-5)|X(2,3),X(2,3)+0.1
    LpNorm(1,2)|X(2,3)
    Cummax(0)|X(2,3)
    Meshgrid('xy')|(X(2),X(3))
    IsClose(1e-5,1e-8,True)|X(2),X(2)+1e-3
    Cross(0)|X(3,3),X(3,3)*2
    CeLU(1.0)|X(2,3)
    GLU(1)|X(2,4)
    Im2Col(2)|X(1,1,4,4)
    GridSampler2D('bilinear','zeros',False)|X(1,1,3,3),X(1,2,2,2)*0.5
    AdaptiveAvgPool2D((2,2))|X(1,1,4,4)
    MaxPool3D(2,2)|X(1,1,4,4,4)
    AvgPool3D(2,2)|X(1,1,4,4,4)
    Conv3D(2,3)|X(1,2,4,4,4),X(2,2,3,3,3)
""".strip().split("\n")
]
_WORDS = {"mean": "sum", "sum": "none", "none": "mean", "valid": "same", "VALID": "SAME", "REFLECT": "SYMMETRIC"}


def _other(value: Any) -> Any:
    """Another value of its kind; None for those that are left."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 0.5 + 0.3
    if isinstance(value, tuple) and value and all(isinstance(item, int) for item in value):
        return [item + 1 for item in value]
    return _WORDS.get(value) if isinstance(value, str) else None


class Under:
    """The lines under one MindSpore."""

    def __init__(self, ms: ModuleType | Any) -> None:
        self.scope = {"ms": ms, "ops": ms.ops, "P": ms.ops.operations, "Tensor": ms.Tensor, "np": np}
        self.scope.update(X=self._waves, I=self._ids)

    def _waves(self, *shape: int) -> Any:
        waves = np.sin(np.arange(int(np.prod(shape))) * 1.3 + 0.4) * 1.5
        return self.scope["Tensor"](waves.reshape(shape).astype(np.float32))

    def _ids(self, *shape: int) -> Any:
        return self.scope["Tensor"]((np.arange(int(np.prod(shape))).reshape(shape) % 3).astype(np.int32))

    def made(self, line: str) -> Any:
        """The operator of a line."""
        return eval("P." + line.split("|")[0], self.scope)

    def settings(self, line: str) -> list[tuple[str, Any]]:
        """(attribute, another value) of the constructor's arguments."""
        made = self.made(line)
        names = [name for name in inspect.signature(type(made).__init__).parameters if hasattr(made, name)]
        found = [(name, _other(getattr(made, name))) for name in names if name != "self"]
        return [(name, value) for name, value in found if value is not None]

    def computed(self, line: str, how: str = "", attribute: str = "", value: Any = None) -> list | None:
        """Shapes and first numbers of the result, after one attribute was "set" or "added"; None where it raises."""
        made = self.made(line)
        value = tuple(value) if isinstance(value, list) else value
        try:
            if how == "set":
                setattr(made, attribute, value)
            elif how == "added":
                made.add_prim_attr(attribute, value)
            return noted(eval(f"made({line.split('|')[1]})", {**self.scope, "made": made}))
        except Exception:
            return None
