"""A training script in the style of the model zoo (1.x imports, groups, label smoothing, loss scale, evaluation in a
callback).
"""

import os, argparse, ast
import numpy as np
from mindspore import context, Tensor
import mindspore.common.dtype as mstype
from mindspore.context import ParallelMode
from mindspore.train.model import Model
from mindspore.train.callback import (
    ModelCheckpoint,
    CheckpointConfig,
    LossMonitor,
    TimeMonitor,
    Callback,
    _InternalCallbackParam,
    RunContext,
)
from mindspore.nn.loss.loss import _Loss
from mindspore.train.loss_scale_manager import FixedLossScaleManager, DynamicLossScaleManager
from mindspore.train.serialization import load_checkpoint, load_param_into_net
from mindspore.communication.management import init, get_rank, get_group_size
from mindspore.common import set_seed
from mindspore.common.parameter import Parameter
import mindspore.nn as nn
import mindspore.common.initializer as weight_init
import mindspore.dataset as de
import mindspore.dataset.vision.c_transforms as C
import mindspore.dataset.transforms.c_transforms as C2
from mindspore.ops import operations as P
from mindspore.ops import functional as F
from mindspore.ops import composite as CC
from mindspore.nn.optim.momentum import Momentum
from mindspore.parallel._auto_parallel_context import auto_parallel_context

set_seed(1)
parser = argparse.ArgumentParser()
parser.add_argument("--run_distribute", type=ast.literal_eval, default=False)
parser.add_argument("--amp", default="O0")
args = parser.parse_args()
context.set_context(mode=context.GRAPH_MODE, device_target="GPU", save_graphs=False, enable_graph_kernel=True)
context.set_auto_parallel_context(device_num=1, parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)


class CrossEntropySmooth(_Loss):
    def __init__(self, sparse=True, reduction="mean", smooth_factor=0.0, num_classes=10):
        super(CrossEntropySmooth, self).__init__()
        self.onehot = P.OneHot()
        self.sparse = sparse
        self.on_value = Tensor(1.0 - smooth_factor, mstype.float32)
        self.off_value = Tensor(1.0 * smooth_factor / (num_classes - 1), mstype.float32)
        self.ce = nn.SoftmaxCrossEntropyWithLogits(reduction=reduction)

    def construct(self, logit, label):
        if self.sparse:
            label = self.onehot(label, F.shape(logit)[1], self.on_value, self.off_value)
        return self.ce(logit, label)


def _conv3x3(i, o, stride=1):
    return nn.Conv2d(i, o, kernel_size=3, stride=stride, padding=0, pad_mode="same", weight_init="XavierUniform")


class Net(nn.Cell):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = _conv3x3(3, 8)
        self.bn = nn.BatchNorm2d(
            8, eps=1e-4, momentum=0.9, gamma_init=1, beta_init=0, moving_mean_init=0, moving_var_init=1
        )
        self.relu = P.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.layer = nn.SequentialCell([_conv3x3(8, 16, 2), nn.BatchNorm2d(16), nn.ReLU()])
        self.mean = P.ReduceMean(keep_dims=True)
        self.flatten = nn.Flatten()
        self.drop = nn.Dropout(keep_prob=0.9)
        self.fc = nn.Dense(16, 10, has_bias=True, bias_init=0)
        self.reshape = P.Reshape()
        self.cast = P.Cast()

    def construct(self, x):
        x = self.relu(self.bn(self.conv(x)))
        x = self.pool(x)
        x = self.layer(x)
        x = self.mean(x, (2, 3))
        x = self.flatten(x)
        return self.fc(self.drop(x))


def create_dataset(training=True):
    rng = np.random.RandomState(0)
    y = rng.randint(0, 10, 64).astype(np.int64)
    xs = (rng.rand(64, 36, 36, 3) * 60).astype(np.uint8)
    for i in range(64):
        xs[i, :, :, y[i] % 3] += np.uint8(15 * y[i])

    class It:
        def __getitem__(self, i):
            return xs[i], np.int(y[i])

        def __len__(self):
            return 64

    ds = de.GeneratorDataset(
        It(), column_names=["image", "label"], num_parallel_workers=8, shuffle=True, num_shards=1, shard_id=0
    )
    trans = [C.RandomCrop((32, 32), (4, 4, 4, 4)), C.RandomHorizontalFlip(prob=0.5)] if training else [C.CenterCrop(32)]
    trans += [
        C.Resize((32, 32)),
        C.Rescale(1.0 / 255.0, 0.0),
        C.Normalize([0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]),
        C.HWC2CHW(),
    ]
    ds = ds.map(operations=C2.TypeCast(mstype.int32), input_columns="label", num_parallel_workers=8)
    ds = ds.map(operations=trans, input_columns="image", num_parallel_workers=8)
    return ds.batch(16, drop_remainder=True).repeat(1)


class Eval(Callback):
    def __init__(self, model, ds):
        self.model = model
        self.ds = ds

    def epoch_end(self, run_context):
        cb = run_context.original_args()
        print(
            "epoch",
            cb.cur_epoch_num,
            "eval",
            self.model.eval(self.ds, dataset_sink_mode=False),
            "loss",
            cb.net_outputs if not isinstance(cb.net_outputs, tuple) else cb.net_outputs[0],
        )


net = Net()
for _, cell in net.cells_and_names():
    if isinstance(cell, nn.Conv2d):
        cell.weight.set_data(weight_init.initializer(weight_init.XavierUniform(), cell.weight.shape, cell.weight.dtype))
    if isinstance(cell, nn.Dense):
        cell.weight.set_data(
            weight_init.initializer(weight_init.TruncatedNormal(), cell.weight.shape, cell.weight.dtype)
        )
decayed = []
no = []
for p in net.trainable_params():
    (no if "beta" in p.name or "gamma" in p.name or "bias" in p.name else decayed).append(p)
group = [{"params": decayed, "weight_decay": 1e-4}, {"params": no}, {"order_params": net.trainable_params()}]
train = create_dataset()
step = train.get_dataset_size()
lr = Tensor(np.array([0.05] * step * 6).astype(np.float32))
ls = FixedLossScaleManager(1024, drop_overflow_update=False)
opt = Momentum(group, lr, 0.9, loss_scale=1024)
model = Model(
    net,
    loss_fn=CrossEntropySmooth(smooth_factor=0.1),
    optimizer=opt,
    loss_scale_manager=ls,
    metrics={"acc", "top_1_accuracy", "top_5_accuracy"},
    amp_level=args.amp,
    keep_batchnorm_fp32=False,
)
cbs = [
    TimeMonitor(data_size=step),
    LossMonitor(),
    ModelCheckpoint(
        prefix="resnet",
        directory="./ck/ckpt_%d/" % get_rank(),
        config=CheckpointConfig(save_checkpoint_steps=step * 2, keep_checkpoint_max=2),
    ),
    Eval(model, create_dataset(False)),
]
model.train(2, train, callbacks=cbs, sink_size=step, dataset_sink_mode=True)
pd = load_checkpoint("./ck/ckpt_0/resnet-2_4.ckpt")
for k in list(pd.keys()):
    if k.startswith("moments"):
        del pd[k]
print(load_param_into_net(net, pd))
