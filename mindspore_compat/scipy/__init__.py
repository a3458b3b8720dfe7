"""``mindspore.scipy``: linear algebra under SciPy's names, on torch."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.scipy import linalg

__all__ = ["linalg"]
__getattr__ = module_getattr(
    __name__,
    unsupported={
        "fft": "use mindspore.ops.fft and its relatives, or mint.",
        "optimize": "use scipy.optimize with numpy, or an optimizer of mindspore.nn.",
    },
)
