"""All operations on texts. Upstream: ``mindspore.dataset.text.transforms``."""

from mindspore_compat.dataset.text._editing import (
    AddToken,
    CaseFold,
    Lookup,
    Ngram,
    NormalizeUTF8,
    PythonTokenizer,
    RegexReplace,
    SlidingWindow,
    ToNumber,
    Truncate,
    TruncateSequencePair,
)
from mindspore_compat.dataset.text._jieba import JiebaTokenizer
from mindspore_compat.dataset.text._more import FilterWikipediaXML, UnicodeScriptTokenizer
from mindspore_compat.dataset.text._sentencepiece import SentencePieceTokenizer
from mindspore_compat.dataset.text._tokenizers import (
    BasicTokenizer,
    BertTokenizer,
    RegexTokenizer,
    UnicodeCharTokenizer,
    WhitespaceTokenizer,
    WordpieceTokenizer,
)
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
