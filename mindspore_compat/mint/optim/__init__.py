"""``mindspore.mint.optim``: torch's SGD, Adam and AdamW on the machinery of ``mindspore.experimental.optim``.

MindSpore has kernels for these on Ascend only; the arithmetic here is what its documentation and torch's say.
"""

from mindspore_compat.mint.optim.adam import Adam
from mindspore_compat.mint.optim.adamw import AdamW, FusedAdamW
from mindspore_compat.mint.optim.sgd import SGD

__all__ = ["Adam", "AdamW", "FusedAdamW", "SGD"]
