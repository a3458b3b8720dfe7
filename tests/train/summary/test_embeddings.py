"""What `add_embedding` writes is what TensorBoard's projector reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat.train.summary import SummaryRecord, add_embedding


def _read(folder: Path) -> Any:
    """The projector's own messages."""
    from google.protobuf import text_format
    from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

    return text_format.Parse((folder / "projector_config.pbtxt").read_text(), ProjectorConfig())


@pytest.mark.parametrize("make", [np.asarray, torch.tensor, ms.Tensor])
def test_vectors_labels_and_pictures(make: Any, tmp_path: Path) -> None:
    vectors = np.random.randn(5, 3).astype(np.float32)
    add_embedding(
        str(tmp_path / "run"),
        "words",
        make(vectors),
        ["a", "b\tc", "d\ne", "", 7],
        images=make(np.full((5, 4, 6), 300.0, np.float32)),
    )
    (entry,) = _read(tmp_path / "run").embeddings
    assert (entry.tensor_name, list(entry.sprite.single_image_dim)) == ("words", [6, 4])
    np.testing.assert_array_equal(
        np.loadtxt(tmp_path / "run" / entry.tensor_path, delimiter="\t").astype(np.float32), vectors
    )
    assert (tmp_path / "run" / entry.metadata_path).read_text() == "a\nb c\nd e\n-\n7\n"
    from PIL import Image

    sprite = np.asarray(Image.open(tmp_path / "run" / entry.sprite.image_path))
    assert (
        sprite.shape == (12, 18)
        and (sprite[:4] == 255).all()
        and (sprite[4:8, :12] == 255).all()
        and not sprite[8:].any()
        and not sprite[4:8, 12:].any()
    )


def test_labels_in_columns_have_a_head(tmp_path: Path) -> None:
    add_embedding(str(tmp_path), "t", np.eye(2), [("x", 1), ("y", 2)], ["word", "count"])
    assert (tmp_path / "embeddings/t/metadata.tsv").read_text() == "word\tcount\nx\t1\ny\t2\n"


def test_embeddings_stand_side_by_side_and_a_newer_one_replaces_its_name(tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path)):  # beside the files of a run
        for tag, size in (("one", 2), ("two", 3), ("one", 4)):
            add_embedding(str(tmp_path), tag, np.eye(size), list(range(size)))
    assert sorted(entry.tensor_name for entry in _read(tmp_path).embeddings) == ["one", "two"]
    assert len((tmp_path / "embeddings/one/tensors.tsv").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"tag": "a/b"}, ValueError),
        ({"vectors": np.ones(3)}, ValueError),
        ({"metadata": ["a"]}, ValueError),
        ({"images": np.ones((3, 2, 2))}, ValueError),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], tmp_path: Path) -> None:
    with pytest.raises(error):
        add_embedding(**{"summary_dir": str(tmp_path), "tag": "t", "vectors": np.eye(2), **arguments})
    assert not list(tmp_path.iterdir())
