"""All operations on texts. MindSpore: ``mindspore.dataset.text.transforms``."""

# ruff: noqa: F403 (names come by `*` from files that list them)

from mindspore_compat.dataset.text import _editing, _tokenizers
from mindspore_compat.dataset.text._editing import *
from mindspore_compat.dataset.text._tokenizers import *
from mindspore_compat.dataset.text.utils import NormalizeForm, SentencePieceTokenizer, ToVectors
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation, TensorOperation

#: MindSpore's numbers of the normal forms; the engine takes the forms themselves here
DE_C_INTER_NORMALIZE_FORM = {form: form for form in NormalizeForm}


class TextTensorOperation(TensorOperation):
    """Base of operations on texts; a base class by name only."""


__all__ = [
    "DE_C_INTER_NORMALIZE_FORM",
    "Implementation",
    "NormalizeForm",
    "PyTensorOperation",
    "SentencePieceTokenizer",
    "TextTensorOperation",
    "ToVectors",
]
__all__ += _editing.__all__
__all__ += _tokenizers.__all__
