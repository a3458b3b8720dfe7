"""Runs a library's script with networks that start from the same values under every MindSpore:
``python seeded.py LIBRARY SCRIPT ARGUMENT...`` wraps LIBRARY.models.create_model; values depend on a Parameter's name and
shape alone. Networks that are given a checkpoint are left as they are.
"""

import importlib
import os
import runpy
import sys
import zlib

import mindspore as ms
import numpy as np


def fill(network):
    """Normal values for all trainable Parameters, scaled by what flows into a unit."""
    for parameter in network.trainable_params():
        random = np.random.default_rng(zlib.crc32(parameter.name.encode()))
        shape = tuple(parameter.shape)
        values = random.normal(0, 1, shape)
        if len(shape) > 1:
            values = values / np.sqrt(max(np.prod(shape[1:]), 1))
        else:
            values = 0.05 * values + float(parameter.name.endswith("gamma"))
        parameter.set_data(ms.Tensor(values.astype(np.float32)).astype(parameter.dtype))
    return network


def main(library, script, *arguments):
    sys.argv = [script, *arguments]
    sys.path[:0] = [os.path.dirname(os.path.abspath(script)), os.getcwd()]
    models = importlib.import_module(f"{library}.models")
    create = models.create_model

    def seeded(*positional, **named):
        made = create(*positional, **named)
        return made if named.get("checkpoint_path") or named.get("pretrained") else fill(made)

    models.create_model = seeded
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
