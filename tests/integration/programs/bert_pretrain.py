"""BERT pre-training in the style of the model zoo: attention with masks, two losses, a training cell with loss scale
and clipping.

    bert_pretrain.py [Lamb|AdamWeightDecay] [scaled|plain]

Real MindSpore has no Lamb kernel on CPU, and its TrainOneStepWithLossScaleCell does not run there: it is asked for
AdamWeightDecay, plain.
"""

import json
import math
import sys

import mindspore.common.dtype as mstype
import numpy as np
from mindspore import Tensor, context, nn
from mindspore.common.initializer import TruncatedNormal
from mindspore.nn.learning_rate_schedule import LearningRateSchedule, PolynomialDecayLR, WarmUpLR
from mindspore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, TrainOneStepWithLossScaleCell
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
KIND, SCALED = (sys.argv[1:] + ["AdamWeightDecay", "plain"][len(sys.argv) - 1 :])[:2]
VOCAB, LENGTH, WIDTH, HEADS, BATCH, MASKED = 50, 12, 16, 4, 4, 3


class BertAttention(nn.Cell):
    def __init__(self, width, heads):
        super(BertAttention, self).__init__()
        self.heads, self.size = heads, width // heads
        weight = TruncatedNormal(0.02)
        self.query_layer = nn.Dense(width, width, weight_init=weight)
        self.key_layer = nn.Dense(width, width, weight_init=weight)
        self.value_layer = nn.Dense(width, width, weight_init=weight)
        self.matmul_trans_b, self.matmul = P.BatchMatMul(transpose_b=True), P.BatchMatMul()
        self.reshape, self.transpose = P.Reshape(), P.Transpose()
        self.softmax, self.dropout = nn.Softmax(), nn.Dropout(p=0.0)
        self.multiply_data = Tensor([-10000.0], dtype=mstype.float32)
        self.sub, self.expand_dims = P.Sub(), P.ExpandDims()

    def split(self, x):
        return self.transpose(self.reshape(x, (BATCH, LENGTH, self.heads, self.size)), (0, 2, 1, 3))

    def construct(self, tensor, attention_mask):
        query, key, value = (
            self.split(self.query_layer(tensor)),
            self.split(self.key_layer(tensor)),
            self.split(self.value_layer(tensor)),
        )
        scores = self.matmul_trans_b(query, key) * (1.0 / math.sqrt(float(self.size)))
        mask = self.expand_dims(attention_mask, 1)
        adder = self.sub(Tensor([1.0], mstype.float32), mask) * self.multiply_data
        probs = self.dropout(self.softmax(scores + adder))
        context_layer = self.transpose(self.matmul(probs, value), (0, 2, 1, 3))
        return self.reshape(context_layer, (BATCH, LENGTH, WIDTH))


class BertEncoderCell(nn.Cell):
    def __init__(self):
        super(BertEncoderCell, self).__init__()
        self.attention = BertAttention(WIDTH, HEADS)
        self.output_dense, self.norm1 = nn.Dense(WIDTH, WIDTH), nn.LayerNorm((WIDTH,))
        self.intermediate = nn.Dense(WIDTH, 4 * WIDTH, activation="gelu")
        self.output, self.norm2 = nn.Dense(4 * WIDTH, WIDTH), nn.LayerNorm((WIDTH,))

    def construct(self, x, mask):
        x = self.norm1(self.output_dense(self.attention(x, mask)) + x)
        return self.norm2(self.output(self.intermediate(x)) + x)


class BertModel(nn.Cell):
    def __init__(self):
        super(BertModel, self).__init__()
        self.bert_embedding_lookup = nn.Embedding(VOCAB, WIDTH, embedding_table=TruncatedNormal(0.02))
        self.token_type = nn.Embedding(2, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.norm = nn.LayerNorm((WIDTH,))
        self.bert_encoder = nn.CellList([BertEncoderCell() for _ in range(2)])
        self.squeeze_1 = P.Squeeze(axis=1)
        self.dense = nn.Dense(WIDTH, WIDTH, activation="tanh")
        self.slice = P.StridedSlice()

    def construct(self, input_ids, token_type_ids, input_mask):
        table = self.bert_embedding_lookup.embedding_table
        positions = F.tuple_to_array(tuple(range(LENGTH)))
        x = self.norm(
            self.bert_embedding_lookup(input_ids) + self.token_type(token_type_ids) + self.position(positions)
        )
        mask = P.Cast()(P.Reshape()(input_mask, (BATCH, 1, LENGTH)), mstype.float32)
        mask = P.BatchMatMul()(P.Ones()((BATCH, LENGTH, 1), mstype.float32), mask)
        for layer in self.bert_encoder:
            x = layer(x, mask)
        first = self.squeeze_1(self.slice(x, (0, 0, 0), (BATCH, 1, WIDTH), (1, 1, 1)))
        return x, self.dense(first), table


class GetMaskedLMOutput(nn.Cell):
    def __init__(self):
        super(GetMaskedLMOutput, self).__init__()
        self.dense, self.layernorm = nn.Dense(WIDTH, WIDTH, activation="relu"), nn.LayerNorm((WIDTH,))
        self.output_bias = __import__("mindspore").Parameter(Tensor(np.zeros(VOCAB, np.float32)), name="output_bias")
        self.matmul, self.log_softmax, self.gather = P.MatMul(transpose_b=True), nn.LogSoftmax(axis=-1), P.Gather()

    def construct(self, sequence, table, positions):
        flat_offsets = P.Reshape()(F.tuple_to_array(tuple(range(BATCH))) * LENGTH, (-1, 1))
        flat_positions = P.Reshape()(positions + flat_offsets, (-1,))
        tensor = self.gather(P.Reshape()(sequence, (-1, WIDTH)), flat_positions, 0)
        return self.log_softmax(self.matmul(self.layernorm(self.dense(tensor)), table) + self.output_bias)


class BertNetworkWithLoss(nn.Cell):
    def __init__(self):
        super(BertNetworkWithLoss, self).__init__()
        self.bert, self.mlm, self.nsp = BertModel(), GetMaskedLMOutput(), nn.Dense(WIDTH, 2)
        self.onehot, self.on_value, self.off_value = (
            P.OneHot(),
            Tensor(1.0, mstype.float32),
            Tensor(0.0, mstype.float32),
        )
        self.reduce_sum, self.reduce_mean = P.ReduceSum(), P.ReduceMean()
        self.log_softmax = P.LogSoftmax(axis=-1)

    def construct(
        self,
        input_ids,
        input_mask,
        token_type_id,
        next_sentence_labels,
        masked_lm_positions,
        masked_lm_ids,
        masked_lm_weights,
    ):
        sequence, pooled, table = self.bert(input_ids, token_type_id, input_mask)
        log_probs = self.mlm(sequence, table, masked_lm_positions)
        one_hot = self.onehot(P.Reshape()(masked_lm_ids, (-1,)), VOCAB, self.on_value, self.off_value)
        per_example = -self.reduce_sum(log_probs * one_hot, (-1,))
        weights = P.Cast()(P.Reshape()(masked_lm_weights, (-1,)), mstype.float32)
        masked_lm_loss = self.reduce_sum(weights * per_example, (-1,)) / (
            self.reduce_sum(weights, (-1,)) + F.tuple_to_array((1e-5,))
        )
        labels = self.onehot(P.Reshape()(next_sentence_labels, (-1,)), 2, self.on_value, self.off_value)
        next_loss = self.reduce_mean(-self.reduce_sum(self.log_softmax(self.nsp(pooled)) * labels, (-1,)), ())
        return P.Squeeze()(masked_lm_loss) + next_loss


clip_grad, grad_scale = C.MultitypeFuncGraph("clip_grad"), C.MultitypeFuncGraph("grad_scale")


@clip_grad.register("Number", "Number", "Tensor")
def _clip_grad(clip_type, clip_value, grad):
    if clip_type not in (0, 1):
        return grad
    return nn.ClipByNorm()(grad, P.Cast()(F.tuple_to_array((clip_value,)), F.dtype(grad)))


@grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale, grad):
    return grad * P.Reciprocal()(scale)


class BertTrainOneStepCell(nn.TrainOneStepCell):
    def __init__(self, network, optimizer, sens=1.0):
        super(BertTrainOneStepCell, self).__init__(network, optimizer, sens)
        self.hyper_map = C.HyperMap()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(
            *inputs, P.Cast()(F.tuple_to_array((self.sens,)), mstype.float32)[0]
        )
        grads = self.hyper_map(F.partial(clip_grad, 1, 1.0), grads)
        return F.depend(loss, self.optimizer(grads))


class BertTrainOneStepWithLossScaleCell(TrainOneStepWithLossScaleCell):
    def __init__(self, network, optimizer, scale_update_cell=None):
        super(BertTrainOneStepWithLossScaleCell, self).__init__(network, optimizer, scale_update_cell)
        self.cast, self.degree, self.loss_scaling_manager = P.Cast(), 1, scale_update_cell

    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scaling_sens = self.scale_sense
        status, scaling_sens = self.start_overflow_check(loss, scaling_sens)
        grads = self.grad(self.network, weights)(*inputs, self.cast(scaling_sens, mstype.float32))
        grads = self.grad_reducer(grads)
        grads = self.hyper_map(F.partial(grad_scale, scaling_sens * self.degree), grads)
        grads = self.hyper_map(F.partial(clip_grad, 1, 1.0), grads)
        overflow = self.process_loss_scale(self.get_overflow_status(status, grads))
        if not overflow:
            self.optimizer(grads)
        return loss, overflow, scaling_sens


class BertLearningRate(LearningRateSchedule):
    def __init__(self, learning_rate, end_learning_rate, warmup_steps, decay_steps, power):
        super(BertLearningRate, self).__init__()
        self.warmup_lr = WarmUpLR(learning_rate, warmup_steps)
        self.decay_lr = PolynomialDecayLR(learning_rate, end_learning_rate, decay_steps, power)
        self.warmup_steps = Tensor(np.array([warmup_steps]).astype(np.float32))
        self.greater, self.one, self.cast = P.Greater(), Tensor(np.array([1.0]).astype(np.float32)), P.Cast()

    def construct(self, global_step):
        is_warmup = self.cast(self.greater(self.warmup_steps, global_step), mstype.float32)
        return (self.one - is_warmup) * self.decay_lr(global_step) + is_warmup * self.warmup_lr(global_step)


def batch(rng):
    ids = rng.randint(0, VOCAB, (BATCH, LENGTH))
    mask = (np.arange(LENGTH) < rng.randint(6, LENGTH + 1, (BATCH, 1))).astype(np.int32)
    positions = np.sort(rng.rand(BATCH, LENGTH).argsort(1)[:, :MASKED])
    labels = ids[:, :1] % 2
    columns = (
        ids,
        mask,
        np.arange(LENGTH)[None] // 6 * np.ones((BATCH, 1)),
        labels,
        positions,
        np.take_along_axis(ids, positions, 1),
    )
    return [Tensor(item.astype(np.int32)) for item in columns] + [Tensor(np.ones((BATCH, MASKED), np.float32))]


rng = np.random.RandomState(4)
network = BertNetworkWithLoss()
for parameter in network.trainable_params():
    if parameter.ndim > 1 or "bias" in parameter.name:
        parameter.set_data(Tensor((0.2 * rng.randn(*parameter.shape)).astype(np.float32)))
schedule = BertLearningRate(0.02, 1e-4, 4, 40, 1.0)
params = network.trainable_params()
decay_filter = lambda x: (
    "layernorm" not in x.name.lower() and "bias" not in x.name.lower() and "norm" not in x.name.lower()
)
decayed, others = list(filter(decay_filter, params)), list(filter(lambda x: not decay_filter(x), params))
groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}, {"order_params": params}]
optimizer = (
    nn.Lamb(groups, learning_rate=schedule, eps=1e-6)
    if KIND == "Lamb"
    else nn.AdamWeightDecay(groups, learning_rate=schedule, eps=1e-6)
)
if SCALED == "scaled":
    step = BertTrainOneStepWithLossScaleCell(
        network, optimizer, DynamicLossScaleUpdateCell(loss_scale_value=2**16, scale_factor=2, scale_window=5)
    )
else:
    step = BertTrainOneStepCell(network, optimizer)
step.set_train()
batches = [batch(rng) for _ in range(4)]
outputs, scales = [], []
for i in range(20):
    outputs.append(step(*batches[i % 4]))
    scales.append(float(outputs[-1][2].asnumpy()) if SCALED == "scaled" else 1.0)
losses = [item[0] if SCALED == "scaled" else item for item in outputs]
result = {
    "losses": [float(item.asnumpy()) for item in losses],
    "parameters": [p.name for p in network.get_parameters()],
}
if SCALED == "scaled":
    result["overflows"], result["scales"] = [bool(item[1]) for item in outputs], scales
print(json.dumps(result))
