"""Writes checkpoints of small mindyolo networks with seeded values, for its test, predict and export. Run in a checkout:
``python mindyolo_weights.py FILE CONFIG`` (FILE.ckpt).
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.getcwd())

import mindspore as ms
import seeded
from mindyolo.models import create_model
from mindyolo.utils.config import Config, load_config


def main(target, path):
    config = Config(load_config(path)[0])
    network = create_model(model_name=config.network.model_name, model_cfg=config.network, num_classes=80)
    ms.save_checkpoint(seeded.fill(network), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
