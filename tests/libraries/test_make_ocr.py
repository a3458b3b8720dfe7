"""The made pictures of words: the stored losses of mindocr's jobs are of these and no others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def test_words_are_drawn_alike_by_every_pillow(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="draws pictures")
    from tests.libraries.make_ocr import write_words

    write_words(tmp_path, "train", 1)
    with image.open(tmp_path / "train" / "rec" / "000.jpg") as picture:
        ink = np.asarray(picture.convert("L")) < 100
    assert (tmp_path / "train" / "rec_gt.txt").read_text(encoding="utf-8") == "000.jpg\t2a3qswk\n"
    assert [int(row) for row in ink.sum(axis=1) if row] == [9, 10, 23, 23, 24, 26, 30, 2, 4]
    assert [int(place) for place in np.argwhere(ink).min(axis=0)] == [10, 5]
