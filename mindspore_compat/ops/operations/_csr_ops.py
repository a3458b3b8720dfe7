"""Operator of graphlearning's `mindspore_gl/backward/csr_reduce_sum_net.py` for aggregation. MindSpore:
``mindspore.ops.operations._csr_ops``.
"""

from __future__ import annotations

from mindspore_compat._ops.declare import primitive_class
from mindspore_compat._ops.sparse import sum_by_rows

__all__ = ["CSRReduceSum"]

CSRReduceSum = primitive_class("CSRReduceSum", sum_by_rows)
