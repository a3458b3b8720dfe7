"""Attention of several heads. Upstream: ``mindspore.nn.layer.transformer``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common.initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense

__all__ = ["MultiheadAttention"]

_linear = kernels.linear


def _additive(mask: Any, dtype: torch.dtype, name: str) -> Any:
    """A mask to add to the scores: True in a bool mask means "do not look here"."""
    if mask.dtype is torch.uint8:
        mask = mask.to(torch.bool)
    if mask.dtype is torch.bool:
        return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, float("-inf"))
    if not mask.dtype.is_floating_point:
        raise ValueError(f"For 'MultiheadAttention', the '{name}' must be bool or floating, but got {mask.dtype}.")
    return mask.to(dtype)


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
        if self.head_dim * num_heads != embed_dim:
            raise ValueError(
                "For 'MultiheadAttention', the init argument 'embed_dim' must be divisible by 'num_heads', "
                f"but got {embed_dim} and {num_heads}."
            )
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
        self._check(query, key, value)
        q, k, v = self._projected(query, key, value)
        axis = 1 if swap else 0  # of time
        if self.bias_k is not None:
            shape = (k.shape[0], 1, -1) if swap else (1, k.shape[1], -1)
            k, v = (
                torch.cat([item, extra.expand(shape).to(item.dtype)], axis)  # type: ignore[union-attr]
                for item, extra in ((k, self.bias_k), (v, self.bias_v))
            )
        if self.add_zero_attn:
            k, v = (torch._C._nn.pad(item, (0, 0, 0, 1) if swap else (0, 0, 0, 0, 0, 1)) for item in (k, v))
        parts = [
            torch.transpose(torch.reshape(item, (*item.shape[:2], self.num_heads, self.head_dim)), 1, 2)
            if swap
            else torch.permute(torch.reshape(item, (*item.shape[:2], self.num_heads, self.head_dim)), (1, 2, 0, 3))
            for item in (q, k, v)
        ]
        mask = self._mask(attn_mask, key_padding_mask, parts[0], parts[1])
        output, weights = self._attend(parts[0], parts[1], parts[2], mask, need_weights)
        output = torch.permute(output, (0, 2, 1, 3) if swap else (2, 0, 1, 3))
        output = self.out_proj.construct(torch.reshape(output, (*output.shape[:2], self.embed_dim)))
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

    def _check(self, query: Any, key: Any, value: Any) -> None:
        if query.dim() != 3 or key.dim() != 3 or value.dim() != 3:
            raise ValueError(
                "For 'MultiheadAttention', 'query', 'key' and 'value' must all have 2 or all have 3 axes, "
                f"but got {query.dim()}, {key.dim()} and {value.dim()}."
            )
        if query.shape[-1] != self.embed_dim or key.shape[-1] != self.kdim or value.shape[-1] != self.vdim:
            raise ValueError(
                f"For 'MultiheadAttention', the last axes of 'query', 'key' and 'value' must be {self.embed_dim}, "
                f"{self.kdim} and {self.vdim}, but got {query.shape[-1]}, {key.shape[-1]} and {value.shape[-1]}."
            )
        if key.shape[:2] != value.shape[:2]:
            raise ValueError(
                "For 'MultiheadAttention', 'key' and 'value' must have the same length and batch, "
                f"but got {tuple(key.shape)} and {tuple(value.shape)}."
            )

    def _projected(self, query: Any, key: Any, value: Any) -> Any:
        bias = self.in_proj_bias
        if self._qkv_same_embed_dim:
            weight = self.in_proj_weight
            if key is value and query is key:
                return torch.chunk(_linear(query, weight, bias), 3, -1)
            if key is value:
                sizes = (self.embed_dim, 2 * self.embed_dim)
                w_q, w_kv = torch.split(weight, sizes)
                b_q, b_kv = (None, None) if bias is None else torch.split(bias, sizes)
                return _linear(query, w_q, b_q), *torch.chunk(_linear(key, w_kv, b_kv), 2, -1)
            weights = torch.chunk(weight, 3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if bias is None else torch.chunk(bias, 3)
        return [_linear(item, w, b) for item, w, b in zip((query, key, value), weights, biases)]

    def _mask(self, attn_mask: Any, key_padding_mask: Any, q: Any, k: Any) -> Any:
        batch, target, source = q.shape[0], q.shape[2], k.shape[2]
        extra = int(self.bias_k is not None) + int(self.add_zero_attn)  # places that every query may see
        mask = None
        if attn_mask is not None:
            allowed = {2: (target, source - extra), 3: (batch * self.num_heads, target, source - extra)}
            if tuple(attn_mask.shape) != allowed.get(attn_mask.dim()):
                raise ValueError(
                    f"For 'MultiheadAttention', the shape of 'attn_mask' must be {allowed[2]} or {allowed[3]}, "
                    f"but got {tuple(attn_mask.shape)}."
                )
            mask = _additive(attn_mask, q.dtype, "attn_mask")
            mask = mask if attn_mask.dim() == 2 else torch.reshape(mask, (batch, self.num_heads, *mask.shape[1:]))
        if key_padding_mask is not None:
            if tuple(key_padding_mask.shape) != (batch, source - extra):
                raise ValueError(
                    f"For 'MultiheadAttention', the shape of 'key_padding_mask' must be {(batch, source - extra)}, "
                    f"but got {tuple(key_padding_mask.shape)}."
                )
            padding = torch.reshape(_additive(key_padding_mask, q.dtype, "key_padding_mask"), (batch, 1, 1, -1))
            mask = padding if mask is None else torch.add(mask, padding)
        return mask if mask is None or not extra else torch._C._nn.pad(mask, (0, extra))

    def _attend(self, q: Any, k: Any, v: Any, mask: Any, need_weights: bool) -> tuple[Any, Any]:
        rate = self.dropout if self.training else 0.0
        if not need_weights:
            return kernels.scaled_dot_product_attention(q, k, v, mask, rate), None
        scores = kernels.matmul(torch.mul(q, 1 / math.sqrt(self.head_dim)), torch.transpose(k, -2, -1))
        weights = torch.softmax(scores if mask is None else torch.add(scores, mask), -1)
        if rate:
            weights = torch.dropout(weights, rate, True)
        return kernels.matmul(weights, v), weights
