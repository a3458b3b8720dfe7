"""Operations on text. Upstream: ``mindspore.dataset.text``."""

from mindspore_compat.dataset.text import transforms, utils
from mindspore_compat.dataset.text.transforms import *  # noqa: F403
from mindspore_compat.dataset.text.transforms import __all__ as _operations
from mindspore_compat.dataset.text.utils import NormalizeForm, Vocab, as_text, to_bytes, to_str

__all__ = [*_operations, "NormalizeForm", "Vocab", "as_text", "to_bytes", "to_str", "transforms", "utils"]
