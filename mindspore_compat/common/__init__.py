"""Tensor, Parameter, dtypes, initializers, seed. MindSpore: ``mindspore.common``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd.grad_function import _Function
from mindspore_compat.common import dtype, initializer
from mindspore_compat.common.api import JitConfig, jit, jit_class, lazy_inline, ms_class, ms_function, mutable
from mindspore_compat.common.dtype import *  # noqa: F403
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.seed import get_seed, set_seed
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor, RowTensor, SparseTensor
from mindspore_compat.common.symbol import Symbol
from mindspore_compat.common.tensor import Tensor, is_tensor

__all__ = [
    "_Function",
    "Tensor",
    "is_tensor",
    "Parameter",
    "ParameterTuple",
    "RowTensor",
    "SparseTensor",
    "COOTensor",
    "CSRTensor",
    "initializer",
    "Symbol",
    "set_seed",
    "get_seed",
    "dtype",
    "JitConfig",
    "jit",
    "jit_class",
    "lazy_inline",
    "ms_class",
    "ms_function",
    "mutable",
    *dtype.__all__,
]
#: also here in some releases
__getattr__ = module_getattr(
    __name__,
    {
        **dict.fromkeys(
            "Generator default_generator get_rng_state initial_seed manual_seed set_rng_state".split(),
            "common.generator",
        ),
        **dict.fromkeys(("_no_grad", "ms_memory_recycle", "no_inline"), "common.api"),
        **dict.fromkeys(("load_mindir", "save_mindir"), "train._export._write"),
        "issubclass_": "_ops.former",
        "recompute": "nn.recompute:recompute",
        "set_dump": "common.dump",
    },
)
