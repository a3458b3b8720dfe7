"""Former name of `apply_dtype_fallback`, for modules that still import it."""

from mindspore_compat.common._dtype_fallback import apply_dtype_fallback as tells_of_refusals

__all__ = ["tells_of_refusals"]
