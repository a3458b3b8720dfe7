"""Expressions with `t` (dataset.text) and `root`, whose files `make_files` writes; for tests/golden/make_text_files.py
and test_text_files.py.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CASES", "evaluate", "make_files"]

_WORDS = """北京 34488 ns|大学 20025 n|北京大学 2053 nt|我 328841 r|来到 4 v|来 10 v|到 20 p|清华 300 n|清华大学 2053 nt|的 318825 uj|人 8000 n|人民 3000 n|中国 7000 ns|生活 900 n|学 50 v|生 40 v|大 60 a|学生 2500 n|研究 1500 vn|研究生 300 n|生命 500 n|命 30 n|起源 80 n|今天 700 t|天气 600 n|很 900 d|好 800 a"""


def make_files(root: Path) -> None:
    """Vectors, dictionary and model."""
    (root / "glove.6B.test.txt").write_text(
        "ok 0.418 0.24968 -0.41242\n! 0.1 0.2 0.3\nok 9 9 9\nThis -0.5 1e-3 2\nthis 1 2 3\n", encoding="utf-8"
    )
    (root / "head.vec").write_text("3 4\nok 1 2 3 4\né 5 6 7 8\nx -1 -2 -3 -4", encoding="utf-8")
    (root / "plain").write_text("ok 1 2\nno 3 4\n", encoding="utf-8")
    (root / "ragged.vec").write_text("ok 1 2\nno 3\n", encoding="utf-8")
    (root / "empty.vec").write_text("", encoding="utf-8")
    (root / "short.vec").write_text("ok 1\nno 3\n", encoding="utf-8")
    (root / "chars.txt").write_text(
        "2gram-ok 1 2\n2gram-#BEGIN#o 3 4\n3gram-#BEGIN#ok 5 7\n4gram-#BEGIN#ok#END# 9 9\n2gram-zz 0 0\n",
        encoding="utf-8",
    )
    (root / "dict.utf8").write_text("\n".join(_WORDS.split("|")) + "\n", encoding="utf-8")
    letters = "杭研大厦小明硕士毕业于科院计算所后在日本京都"
    rng = np.random.default_rng(5)
    chances = [",".join(f"{letter}:{-float(rng.uniform(2, 9)):.6f}" for letter in letters) for _ in range(4)]
    table = [
        "-0.26268660809250016 -3.14e+100 -3.14e+100 -1.4652633398537678",
        "-3.14e+100 -0.510825623765990 -0.916290731874155 -3.14e+100",
        "-0.5897149736854513 -3.14e+100 -3.14e+100 -0.8085250474669937",
        "-3.14e+100 -0.33344856811948514 -1.2603623820268226 -3.14e+100",
        "-0.7211965654669841 -3.14e+100 -3.14e+100 -0.6658631448798212",
    ]
    (root / "hmm.utf8").write_text("#start\n" + "\n#\n".join([*table, *chances]) + "\n", encoding="utf-8")
    (root / "user.txt").write_text("男默 10\n女泪\n江大桥 20000\n", encoding="utf-8")
    sentences = [
        "I saw a girl with a telescope.",
        "the cat sat on the mat",
        "a quick brown fox jumps",
        "telescopes are for girls and boys",
        "the girl saw the cat",
    ]
    shutil.copy(Path(__file__).parents[1] / "golden" / "unigram.model", root)
    (root / "corpus.txt").write_text(
        "\n".join(f"{s} {n}" for n in "one two three four five six seven".split() for s in sentences) + "\n",
        encoding="utf-8",
    )


_SENTENCES = [
    "我来到北京清华大学",
    "小明硕士毕业于中国科学院计算所，后在日本京都大学深造",
    "杭研大厦 abc12.5x 3.14。",
    "研究生命起源",
    "今天天气很好 大学生活",
    "男默女泪江大桥",
    "",
    "x",
    "a b\tc\n，",
    "的的的我人",
]
_JIEBA = "t.JiebaTokenizer(root + '/hmm.utf8', root + '/dict.utf8'"
_SCRIPTS = [
    "Chinese中国 x",
    "a.b 1",
    "カタカナひらがな漢字",
    "",
    "  ",
    "Ωmega αβγ Кирилл",
    "é\u0301x",
    "שלום عليكم",
    "ภาษาไทย हिन्दी 한국어",
    "a\u3000b\u00a0c\t\n",
]
_WIKI = [
    "<page>Hello <b>x</b></page>",
    "#redirect [[x]]",
    "A [[link|text]] and [http://x y] \n\n next Line\n  moe",
    "<doc> a <b> c\nd>e</doc> {x}",
    "li \n and 12 ",
    " only ",
    "",
    "é Ünï",
    "a < b\nc > d",
    "x &amp; y &lt;b&gt; 90",
    "'''Bold''' text's <ref name=\"a\">r</ref> end",
]
CASES = [
    *[
        f"t.ToVectors(t.GloVe.from_file(root + '/glove.6B.test.txt'{more}){options})({word})"
        for more, options, word in (
            ("", "", "'ok'"),
            ("", "", "['ok', '!', 'none', 'This']"),
            ("", ", [1.0, 2, 3]", "['none', 'ok']"),
            ("", ", None, True", "'THIS'"),
            (", 1", "", "['ok', '!']"),
            ("", ", [1, 2]", "'ok'"),
            ("", ", None, 1", "'ok'"),
            ("", "", "5"),
            ("", "", "[['ok', '!'], ['x', 'ok']]"),
        )
    ],
    *[
        f"t.ToVectors(t.{kind}.from_file(root + '/{name}'))(['ok', 'é', 'no', 'okok', ''])"
        for kind, names in (
            ("FastText", "head.vec plain ragged.vec empty.vec short.vec"),
            ("Vectors", "plain head.vec lost"),
            ("GloVe", "plain head.vec"),
            ("CharNGram", "chars.txt"),
        )
        for name in names.split()
    ],
    "t.ToVectors(t.CharNGram.from_file(root + '/chars.txt'), [0.5, 0.5])(['zz', 'ok', 'q'])",
    "t.ToVectors(5)",
    "t.ToVectors({'ok': [1, 2]})",
    *[
        f"{_JIEBA}, {mode})({text!r})"
        for text in _SENTENCES
        for mode in ("t.JiebaMode.MIX", "t.JiebaMode.MP", "t.JiebaMode.HMM", "t.JiebaMode.MIX, True")
    ],
    f"added({_JIEBA}), ('男默女泪',), ('江', 5))('男默女泪江大桥')",
    f"added({_JIEBA}, t.JiebaMode.MP), ('江大桥', 20000))('男默女泪江大桥')",
    f"with_dict({_JIEBA}), root + '/user.txt')('男默女泪江大桥')",
    f"with_dict({_JIEBA}), {{'默女': 10}})('男默女泪江大桥')",
    f"added({_JIEBA}), ('a', -1))",
    *[
        f"t.UnicodeScriptTokenizer({options})({text!r})"
        for text in _SCRIPTS
        for options in ("", "True", "True, True", "with_offsets=True")
    ],
    "t.UnicodeScriptTokenizer(5)",
    "t.UnicodeScriptTokenizer(True, 'x')",
    *[f"t.FilterWikipediaXML()({text!r})" for text in _WIKI],
    "t.FilterWikipediaXML()(5)",
    *[
        f"t.SentencePieceTokenizer(t.SentencePieceVocab.from_file([root + '/corpus.txt'], {size}, 0.9995, "
        f"t.SentencePieceModel.{kind}, {{}}), t.SPieceTokenizerOutType.{out})({text!r})"
        for size, kind in ((60, "BPE"), (24, "CHAR"), (20, "WORD"))
        for out in ("STRING", "INT")
        for text in ("the girl saw a telescope", "unknown Żółć")
    ],
    # what training gives for UNIGRAM differs between versions of SentencePiece; unigram.model was trained by real
    # MindSpore
    *[
        f"t.SentencePieceTokenizer(root + '/unigram.model', t.SPieceTokenizerOutType.{out})({text!r})"
        for out in ("STRING", "INT")
        for text in ("the girl saw a telescope", "Żółć", "")
    ],
    "t.SentencePieceTokenizer(t.SentencePieceVocab.from_dataset(corpus(), ['text'], 60, 0.9995, "
    "t.SentencePieceModel.BPE, {}), t.SPieceTokenizerOutType.STRING)('the girls')",
    "t.SentencePieceTokenizer(t.SentencePieceVocab.from_dataset(corpus(), [], 60, 0.9995, t.SentencePieceModel.BPE, "
    "{'bos_id': '5'}), t.SPieceTokenizerOutType.INT)('the girls')",
    "t.SentencePieceVocab.from_file([root + '/lost'], 60, 0.9, t.SentencePieceModel.BPE, {})",
    "t.SentencePieceVocab.from_file([root + '/corpus.txt'], 5000, 0.9, t.SentencePieceModel.BPE, {})",
    "t.SentencePieceTokenizer(root + '/lost', t.SPieceTokenizerOutType.INT)('a')",
    "t.SentencePieceTokenizer(5, t.SPieceTokenizerOutType.INT)",
    "t.SentencePieceTokenizer(root, 'x')",
]


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return [
            value.dtype.kind if value.dtype.kind in "US" else value.dtype.name,
            np.round(value, 5).tolist() if value.dtype.kind == "f" else value.tolist(),
        ]
    return value if isinstance(value, (str, int, float)) else "made"


def evaluate(ms: Any, expression: str, root: Path) -> Any:
    """The value as JSON holds it, or the exception's type."""

    def corpus() -> Any:
        return ms.dataset.TextFileDataset(str(root / "corpus.txt"), shuffle=False)

    def added(tokenizer: Any, *words: tuple) -> Any:
        for word in words:
            tokenizer.add_word(*word)
        return tokenizer

    def with_dict(tokenizer: Any, words: Any) -> Any:
        tokenizer.add_dict(words)
        return tokenizer

    try:
        return _plain(
            eval(
                expression,
                {"t": ms.dataset.text, "root": str(root), "corpus": corpus, "added": added, "with_dict": with_dict},
            )
        )
    except Exception as error:
        return {"error": type(error).__name__}
