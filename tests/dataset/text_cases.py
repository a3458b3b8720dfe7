"""Expressions on texts, for real MindSpore and this package alike. ``t`` is dataset.text, ``ms`` the package, ``v`` a
vocabulary.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["CASES", "DEFECTS", "evaluate"]

WORDS = "[UNK] [CLS] un ##aff ##able want ##ed runn ##ing , 床 前 a ##b ß é [unused1] low".split()
_TEXTS = [
    "Welcome to Beijing!",
    "  a\tb  c ",
    "",
    "床前明月光",
    "[CLS] Unaffable, WANTed [UNK] runningé ß",
    "x.y,z--w",
    "Ünïcödé \u0000 zero",
    "low [unused1]x",
    "don't $5.00 a@b #tag",
    "ﬁ ① ｱ",
]
#: cases in which the real one gives the start of the text twice
DEFECTS = {
    f"t.{operation}({_TEXTS[index]!r})"
    for index, operation in (
        (4, "BasicTokenizer(True, with_offsets=True)"),
        (4, "BertTokenizer(v, lower_case=True, with_offsets=True)"),
        (6, "BertTokenizer(v, lower_case=True, with_offsets=True)"),
    )
}
_FIXED = [
    "t.Lookup(v)('want')",
    "t.Lookup(v, '[UNK]')(np.array([['a', 'zzz'], ['床', 'un']]))",
    "t.Lookup(v)('zzz')",
    "t.Lookup(v, 'none')('a')",
    "t.Lookup(v, '[UNK]', ms.int64)(np.array(['a']))",
    "t.Lookup(5)",
    "t.WordpieceTokenizer(v)(np.array(['unaffable', 'wanted', 'foo', 'a']))",
    "t.WordpieceTokenizer(v, with_offsets=True)(np.array(['unaffable', 'foo']))",
    "t.WordpieceTokenizer(v, unknown_token='')(np.array(['foo', 'unaffable']))",
    "t.WordpieceTokenizer(v, max_bytes_per_token=4)(np.array(['wanted']))",
    "t.Ngram(2)(np.array(['a', 'b', 'c']))",
    "t.Ngram([1, 3], ('<', 2), ('>', 1), '-')(np.array(['a', 'b', 'c']))",
    "t.Ngram(4)(np.array(['a', 'b']))",
    "t.Ngram(3, ('_', 5), ('_', 5), '')(np.array(['a', 'b']))",
    "t.Ngram(0)",
    "t.Ngram([2], ('a', -1))",
    "t.SlidingWindow(2)(np.array([1, 2, 3, 4]))",
    "t.SlidingWindow(3, 0)(np.array(['a', 'b', 'c']))",
    "t.SlidingWindow(0)",
    "t.ToNumber(ms.int32)(np.array(['12', '-5']))",
    "t.ToNumber(ms.float64)(np.array(['1.5', '-2e3']))",
    "t.ToNumber(ms.int8)(np.array(['300']))",
    "t.ToNumber(ms.int32)(np.array(['x']))",
    "t.ToNumber(ms.uint8)(np.array(['7']))",
    "t.TruncateSequencePair(5)(np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8]))",
    "t.TruncateSequencePair(4)(np.array(['a']), np.array(['b', 'c', 'd', 'e']))",
    "t.TruncateSequencePair(0)(np.array([1]), np.array([2, 3]))",
    "t.Truncate(2)(np.array(['a', 'b', 'c']))",
    "t.Truncate(9)(np.array([[1, 2], [3, 4]]))",
    "t.AddToken('[CLS]')(np.array(['a', 'b']))",
    "t.AddToken('x', False)(np.array([['a'], ['b']]))",
    "t.PythonTokenizer(lambda s: str(s).split('-'))(np.array('a-b-c'))",
    "t.RegexReplace('o', 'X')('foo boo')",
    "t.RegexReplace('o', 'X', False)('foo boo')",
    "t.RegexReplace('([a-z])([0-9])', '$2$1')('a1 b2')",
    "t.RegexTokenizer('[, ]', ',')('a, b,c')",
    "t.RegexTokenizer(' ', with_offsets=True)('a  bé c')",
    "t.Vocab.from_list(['a', 'b'], ['<p>'], False).vocab()",
    "t.Vocab.from_list(['a', 'a'])",
    "t.Vocab.from_list(['a'], ['a'])",
    "t.Vocab.from_list('a')",
    "t.Vocab.from_dict({'a': 3, 'b': 1}).vocab()",
    "t.Vocab.from_dict({'a': -3})",
    "t.Vocab.from_dict({'a': 3}).ids_to_tokens(3)",
    "v.tokens_to_ids(['a', 'zzz'])",
    "v.tokens_to_ids('want')",
    "v.ids_to_tokens([1, 99])",
    "v.ids_to_tokens(2)",
    "v.tokens_to_ids(5)",
    "t.Vocab.from_dataset(words(), 'text', None, None, ['<p>']).vocab()",
    "t.Vocab.from_dataset(words(), ['text'], (2, None)).vocab()",
    "t.Vocab.from_dataset(words(), 'text', (1, 2), 2, special_tokens=['<u>'], special_first=False).vocab()",
    "t.to_str(t.to_bytes(np.array(['a', '床'])))",
    "[row['text'] for row in words().map(t.Lookup(v, '[UNK]')).create_dict_iterator(output_numpy=True, num_epochs=1)]",
]
CASES = _FIXED + [
    f"t.{operation}({text!r})"
    for text in _TEXTS
    for operation in (
        "UnicodeCharTokenizer()",
        "WhitespaceTokenizer(True)",
        "BasicTokenizer()",
        "BasicTokenizer(True, with_offsets=True)",
        "BasicTokenizer(keep_whitespace=True)",
        "BasicTokenizer(True, preserve_unused_token=False)",
        "BasicTokenizer(normalization_form=t.NormalizeForm.NFKD)",
        "BertTokenizer(v)",
        "BertTokenizer(v, lower_case=True, with_offsets=True)",
        "CaseFold()",
        "NormalizeUTF8()",
        "NormalizeUTF8(t.NormalizeForm.NFD)",
    )
]


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return [value.dtype.kind if value.dtype.kind in "US" else value.dtype.name, value.tolist()]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def evaluate(ms: Any, expression: str) -> Any:
    """The value as JSON holds it, or the exception's type."""
    vocab = ms.dataset.text.Vocab.from_list(WORDS)

    def words() -> Any:
        return ms.dataset.NumpySlicesDataset({"text": ["b", "a", "c", "a", "b", "a", "d"]}, shuffle=False)

    try:
        return _plain(eval(expression, {"t": ms.dataset.text, "ms": ms, "np": np, "v": vocab, "words": words}))
    except Exception as error:
        return {"error": type(error).__name__}
