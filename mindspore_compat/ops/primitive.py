"""`Primitive`, the base of all operators in class form. MindSpore: ``mindspore.ops.primitive``."""

from mindspore_compat._ops.primitive import (  # noqa: F401
    KERNELS,
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    __all__,
    _primexpr,
    _run_op,
    constexpr,
    prim_arg_register,
    prim_attr_register,
)
