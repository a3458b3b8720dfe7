"""``mindspore.mint``: torch's functions, layers and collectives with MindSpore's Tensors and Cells."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.mint import _functions, distributed, linalg, nn, special
from mindspore_compat.mint._functions import *  # noqa: F403

__getattr__ = module_getattr(__name__, unsupported={"optim": "use the optimizers of mindspore.nn, or of torch."})
__all__ = [*_functions.__all__, "distributed", "linalg", "nn", "special"]
