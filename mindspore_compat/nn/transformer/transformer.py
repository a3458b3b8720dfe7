"""Transformers as one Cell, with cache and experts. MindSpore: ``mindspore.parallel._transformer.transformer``, 1.x's
``nn.transformer``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.placement import constant
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import Softmax
from mindspore_compat.nn.layer.basic import Dropout
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.nn.transformer._feed_forward import FeedForward
from mindspore_compat.nn.transformer.layers import _LayerNorm, _Linear
from mindspore_compat.nn.transformer.moe import MoE, default_moe_config
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


def _used(past: Any) -> Any:
    """Return the number of used places of a cache of keys (batch, heads, size, length), (batch, 1, 1): the others hold
    zeros.
    """
    return torch.reshape(torch.sum(past[:, 0, 0, :] != 0, -1), (-1, 1, 1))


class MultiHeadAttention(Cell):
    """Attention of query (batch, length, hidden) or (batch * length, hidden) over key and value; a mask of ones and
    zeros (batch, query, key).

    Returns (output, (key, value)); key is (batch, heads, size, length), value (batch, heads, length, size). With
    ``use_past`` these are the caches. The first call fills them up to ``batch_valid_length``. After
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


_F32, _F16 = torch.float32, torch.float16


class _Layer(Cell):
    """Arguments and parts of encoder and decoder layers; ``lengths`` has each attention's, of query and key."""

    key_past: Any
    value_past: Any

    def __init__(
        self,
        lengths: dict[str, tuple[int, int]],
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
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
        self.batch_size, self.hidden_size, self.dtype = batch_size, hidden_size, _F16
        self.use_past, self.post_layernorm_residual = use_past, post_layernorm_residual
        self.use_moe = moe_config.expert_num > 1
        self.key_past = self.value_past = None

        def layer_norm() -> Cell:
            return _LayerNorm((hidden_size,)).to_float(layernorm_compute_type)

        self.layernorm1, self.layernorm2 = layer_norm(), layer_norm()
        attention: Any = {
            "batch_size": batch_size,
            "hidden_size": hidden_size,
            "num_heads": num_heads,
            "hidden_dropout_rate": hidden_dropout_rate,
            "attention_dropout_rate": attention_dropout_rate,
            "softmax_compute_type": softmax_compute_type,
            "param_init_type": param_init_type,
            "use_past": use_past,
            "parallel_config": parallel_config.dpmp if self.use_moe else parallel_config,
        }
        feed: Any = {
            "hidden_size": hidden_size,
            "ffn_hidden_size": ffn_hidden_size,
            "dropout_rate": hidden_dropout_rate,
            "hidden_act": hidden_act,
            "param_init_type": param_init_type,
            "parallel_config": parallel_config,
        }
        for name, (source, target) in lengths.items():
            setattr(self, name, MultiHeadAttention(src_seq_length=source, tgt_seq_length=target, **attention))
        if "cross_attention" in lengths:
            self.cross_attention_layernorm = layer_norm()
        self.output = MoE(moe_config=moe_config, **feed) if self.use_moe else FeedForward(**feed)


class TransformerEncoderLayer(_Layer):
    """Attention and feed-forward with layer norms before them, or behind them with ``post_layernorm_residual``.

    x (batch, length, hidden) or flattened gives (output, (key, value)), and the experts' loss if there are experts.
    With ``use_past`` the layer keeps the caches itself; ``init_reset`` False empties them.
    """

    @arguments_of(_Layer, without="lengths", seq_length="num_heads")
    def __init__(
        self,
        batch_size: int | None,
        hidden_size: int,
        num_heads: int,
        seq_length: int,
        use_past: bool = False,
        **layer: Any,
    ) -> None:
        lengths = {"attention": (seq_length, seq_length)}
        super().__init__(lengths, batch_size, hidden_size, num_heads=num_heads, use_past=use_past, **layer)
        self.seq_length = seq_length
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
                self.key_past.copy_(present[0])
                self.value_past.copy_(present[1])
        x = (normed if post else x) + attention
        normed = self.layernorm2(x).to(_F16)
        fed = self.output(normed)
        fed, *loss = fed if self.use_moe else (fed,)
        result = self.layernorm1(normed + fed) if post else x + fed
        return torch.reshape(result, shape), present, *loss


class TransformerDecoderLayer(_Layer):
    """`TransformerEncoderLayer` with attention over ``encoder_output`` in the middle; (output, (key, value, and those
    of the encoder)).
    """

    @arguments_of(_Layer, without="lengths", batch_size="num_heads", use_past="post_layernorm_residual")
    def __init__(
        self,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        use_past: bool = False,
        softmax_compute_type: Any = _F32,
        **layer: Any,
    ) -> None:
        if use_past:
            raise ValueError(
                "For 'TransformerDecoderLayer', the 'use_past' must be False, but got True. Use "
                "TransformerEncoderLayer."
            )
        lengths = {"attention": (tgt_seq_length, tgt_seq_length), "cross_attention": (tgt_seq_length, src_seq_length)}
        super().__init__(lengths, batch_size, softmax_compute_type=softmax_compute_type, **layer)
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.softmax_compute_type = softmax_compute_type

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
    """Return a function that sets a block's pipeline stage, its group of gradients, and recomputation."""

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
    """Base of encoder and decoder: the list of blocks, one after another."""

    def _set_blocks(
        self,
        block: Callable[..., Cell],
        num_layers: int,
        lambda_func: Any,
        offset: int,
        parallel_config: Any,
        **layer: Any,
    ) -> None:
        self.use_moe, self.num_layers = layer["moe_config"].expert_num > 1, num_layers
        layout = parallel_config.moe_parallel_config if self.use_moe else parallel_config.dp_mp_config
        self.blocks = CellList()
        for index in range(num_layers):
            cell = block(parallel_config=layout, **layer)
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

    @arguments_of(
        TransformerEncoderLayer,
        num_layers="batch_size",
        seq_length="ffn_hidden_size",
        hidden_act="hidden_dropout_rate",
        lambda_func="param_init_type",
    )
    def __init__(
        self,
        num_layers: int,
        batch_size: int,
        seq_length: int,
        hidden_act: Any = "gelu",
        lambda_func: Any = None,
        offset: int = 0,
        parallel_config: Any = default_transformer_config,
        **layer: Any,
    ) -> None:
        super().__init__()
        layer |= {"batch_size": batch_size, "seq_length": seq_length, "hidden_act": hidden_act}
        self._set_blocks(TransformerEncoderLayer, num_layers, lambda_func, offset, parallel_config, **layer)

    def construct(
        self, hidden_states: Any, attention_mask: Any, init_reset: Any = True, batch_valid_length: Any = None
    ) -> Any:
        return self._run(hidden_states, attention_mask, init_reset, batch_valid_length)


class TransformerDecoder(_Stack):
    """`TransformerDecoderLayer` ``num_layers`` times; results as those of `TransformerEncoder`."""

    @arguments_of(
        TransformerDecoderLayer,
        batch_size="num_layers",
        num_heads="tgt_seq_length",
        lambda_func="hidden_act",
        use_past="lambda_func",
    )
    def __init__(
        self,
        num_layers: int,
        batch_size: int,
        num_heads: int,
        lambda_func: Any = None,
        use_past: bool = False,
        offset: int = 0,
        parallel_config: Any = default_transformer_config,
        **layer: Any,
    ) -> None:
        super().__init__()
        layer |= {"batch_size": batch_size, "num_heads": num_heads, "use_past": use_past}
        self._set_blocks(TransformerDecoderLayer, num_layers, lambda_func, offset, parallel_config, **layer)

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

    @arguments_of(
        TransformerEncoder,
        without="seq_length num_layers offset",
        hidden_size="self",
        src_seq_length="ffn_hidden_size",
        use_past="lambda_func",
    )
    def __init__(
        self,
        hidden_size: int,
        batch_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        encoder_layers: int = 3,
        decoder_layers: int = 3,
        num_heads: int = 2,
        lambda_func: Any = None,
        use_past: bool = False,
        moe_config: Any = default_moe_config,
        **layer: Any,
    ) -> None:
        super().__init__()
        self.batch_size, self.hidden_size, self.src_seq_length = batch_size, hidden_size, src_seq_length
        self.tgt_seq_length = tgt_seq_length
        self.use_past, self.use_moe = use_past, moe_config.expert_num > 1
        layer |= {"batch_size": batch_size, "hidden_size": hidden_size, "num_heads": num_heads}
        layer |= {"use_past": use_past, "moe_config": moe_config}
        layer["lambda_func"] = lambda_func or _get_lambda_func(total_layer=encoder_layers + decoder_layers)
        self.encoder = TransformerEncoder(num_layers=encoder_layers, seq_length=src_seq_length, **layer)
        self.decoder = None
        if decoder_layers > 0:
            layer |= {"src_seq_length": src_seq_length, "tgt_seq_length": tgt_seq_length}
            self.decoder = TransformerDecoder(num_layers=decoder_layers, offset=encoder_layers, **layer)

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
