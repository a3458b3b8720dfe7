"""Operations on texts give what real MindSpore gives (tests/golden/text.json)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset.text
from mindspore_compat.dataset import text
from tests.dataset.text_cases import CASES, DEFECTS, evaluate

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "text.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", [case for case in CASES if case not in DEFECTS])
def test_results_and_exceptions_are_those_of_mindspore(case: str) -> None:
    assert evaluate(ms, case) == GOLDEN[case]


def test_a_vocabulary_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("one,1\ntwo,2\nthree,3\n", encoding="utf-8")
    text = ms.dataset.text
    assert text.Vocab.from_file(str(path), ",", 2, ["<p>"], False).vocab() == {"one": 0, "two": 1, "<p>": 2}
    assert text.Vocab.from_file(str(path)).tokens_to_ids("two,2") == 1
    with pytest.raises(ValueError):
        text.Vocab.from_file(str(path), vocab_size=0)
    path.write_text("a\na\n", encoding="utf-8")
    with pytest.raises(ValueError):
        text.Vocab.from_file(str(path))


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [
        ("[$0]", "he[l][lo] wo[l]d"),
        ("$12", "hel2l2 wol2d"),
        ("<$2>", "he<><o> wo<>d"),
        ("\\$1", "he$1$1 wo$1d"),
        ("\\1\\n", "he1n1n wo1nd"),
        ("\\u0041\\\\", "heA\\A\\ woA\\d"),
        ("\\", "he wod"),
    ],
)
def test_replacements_are_written_as_upstream(replacement: str, expected: str) -> None:
    assert str(text.RegexReplace("(l)(o)?", replacement)("hello wold")) == expected


@pytest.mark.parametrize("replacement", ["$3", "$", "${n}", "${1}"])
def test_groups_that_are_not_there(replacement: str) -> None:
    replace = text.RegexReplace("(l)(o)?", replacement)
    assert str(replace("none here")) == "none here"
    with pytest.raises(RuntimeError):
        replace("hello")


@pytest.mark.parametrize("pattern", ["[[:alpha:]]+", "[a-z&&[^l]]"])
def test_patterns_that_mean_something_else_here_are_refused(pattern: str) -> None:
    with pytest.raises(RuntimeError):
        text.RegexReplace(pattern, "x")("hello")


def test_folded_text_has_no_letters_that_show_nothing() -> None:
    assert str(text.CaseFold()("\u200bHe\u00adllo\u2060 ẞ\ufe0f\uffa0")) == "hello ss"
    assert str(text.CaseFold()("Word™ ㎒ ℀")) == "wordtm mhz a/c"
    assert text.BasicTokenizer(lower_case=True)("a\u00adb \u115fH").tolist() == ["ab", "h"]


def test_windows_wider_than_the_row() -> None:
    assert text.SlidingWindow(3)(np.arange(2)).shape == (0,)


@pytest.mark.parametrize(
    ("words", "pieces"),
    [(["a", "", "unx"], ["a", "un", "##x"]), (["", ""], [""]), ([""], [""]), (["", "b"], ["[UNK]"])],
)
def test_wordpieces_leave_out_what_is_empty_beside_others(words, pieces) -> None:
    vocab = text.Vocab.from_list(["un", "##x", "a", "[UNK]"])
    assert text.WordpieceTokenizer(vocab)(np.array(words)).tolist() == pieces


def test_a_users_tokenizer_that_finds_nothing_gives_an_array_of_nothing() -> None:
    rows = ms.dataset.NumpySlicesDataset(["", "a b"], ["text"], shuffle=False)
    rows = rows.map(text.PythonTokenizer(lambda text: str(text).split()), ["text"])
    found = [row[0] for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert [row.tolist() for row in found] == [[], ["a", "b"]] and found[0].dtype.kind == "U"
