"""All operations on texts. Upstream: ``mindspore.dataset.text.transforms``."""

# ruff: noqa: F403, F405 (names come by `*` from files that list them)

from mindspore_compat.dataset.text._editing import *
from mindspore_compat.dataset.text._jieba import JiebaTokenizer
from mindspore_compat.dataset.text._sentencepiece import SentencePieceTokenizer
from mindspore_compat.dataset.text._tokenizers import *
from mindspore_compat.dataset.text._vectors import ToVectors

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "FilterWikipediaXML",
    "JiebaTokenizer",
    "Lookup",
    "Ngram",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SentencePieceTokenizer",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
]
