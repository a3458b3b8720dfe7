"""Vocabularies, word vectors and other helpers of the operations. MindSpore: ``mindspore.dataset.text.utils``."""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat.dataset.text._sentencepiece import (
    SentencePieceModel,
    SentencePieceVocab,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from mindspore_compat.dataset.text._tokenizers import JiebaMode
from mindspore_compat.dataset.text._vectors import CharNGram, FastText, GloVe, Vectors
from mindspore_compat.dataset.text._vocab import *

__all__ = [
    "CharNGram",
    "FastText",
    "GloVe",
    "JiebaMode",
    "NormalizeForm",
    "SPieceTokenizerLoadType",
    "SPieceTokenizerOutType",
    "SentencePieceModel",
    "SentencePieceVocab",
    "Vectors",
    "Vocab",
    "as_text",
    "to_bytes",
    "to_str",
]
