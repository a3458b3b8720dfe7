"""Writes seeded weights where mindcv or mindocr looks for those it has downloaded:
``python library_weights.py LIBRARY FOLDER MODEL...``, in a checkout.
"""

import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.getcwd())

import mindspore as ms
import seeded


def main(library, folder, *models):
    seeded.stand_in(library)
    registry = importlib.import_module(f"{library}.models")
    whole = {"pretrained_backbone": False} if library == "mindocr" else {}
    os.makedirs(folder, exist_ok=True)
    for model in models:
        entry = registry.model_entrypoint(model)
        url = importlib.import_module(entry.__module__).default_cfgs[model]["url"]
        ms.save_checkpoint(seeded.fill(entry(**whole)), os.path.join(folder, os.path.basename(url)))


if __name__ == "__main__":
    main(*sys.argv[1:])
