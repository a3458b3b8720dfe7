"""Export a checkpoint to MINDIR and ONNX."""

import sys

import numpy as np
from lenet import LeNet
from mindspore import Tensor, export, load_checkpoint, load_param_into_net

net = LeNet()
net.set_train(False)
load_param_into_net(net, load_checkpoint(sys.argv[1]))
x = Tensor(np.zeros((1, 1, 16, 16), np.float32))
export(net, x, file_name="lenet", file_format="MINDIR")
export(net, x, file_name="lenet", file_format="ONNX")
