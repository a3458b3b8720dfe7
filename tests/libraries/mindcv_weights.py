"""Writes seeded weights where mindcv looks for those it has downloaded: ``python mindcv_weights.py FOLDER MODEL``, in a
checkout.
"""

import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.getcwd())

import mindspore as ms
import seeded
from mindcv.models import create_model, model_entrypoint


def main(folder, model):
    module = importlib.import_module(model_entrypoint(model).__module__)
    os.makedirs(folder, exist_ok=True)
    name = os.path.basename(module.default_cfgs[model]["url"])
    ms.save_checkpoint(seeded.fill(create_model(model, num_classes=1000)), os.path.join(folder, name))


if __name__ == "__main__":
    main(*sys.argv[1:])
