"""Writes text_files.json: what real MindSpore gives for tests/dataset/text_file_cases.py. Run with its Python."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "dataset"))
import mindspore
import mindspore.dataset.text
from text_file_cases import CASES, evaluate, make_files

model = Path(__file__).with_name("unigram.model")
if not model.exists():
    text = mindspore.dataset.text
    words = mindspore.dataset.NumpySlicesDataset(
        [
            f"the {b} saw a {b} and the {c} telescope"
            for b in "girl boy cat dog".split()
            for c in "big small old".split()
        ],
        ["text"],
    )
    vocab = text.SentencePieceVocab.from_dataset(
        words, ["text"], 30, 0.9995, text.SentencePieceModel.UNIGRAM, {"normalization_rule_name": "identity"}
    )
    text.SentencePieceVocab.save_model(vocab, str(model.parent), model.name)
with tempfile.TemporaryDirectory() as folder:
    make_files(Path(folder))
    results = {case: evaluate(mindspore, case, Path(folder)) for case in CASES}
Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("text_files.json")).write_text(
    "{\n"
    + ",\n".join(
        f"{json.dumps(case, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
        for case, value in results.items()
    )
    + "\n}\n",
    encoding="utf-8",
)
