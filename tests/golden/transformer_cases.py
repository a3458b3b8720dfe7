"""Cases for ``parallel._transformer``: the same code runs under MindSpore 2.0.0 (make_transformer.py) and here
(test_transformer_2_0.py).

A case is a function of the namespace `Lib` that gives (net, inputs, differentiable). Sizes: batch 2, length 6, hidden
8, 2 heads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

B, L, H, F, N = 2, 6, 8, 12, 2


class Lib:
    """MindSpore under whichever name it runs."""

    def __init__(self) -> None:
        import mindspore as ms
        from mindspore import nn, ops
        from mindspore.parallel import _transformer as t
        from mindspore.parallel._transformer import layers, loss, moe, op_parallel_config, transformer

        self.ms, self.nn, self.ops, self.t, self.layers, self.loss, self.moe, self.transformer, self.config = (
            ms,
            nn,
            ops,
            t,
            layers,
            loss,
            moe,
            transformer,
            op_parallel_config,
        )
        self.f16, self.f32 = ms.float16, ms.float32


def array(seed: int, *shape: int, dtype: Any = np.float32, scale: float = 1.0) -> Any:
    return (np.random.RandomState(seed).randn(*shape) * scale).astype(dtype)


def causal(batch: int = B, query: int = L, key: int = L) -> Any:
    mask = np.tril(np.ones((batch, query, key), np.float32), key - query)
    mask[0, :, -1] = 0
    return mask


def mha(lib: Any, **more: Any) -> Any:
    given = {
        "batch_size": B,
        "src_seq_length": L,
        "tgt_seq_length": L,
        "hidden_size": H,
        "num_heads": N,
        "hidden_dropout_rate": 0.0,
        "attention_dropout_rate": 0.0,
    }
    return lib.t.MultiHeadAttention(**{**given, **more})


def encoder(lib: Any, **more: Any) -> Any:
    given = {
        "batch_size": B,
        "num_layers": 2,
        "hidden_size": H,
        "ffn_hidden_size": F,
        "seq_length": L,
        "num_heads": N,
        "attention_dropout_rate": 0.0,
        "hidden_dropout_rate": 0.0,
    }
    return lib.t.TransformerEncoder(**{**given, **more})


def decoder(lib: Any, **more: Any) -> Any:
    given = {
        "batch_size": B,
        "num_layers": 2,
        "hidden_size": H,
        "ffn_hidden_size": F,
        "src_seq_length": 5,
        "tgt_seq_length": L,
        "num_heads": N,
        "attention_dropout_rate": 0.0,
        "hidden_dropout_rate": 0.0,
    }
    return lib.t.TransformerDecoder(**{**given, **more})


def transformer(lib: Any, **more: Any) -> Any:
    given = {
        "batch_size": B,
        "hidden_size": H,
        "ffn_hidden_size": F,
        "src_seq_length": 5,
        "tgt_seq_length": L,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "num_heads": 2,
        "attention_dropout_rate": 0.0,
        "hidden_dropout_rate": 0.0,
    }
    return lib.t.Transformer(**{**given, **more})


def moe(lib: Any, experts: int, chosen: int, **more: Any) -> Any:
    return lib.t.MoEConfig(expert_num=experts, num_experts_chosen=chosen, **more)


X, X2, MEMORY = array(1, B, L, H), array(1, B * L, H), array(2, B, 5, H)
X16 = X.astype(np.float16)
MEMORY_MASK = np.ones((B, L, 5), np.float32)
MEMORY_MASK[1, :, 3:] = 0
LABEL, LOSS_MASK = np.arange(12, dtype=np.int32) % 10, (np.arange(12) % 4 != 0).astype(np.float32)
DECODED = (X, causal(), MEMORY, MEMORY_MASK)

CASES: dict[str, Any] = {
    "attention_mask": lambda m: (m.t.AttentionMask(5), (np.array([[1, 1, 1, 0, 0], [2, 1, 1, 1, 0]], np.float32),)),
    "vocab_embedding": lambda m: (m.t.VocabEmbedding(11, 7), (np.array([[1, 10, 3], [0, 0, 9]], np.int32),)),
    "layer_norm": lambda m: (m.layers._LayerNorm((H,)), (X,)),
    "layer_norm_eps": lambda m: (m.layers._LayerNorm((H,), eps=1e-2), (X,)),
    "layer_norm_self_defined": lambda m: (m.layers._LayerNorm((H,), is_self_defined=True), (X,)),
    "layer_norm_float16": lambda m: (m.layers._LayerNorm((H,), param_init_type=m.f16), (X16,)),
    "linear": lambda m: (m.layers._Linear(H, 7), (X,)),
    "linear_float32": lambda m: (m.layers._Linear(H, 7, compute_dtype=m.f32), (X,)),
    "linear_not_transposed": lambda m: (
        m.layers._Linear(H, 7, transpose_b=False, has_bias=False, compute_dtype=m.f32),
        (X2,),
    ),
    "linear_relu": lambda m: (m.layers._Linear(H, 7, activation="relu", compute_dtype=m.f32), (X,)),
    "linear_cell": lambda m: (m.layers._Linear(H, 7, activation=m.nn.Tanh, compute_dtype=m.f32), (X,)),
    "linear_experts": lambda m: (
        m.layers._Linear(H, 7, transpose_b=False, expert_num=3, outer_batch=2, compute_dtype=m.f32),
        (X2,),
    ),
    "feed_forward": lambda m: (m.t.FeedForward(H, F, 0.0), (X,)),
    "feed_forward_relu": lambda m: (m.t.FeedForward(H, F, 0.0, hidden_act="relu"), (X2,)),
    "feed_forward_param_float16": lambda m: (m.t.FeedForward(H, F, 0.0, param_init_type=m.f16), (X16,)),
    "mha": lambda m: (mha(m), (X, X, X, causal())),
    "mha_float32": lambda m: (mha(m, compute_dtype=m.f32), (X, X, X, causal())),
    "mha_softmax_float16": lambda m: (mha(m, softmax_compute_type=m.f16), (X, X, X, causal())),
    "mha_no_mask": lambda m: (mha(m, compute_dtype=m.f32), (X, X, X, None)),
    "mha_flat": lambda m: (mha(m, compute_dtype=m.f32), (X2, X2, X2, causal())),
    "mha_any_batch": lambda m: (mha(m, batch_size=None, compute_dtype=m.f32), (X, X, X, causal())),
    "mha_two_lengths": lambda m: (mha(m, tgt_seq_length=5, compute_dtype=m.f32), (X, MEMORY, MEMORY, MEMORY_MASK)),
    "encoder": lambda m: (encoder(m), (X, causal())),
    "encoder_post": lambda m: (encoder(m, post_layernorm_residual=True), (X, causal())),
    "encoder_flat": lambda m: (encoder(m, num_layers=1), (X2, causal())),
    "encoder_flat_post": lambda m: (encoder(m, num_layers=1, post_layernorm_residual=True), (X2, causal())),
    "encoder_float16": lambda m: (
        encoder(m, num_layers=1, layernorm_compute_type=m.f16, softmax_compute_type=m.f16),
        (X16, causal()),
    ),
    "encoder_relu": lambda m: (encoder(m, num_layers=1, hidden_act="relu"), (X, None)),
    "decoder": lambda m: (decoder(m), DECODED),
    "decoder_post": lambda m: (decoder(m, num_layers=1, post_layernorm_residual=True), DECODED),
    "decoder_alone": lambda m: (decoder(m, num_layers=1), (X, causal())),
    "transformer": lambda m: (transformer(m), (MEMORY, causal(B, 5, 5), X, causal(), MEMORY_MASK)),
    "transformer_encoder_only": lambda m: (transformer(m, decoder_layers=0), (MEMORY, causal(B, 5, 5))),
    "loss": lambda m: (m.t.CrossEntropyLoss(), (array(5, 12, 10), LABEL, LOSS_MASK)),
    "loss_float16": lambda m: (m.t.CrossEntropyLoss(), (array(5, 12, 10, dtype=np.float16), LABEL, LOSS_MASK)),
    "loss_far": lambda m: (m.t.CrossEntropyLoss(), (array(5, 12, 10, scale=60.0), LABEL, LOSS_MASK)),
    "moe_one": lambda m: (m.moe.MoE(H, F, 0.0, moe_config=moe(m, 3, 1, capacity_factor=1.0)), (X,)),
    "moe_two": lambda m: (
        m.moe.MoE(H, F, 0.0, moe_config=moe(m, 4, 2, capacity_factor=1.5, aux_loss_factor=0.3)),
        (X2,),
    ),
    "moe_encoder": lambda m: (encoder(m, num_layers=1, moe_config=moe(m, 3, 2)), (X, causal())),
    "moe_decoder": lambda m: (decoder(m, num_layers=1, moe_config=moe(m, 3, 1)), DECODED),
    "moe_transformer": lambda m: (
        transformer(m, moe_config=moe(m, 2, 1)),
        (MEMORY, causal(B, 5, 5), X, causal(), MEMORY_MASK),
    ),
}


def fill(lib: Any, net: Any) -> None:
    """Give every Parameter numbers that depend only on its place."""
    for index, parameter in enumerate(net.get_parameters()):
        values = array(100 + index, *parameter.shape, scale=0.4)
        parameter.set_data(lib.ms.Tensor(values.astype(parameter.asnumpy().dtype)))


def flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [item for part in value for item in flat(part)]
    return [] if value is None else [value.asnumpy()]


def run(lib: Any, build: Any) -> dict[str, Any]:
    """Outputs, and gradients of inputs and Parameters of the first output (and the experts' loss) times
    fixed numbers.
    """
    net, arrays = build(lib)
    fill(lib, net)
    inputs = [None if item is None else lib.ms.Tensor(item) for item in arrays]
    outputs = net(*inputs)
    found = {f"out{index}": item for index, item in enumerate(flat(outputs))}
    if not any(item is not None and item.dtype in (np.float32, np.float16) for item in arrays[:1]) or (
        not list(net.get_parameters()) and len(arrays) == 1
    ):
        return found

    class Wrapped(lib.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.net = net

        def construct(self, *xs: Any) -> Any:
            result = self.net(*xs, *[None] * (len(arrays) - len(xs)))
            first = result[0] if isinstance(result, tuple) else result
            total = lib.ops.cast(first, lib.f32)
            if isinstance(result, tuple) and len(result) > 1 and isinstance(result[-1], lib.ms.Tensor):
                total = total + result[-1]
            return total

    wrapped, given = Wrapped(), [item for item in inputs if item is not None]
    parameters = lib.ms.ParameterTuple(list(net.trainable_params()))
    sens = lib.ms.Tensor(array(7, *np.shape(found["out0"])))
    gradient = lib.ops.GradOperation(get_all=True, get_by_list=len(parameters) > 0, sens_param=True)
    grads = (gradient(wrapped, parameters) if len(parameters) else gradient(wrapped))(*given, sens)
    by_input, by_parameter = grads if len(parameters) else (grads, ())
    found |= {
        f"dx{index}": item.asnumpy() for index, item in enumerate(by_input) if given[index].dtype in (lib.f16, lib.f32)
    }
    found |= {f"dw{index}": item.asnumpy() for index, item in enumerate(by_parameter)}
    return found


def run_past(lib: Any) -> dict[str, Any]:
    """Incremental inference: a prompt of 3 and 4 tokens, then two tokens one by one; then again from empty caches."""
    net = encoder(lib, num_layers=1, use_past=True)
    fill(lib, net)
    tensor, found = lib.ms.Tensor, {}
    valid = tensor(np.array([3, 4], np.int32))
    keep, drop = tensor(np.array([True])), tensor(np.array([False]))
    net.add_flags_recursive(is_first_iteration=True)
    for step, reset in (("prompt", drop), ("again", drop)):
        output = net(tensor(X), tensor(causal()), reset, valid)
        found |= {f"{step}{index}": item for index, item in enumerate(flat(output))}
    net.add_flags_recursive(is_first_iteration=False)
    for step in range(2):
        output = net(tensor(array(20 + step, B, 1, H)), tensor(np.ones((B, 1, L), np.float32)), keep, valid)
        found |= {f"step{step}_{index}": item for index, item in enumerate(flat(output))}
    return found | {
        f"cache{index}": item.asnumpy() for index, item in enumerate(net.get_parameters()) if "past" in item.name
    }


def checkpointed(lib: Any) -> Any:
    """A network of the model zoo's kind: embedding, encoder, loss."""

    class Net(lib.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.word_embedding = lib.t.VocabEmbedding(13, H)
            self.mask = lib.t.AttentionMask(L)
            self.encoder = encoder(lib, num_layers=1)
            self.layernorm = lib.layers._LayerNorm((H,)).to_float(lib.f32)

        def construct(self, ids: Any, real: Any) -> Any:
            x, _ = self.word_embedding(ids)
            x, _ = self.encoder(x, self.mask(real))
            return self.layernorm(x)

    return Net()


IDS = (np.arange(B * L, dtype=np.int32) * 5 % 13).reshape(B, L)
REAL = np.array([[1] * L, [1] * (L - 2) + [0] * 2], np.float32)


def past(m: Any, **more: Any) -> Any:
    return encoder(m, num_layers=1, use_past=True, **more)


def _tensor(m: Any, value: Any) -> Any:
    return m.ms.Tensor(value)


#: expressions that may raise; golden: the exception's type, or "" if they work
ERRORS: dict[str, Any] = {
    "int rate": lambda m: mha(m, hidden_dropout_rate=0),
    "rate 1": lambda m: mha(m, hidden_dropout_rate=1.0),
    "negative rate": lambda m: mha(m, attention_dropout_rate=-0.1),
    "heads": lambda m: mha(m, num_heads=3),
    "no batch": lambda m: mha(m, batch_size=None),
    "batch of a layer": lambda m: encoder(m, batch_size=None),
    "negative batch": lambda m: mha(m, batch_size=-1),
    "compute type": lambda m: mha(m, compute_dtype=m.ms.int32),
    "softmax type": lambda m: encoder(m, softmax_compute_type=m.ms.float64),
    "norm type": lambda m: encoder(m, layernorm_compute_type="float32"),
    "param type": lambda m: m.t.FeedForward(H, F, 0.0, param_init_type=m.ms.int8),
    "layout of an encoder": lambda m: encoder(m, parallel_config=m.t.OpParallelConfig()),
    "layout of attention": lambda m: mha(m, parallel_config=m.t.TransformerOpParallelConfig()),
    "act": lambda m: m.t.FeedForward(H, F, 0.0, hidden_act=None),
    "unknown act": lambda m: m.t.FeedForward(H, F, 0.0, hidden_act="nope"),
    "use_past": lambda m: encoder(m, use_past=1),
    "zero layers": lambda m: encoder(m, num_layers=0),
    "float layers": lambda m: encoder(m, num_layers=2.0),
    "bool size": lambda m: encoder(m, hidden_size=True),
    "negative offset": lambda m: encoder(m, offset=-1),
    "post": lambda m: encoder(m, post_layernorm_residual=1),
    "decoder with past": lambda m: decoder(m, use_past=True),
    "transformer with past": lambda m: transformer(m, use_past=True),
    "no encoder": lambda m: transformer(m, encoder_layers=0),
    "model parallel heads": lambda m: mha(m, parallel_config=m.t.OpParallelConfig(1, 4)),
    "model parallel": lambda m: encoder(
        m, ffn_hidden_size=13, parallel_config=m.t.TransformerOpParallelConfig(model_parallel=2)
    ),
    "model parallel fits": lambda m: encoder(m, parallel_config=m.t.TransformerOpParallelConfig(model_parallel=2)),
    "vocabulary": lambda m: m.t.VocabEmbedding(13, 4, m.t.EmbeddingOpParallelConfig(1, 2, vocab_emb_dp=False)),
    "vocabulary dp": lambda m: m.t.VocabEmbedding(13, 4, m.t.EmbeddingOpParallelConfig(1, 2)),
    "stages": lambda m: _stages(m),
    "config 0": lambda m: m.t.OpParallelConfig(0),
    "config float": lambda m: m.t.OpParallelConfig(data_parallel=1.0),
    "config set": lambda m: setattr(m.t.TransformerOpParallelConfig(), "micro_batch_num", 0),
    "config recompute": lambda m: m.t.TransformerOpParallelConfig(recompute=1),
    "config recompute bool": lambda m: m.t.TransformerOpParallelConfig(recompute=True),
    "config shard": lambda m: m.t.TransformerOpParallelConfig(optimizer_shard=1),
    "config vocab": lambda m: m.t.EmbeddingOpParallelConfig(vocab_emb_dp=1),
    "moe capacity": lambda m: m.t.MoEConfig(capacity_factor=0.5),
    "moe capacity int": lambda m: m.t.MoEConfig(capacity_factor=2),
    "moe loss": lambda m: m.t.MoEConfig(aux_loss_factor=1.0),
    "moe chosen": lambda m: m.t.MoEConfig(expert_num=2, num_experts_chosen=3),
    "moe experts": lambda m: m.t.MoEConfig(expert_num=0),
    "moe type": lambda m: encoder(m, moe_config=None),
    "moe expert parallel": lambda m: encoder(
        m, moe_config=moe(m, 3, 1), parallel_config=m.t.TransformerOpParallelConfig(expert_parallel=2)
    ),
    "moe data parallel": lambda m: encoder(
        m, moe_config=moe(m, 2, 1), parallel_config=m.t.TransformerOpParallelConfig(data_parallel=2)
    ),
    "loss config": lambda m: m.t.CrossEntropyLoss(m.t.TransformerOpParallelConfig()),
    "loss label": lambda m: m.t.CrossEntropyLoss()(
        _tensor(m, X2), _tensor(m, LABEL.astype(np.int64)), _tensor(m, LOSS_MASK)
    ),
    "loss mask": lambda m: m.t.CrossEntropyLoss()(
        _tensor(m, X2), _tensor(m, LABEL), _tensor(m, LOSS_MASK.astype(np.float16))
    ),
    "mask type": lambda m: m.t.AttentionMask(5)(_tensor(m, np.ones((2, 5), np.int32))),
    "id type": lambda m: m.t.VocabEmbedding(13, 4)(_tensor(m, np.ones((2, 5), np.int64))),
    "input type": lambda m: encoder(m)(_tensor(m, X.astype(np.float64)), None),
    "mask of ints": lambda m: encoder(m)(_tensor(m, X), _tensor(m, causal().astype(np.int32))),
    "feed type": lambda m: m.t.FeedForward(H, F, 0.0)(_tensor(m, X.astype(np.int32))),
    "past without": lambda m: past(m)(_tensor(m, X), None),
    "past without length": lambda m: past(m)(_tensor(m, X), None, _tensor(m, np.array([True]))),
    "past length type": lambda m: past(m)(
        _tensor(m, X), None, _tensor(m, np.array([True])), _tensor(m, np.array([3, 3], np.int64))
    ),
    "past reset type": lambda m: past(m)(
        _tensor(m, X), None, _tensor(m, np.array([1], np.int32)), _tensor(m, np.array([3, 3], np.int32))
    ),
    "reset without past": lambda m: encoder(m)(_tensor(m, X), None, _tensor(m, np.array([True]))),
    "reset False without past": lambda m: encoder(m)(_tensor(m, X), None, False),
    "length without past": lambda m: encoder(m)(_tensor(m, X), None, True, _tensor(m, np.array([3, 3], np.int32))),
    "dropout 0": lambda m: m.layers._Dropout(0.0),
    "dropout int": lambda m: m.layers._Dropout(1),
    "dropout": lambda m: m.layers._Dropout(0.5),
    "norm param type": lambda m: m.layers._LayerNorm((4,), param_init_type=m.ms.int32),
    "linear act": lambda m: m.layers._Linear(2, 3, activation="nope"),
    "linear weight": lambda m: m.layers._Linear(2, 3, weight_init=_tensor(m, np.ones((2, 3), np.float32))),
    "linear bias": lambda m: m.layers._Linear(2, 3, bias_init=_tensor(m, np.ones((2,), np.float32))),
    "linear bool": lambda m: m.layers._Linear(2, 3, has_bias=1),
    "shape length": lambda m: m.layers._LayerInputCheck.check_shape_length((1, 2), "x", "f", [3, 4]),
    "shape": lambda m: m.layers._LayerInputCheck.check_shape_equal((1, 2), "x", "f", [[1, 3], [2, 2]]),
    "shape fits": lambda m: m.layers._LayerInputCheck.check_shape_equal((1, 2), "x", "f", [1, 2]),
    "axis": lambda m: m.layers._LayerInputCheck.check_shape_value_on_axis((1, 2), 1, "x", "f", 3),
    "without batch": lambda m: m.layers._LayerInputCheck.check_shape_equal_without_batch((5, 2), "x", "f", [2, 2]),
    "without batch fits": lambda m: m.layers._LayerInputCheck.check_shape_equal_without_batch((4, 2), "x", "f", [2, 2]),
    "checked argument": lambda m: _checked(m)(1, width=0),
    "checked keyword": lambda m: _checked(m)(1, width=2, other=0),
    "checked fits": lambda m: _checked(m)(1, width=2, other=3),
    "lambda": lambda m: encoder(
        m, num_layers=1, lambda_func=lambda network, layer_id, layers, offset, parallel_config: 1 / 0
    ),
}


def _stages(m: Any) -> Any:
    config = m.t.TransformerOpParallelConfig(pipeline_stage=1)
    m.ms.set_auto_parallel_context(pipeline_stages=2)
    try:
        return encoder(m, parallel_config=config)
    finally:
        m.ms.set_auto_parallel_context(pipeline_stages=1)


def _checked(m: Any) -> Any:
    def positive(value: Any, name: str) -> None:
        if value <= 0:
            raise ValueError(name)

    @m.layers._args_type_validator_check(width=positive, other=positive)
    def function(size: int, width: int = 0, **kwargs: Any) -> int:
        return width

    return function


def error(lib: Any, expression: Any) -> str:
    try:
        expression(lib)
    except Exception as problem:
        return type(problem).__name__
    return ""


CONFIG_TEXT = {
    "all": lambda m: m.t.TransformerOpParallelConfig(
        2, 3, 2, 1, 4, m.t.TransformerRecomputeConfig(True, True, False, True), False, 5, False
    ),
    "moe": lambda m: m.config.MoEParallelConfig(2, 3, 4),
    "embedding": lambda m: m.t.EmbeddingOpParallelConfig(2, 3, False),
}


def losses_of_gpt(lib: Any, steps: int = 8) -> Any:
    """Losses of a small language model of the model zoo's kind: table, positions, encoder, the table again, masked
    cross entropy.
    """

    class Gpt(lib.nn.Cell):
        def __init__(self, config: Any) -> None:
            super().__init__()
            self.words = lib.t.VocabEmbedding(13, H, config.embedding_dp_mp_config)
            self.positions = lib.t.VocabEmbedding(L, H, config.embedding_dp_mp_config)
            self.mask = lib.t.AttentionMask(L, config.dp_mp_config)
            self.encoder = encoder(lib, parallel_config=config)
            self.norm = lib.layers._LayerNorm((H,)).to_float(lib.f32)
            self.matmul, self.spots = (
                lib.ops.MatMul(transpose_b=True),
                lib.ms.Tensor(np.tile(np.arange(L), (B, 1)), lib.ms.int32),
            )

        def construct(self, ids: Any, real: Any) -> Any:
            words, table = self.words(ids)
            places, _ = self.positions(self.spots)
            x, _ = self.encoder(words + places, self.mask(real))
            return self.matmul(self.norm(x).reshape((-1, H)), table)

    class WithLoss(lib.nn.Cell):
        def __init__(self, net: Any, loss: Any) -> None:
            super().__init__()
            self.net, self.loss = net, loss

        def construct(self, ids: Any, real: Any, label: Any) -> Any:
            return self.loss(self.net(ids, real), label.reshape((-1,)), real)

    config = lib.t.TransformerOpParallelConfig()
    net = WithLoss(Gpt(config), lib.t.CrossEntropyLoss(config.dp_mp_config))
    fill(lib, net)
    step = lib.nn.TrainOneStepCell(net, lib.nn.Momentum(net.trainable_params(), 0.05, 0.9, 1e-3, 1024.0), sens=1024.0)
    step.set_train()
    inputs = [lib.ms.Tensor(item) for item in (IDS, REAL, np.roll(IDS, -1, 1).astype(np.int32))]
    return np.array([step(*inputs).asnumpy().item() for _ in range(steps)])
