"""Operators. MindSpore: ``mindspore.ops``.

Functions are in ``ops.function``, operators in class form in ``ops.operations``, and functions over sequences or with
derivatives in ``ops.composite``; this package has all of these names.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import sparse_methods, tensor_methods  # noqa: F401
from mindspore_compat.common.tensor import Tensor  # noqa: F401
from mindspore_compat.ops import (  # noqa: F401
    communication,
    composite,
    function,
    functional,
    operations,
    primitive,
    signature,
)
from mindspore_compat.ops import operations as P  # noqa: F401
from mindspore_compat.ops._registry import tensor_operator_registry  # noqa: F401
from mindspore_compat.ops.communication import UPWARD, set_comm_ops_inplace  # noqa: F401
from mindspore_compat.ops.composite._augmented import *  # noqa: F403
from mindspore_compat.ops.composite.base import (  # noqa: F401
    HyperMap,
    Map,
    MultitypeFuncGraph,
    add_flags,
    core,
    env_get,
    iter_converter,
    ms_hasnext,
    ms_next,
    tail,
    zip_operation,
)
from mindspore_compat.ops.operations import *  # noqa: F403

from mindspore_compat.ops.function import *  # noqa: F403  # isort: skip
from mindspore_compat._ops.former import _NAMES as _FORMER
from mindspore_compat.ops.primitive import (  # noqa: F401
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _primexpr,
    constexpr,
    prim_arg_register,
    prim_attr_register,
)

#: modules, and names of packages above
_LAZY = {
    "set_seed": "common.seed:set_seed",
    "recompute_block": "_autograd.cell_bprop:recompute_block",
    "DtypeToEnum": "ops._utils.arg_handler",
    "arg_handler": "ops._utils.arg_handler:",
    "auto_generate": "ops.auto_generate:",
    "gen_extend_func": "ops.auto_generate.gen_extend_func:",
    "gen_ops_def": "ops.auto_generate.gen_ops_def:",
    "gen_ops_prim": "ops.auto_generate.gen_ops_prim:",
    "pyboost_inner_prim": "ops.auto_generate.pyboost_inner_prim:",
    "communication": "ops.communication:",
    **dict.fromkeys(
        "AiCPURegOp AkgAscendRegOp AkgGpuRegOp CpuRegOp CustomRegOp DataType TBERegOp custom_info_register "
        "get_vm_impl_fn op_info_register vm_impl_registry".split(),
        "_legacy.operator_descriptions",
    ),
    **UPWARD,
    **_FORMER,
}
__getattr__ = module_getattr(
    __name__,
    _LAZY,
    {
        "CustomOpBuilder": "Operators in C++ are built with torch.utils.cpp_extension here; ops.Custom runs a C "
        "function of a library."
    },
)

globals().update({_name: getattr(communication, _name) for _name in communication.SHOWN})
del UPWARD
