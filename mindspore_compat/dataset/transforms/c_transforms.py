"""Names of MindSpore 1.x. MindSpore: ``mindspore.dataset.transforms.c_transforms``."""

from mindspore_compat.dataset.transforms import transforms as _now
from mindspore_compat.dataset.transforms.transforms import *  # noqa: F403

_NOT_HERE = ("PyTensorOperation", "RandomOrder", "not_random")
__all__ = [name for name in _now.__all__ if name not in _NOT_HERE]

for _name in _NOT_HERE:
    del globals()[_name]
