"""Trains a network of mindyolo some steps with its own loss, optimizer and step function, and prints the losses. Each step has
a loss and a function of its own: what MindSpore 2.10 compiles of YOLOv3's to YOLOv7's losses on a CPU gives another result at
each call, since it keeps what the first wrote into its zeros. Run in a checkout: ``python mindyolo_steps.py CONFIG [STEPS]``.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.getcwd())

import mindspore as ms
import numpy as np
import seeded
from mindspore import Tensor, ops
from mindyolo.data import COCODataset
from mindyolo.models import create_loss, create_model
from mindyolo.optim import create_group_param, create_lr_scheduler, create_optimizer
from mindyolo.utils.config import Config, load_config
from mindyolo.utils.train_step_factory import create_train_step_fn, get_loss_scaler


def batch(settings):
    data = COCODataset(
        dataset_path=settings.train_set,
        img_size=64,
        transforms_dict=settings.train_transforms,
        is_training=True,
        augment=True,
        batch_size=8,
        stride=32,
    )
    rows = [data[place] for place in range(8)]
    images, labels = data.train_collate_fn(*[list(column) for column in zip(*rows)], None)[:2]
    return Tensor(np.asarray(images, np.float32)), Tensor(np.asarray(labels, np.float32))


def main(path, steps=5):
    ms.set_context(mode=ms.GRAPH_MODE)
    config = Config(load_config(path)[0])
    network = create_model(model_name=config.network.model_name, model_cfg=config.network, num_classes=80)
    seeded.fill(network).set_train(True)
    named = {"min_warmup_step": 0, **config.optimizer, "epochs": int(steps) + 3, "steps_per_epoch": 1}
    named.update(total_batch_size=8, accumulate=1, nbs=64)
    groups = create_group_param(params=network.trainable_params(), **named)
    optimizer = create_optimizer(params=groups, lr=create_lr_scheduler(**named), **named)
    images, labels = batch(config.data)
    for _ in range(int(steps)):
        loss_fn = create_loss(
            **config.loss, anchors=config.network.get("anchors", 1), stride=config.network.stride, nc=80
        )
        step = create_train_step_fn(
            task="detect",
            network=network,
            loss_fn=loss_fn,
            optimizer=optimizer,
            loss_ratio=1,
            scaler=get_loss_scaler("static", scale_value=16),
            reducer=ops.functional.identity,
            overflow_still_update=True,
            ms_jit=True,
        )
        print(f"loss: {float(step(images, labels, True)[0].asnumpy()):.6f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
