"""Train LeNet on drawn digits. Written for MindSpore 1.x; no line mentions PyTorch."""

import argparse

from dataset import create_dataset
from lenet import LeNet
from mindspore import Model, context, nn
from mindspore.common import set_seed
from mindspore.train.callback import CheckpointConfig, LossMonitor, ModelCheckpoint


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="Ascend")
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()

    context.set_context(mode=context.GRAPH_MODE, device_target=args.device_target)
    set_seed(1)
    data = create_dataset(training=True)
    net = LeNet()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    model = Model(net, loss, optimizer, metrics={"acc"})

    config = CheckpointConfig(save_checkpoint_steps=data.get_dataset_size(), keep_checkpoint_max=2)
    saved = ModelCheckpoint(prefix="lenet", directory="ckpt", config=config)
    model.train(args.epochs, data, callbacks=[LossMonitor(), saved], dataset_sink_mode=False)
    print("accuracy:", model.eval(create_dataset(training=False), dataset_sink_mode=False)["acc"])


if __name__ == "__main__":
    main()
