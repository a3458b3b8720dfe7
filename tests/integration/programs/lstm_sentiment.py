"""An LSTM text classifier in the style of the model zoo's sentiment network: embedding table, bidirectional LSTM,
Model.train.
"""

import json

import numpy as np
from mindspore import Model, Tensor, context, nn
from mindspore import dataset as ds
from mindspore.common import set_seed
from mindspore.common.initializer import Uniform, initializer
from mindspore.common.parameter import Parameter
from mindspore.nn import Accuracy
from mindspore.ops import operations as P
from mindspore.train.callback import Callback, LossMonitor, TimeMonitor

set_seed(1)
context.set_context(mode=context.PYNATIVE_MODE, save_graphs=False, device_target="CPU")

VOCAB, WIDTH, HIDDEN, LENGTH, BATCH = 40, 12, 10, 9, 8


class SentimentNet(nn.Cell):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, bidirectional, num_classes, weight, batch_size):
        super(SentimentNet, self).__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size, embedding_table=weight)
        self.embedding.embedding_table.requires_grad = False
        self.trans = P.Transpose()
        self.perm = (1, 0, 2)
        self.encoder = nn.LSTM(
            input_size=embed_size,
            hidden_size=num_hiddens,
            num_layers=num_layers,
            has_bias=True,
            bidirectional=bidirectional,
            dropout=0.0,
        )
        directions = 2 if bidirectional else 1
        zeros = np.zeros((num_layers * directions, batch_size, num_hiddens), np.float32)
        self.h, self.c = Tensor(zeros), Tensor(zeros)
        self.concat = P.Concat(1)
        self.decoder = nn.Dense(num_hiddens * directions * 2, num_classes)

    def construct(self, inputs):
        embeddings = self.embedding(inputs)
        embeddings = self.trans(embeddings, self.perm)
        output, _ = self.encoder(embeddings, (self.h, self.c))
        encoding = self.concat((output[0], output[LENGTH - 1]))
        return self.decoder(encoding)


class Losses(Callback):
    def __init__(self):
        super(Losses, self).__init__()
        self.values = []

    def step_end(self, run_context):
        self.values.append(float(run_context.original_args().net_outputs.asnumpy()))


def create_dataset():
    rng = np.random.RandomState(0)
    label = rng.randint(0, 2, 10 * BATCH).astype(np.int32)
    feature = (
        rng.randint(0, VOCAB // 2, (10 * BATCH, LENGTH)) + label[:, None] * rng.randint(0, VOCAB // 2, (10 * BATCH, 1))
    ).astype(np.int32)
    data = ds.NumpySlicesDataset({"feature": feature, "label": label}, shuffle=False)
    return data.batch(batch_size=BATCH, drop_remainder=True)


rng = np.random.RandomState(3)
table = Tensor(rng.randn(VOCAB, WIDTH).astype(np.float32) * 0.5)
network = SentimentNet(VOCAB, WIDTH, HIDDEN, 2, True, 2, table, BATCH)
for parameter in network.trainable_params():
    parameter.set_data(Tensor(rng.uniform(-0.3, 0.3, parameter.shape).astype(np.float32)))
assert isinstance(Parameter(initializer(Uniform(0.1), [2, 2]), name="w"), Parameter)

losses = Losses()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(network, loss, nn.Adam(network.trainable_params(), 0.01), {"acc": Accuracy()})
model.train(2, create_dataset(), callbacks=[LossMonitor(5), TimeMonitor(data_size=10), losses], dataset_sink_mode=False)
accuracy = model.eval(create_dataset(), dataset_sink_mode=False)
print(
    json.dumps(
        {
            "losses": losses.values,
            "accuracy": float(accuracy["acc"]),
            "parameters": [p.name for p in network.get_parameters()],
        }
    )
)
