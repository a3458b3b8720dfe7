# train_model.py
import torch
from dataset import create_dataset
from lenet_torch import LeNet

import mindspore_compat as ms
from mindspore_compat.train import LossMonitor, Model


def loss(outputs, labels):
    return torch.nn.functional.cross_entropy(outputs, labels.long())  # torch wants int64, MindSpore int32


ms.set_seed(1)
data, net = create_dataset(training=True), LeNet()
ms.load_param_into_net(net, ms.load_checkpoint("init.ckpt"))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
model = Model(net, loss, optimizer, metrics={"acc"})
model.train(6, data, callbacks=[LossMonitor()])
print("accuracy:", model.eval(create_dataset(training=False))["acc"])
torch.save(net.state_dict(), "lenet.pt")
