"""Operations on text. Upstream: ``mindspore.dataset.text``."""

from mindspore_compat.dataset.text import _jieba, _more, _sentencepiece, _vectors, transforms, utils
from mindspore_compat.dataset.text._jieba import *  # noqa: F403
from mindspore_compat.dataset.text._more import *  # noqa: F403
from mindspore_compat.dataset.text._sentencepiece import *  # noqa: F403
from mindspore_compat.dataset.text._vectors import *  # noqa: F403
from mindspore_compat.dataset.text.transforms import *  # noqa: F403
from mindspore_compat.dataset.text.utils import NormalizeForm, Vocab, as_text, to_bytes, to_str

_PARTS = (_jieba, _more, _sentencepiece, _vectors, transforms)
__all__ = [
    *(name for part in _PARTS for name in part.__all__),
    "NormalizeForm",
    "Vocab",
    "as_text",
    "to_bytes",
    "to_str",
    "transforms",
    "utils",
]

# upstream has all operations in `transforms` and all else in `utils`
for _part in _PARTS[:4]:
    for _name in _part.__all__:
        setattr(transforms if hasattr(getattr(_part, _name), "_compute") else utils, _name, getattr(_part, _name))
