"""Operator of graphlearning's `mindspore_gl/backward/csr_reduce_sum_net.py` for aggregation. MindSpore:
``mindspore.ops.operations._csr_ops``.
"""

from __future__ import annotations

from mindspore_compat.ops._declare import plain
from mindspore_compat.ops.function.sparse_func import sum_by_rows

__all__ = ["CSRReduceSum"]

CSRReduceSum = plain("CSRReduceSum", sum_by_rows)
