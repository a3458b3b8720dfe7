"""Evaluate a checkpoint and show some predictions."""

import sys

from dataset import create_dataset
from lenet import LeNet
from mindspore import Model, load_checkpoint, load_param_into_net, nn, ops

net = LeNet()
load_param_into_net(net, load_checkpoint(sys.argv[1]))
model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), metrics={"acc"})
data = create_dataset(training=False)
print("accuracy:", model.eval(data, dataset_sink_mode=False)["acc"])

batch = next(data.create_dict_iterator())
index, value = ops.max(model.predict(batch["image"]), axis=1)
print("labels:     ", batch["label"][:8])
print("predictions:", index[:8])
