"""Operators in class form; conventionally imported as ``P``. MindSpore: ``mindspore.ops.operations``."""

from mindspore_compat.ops.operations import (  # noqa: F401
    _csr_ops,
    _grad_ops,
    _inner_ops,
    _quant_ops,
    _sequence_ops,
    inner_ops,
    linalg_ops,
    manually_defined,
)
from mindspore_compat.ops.operations._betainc import *  # noqa: F403
from mindspore_compat.ops.operations._former_ops import *  # noqa: F403
from mindspore_compat.ops.operations._fused_table import (  # noqa: F401
    ApplyRotaryPosEmb,
    GroupTopk,
    PagedAttention,
    ReshapeAndCache,
)
from mindspore_compat.ops.operations._graph_ops import *  # noqa: F403
from mindspore_compat.ops.operations._ms_kernel import kernel, ms_kernel  # noqa: F401
from mindspore_compat.ops.operations._number_ops import *  # noqa: F403
from mindspore_compat.ops.operations._quant_ops import *  # noqa: F403
from mindspore_compat.ops.operations._rare_ops import *  # noqa: F403
from mindspore_compat.ops.operations.array_ops import *  # noqa: F403
from mindspore_compat.ops.operations.comm_ops import *  # noqa: F403
from mindspore_compat.ops.operations.custom_ops import *  # noqa: F403
from mindspore_compat.ops.operations.debug_ops import *  # noqa: F403
from mindspore_compat.ops.operations.image_ops import *  # noqa: F403
from mindspore_compat.ops.operations.math_ops import *  # noqa: F403
from mindspore_compat.ops.operations.nn_ops import *  # noqa: F403
from mindspore_compat.ops.operations.other_ops import *  # noqa: F403
from mindspore_compat.ops.operations.random_ops import *  # noqa: F403
from mindspore_compat.ops.operations.rl_ops import *  # noqa: F403
from mindspore_compat.ops.operations.sparse_ops import *  # noqa: F403

# No MindSpore has this name, though projects create the operator (in layers that they do not run).
from mindspore_compat.ops.operations.math_ops import ReduceSum as Sum  # noqa: F401  # isort: skip
from mindspore_compat._api.former_names import renamed_args as _formerly
from mindspore_compat.ops.primitive import KERNELS as _KERNELS
from mindspore_compat.ops.primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer, prim_attr_register  # noqa: F401

for _renamed, _names in {
    Cummax: {"dim": "axis"},  # noqa: F405
    Roll: {"shift": "shifts", "axis": "dims"},  # noqa: F405
    SearchSorted: {"out_int32": "dtype"},  # noqa: F405
    UniqueConsecutive: {"return_idx": "return_inverse", "axis": "dim"},  # noqa: F405
}.items():
    _formerly(**_names)(_renamed)
del _renamed, _names
ms_hybrid = ms_kernel
_KERNELS.update(
    {name: item for name, item in globals().items() if isinstance(item, type) and issubclass(item, Primitive)}
)
__all__ = [_name for _name in globals() if not _name.startswith("_")]
