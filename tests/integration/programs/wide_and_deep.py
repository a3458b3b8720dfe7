"""A Wide&Deep recommender in the style of the model zoo: two optimizers (FTRL wide, Adam deep) in one training cell."""

import json

import mindspore.common.dtype as mstype
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, context, nn
from mindspore.common.initializer import initializer
from mindspore.nn import Dropout
from mindspore.nn.optim import FTRL, Adam
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
FIELDS, VOCAB, EMB, BATCH = 6, 30, 4, 16


def init_var_dict(init_args, in_vars):
    rng = np.random.RandomState(11)
    var_map = {}
    for key, shape, init_flag in in_vars:
        if init_flag == "uniform":
            var_map[key] = Parameter(
                Tensor(rng.uniform(init_args[0], init_args[1], shape).astype(np.float32)), name=key
            )
        else:
            var_map[key] = Parameter(initializer(init_flag, shape, mstype.float32), name=key)
    return var_map


class DenseLayer(nn.Cell):
    def __init__(self, input_dim, output_dim, act_str, keep_prob=1.0, seed=0):
        super(DenseLayer, self).__init__()
        rng = np.random.RandomState(seed)
        self.weight = Parameter(
            Tensor(rng.uniform(-0.3, 0.3, (input_dim, output_dim)).astype(np.float32)), name="weight"
        )
        self.bias = Parameter(initializer("zeros", [output_dim], mstype.float32), name="bias")
        self.act_func = {"relu": P.ReLU(), "sigmoid": P.Sigmoid()}[act_str]
        self.matmul = P.MatMul(transpose_b=False)
        self.bias_add = P.BiasAdd()
        self.dropout = Dropout(p=1.0 - keep_prob)
        self.keep_prob = keep_prob

    def construct(self, x):
        if self.training and self.keep_prob < 1.0:
            x = self.dropout(x)
        wx = self.matmul(x, self.weight)
        wx = self.bias_add(wx, self.bias)
        return self.act_func(wx)


class WideDeepModel(nn.Cell):
    def __init__(self):
        super(WideDeepModel, self).__init__()
        var_map = init_var_dict(
            [-0.1, 0.1],
            [("Wide_w", [VOCAB, 1], "uniform"), ("V_l2", [VOCAB, EMB], "uniform"), ("Wide_b", [1], "zeros")],
        )
        self.wide_w, self.wide_b, self.embedding_table = var_map["Wide_w"], var_map["Wide_b"], var_map["V_l2"]
        self.dense_layer_1 = DenseLayer(FIELDS * EMB, 16, "relu", seed=1)
        self.dense_layer_2 = DenseLayer(16, 8, "relu", seed=2)
        self.dense_layer_3 = DenseLayer(8, 1, "sigmoid", seed=3)
        self.gather_v2 = P.Gather()
        self.mul = P.Mul()
        self.reduce_sum = P.ReduceSum(keep_dims=False)
        self.reshape = P.Reshape()
        self.square = P.Square()
        self.shape = P.Shape()
        self.tile = P.Tile()
        self.concat = P.Concat(axis=1)
        self.cast = P.Cast()

    def construct(self, id_hldr, wt_hldr):
        mask = self.reshape(wt_hldr, (BATCH, FIELDS, 1))
        wide_id_weight = self.gather_v2(self.wide_w, id_hldr, 0)
        wx = self.mul(wide_id_weight, mask)
        wide_out = self.reshape(self.reduce_sum(wx, 1) + self.wide_b, (-1, 1))
        deep_id_embs = self.gather_v2(self.embedding_table, id_hldr, 0)
        vx = self.mul(deep_id_embs, mask)
        deep_in = self.reshape(vx, (-1, FIELDS * EMB))
        deep_out = self.dense_layer_3(self.dense_layer_2(self.dense_layer_1(deep_in)))
        return wide_out + deep_out, self.embedding_table


class NetWithLossClass(nn.Cell):
    def __init__(self, network, l2_coef):
        super(NetWithLossClass, self).__init__(auto_prefix=False)
        self.loss = P.SigmoidCrossEntropyWithLogits()
        self.network = network
        self.l2_coef = l2_coef
        self.square = P.Square()
        self.reduceMean_false = P.ReduceMean(keep_dims=False)
        self.reduceSum_false = P.ReduceSum(keep_dims=False)

    def construct(self, batch_ids, batch_wts, label):
        predict, embedding_table = self.network(batch_ids, batch_wts)
        log_loss = self.loss(predict, label)
        wide_loss = self.reduceMean_false(log_loss)
        l2_loss_v = self.reduceSum_false(self.square(embedding_table)) / 2
        return wide_loss, wide_loss + self.l2_coef * l2_loss_v


class IthOutputCell(nn.Cell):
    def __init__(self, network, output_index):
        super(IthOutputCell, self).__init__()
        self.network = network
        self.output_index = output_index

    def construct(self, x1, x2, x3):
        return self.network(x1, x2, x3)[self.output_index]


class TrainStepWrap(nn.Cell):
    def __init__(self, network, sens=16.0):
        super(TrainStepWrap, self).__init__()
        self.network = network
        self.network.set_train()
        self.trainable_params = network.trainable_params()
        weights_w, weights_d = [], []
        for params in self.trainable_params:
            (weights_w if "wide" in params.name.lower() else weights_d).append(params)
        self.weights_w, self.weights_d = ParameterTuple(weights_w), ParameterTuple(weights_d)
        self.optimizer_w = FTRL(
            learning_rate=1e-2, params=self.weights_w, l1=1e-8, l2=1e-8, initial_accum=1.0, loss_scale=sens
        )
        self.optimizer_d = Adam(self.weights_d, learning_rate=3e-3, eps=1e-8, loss_scale=sens)
        self.hyper_map = C.HyperMap()
        self.grad_w = C.GradOperation(get_by_list=True, sens_param=True)
        self.grad_d = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.loss_net_w = IthOutputCell(network, output_index=0)
        self.loss_net_d = IthOutputCell(network, output_index=1)
        self.loss_net_w.set_grad()
        self.loss_net_d.set_grad()

    def construct(self, batch_ids, batch_wts, label):
        loss_w, loss_d = self.network(batch_ids, batch_wts, label)
        sens_w = P.Fill()(P.DType()(loss_w), P.Shape()(loss_w), self.sens)
        sens_d = P.Fill()(P.DType()(loss_d), P.Shape()(loss_d), self.sens)
        grads_w = self.grad_w(self.loss_net_w, self.weights_w)(batch_ids, batch_wts, label, sens_w)
        grads_d = self.grad_d(self.loss_net_d, self.weights_d)(batch_ids, batch_wts, label, sens_d)
        return F.depend(loss_w, self.optimizer_w(grads_w)), F.depend(loss_d, self.optimizer_d(grads_d))


rng = np.random.RandomState(0)
ids = rng.randint(0, VOCAB, (10 * BATCH, FIELDS)).astype(np.int32)
weights = rng.rand(10 * BATCH, FIELDS).astype(np.float32)
labels = ((ids.sum(1, keepdims=True) % 3) > 0).astype(np.float32)
data = (
    ds.NumpySlicesDataset((ids, weights, labels), ["feat_ids", "feat_vals", "label"], shuffle=False)
    .batch(BATCH, drop_remainder=True)
    .repeat(2)
)
step = TrainStepWrap(NetWithLossClass(WideDeepModel(), 1e-3))
found = []
for batch in data.create_dict_iterator():
    wide, deep = step(batch["feat_ids"], batch["feat_vals"], batch["label"])
    found.append([float(wide.asnumpy()), float(deep.asnumpy())])
print(json.dumps({"losses": found, "parameters": [p.name for p in step.network.get_parameters()]}))
