"""``mindspore.mint``: torch's functions, layers and collectives with MindSpore's Tensors and Cells.

As in MindSpore's list of names, the names of its submodules are here as well: ``mint.Linear`` is ``mint.nn.Linear``.
"""

# isort: off
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.common.tensor import Tensor  # noqa: F401 - libraries take it from here
from mindspore_compat.mint import _functions, distributed, linalg, nn, optim, special
from mindspore_compat.mint.distributed import *  # noqa: F403
from mindspore_compat.mint.linalg import *  # noqa: F403
from mindspore_compat.mint.optim import *  # noqa: F403
from mindspore_compat.mint.nn import *  # noqa: F403
from mindspore_compat.mint.nn.functional import *  # noqa: F403
from mindspore_compat.mint._functions import *  # noqa: F403  # last: mint.gather is no collective
# isort: on

__getattr__ = module_getattr(__name__)
__all__ = [
    "distributed",
    "linalg",
    "nn",
    "optim",
    "special",
    *_functions.__all__,
    *distributed.__all__,
    *linalg.__all__,
    *nn.__all__,
    *nn.functional.__all__,
    *optim.__all__,
]
