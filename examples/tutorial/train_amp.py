# train_amp.py
from dataset import create_dataset
from lenet import LeNet
from mindspore import DynamicLossScaleManager, Model, context, nn
from mindspore.common import set_seed
from mindspore.train.callback import LossMonitor

context.set_context(mode=context.GRAPH_MODE, device_target="GPU")
set_seed(1)
data, net = create_dataset(training=True), LeNet()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
model = Model(net, loss, optimizer, metrics={"acc"}, amp_level="O2", loss_scale_manager=DynamicLossScaleManager())
model.train(6, data, callbacks=[LossMonitor(32)], dataset_sink_mode=False)
print("accuracy:", model.eval(create_dataset(training=False), dataset_sink_mode=False)["acc"])
