"""``mindspore.scipy``: linear algebra, cosine transforms and solvers under SciPy's names."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.scipy import linalg

__all__ = ["fft", "linalg", "ops", "ops_wrapper", "optimize"]
__getattr__ = module_getattr(
    __name__,
    {"fft": "scipy.fft:", "ops": "scipy.ops:", "ops_wrapper": "scipy.ops_wrapper:", "optimize": "scipy.optimize:"},
)
