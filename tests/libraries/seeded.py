"""Runs a library's script with networks that start from the same values under every MindSpore:
``python seeded.py LIBRARY SCRIPT ARGUMENT...`` wraps the library's function that makes networks; values depend on a
Parameter's name and shape alone; with SEEDED_STILL set no layer drops anything. Networks that are given a checkpoint are
left as they are, but for the Parameters whose names begin with SEEDED_HEAD, where it is set.
"""

import importlib
import os
import runpy
import sys
import types
import zlib

import mindspore as ms
import numpy as np

#: library -> what makes its networks, in its package ``models``
MAKERS = {"mindcv": "create_model", "mindyolo": "create_model", "mindocr": "build_model"}
#: modules that real MindSpore 2.10 no longer has, and that only networks which it cannot run need
LOST = {
    "mindocr": [
        f"mindspore.parallel._transformer{name}"
        for name in ("", ".layers", ".moe", ".op_parallel_config", ".transformer")
    ],
    "mindformers-v1.3.2": ["mindspore.dataset.transforms.py_transforms"],
}


class Lost(types.ModuleType):
    """Any name of a lost module: decorators that leave what they get, empty classes."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[0].isupper() else lambda *_, **__: lambda decorated: decorated


def fill(network, head=""):
    """Normal values for all trainable Parameters (whose names begin so), scaled by what flows into a unit; with
    SEEDED_NUDGE set each is moved by about so much of itself, which shows what rounding alone makes of a job.
    """
    nudge = float(os.environ.get("SEEDED_NUDGE", "0"))
    for parameter in network.trainable_params():
        if not parameter.name.startswith(head):
            continue
        random = np.random.default_rng(zlib.crc32(parameter.name.encode()))
        shape = tuple(parameter.shape)
        values = random.normal(0, 1, shape)
        if len(shape) > 1:
            values = values / np.sqrt(max(np.prod(shape[1:]), 1))
        else:
            values = 0.05 * values + float(parameter.name.endswith("gamma"))
        values = values * (1.0 + nudge * random.normal(0, 1, shape))
        parameter.set_data(ms.Tensor(values.astype(np.float32)).astype(parameter.dtype))
    return network


def without_chance(network):
    """Nothing is dropped: what is drawn differs between implementations."""
    for _, cell in network.cells_and_names():
        for name, value in {"p": 0.0, "keep_prob": 1.0, "drop_prob": 0.0}.items():
            if "drop" in type(cell).__name__.lower() and isinstance(getattr(cell, name, None), float):
                setattr(cell, name, value)
    return network


def stand_in(library):
    """Put empty modules where real MindSpore has lost the library's."""
    for name in LOST.get(library, ()):
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = Lost(name)
            holder, _, last = name.rpartition(".")
            setattr(importlib.import_module(holder), last, sys.modules[name])


class Inside(ms.nn.Cell):
    """Gather of one element, the last one for places behind it."""

    def construct(self, values, place, axis):
        return ms.ops.gather(values, ms.ops.minimum(place, values.shape[0] - 1), axis)


def inside():
    """mindocr's PSENet looks up its threshold behind the last score (how many scores there are is added to the place),
    which CPUs refuse: it gets the last score.
    """
    from mindocr.losses.det_loss import PSEDiceLoss

    make = PSEDiceLoss.__init__

    def changed(self, *arguments, **named):
        make(self, *arguments, **named)
        self.gather = Inside()

    PSEDiceLoss.__init__ = changed


def main(library, script, *arguments):
    sys.argv = [script, *arguments]
    sys.path[:0] = [os.path.dirname(os.path.abspath(script)), os.getcwd()]
    stand_in(library)
    models = importlib.import_module(f"{library}.models")
    create = getattr(models, MAKERS[library])
    if os.environ.get("SEEDED_INSIDE"):
        inside()

    def seeded(*positional, **named):
        made = create(*positional, **named)
        if any(named.get(name) for name in ("checkpoint_path", "pretrained", "ckpt_load_path")):
            head = os.environ.get("SEEDED_HEAD")
            return fill(made, head) if head else made
        if os.environ.get("SEEDED_STILL"):
            np.random.seed(0)  # what was drawn so far differs; data are read from now on
            return without_chance(fill(made))
        return fill(made)

    setattr(models, MAKERS[library], seeded)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
