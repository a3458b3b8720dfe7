"""Vocabularies, word vectors and other helpers of the operations. Upstream: ``mindspore.dataset.text.utils``."""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat.dataset.text._jieba import *
from mindspore_compat.dataset.text._sentencepiece import *
from mindspore_compat.dataset.text._vectors import *
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
