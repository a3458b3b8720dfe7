"""Functions of sparse tensors (`COOTensor`, `CSRTensor`). MindSpore: ``mindspore.ops.function.sparse_func`` and
``sparse_unary_func``.

Functions of one argument work on the stored values, also where f(0) is not 0, as MindSpore's.
"""

from mindspore_compat._ops.sparse import *  # noqa: F403
