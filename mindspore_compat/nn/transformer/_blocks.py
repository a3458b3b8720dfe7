"""One layer of the encoder and of the decoder. Upstream: ``mindspore.parallel._transformer.transformer``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.transformer._attention import MultiHeadAttention
from mindspore_compat.nn.transformer._feed_forward import FeedForward
from mindspore_compat.nn.transformer.layers import _LayerNorm
from mindspore_compat.nn.transformer.moe import MoE, default_moe_config
from mindspore_compat.nn.transformer.op_parallel_config import default_dpmp_config

__all__ = ["TransformerEncoderLayer", "TransformerDecoderLayer"]

_F32, _F16 = torch.float32, torch.float16


def _set_layer(
    cell: Any,
    sizes: dict[str, int],
    rates: dict[str, float],
    types: dict[str, Any],
    hidden_act: Any,
    moe_config: Any,
    parallel_config: Any,
) -> Any:
    """Children that encoder and decoder layers share; returns what makes their attention."""
    cell.use_moe, cell.hidden_size, cell.dtype = moe_config.expert_num > 1, sizes["hidden_size"], _F16
    hidden, norm = sizes["hidden_size"], types["layernorm_compute_type"]
    feed: Any = {
        "hidden_size": hidden,
        "ffn_hidden_size": sizes["ffn_hidden_size"],
        "dropout_rate": rates["hidden_dropout_rate"],
        "hidden_act": hidden_act,
        "param_init_type": types["param_init_type"],
        "parallel_config": parallel_config,
    }

    def attention(**more: Any) -> MultiHeadAttention:
        return MultiHeadAttention(
            hidden_size=hidden,
            num_heads=sizes["num_heads"],
            softmax_compute_type=types["softmax_compute_type"],
            param_init_type=types["param_init_type"],
            parallel_config=parallel_config.dpmp if cell.use_moe else parallel_config,
            **rates,
            **more,
        )

    def layer_norm() -> _LayerNorm:
        return _LayerNorm((hidden,)).to_float(norm)  # type: ignore[return-value]

    return attention, layer_norm, lambda: MoE(moe_config=moe_config, **feed) if cell.use_moe else FeedForward(**feed)


class TransformerEncoderLayer(Cell):
    """Attention and feed-forward with layer norms before them, or behind them with ``post_layernorm_residual``.

    x (batch, length, hidden) or flattened gives (output, (key, value)), and the experts' loss if there are experts.
    With ``use_past`` the layer keeps the caches itself; ``init_reset`` False empties them.
    """

    def __init__(
        self,
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        seq_length: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = _F32,
        softmax_compute_type: Any = _F32,
        param_init_type: Any = _F32,
        hidden_act: Any = "gelu",
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        super().__init__()
        attention, layer_norm, output = _set_layer(
            self,
            {"num_heads": num_heads, "hidden_size": hidden_size, "ffn_hidden_size": ffn_hidden_size},
            {"hidden_dropout_rate": hidden_dropout_rate, "attention_dropout_rate": attention_dropout_rate},
            {
                "layernorm_compute_type": layernorm_compute_type,
                "softmax_compute_type": softmax_compute_type,
                "param_init_type": param_init_type,
            },
            hidden_act,
            moe_config,
            parallel_config,
        )
        self.batch_size, self.seq_length, self.use_past = batch_size, seq_length, use_past
        self.post_layernorm_residual = post_layernorm_residual
        self.layernorm1, self.layernorm2 = layer_norm(), layer_norm()
        self.attention = attention(
            batch_size=batch_size, src_seq_length=seq_length, tgt_seq_length=seq_length, use_past=use_past
        )
        self.output = output()
        self.key_past = self.value_past = None
        if use_past:
            size = hidden_size // num_heads
            self.key_shape = (batch_size, num_heads, size, seq_length)
            self.value_shape = (batch_size, num_heads, seq_length, size)
            self.key_past = Parameter(initializer("zeros", self.key_shape, _F16), name="key_past")
            self.value_past = Parameter(initializer("zeros", self.value_shape, _F16), name="value_past")

    def construct(self, x: Any, input_mask: Any = None, init_reset: Any = True, batch_valid_length: Any = None) -> Any:
        shape, x = x.shape, torch.reshape(x, (-1, x.shape[-1]))
        post = self.post_layernorm_residual
        normed = (x if post else self.layernorm1(x)).to(_F16)
        past: Any = (self.key_past, self.value_past)
        if self.use_past:
            past = tuple(item.detach() * init_reset.to(_F16) for item in past)
        attention, present = self.attention(normed, normed, normed, input_mask, *past, batch_valid_length)
        if self.use_past:
            with torch.no_grad():
                self.key_past.copy_(present[0])  # type: ignore[union-attr]
                self.value_past.copy_(present[1])  # type: ignore[union-attr]
        x = (normed if post else x) + attention
        normed = self.layernorm2(x).to(_F16)
        fed = self.output(normed)
        fed, *loss = fed if self.use_moe else (fed,)
        result = self.layernorm1(normed + fed) if post else x + fed
        return torch.reshape(result, shape), present, *loss


class TransformerDecoderLayer(Cell):
    """`TransformerEncoderLayer` with attention over ``encoder_output`` in the middle; (output, (key, value, and those
    of the encoder)).
    """

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        use_past: bool = False,
        layernorm_compute_type: Any = _F32,
        softmax_compute_type: Any = _F32,
        param_init_type: Any = _F32,
        hidden_act: Any = "gelu",
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        super().__init__()
        attention, layer_norm, output = _set_layer(
            self,
            {"num_heads": num_heads, "hidden_size": hidden_size, "ffn_hidden_size": ffn_hidden_size},
            {"hidden_dropout_rate": hidden_dropout_rate, "attention_dropout_rate": attention_dropout_rate},
            {
                "layernorm_compute_type": layernorm_compute_type,
                "softmax_compute_type": softmax_compute_type,
                "param_init_type": param_init_type,
            },
            hidden_act,
            moe_config,
            parallel_config,
        )
        if use_past:
            raise ValueError(
                "For 'TransformerDecoderLayer', the 'use_past' must be False, but got True. Use "
                "TransformerEncoderLayer."
            )
        self.batch_size, self.use_past, self.post_layernorm_residual = batch_size, use_past, post_layernorm_residual
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.softmax_compute_type = softmax_compute_type
        self.layernorm1, self.layernorm2 = layer_norm(), layer_norm()
        self.attention = attention(batch_size=batch_size, src_seq_length=tgt_seq_length, tgt_seq_length=tgt_seq_length)
        self.cross_attention = attention(
            batch_size=batch_size, src_seq_length=tgt_seq_length, tgt_seq_length=src_seq_length
        )
        self.cross_attention_layernorm = layer_norm()
        self.output = output()
        self.key_past = self.value_past = None

    def construct(
        self,
        hidden_stats: Any,
        decoder_mask: Any,
        encoder_output: Any = None,
        memory_mask: Any = None,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> Any:
        shape, x = hidden_stats.shape, torch.reshape(hidden_stats, (-1, hidden_stats.shape[-1]))
        post = self.post_layernorm_residual
        normed = self.layernorm1(x).to(_F16)
        attention, present = self.attention(normed, normed, normed, decoder_mask)
        x = (normed if post else x) + attention
        if encoder_output is not None:
            normed, memory = self.cross_attention_layernorm(x).to(_F16), encoder_output.to(_F16)
            attention, more = self.cross_attention(normed, memory, memory, memory_mask)
            present += more
            x = (normed if post else x) + attention
        normed = self.layernorm2(x).to(_F16)
        fed = self.output(normed)
        fed, *loss = fed if self.use_moe else (fed,)
        return torch.reshape((normed if post else x) + fed, shape), present, *loss
