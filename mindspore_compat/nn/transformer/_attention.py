"""Multi-head attention with a cache for incremental inference; its own file for its length. Public in
``.transformer``.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._runtime.placement import constant
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import Softmax
from mindspore_compat.nn.layer.basic import Dropout
from mindspore_compat.nn.transformer.layers import _Linear
from mindspore_compat.nn.transformer.op_parallel_config import default_dpmp_config

__all__ = ["MultiHeadAttention"]


def _used(past: Any) -> Any:
    """How many places of a cache of keys (batch, heads, size, length) are taken, (batch, 1, 1): the others
    hold zeros.
    """
    return torch.reshape(torch.sum(past[:, 0, 0, :] != 0, -1), (-1, 1, 1))


class MultiHeadAttention(Cell):
    """Attention of query (batch, length, hidden) or (batch * length, hidden) over key and value; a mask of ones and
    zeros (batch, query, key).

    Returns (output, (key, value)); key is (batch, heads, size, length), value (batch, heads, length, size). With
    ``use_past`` these are the
    caches: the first call fills them up to ``batch_valid_length``; after
    ``add_flags_recursive(is_first_iteration=False)`` each call takes one token and the caches of the call before.
    """

    def __init__(
        self,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        hidden_size: int,
        num_heads: int,
        hidden_dropout_rate: float = 0.1,
        attention_dropout_rate: float = 0.1,
        compute_dtype: Any = torch.float16,
        softmax_compute_type: Any = torch.float32,
        param_init_type: Any = torch.float32,
        use_past: bool = False,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        super().__init__()
        self.batch_size, self.src_seq_length, self.tgt_seq_length = batch_size, src_seq_length, tgt_seq_length
        self.hidden_size, self.n_head, self.size_per_head = hidden_size, num_heads, hidden_size // num_heads
        self.use_past, self.is_first_iteration = use_past, True
        self.dtype, self.softmax_dtype = compute_dtype, softmax_compute_type
        types: Any = {"compute_dtype": compute_dtype, "param_init_type": param_init_type}
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **types)
        self.dropout, self.prob_dropout = Dropout(p=hidden_dropout_rate), Dropout(p=attention_dropout_rate)
        self.softmax, self.softmax_3d = (Softmax().to_float(softmax_compute_type) for _ in range(2))
        self.dense1, self.dense2, self.dense3 = (_Linear(hidden_size, hidden_size, **types) for _ in range(3))

    def construct(
        self,
        query_tensor: Any,
        key_tensor: Any,
        value_tensor: Any,
        attention_mask: Any,
        key_past: Any = None,
        value_past: Any = None,
        batch_valid_length: Any = None,
    ) -> Any:
        single = self.use_past and not self.is_first_iteration  # one token a sample
        shape = query_tensor.shape
        batch = shape[0] // self.src_seq_length if len(shape) == 2 and not single else shape[0]
        target = 1 if single else self.tgt_seq_length
        query = self._heads(self.dense1, query_tensor, batch, 1 if single else self.src_seq_length)
        key = torch.transpose(self._heads(self.dense2, key_tensor, batch, target), 2, 3)
        value = self._heads(self.dense3, value_tensor, batch, target)
        present = key, value
        if self.use_past:
            places = torch.arange(self.src_seq_length, device=key.device)
            taken = places == _used(key_past) if single else places < torch.reshape(batch_valid_length, (-1, 1, 1))
            here = taken.to(self.dtype)[:, None]  # (batch, 1, 1, length)
            present = key * here, value * torch.transpose(here, 2, 3)
            if single:
                key, value = present = key_past + present[0], value_past + present[1]
                attention_mask = places < _used(key)
        if attention_mask is not None and attention_mask.dim() == 3:
            attention_mask = torch.unsqueeze(attention_mask, 1)
        output = self.dropout(self.projection(self._attend(query, key, value, attention_mask)))
        return torch.reshape(output, shape).to(query_tensor.dtype), present

    def _heads(self, dense: Cell, x: Any, batch: int, length: int) -> Any:
        x = dense(torch.reshape(x, (-1, x.shape[-1])).to(self.dtype))
        return torch.transpose(torch.reshape(x, (batch, length, self.n_head, self.size_per_head)), 1, 2)

    def _attend(self, query: Any, key: Any, value: Any, mask: Any) -> Any:
        # Both are divided by the root of the root before they meet, which keeps float16 in range: another rounding than
        # dividing scores.
        factor = constant(math.sqrt(math.sqrt(self.size_per_head)), query.device).to(query.dtype)
        scores = kernels.matmul(query / factor, key / factor).to(self.softmax_dtype)
        if mask is not None:
            scores = (1.0 - mask.to(scores.dtype)) * -10000.0 + scores
        weights = self.prob_dropout(self.softmax(scores).to(query.dtype))
        return torch.reshape(torch.transpose(kernels.matmul(weights, value), 1, 2), (-1, self.hidden_size))
