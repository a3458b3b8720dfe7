"""``mindspore.mint.optim``: torch's SGD, Adam and AdamW on the base classes of ``mindspore.experimental.optim``.

MindSpore has kernels for these on Ascend only; the formulas here follow its documentation and torch's.
"""

from mindspore_compat.mint.optim.adam import Adam
from mindspore_compat.mint.optim.adamw import AdamW, FusedAdamW
from mindspore_compat.mint.optim.sgd import SGD

__all__ = ["Adam", "AdamW", "FusedAdamW", "SGD"]
