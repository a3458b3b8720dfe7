"""Operations on texts give what real MindSpore gives (tests/golden/text.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mindspore_compat as ms
import mindspore_compat.dataset.text
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
    with pytest.raises(ValueError, match="vocab_size must be greater than 0"):
        text.Vocab.from_file(str(path), vocab_size=0)
    path.write_text("a\na\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="duplicate word"):
        text.Vocab.from_file(str(path))
