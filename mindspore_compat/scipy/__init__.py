"""``mindspore.scipy``: linear algebra, cosine transforms and solvers under SciPy's names."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.scipy import linalg

__all__ = ["fft", "linalg", "optimize", "sparse"]
__getattr__ = module_getattr(__name__, {"fft": "scipy.fft:", "optimize": "scipy.optimize:", "sparse": "scipy.sparse:"})
