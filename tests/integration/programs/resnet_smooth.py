"""A ResNet in the style of the model zoo: label smoothing, warm-up cosine schedule, groups without decay, fixed loss
scale, Model.train.
"""

import json
import math

import mindspore.common.dtype as mstype
import numpy as np
from mindspore import Tensor, context, nn
from mindspore import dataset as de
from mindspore.common import set_seed
from mindspore.dataset import transforms as C2
from mindspore.dataset import vision as C
from mindspore.nn.loss.loss import LossBase
from mindspore.ops import functional as F
from mindspore.ops import operations as P
from mindspore.train.callback import Callback, LossMonitor, TimeMonitor
from mindspore.train.loss_scale_manager import FixedLossScaleManager
from mindspore.train.model import Model

set_seed(1)
context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU", save_graphs=False)


class CrossEntropySmooth(LossBase):
    def __init__(self, sparse=True, reduction="mean", smooth_factor=0.0, num_classes=10):
        super(CrossEntropySmooth, self).__init__()
        self.onehot, self.sparse = P.OneHot(), sparse
        self.on_value = Tensor(1.0 - smooth_factor, mstype.float32)
        self.off_value = Tensor(1.0 * smooth_factor / (num_classes - 1), mstype.float32)
        self.ce = nn.SoftmaxCrossEntropyWithLogits(reduction=reduction)

    def construct(self, logit, label):
        if self.sparse:
            label = self.onehot(label, F.shape(logit)[1], self.on_value, self.off_value)
        return self.ce(logit, label)


def _conv(in_channel, out_channel, size, stride=1):
    return nn.Conv2d(in_channel, out_channel, kernel_size=size, stride=stride, padding=0, pad_mode="same")


def _bn(channel):
    return nn.BatchNorm2d(
        channel, eps=1e-4, momentum=0.9, gamma_init=1, beta_init=0, moving_mean_init=0, moving_var_init=1
    )


class ResidualBlock(nn.Cell):
    expansion = 2

    def __init__(self, in_channel, out_channel, stride=1):
        super(ResidualBlock, self).__init__()
        channel = out_channel // self.expansion
        self.conv1, self.bn1 = _conv(in_channel, channel, 1), _bn(channel)
        self.conv2, self.bn2 = _conv(channel, channel, 3, stride), _bn(channel)
        self.conv3, self.bn3 = _conv(channel, out_channel, 1), _bn(out_channel)
        self.relu = nn.ReLU()
        self.down_sample = stride != 1 or in_channel != out_channel
        self.down_sample_layer = (
            nn.SequentialCell([_conv(in_channel, out_channel, 1, stride), _bn(out_channel)])
            if self.down_sample
            else None
        )

    def construct(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.down_sample:
            identity = self.down_sample_layer(identity)
        return self.relu(out + identity)


class ResNet(nn.Cell):
    def __init__(self, num_classes):
        super(ResNet, self).__init__()
        self.conv1, self.bn1, self.relu = _conv(3, 8, 3), _bn(8), P.ReLU()
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.layer1 = self._make_layer(2, 8, 16, 1)
        self.layer2 = self._make_layer(2, 16, 32, 2)
        self.mean, self.flatten = P.ReduceMean(keep_dims=True), nn.Flatten()
        self.end_point = nn.Dense(32, num_classes, has_bias=True)

    def _make_layer(self, number, in_channel, out_channel, stride):
        layers = [ResidualBlock(in_channel, out_channel, stride)]
        for _ in range(1, number):
            layers.append(ResidualBlock(out_channel, out_channel, 1))
        return nn.SequentialCell(layers)

    def construct(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        return self.end_point(self.flatten(self.mean(x, (2, 3))))


class Losses(Callback):
    def __init__(self):
        self.values = []

    def step_end(self, run_context):
        self.values.append(float(run_context.original_args().net_outputs.asnumpy()))


def create_dataset():
    rng = np.random.RandomState(0)
    labels = rng.randint(0, 10, 80).astype(np.int64)
    images = (
        rng.rand(80, 18, 18, 3) * 60
        + 15 * labels[:, None, None, None] * (np.arange(3) == labels[:, None, None, None] % 3)
    ).astype(np.uint8)
    data = de.GeneratorDataset(list(zip(images, labels)), column_names=["image", "label"], shuffle=False)
    trans = [
        C.CenterCrop(16),
        C.Rescale(1.0 / 255.0, 0.0),
        C.Normalize([0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]),
        C.HWC2CHW(),
    ]
    data = data.map(operations=C2.TypeCast(mstype.int32), input_columns="label")
    data = data.map(operations=trans, input_columns="image")
    return data.batch(8, drop_remainder=True)


def warmup_cosine(lr_max, warmup, total):
    return [
        lr_max * (i + 1) / warmup
        if i < warmup
        else lr_max * 0.5 * (1 + math.cos(math.pi * (i - warmup) / (total - warmup)))
        for i in range(total)
    ]


rng = np.random.RandomState(2)
net = ResNet(10)
for parameter in net.trainable_params():
    if parameter.ndim > 1 or "bias" in parameter.name:
        parameter.set_data(
            Tensor((rng.randn(*parameter.shape) / math.sqrt(max(1, np.prod(parameter.shape[1:])))).astype(np.float32))
        )
decayed_params, no_decayed_params = [], []
for param in net.trainable_params():
    if "beta" not in param.name and "gamma" not in param.name and "bias" not in param.name:
        decayed_params.append(param)
    else:
        no_decayed_params.append(param)
group_params = [
    {"params": decayed_params, "weight_decay": 1e-4},
    {"params": no_decayed_params},
    {"order_params": net.trainable_params()},
]
lr = Tensor(np.array(warmup_cosine(0.005, 5, 20), np.float32))
opt = nn.Momentum(group_params, lr, 0.9, loss_scale=1024)
loss_scale = FixedLossScaleManager(1024, drop_overflow_update=False)
losses = Losses()
model = Model(
    net,
    loss_fn=CrossEntropySmooth(smooth_factor=0.1),
    optimizer=opt,
    loss_scale_manager=loss_scale,
    metrics={"acc"},
    amp_level="O0",
)
model.train(2, create_dataset(), callbacks=[TimeMonitor(data_size=10), LossMonitor(), losses], dataset_sink_mode=False)
print(json.dumps({"losses": losses.values, "parameters": [p.name for p in net.get_parameters()]}))
