# train_torch.py
import torch
from dataset import create_dataset
from lenet import LeNet
from mindspore import Model, nn
from mindspore.common import set_seed
from mindspore.train.callback import LossMonitor


class NormedLeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm2d(1)  # a torch layer in a Cell
        self.lenet = LeNet()

    def construct(self, x):
        return self.lenet(self.norm(x))


set_seed(1)
data, net = create_dataset(training=True), NormedLeNet()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = torch.optim.AdamW(net.parameters(), lr=3e-3)  # a torch optimizer under Model
model = Model(net, loss, optimizer, metrics={"acc"})
model.train(6, data, callbacks=[LossMonitor(32)], dataset_sink_mode=False)
print("accuracy:", model.eval(create_dataset(training=False), dataset_sink_mode=False)["acc"])
