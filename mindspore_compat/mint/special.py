"""``mindspore.mint.special``."""

from mindspore_compat.mint._functions import erfc, exp2, expm1, log1p, round, sinc  # type: ignore[attr-defined]
from mindspore_compat.mint.nn.functional import log_softmax  # type: ignore[attr-defined]

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
