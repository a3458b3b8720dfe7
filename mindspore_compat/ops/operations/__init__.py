"""Operators in class form; conventionally imported as ``P``. MindSpore: ``mindspore.ops.operations``."""

from types import ModuleType as _Module

from mindspore_compat._api.former_names import renamed_args as _formerly
from mindspore_compat._ops import (  # noqa: F401
    activation,
    attention,
    attention_inference,
    clip,
    communication,
    conv,
    creation,
    custom,
    debug,
    elementwise,
    experts,
    fft,
    former,
    image,
    indexing,
    linalg,
    loss,
    normalization,
    other,
    pooling,
    quant,
    random,
    recurrent,
    reduction,
    replay,
    shape,
    sparse,
    special,
    update,
)
from mindspore_compat._ops.communication import ReduceOp, _MirrorOperator, _VirtualDataset  # noqa: F401
from mindspore_compat._ops.primitive import KERNELS as _KERNELS
from mindspore_compat._ops.primitive import (  # noqa: F401
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    prim_attr_register,
)
from mindspore_compat.ops.operations import (  # noqa: F401
    _csr_ops,
    _grad_ops,
    _inner_ops,
    _ms_kernel,
    _quant_ops,
    _sequence_ops,
    array_ops,
    comm_ops,
    custom_ops,
    debug_ops,
    image_ops,
    inner_ops,
    linalg_ops,
    manually_defined,
    math_ops,
    nn_ops,
    other_ops,
    random_ops,
    rl_ops,
    sparse_ops,
)
from mindspore_compat.ops.operations.other_ops import identity  # noqa: F401

for _topic in [
    _item for _item in globals().values() if getattr(_item, "__name__", "").startswith("mindspore_compat._ops.")
]:
    globals().update({_name: _class for _name, _class in _topic.PRIMITIVES.items() if _class._is_listed})
# No MindSpore has `Sum`, though projects create the operator (in layers that they do not run).
Sum, kernel, ms_kernel, ms_hybrid = reduction.ReduceSum, custom.kernel, custom.ms_kernel, custom.ms_kernel
for _renamed, _names in {
    "Cummax": {"dim": "axis"},
    "Roll": {"shift": "shifts", "axis": "dims"},
    "SearchSorted": {"out_int32": "dtype"},
    "UniqueConsecutive": {"return_idx": "return_inverse", "axis": "dim"},
}.items():
    _formerly(**_names)(globals()[_renamed])
_KERNELS.update(
    {name: item for name, item in globals().items() if isinstance(item, type) and issubclass(item, Primitive)}
)
__all__ = [
    _name
    for _name, _item in globals().items()
    if _name[0] != "_" and (not isinstance(_item, _Module) or _item.__name__.startswith(__name__))
]
del _Module, _topic, _renamed, _names
