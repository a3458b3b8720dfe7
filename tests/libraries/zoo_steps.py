"""Trains networks of the model zoo (research/, official/) and of MindSpore Science: ``python zoo_steps.py NAME [MODE]`` in a
checkout of it takes five steps with the project's own network and loss, from seeded values, on seeded arrays, and prints the losses.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mindspore as ms
import numpy as np
from science_networks import SCIENCE
from zoo_more_networks import MORE
from zoo_networks import FIRST
from zoo_third_networks import THIRD

for alias, kind in (("bool", bool), ("int", int), ("float", float)):  # of NumPy before 1.24, which projects write
    if alias not in vars(np):
        setattr(np, alias, kind)
NETWORKS = {**FIRST, **MORE, **THIRD, **SCIENCE}


def main(name, mode="0"):
    ms.set_context(mode=int(mode))
    step, data = NETWORKS[name]()
    step.set_train()
    for _ in range(5):
        losses = step(*data)
        for loss in losses if isinstance(losses, (tuple, list)) else (losses,):
            print(f"loss: {float(loss.asnumpy().astype(np.float64).sum()):.6f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
