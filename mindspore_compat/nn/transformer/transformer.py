"""Transformers as one Cell, with cache and experts. Upstream: ``mindspore.parallel._transformer.transformer``, 1.x's
``nn.transformer``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._runtime.placement import constant
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.transformer._attention import MultiHeadAttention
from mindspore_compat.nn.transformer._blocks import TransformerDecoderLayer, TransformerEncoderLayer
from mindspore_compat.nn.transformer._feed_forward import FeedForward
from mindspore_compat.nn.transformer.moe import default_moe_config
from mindspore_compat.nn.transformer.op_parallel_config import (
    EmbeddingOpParallelConfig,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    default_dpmp_config,
    default_embedding_parallel_config,
    default_transformer_config,
    default_transformer_recompute_config,
)

__all__ = [
    "AttentionMask",
    "VocabEmbedding",
    "MultiHeadAttention",
    "FeedForward",
    "TransformerEncoder",
    "TransformerDecoder",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
    "Transformer",
    "TransformerOpParallelConfig",
    "EmbeddingOpParallelConfig",
    "TransformerRecomputeConfig",
    "default_transformer_config",
    "default_embedding_parallel_config",
    "default_transformer_recompute_config",
]

_F32, _F16 = torch.float32, torch.float16


class AttentionMask(Cell):
    """A mask (batch, length) of real tokens gives (batch, length, length): 1 where one token may see another one, not
    after it.
    """

    def __init__(self, seq_length: int, parallel_config: Any = default_dpmp_config) -> None:
        super().__init__()
        self.seq_length = seq_length

    def construct(self, input_mask: Any) -> Any:
        real = (input_mask != 0).to(_F32)
        return torch.tril(torch.ones(self.seq_length, self.seq_length, device=real.device)) * (
            real[:, :, None] * real[:, None, :]
        )


class VocabEmbedding(Cell):
    """ids (...) int32 give (their rows of the table (..., embedding_size), the table)."""

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        parallel_config: Any = default_embedding_parallel_config,
        param_init: Any = "normal",
    ) -> None:
        super().__init__()
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.embedding_table = Parameter(
            initializer(param_init, (vocab_size, embedding_size)), name="embedding_table", parallel_optimizer=False
        )

    def construct(self, input_ids: Any) -> Any:
        return torch.embedding(self.embedding_table, input_ids), self.embedding_table


def _get_lambda_func(total_layer: int | None = None) -> Callable[..., None]:
    """A function that gives a block its stage of the pipeline, its group of gradients, and recomputation."""

    def configure(network: Any, layer_id: int, offset: int, parallel_config: Any, layers: int) -> None:
        layers = total_layer or layers
        per_stage = layers // parallel_config.pipeline_stage
        per_group = max(layers // parallel_config.gradient_aggregation_group, 1)
        network.pipeline_stage = min((layer_id + offset) // per_stage, parallel_config.pipeline_stage - 1)
        network.set_comm_fusion((layer_id + offset) // per_group + 1)
        recompute = parallel_config.recompute
        if recompute if isinstance(recompute, bool) else recompute.recompute:
            network.recompute()

    return configure


class _Stack(Cell):
    """What encoder and decoder share: the list of blocks, one after another."""

    def _set_blocks(
        self,
        block: Callable[..., Cell],
        num_layers: int,
        lambda_func: Any,
        offset: int,
        moe_config: Any,
        parallel_config: Any,
        **arguments: Any,
    ) -> None:
        self.use_moe, self.num_layers = moe_config.expert_num > 1, num_layers
        layout = parallel_config.moe_parallel_config if self.use_moe else parallel_config.dp_mp_config
        self.blocks = CellList()
        for index in range(num_layers):
            cell = block(moe_config=moe_config, parallel_config=layout, **arguments)
            (lambda_func or _get_lambda_func())(
                cell, layer_id=index, layers=num_layers, offset=offset, parallel_config=parallel_config
            )
            self.blocks.append(cell)

    def _run(self, hidden_states: Any, *inputs: Any) -> Any:
        presents, losses = [], constant(0.0, hidden_states.device)
        for block in self.blocks:
            hidden_states, present, *loss = block(hidden_states, *inputs)
            presents.append(present)
            losses = losses + loss[0] if loss else losses
        return (hidden_states, tuple(presents), losses) if self.use_moe else (hidden_states, tuple(presents))


class TransformerEncoder(_Stack):
    """`TransformerEncoderLayer` ``num_layers`` times: (output, a tuple of each layer's (key, value)), and the experts'
    loss if any.
    """

    def __init__(
        self,
        batch_size: int,
        num_layers: int,
        hidden_size: int,
        ffn_hidden_size: int,
        seq_length: int,
        num_heads: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        hidden_act: Any = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = _F32,
        softmax_compute_type: Any = _F32,
        param_init_type: Any = _F32,
        lambda_func: Any = None,
        offset: int = 0,
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_transformer_config,
    ) -> None:
        super().__init__()
        self._set_blocks(
            TransformerEncoderLayer,
            num_layers,
            lambda_func,
            offset,
            moe_config,
            parallel_config,
            batch_size=batch_size,
            hidden_size=hidden_size,
            ffn_hidden_size=ffn_hidden_size,
            seq_length=seq_length,
            num_heads=num_heads,
            attention_dropout_rate=attention_dropout_rate,
            hidden_dropout_rate=hidden_dropout_rate,
            hidden_act=hidden_act,
            post_layernorm_residual=post_layernorm_residual,
            layernorm_compute_type=layernorm_compute_type,
            softmax_compute_type=softmax_compute_type,
            param_init_type=param_init_type,
            use_past=use_past,
        )

    def construct(
        self, hidden_states: Any, attention_mask: Any, init_reset: Any = True, batch_valid_length: Any = None
    ) -> Any:
        return self._run(hidden_states, attention_mask, init_reset, batch_valid_length)


class TransformerDecoder(_Stack):
    """`TransformerDecoderLayer` ``num_layers`` times; results as those of `TransformerEncoder`."""

    def __init__(
        self,
        num_layers: int,
        batch_size: int,
        hidden_size: int,
        ffn_hidden_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        num_heads: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = _F32,
        softmax_compute_type: Any = _F32,
        param_init_type: Any = _F32,
        hidden_act: Any = "gelu",
        lambda_func: Any = None,
        use_past: bool = False,
        offset: int = 0,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_transformer_config,
    ) -> None:
        super().__init__()
        self._set_blocks(
            TransformerDecoderLayer,
            num_layers,
            lambda_func,
            offset,
            moe_config,
            parallel_config,
            batch_size=batch_size,
            hidden_size=hidden_size,
            ffn_hidden_size=ffn_hidden_size,
            src_seq_length=src_seq_length,
            tgt_seq_length=tgt_seq_length,
            num_heads=num_heads,
            attention_dropout_rate=attention_dropout_rate,
            hidden_dropout_rate=hidden_dropout_rate,
            hidden_act=hidden_act,
            post_layernorm_residual=post_layernorm_residual,
            layernorm_compute_type=layernorm_compute_type,
            softmax_compute_type=softmax_compute_type,
            param_init_type=param_init_type,
            use_past=use_past,
        )

    def construct(
        self,
        hidden_states: Any,
        attention_mask: Any,
        encoder_output: Any = None,
        memory_mask: Any = None,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> Any:
        return self._run(hidden_states, attention_mask, encoder_output, memory_mask, init_reset, batch_valid_length)


class Transformer(Cell):
    """Encoder and, if it has layers, decoder: (output, the encoder's keys and values, the decoder's or None), and the
    experts' loss if any.
    """

    def __init__(
        self,
        hidden_size: int,
        batch_size: int,
        ffn_hidden_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        encoder_layers: int = 3,
        decoder_layers: int = 3,
        num_heads: int = 2,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        hidden_act: Any = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: Any = _F32,
        softmax_compute_type: Any = _F32,
        param_init_type: Any = _F32,
        lambda_func: Any = None,
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        parallel_config: Any = default_transformer_config,
    ) -> None:
        super().__init__()
        self.batch_size, self.hidden_size, self.src_seq_length = batch_size, hidden_size, src_seq_length
        self.tgt_seq_length = tgt_seq_length
        self.use_past, self.use_moe = use_past, moe_config.expert_num > 1
        common: Any = {
            "batch_size": batch_size,
            "hidden_size": hidden_size,
            "ffn_hidden_size": ffn_hidden_size,
            "num_heads": num_heads,
            "attention_dropout_rate": attention_dropout_rate,
            "hidden_dropout_rate": hidden_dropout_rate,
            "hidden_act": hidden_act,
            "post_layernorm_residual": post_layernorm_residual,
            "layernorm_compute_type": layernorm_compute_type,
            "softmax_compute_type": softmax_compute_type,
            "param_init_type": param_init_type,
            "use_past": use_past,
            "moe_config": moe_config,
            "lambda_func": lambda_func or _get_lambda_func(total_layer=encoder_layers + decoder_layers),
            "parallel_config": parallel_config,
        }
        self.encoder = TransformerEncoder(num_layers=encoder_layers, seq_length=src_seq_length, **common)
        self.decoder = None
        if decoder_layers > 0:
            self.decoder = TransformerDecoder(
                num_layers=decoder_layers,
                src_seq_length=src_seq_length,
                tgt_seq_length=tgt_seq_length,
                offset=encoder_layers,
                **common,
            )

    def construct(
        self,
        encoder_inputs: Any,
        encoder_masks: Any,
        decoder_inputs: Any = None,
        decoder_masks: Any = None,
        memory_mask: Any = None,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> Any:
        output, encoder_present, *loss = self.encoder(encoder_inputs, encoder_masks, init_reset, batch_valid_length)
        decoder_present = None
        if self.decoder is not None:
            output, decoder_present, *more = self.decoder(
                decoder_inputs, decoder_masks, output, memory_mask, init_reset, batch_valid_length
            )
            loss = [a + b for a, b in zip(loss, more)]
        return output, encoder_present, decoder_present, *loss
