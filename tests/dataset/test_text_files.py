"""Operations on texts that take files give what real MindSpore gives (tests/golden/text_files.json)."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset.text
from tests.dataset.text_file_cases import CASES, evaluate, make_files

text = ms.dataset.text
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "text_files.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    return folder


@pytest.mark.parametrize("case", CASES)
def test_results_and_exceptions_are_those_of_mindspore(root: Path, case: str) -> None:
    if "SentencePiece" in case:
        pytest.importorskip("sentencepiece")
    assert json.loads(json.dumps(evaluate(ms, case, root))) == GOLDEN[case]


def test_wikipedia_keeps_its_letters() -> None:
    """Real MindSpore loses every R, and makes an n of empty lines."""
    assert str(text.FilterWikipediaXML()("Rust Runs\n\nfast")) == "rust runs fast"


def test_a_model_of_sentencepiece_is_saved_for_both_libraries(root: Path, tmp_path: Path) -> None:
    library = pytest.importorskip("sentencepiece")
    vocab = text.SentencePieceVocab.from_file(
        [str(root / "corpus.txt")], 40, 0.9995, text.SentencePieceModel.UNIGRAM, {}
    )
    text.SentencePieceVocab.save_model(vocab, str(tmp_path), "m.model")
    sentence = "the girl saw a telescope"
    pieces = [
        str(piece)
        for piece in text.SentencePieceTokenizer(str(tmp_path / "m.model"), text.SPieceTokenizerOutType.STRING)(
            sentence
        )
    ]
    assert pieces == library.SentencePieceProcessor(model_file=str(tmp_path / "m.model")).encode(sentence, out_type=str)
    tokenizer = pickle.loads(pickle.dumps(text.SentencePieceTokenizer(vocab, text.SPieceTokenizerOutType.STRING)))
    assert [str(piece) for piece in tokenizer(sentence)] == pieces
    with pytest.raises(OSError, match="none"):
        text.SentencePieceVocab.save_model(vocab, str(tmp_path / "none"), "m.model")


@pytest.mark.parametrize("dictionary", ["", "no frequency\n", "a b c\n", "\xff"])
def test_files_of_jieba_that_are_none(root: Path, tmp_path: Path, dictionary: str) -> None:
    (tmp_path / "d").write_bytes(dictionary.encode("latin-1"))
    with pytest.raises(RuntimeError, match=str(tmp_path / "d")):
        text.JiebaTokenizer(str(root / "hmm.utf8"), str(tmp_path / "d"))("我来")
    with pytest.raises(RuntimeError, match=str(tmp_path / "d")):
        text.JiebaTokenizer(str(tmp_path / "d"), str(root / "dict.utf8"), text.JiebaMode.HMM)("我来")


def test_vectors_in_a_pipeline(root: Path) -> None:
    data = ms.dataset.NumpySlicesDataset({"text": ["ok", "x"]}, shuffle=False)
    rows = data.map(text.ToVectors(text.FastText.from_file(str(root / "head.vec")))).create_tuple_iterator(
        num_epochs=1, output_numpy=True
    )
    assert [row[0].tolist() for row in rows] == [[1, 2, 3, 4], [-1, -2, -3, -4]]


def test_names_stand_where_upstream_has_them() -> None:
    assert (
        text.transforms.JiebaTokenizer is text.JiebaTokenizer
        and text.utils.SentencePieceVocab is text.SentencePieceVocab
    )
    assert (
        text.utils.JiebaMode.MIX == 0
        and not hasattr(text.transforms, "GloVe")
        and np.all(text.SPieceTokenizerOutType.INT == 1)
    )
