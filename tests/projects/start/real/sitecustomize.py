"""Real MindSpore 2.10 starts, on a CPU, with what projects of its earlier releases ask for and it dropped."""

import importlib
import os
import sys
import types

import alike
import numpy as np

for _name, _type in {
    "int": int,
    "float": float,
    "bool": bool,
    "object": object,
    "str": str,
    "complex": complex,
}.items():
    if _name not in np.__dict__:
        setattr(np, _name, _type)

import mindspore  # noqa: E402
import mindspore.communication.management  # noqa: E402
import mindspore.context  # noqa: E402
import mindspore.dataset.transforms  # noqa: E402
import mindspore.dataset.vision  # noqa: E402
import mindspore.profiler  # noqa: E402

# ---- every device is the CPU, keys of other releases are dropped --------------------------------------------------

_set_context = mindspore.context.set_context


def set_context(**keys):
    for key, value in keys.items():
        if key in ("enable_graph_kernel", "graph_kernel_flags", "max_device_memory", "enable_auto_mixed_precision"):
            continue  # of GPUs and Ascend; graph kernels ask for a compiler that the CPU build does not have
        try:
            _set_context(**{key: "CPU" if key == "device_target" else 0 if key == "device_id" else value})
        except (ValueError, TypeError, RuntimeError) as error:
            print(f"sitecustomize: set_context({key}={value!r}) dropped: {str(error).splitlines()[0]}", file=sys.stderr)


for _module in (mindspore, mindspore.context):
    _module.set_context = set_context
for _module in (mindspore.communication, mindspore.communication.management):
    _module.init = lambda *_, **__: None
    _module.get_rank = _module.get_local_rank = lambda *_, **__: 0
    _module.get_group_size = lambda *_, **__: 1

alike.begin(mindspore)

# ---- modules that were renamed -----------------------------------------------------------------------------------


def _old_module(name, new, **other):
    module = types.ModuleType(name)
    module.__dict__.update({key: value for key, value in vars(new).items() if not key.startswith("__")}, **other)
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    setattr(importlib.import_module(parent), last, module)


_vision, _transforms = mindspore.dataset.vision, mindspore.dataset.transforms
_channels_first = {
    "Normalize": lambda mean, std: _vision.Normalize(mean, std, is_hwc=False),
    "Decode": lambda: _vision.Decode(to_pil=True),
}
_old_module("mindspore.dataset.vision.c_transforms", _vision)
_old_module("mindspore.dataset.transforms.c_transforms", _transforms)
_old_module("mindspore.dataset.vision.py_transforms", _vision, ComposeOp=_transforms.Compose, **_channels_first)
_old_module("mindspore.dataset.transforms.py_transforms", _transforms)

# ---- data -------------------------------------------------------------------------------------------------------

# workers beyond the cores are refused otherwise, in Python and below it
mindspore.dataset.core.validator_helpers.cpu_count = lambda: 1024


def _small_cifar(fields, files):
    """CIFAR's files of any length: the real class takes only those of 10000 pictures."""

    def dataset(
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ):
        names = [
            name
            for part, names in files.items()
            if usage in (part, "all", None)
            for name in names
            if os.path.exists(os.path.join(dataset_dir, name))
        ]
        if not names:
            raise RuntimeError(f"no CIFAR files in {dataset_dir}")
        records = np.concatenate(
            [
                np.fromfile(os.path.join(dataset_dir, name), np.uint8).reshape(-1, len(fields) - 1 + 3072)
                for name in sorted(names)
            ]
        )
        columns = {
            "image": np.ascontiguousarray(records[:, len(fields) - 1 :].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        }
        columns.update({field: records[:, i].astype(np.uint32) for i, field in enumerate(fields[1:])})
        return mindspore.dataset.NumpySlicesDataset(
            columns, num_samples=num_samples, shuffle=shuffle, sampler=sampler, num_shards=num_shards, shard_id=shard_id
        )

    return dataset


for _module in (mindspore.dataset, mindspore.dataset.engine):
    _module.Cifar10Dataset = _small_cifar(
        ["image", "label"], {"train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"]}
    )
    _module.Cifar100Dataset = _small_cifar(
        ["image", "coarse_label", "fine_label"], {"train": ["train.bin"], "test": ["test.bin"]}
    )


# ---- operators that are gone --------------------------------------------------------------------------------------


class _ResizeBilinear(mindspore.nn.Cell):
    """The operator of 1.x, by its successor."""

    def __init__(self, size, align_corners=False, half_pixel_centers=False):
        super().__init__()
        self.size, self.resize = (
            tuple(size),
            mindspore.ops.operations.ResizeBilinearV2(align_corners, half_pixel_centers),
        )

    def construct(self, x):
        return self.resize(x, self.size)


class _ResizeBilinearLayer(mindspore.nn.Cell):
    """The layer of 1.x: the size, or a factor, is given at the call."""

    def __init__(self, half_pixel_centers=False):
        super().__init__()
        self.corners = mindspore.ops.operations.ResizeBilinearV2(True, half_pixel_centers)
        self.plain = mindspore.ops.operations.ResizeBilinearV2(False, half_pixel_centers)

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        if size is None:
            size = (x.shape[2] * scale_factor, x.shape[3] * scale_factor)
        if align_corners:
            return self.corners(x, size)
        return self.plain(x, size)


mindspore.ops.operations.ResizeBilinear = mindspore.ops.ResizeBilinear = mindspore.ops.functional.ResizeBilinear = (
    _ResizeBilinear
)
mindspore.nn.ResizeBilinear = _ResizeBilinearLayer
_old_module("mindspore.profiler.profiling", mindspore.profiler)
