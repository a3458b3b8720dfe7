"""Attributes of operators that are set after construction, as constructor arguments. `Primitive.add_prim_attr` works
for all, as in real MindSpore; ``operator.axis = 1`` for those that MindSpore generates, which read attributes at the
call.
"""

from __future__ import annotations

from typing import Any

__all__ = ["READ_WHEN_CALLED", "given_later"]

#: operators that MindSpore generates, with attributes
READ_WHEN_CALLED = frozenset(
    """
    AdamWeightDecay AdaptiveMaxPool2D ApplyRotaryPosEmb ArgMaxWithValue ArgMinWithValue Argmax Argmin AvgPool
    BCEWithLogitsLoss BatchMatMul BatchNorm BiasAdd BinaryCrossEntropy BroadcastTo Cdist CeLU Cholesky
    CholeskyInverse Concat Cross CumProd CumSum Cummax Cummin Dropout Eig Elu ExtractImagePatches FFTWithSize
    GLU Gather GridSampler2D GridSampler3D HShrink IsClose LayerNorm LogSoftmax Logit MatMul Meshgrid NLLLoss
    NanToNum OneHot PagedAttention Qr RandpermV2 Range ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin
    ReduceProd ReduceStd ReduceSum ResizeBicubic ResizeBilinearV2 ResizeLinear1D ResizeNearestNeighbor
    ResizeNearestNeighborV2 ReverseV2 RmsNorm Roll SearchSorted SmoothL1Loss SoftMarginLoss SoftShrink Softmax
    Split Squeeze StridedSlice Svd Triu UniqueConsecutive UpsampleTrilinear3D
    """.split()
)


def given_later(operator: Any, declared: Any, name: str, value: Any) -> None:
    """Let ``operator`` compute as if constructed with ``value`` for the argument ``name``. Raise the constructor's
    error if it refuses the value.
    """
    given = {key: item for key, item in operator.__dict__["init_attrs"].items() if key != "name"}
    if name not in given or given[name] is value:
        return
    given[name] = value
    made = declared(**given)
    operator.__dict__.update(_run=made._run, init_attrs=made.init_attrs)
