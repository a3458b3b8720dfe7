"""LeNet5 on scikit-learn's 1,797 handwritten digits, written for MindSpore. Nothing here knows of mindspore_compat.

python -m mindspore_compat examples/lenet_digits.py        on PyTorch
python examples/lenet_digits.py                            on MindSpore itself
"""

import argparse

import mindspore
import mindspore.dataset as ds
import mindspore.dataset.vision.c_transforms as C
import mindspore.nn as nn
import numpy as np
from mindspore import Model, context
from mindspore.common.initializer import Normal
from mindspore.dataset.transforms.c_transforms import TypeCast
from mindspore.nn import Accuracy
from mindspore.train.callback import CheckpointConfig, LossMonitor, ModelCheckpoint, TimeMonitor
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class LeNet5(nn.Cell):
    def __init__(self, num_class=10, num_channel=1):
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init=Normal(0.02))
        self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.02))
        self.fc3 = nn.Dense(84, num_class, weight_init=Normal(0.02))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        x = self.fc3(x)
        return x


class Digits:
    """The digits as (8, 8, 1) uint8 pictures, a fifth of them for testing."""

    def __init__(self, is_train):
        digits = load_digits()
        images = (digits.images * 15.9).astype(np.uint8)[..., None]
        train_x, test_x, train_y, test_y = train_test_split(
            images, digits.target.astype(np.int32), test_size=0.2, random_state=0
        )
        self.images, self.labels = (train_x, train_y) if is_train else (test_x, test_y)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]

    def __len__(self):
        return len(self.labels)


def create_dataset(is_train, batch_size=32):
    dataset = ds.GeneratorDataset(Digits(is_train), ["image", "label"], shuffle=is_train)
    trans = [C.Resize((32, 32)), C.Rescale(1.0 / 255.0, 0.0), C.HWC2CHW()]
    dataset = dataset.map(operations=trans, input_columns="image")
    dataset = dataset.map(operations=TypeCast(mindspore.int32), input_columns="label")
    return dataset.batch(batch_size, drop_remainder=is_train)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--ckpt_dir", default="./lenet_ckpt")
    args = parser.parse_args()

    context.set_context(mode=context.GRAPH_MODE, device_target="CPU")
    mindspore.set_seed(1)
    train_set, test_set = create_dataset(True), create_dataset(False)
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    steps = train_set.get_dataset_size()
    lr = nn.CosineDecayLR(0.0, 0.03, args.epochs * steps)
    optim = nn.Momentum(net.trainable_params(), lr, 0.9, weight_decay=5e-4)
    model = Model(net, loss_fn=loss, optimizer=optim, metrics={"Accuracy": Accuracy()})

    config = CheckpointConfig(save_checkpoint_steps=steps * 5, keep_checkpoint_max=3)
    ckpoint_cb = ModelCheckpoint(prefix="LeNet5", directory=args.ckpt_dir, config=config)
    model.train(
        args.epochs, train_set, callbacks=[LossMonitor(steps), TimeMonitor(steps), ckpoint_cb], dataset_sink_mode=False
    )
    print("Test:", model.eval(test_set, dataset_sink_mode=False))
    print("Saved:", ckpoint_cb.latest_ckpt_file_name)


if __name__ == "__main__":
    main()
