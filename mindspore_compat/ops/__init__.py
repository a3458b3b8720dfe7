"""Operators. Upstream: ``mindspore.ops``.

Functions stand in ``ops.function``, operators in class form in ``ops.operations`` and what works on whole sequences or
differentiates in ``ops.composite``; all of them are names of this package.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.common.tensor import Tensor  # noqa: F401
from mindspore_compat.ops import _tensor_methods, composite, function, functional, operations, primitive  # noqa: F401
from mindspore_compat.ops import operations as P  # noqa: F401
from mindspore_compat.ops.composite.base import (  # noqa: F401
    HyperMap,
    Map,
    MultitypeFuncGraph,
    add_flags,
    core,
    env_get,
    tail,
    zip_operation,
)
from mindspore_compat.ops.op_info_register import (  # noqa: F401
    AiCPURegOp,
    CpuRegOp,
    CustomRegOp,
    DataType,
    TBERegOp,
    custom_info_register,
    op_info_register,
)
from mindspore_compat.ops.operations import *  # noqa: F403

from mindspore_compat.ops.function import *  # noqa: F403  # isort: skip
from mindspore_compat.ops.primitive import (  # noqa: F401
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _primexpr,
    constexpr,
    prim_arg_register,
    prim_attr_register,
)

__getattr__ = module_getattr(
    __name__,
    {"set_seed": "common.seed:set_seed"},
    {
        "CustomOpBuilder": "Operators in C++ are built with torch.utils.cpp_extension here; ops.Custom runs a C "
        "function of a library."
    },
)

for _name in (*function.INTERNAL, "INTERNAL"):
    globals().pop(_name, None)
