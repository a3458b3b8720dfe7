"""Data loading and preparation. MindSpore: ``mindspore.dataset``."""

import contextlib

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset import core, engine, transforms
from mindspore_compat.dataset.core.config import get_seed, set_seed
from mindspore_compat.dataset.engine import *  # noqa: F403
from mindspore_compat.dataset.engine import samplers
from mindspore_compat.dataset.transforms._operation import Implementation
from mindspore_compat.dataset.utils.line_reader import LineReader

with contextlib.suppress(ImportError):
    # Libraries write `import PIL` and then `PIL.Image`: MindSpore's dataset has imported that.
    import PIL.Image  # noqa: F401

__all__ = [
    "Implementation",
    "LineReader",
    "core",
    "engine",
    "get_seed",
    "samplers",
    "set_seed",
    "transforms",
    "audio",  # noqa: F405
    "text",  # noqa: F405
    "vision",  # noqa: F405
]
_SERIALIZED = ("compare", "deserialize", "serialize", "show")
__all__ += [*_SERIALIZED, *engine.__all__]

# No MindSpore has this function: scripts that reuse the module's name `ds` for a dataset seem to call it.
create_dict_iterator = engine.Dataset.create_dict_iterator

_STORAGE = "it works with Huawei's object storage; copy the files to a disk and use MindDataset."

# The operations load when they are first used.
__getattr__ = module_getattr(
    __name__,
    {
        **{name: f"dataset.{name}" for name in ("audio", "vision", "text", "context", "ds")},
        **dict.fromkeys(_SERIALIZED, "dataset._serialized"),
    },
    dict.fromkeys(("OBSMindDataset", "sync_wait_for_dataset"), _STORAGE),
)
