"""Attention and the Transformer. Upstream: ``mindspore.nn.layer.transformer``. Inputs are (L, N, E), or (N, L, E) with
``batch_first``.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common.initializer import HeUniform, Uniform, initializer
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._multihead_attention import MultiheadAttention
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
    """What encoder and decoder layer share: arguments, feed-forward block, and residual blocks with their norms."""

    _attentions: tuple[str, ...] = ("self_attn",)

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
        self.dense1 = Dense(
            d_model, dim_feedforward, HeUniform(math.sqrt(5)), Uniform(1 / math.sqrt(d_model)), dtype=dtype
        )
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(
            dim_feedforward, d_model, HeUniform(math.sqrt(5)), Uniform(1 / math.sqrt(dim_feedforward)), dtype=dtype
        )
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
        """A new layer with the same arguments."""
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
        """x + block(x), with norm ``number`` in front of the block or behind the sum."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + dropout(block(norm(x)))
        return norm(x + dropout(block(x)))

    def _feed_forward(self, x: Any) -> Any:
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and a feed-forward block, each with residual and norm: (src, src_mask=None,
    src_key_padding_mask=None).
    """

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        src = self._block(1, src, lambda x: self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0])
        return self._block(2, src, self._feed_forward)


class TransformerDecoderLayer(_TransformerLayer):
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


class TransformerEncoder(Cell):
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


class TransformerDecoder(Cell):
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


class Transformer(Cell):
    """Encoder and decoder: (src, tgt, masks...) to the decoder's output. All matrices start Xavier-uniform."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        shared = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype)
        if custom_encoder is None:
            custom_encoder = TransformerEncoder(
                TransformerEncoderLayer(*shared),
                num_encoder_layers,
                LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype),
            )
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(
                TransformerDecoderLayer(*shared),
                num_decoder_layers,
                LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype),
            )
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for parameter in self.get_parameters():
            if parameter.dim() > 1:
                parameter.set_data(initializer("xavier_uniform", parameter.shape, parameter.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

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
