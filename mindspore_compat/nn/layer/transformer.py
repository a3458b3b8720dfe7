"""Attention and the Transformer. MindSpore: ``mindspore.nn.layer.transformer``. Inputs are (L, N, E), or (N, L, E) with
``batch_first``.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.attention import _in_projection, _in_projection_packed, attention_of_heads
from mindspore_compat.common.initializer import HeUniform, Uniform, XavierNormal, XavierUniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dense, Dropout
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.layer.normalization import LayerNorm

__all__ = [
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerDecoder",
    "Transformer",
]


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
        if embed_dim % num_heads:
            raise ValueError(f"'embed_dim' must be divisible by 'num_heads', but got {embed_dim} and {num_heads}.")
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


_linear = kernels.linear


def _activation_of(activation: Any, owner: str) -> Any:
    if isinstance(activation, str):
        try:
            return {"relu": torch.relu, "gelu": torch._C._nn.gelu}[activation]
        except KeyError:
            raise ValueError(f"For '{owner}', the 'activation' must be relu/gelu, but got {activation!r}.") from None
    if isinstance(activation, type) or not callable(activation):
        raise ValueError(
            f"For '{owner}', the argument 'activation' must be str, callable or Cell instance, but got {activation}."
        )
    return activation


class _TransformerLayer(Cell):
    """Base of encoder and decoder layer: arguments, feed-forward block, and residual blocks with their norms."""

    _attentions: tuple[str, ...] = ("self_attn",)
    _linears = ("dense1", "dense2")

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype))
        first, second = self._linears
        bias = Uniform(1 / math.sqrt(d_model))
        setattr(self, first, Dense(d_model, dim_feedforward, HeUniform(math.sqrt(5)), bias, dtype=dtype))
        self.dropout = Dropout(p=dropout)
        bias = Uniform(1 / math.sqrt(dim_feedforward))
        setattr(self, second, Dense(dim_feedforward, d_model, HeUniform(math.sqrt(5)), bias, dtype=dtype))
        blocks = len(self._attentions) + 1
        for number in range(1, blocks + 1):
            setattr(self, f"norm{number}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for number in range(1, blocks + 1):
            setattr(self, f"dropout{number}", Dropout(p=dropout))
        self.activation1 = activation
        self.activation = _activation_of(activation, type(self).__name__)
        self.d_model, self.nhead, self.dim_feedforward, self.dropout_num = d_model, nhead, dim_feedforward, dropout
        self.layernorm_eps, self.batch_first, self.norm_first = layer_norm_eps, batch_first, norm_first
        self.dtype = dtype

    def _like(self) -> Any:
        """Return a new layer with the same arguments."""
        return type(self)(
            self.d_model,
            self.nhead,
            self.dim_feedforward,
            self.dropout_num,
            self.activation1,
            self.layernorm_eps,
            self.batch_first,
            self.norm_first,
            self.dtype,
        )

    def _block(self, number: int, x: Any, block: Any) -> Any:
        """Return x + block(x), with norm ``number`` before the block or after the sum."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + dropout(block(norm(x)))
        return norm(x + dropout(block(x)))

    def _feed_forward(self, x: Any) -> Any:
        first, second = (getattr(self, name) for name in self._linears)
        return second(self.dropout(self.activation(first(x))))


class _OrFormer(Cell):
    """Metaclass: a call with 1.7's ``hidden_size`` makes the class of that name of ``nn.transformer``."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if "hidden_size" in kwargs and cls.__module__ == __name__:
            from mindspore_compat.nn import transformer

            return getattr(transformer, cls.__name__)(*args, **kwargs)
        return super().__new__(cls)


class TransformerEncoderLayer(_OrFormer, _TransformerLayer):
    """Self-attention and a feed-forward block, each with residual and norm: (src, src_mask=None,
    src_key_padding_mask=None).
    """

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        src = self._block(1, src, lambda x: self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0])
        return self._block(2, src, self._feed_forward)


class TransformerDecoderLayer(_OrFormer, _TransformerLayer):
    """Self-attention, attention to ``memory`` and a feed-forward block, each with residual and norm."""

    _attentions = ("self_attn", "multihead_attn")

    def construct(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        tgt = self._block(1, tgt, lambda x: self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0])
        tgt = self._block(
            2, tgt, lambda x: self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0]
        )
        return self._block(3, tgt, self._feed_forward)


class TransformerEncoder(_OrFormer):
    """``num_layers`` new layers with the arguments of ``encoder_layer``, all with the same start values, and a final
    ``norm``.
    """

    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        layer = encoder_layer._like()
        self.layers = CellList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_OrFormer):
    """``num_layers`` new layers with the arguments of ``decoder_layer``, all with the same start values, and a final
    ``norm``.
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        layer = decoder_layer._like()
        self.layers = CellList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def construct(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(_OrFormer):
    """Encoder and decoder: (src, tgt, masks...) to the decoder's output. All matrices start Xavier-uniform."""

    @arguments_of(_TransformerLayer, num_encoder_layers="nhead", custom_encoder="activation")
    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        **layer: Any,
    ) -> None:
        super().__init__()
        layer |= {"d_model": d_model, "nhead": nhead}

        def norm() -> Cell:
            return LayerNorm((d_model,), epsilon=layer["layer_norm_eps"], dtype=layer["dtype"])

        if custom_encoder is None:
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(**layer), num_encoder_layers, norm())
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(**layer), num_decoder_layers, norm())
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for parameter in self.get_parameters():
            if parameter.dim() > 1:
                parameter.set_data(initializer("xavier_uniform", parameter.shape, parameter.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, layer["batch_first"]

    def construct(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
