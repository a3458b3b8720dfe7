"""Attention of several heads. Upstream: ``mindspore.nn.layer.transformer``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat.common.initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.ops.function._attention_heads import _in_projection, _in_projection_packed, attention_of_heads

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Cell):
    """Scaled dot-product attention in ``num_heads`` heads.

    Called with (query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
    average_attn_weights=True); returns (output, weights), or (output,) without weights. True in a bool mask leaves a
    place out.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        dtype = torch.float32 if dtype is None else dtype

        def weight(name: str, shape: tuple[int, ...], init: Any = None) -> Parameter:
            return Parameter(initializer(XavierUniform() if init is None else init, shape, dtype), name)

        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self._qkv_same_embed_dim:
            self.in_proj_weight = weight("in_proj_weight", (3 * embed_dim, embed_dim))
        else:
            self.q_proj_weight = weight("q_proj_weight", (embed_dim, embed_dim))
            self.k_proj_weight = weight("k_proj_weight", (embed_dim, self.kdim))
            self.v_proj_weight = weight("v_proj_weight", (embed_dim, self.vdim))
        self.in_proj_bias = weight("in_proj_bias", (3 * embed_dim,), "zeros") if has_bias else None
        self.out_proj = Dense(
            embed_dim, embed_dim, HeUniform(math.sqrt(5)), Uniform(1 / math.sqrt(embed_dim)), has_bias, dtype=dtype
        )
        self.bias_k = weight("bias_k", (1, 1, embed_dim), XavierNormal()) if add_bias_kv else None
        self.bias_v = weight("bias_v", (1, 1, embed_dim), XavierNormal()) if add_bias_kv else None
        self.add_zero_attn, self.dtype = add_zero_attn, dtype

    def construct(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
    ) -> Any:
        batched, swap = query.dim() == 3, self.batch_first and query.dim() == 3
        if not batched:  # one sample, (L, E)
            query, key, value = self._with_batch(query, key, value)
            key_padding_mask = None if key_padding_mask is None else torch.unsqueeze(key_padding_mask, 0)
        rate = self.dropout if self.training else 0.0
        output, weights = attention_of_heads(
            self._projected(query, key, value), self.num_heads, self.bias_k, self.bias_v, self.add_zero_attn, rate,
            key_padding_mask, attn_mask, need_weights, swap, owner="MultiheadAttention",
        )  # fmt: skip
        output = self.out_proj.construct(output)
        if not batched:
            output = torch.squeeze(output, 1)
        if not need_weights:
            return (output,)
        if average_attn_weights:
            weights = torch.mean(weights, 1)
        return output, weights if batched else torch.squeeze(weights, 0)

    @staticmethod
    def _with_batch(query: Any, key: Any, value: Any) -> tuple[Any, Any, Any]:
        q = torch.unsqueeze(query, 1)
        k = q if key is query else torch.unsqueeze(key, 1)
        return q, k, k if value is key else torch.unsqueeze(value, 1)

    def _projected(self, query: Any, key: Any, value: Any) -> Any:
        bias = self.in_proj_bias
        if self._qkv_same_embed_dim:
            return _in_projection_packed(query, key, value, self.in_proj_weight, bias, key is value, query is key)
        weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        return _in_projection(query, key, value, *weights, *((None,) * 3 if bias is None else torch.chunk(bias, 3)))
