"""Vectors for TensorBoard's projector: an embedding table, or a layer's outputs for samples. MindSpore's summaries have
no such feature.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._format.source import read_regular
from mindspore_compat._runtime.files import replacing

_FOLDER, _CONFIG = "embeddings", "projector_config.pbtxt"
_MOST_CONFIG = 1 << 24
_MOST_SPRITE = 8192  # pixels a side that the page shows


def add_embedding(
    summary_dir: str,
    tag: str,
    vectors: Any,
    metadata: Sequence[Any] | None = None,
    columns: Sequence[str] | None = None,
    images: Any = None,
) -> None:
    """Show vectors on the Projector page of ``tensorboard --logdir`` (MindSpore has no such function).

    Args:
        summary_dir: the folder of the run, as `SummaryRecord` has it; made if missing.
        tag: the name on the page; an older embedding of the same name is replaced.
        vectors: a Tensor or array of the shape (number, width) of numbers.
        metadata: a label for each vector, or with ``columns`` a row of labels for each.
        columns: the names of the labels.
        images: a picture for each vector: an array (number, height, width) or (number, height, width, 3) of 0…255.

    Raises:
        TypeError, ValueError: for arguments of other types or shapes. OSError: if a file cannot be written.
    """
    if not isinstance(tag, str) or not tag or any(letter in tag for letter in '/\\"\n\0') or tag in (".", ".."):
        raise ValueError(f"For 'add_embedding', the 'tag' must be a name without slashes and quotes, but got {tag!r}.")
    table = _array(vectors, "vectors")
    if table.ndim != 2 or not table.size or table.dtype.kind not in "fiub":
        raise ValueError(
            f"For 'add_embedding', 'vectors' must be a table of numbers, but got {table.dtype}, {table.shape}."
        )
    rows = _rows(metadata, columns, len(table))
    sprite = None if images is None else _sprite(_array(images, "images"), len(table))
    folder = os.path.join(os.path.realpath(summary_dir), _FOLDER, tag)
    os.makedirs(folder, exist_ok=True)
    entry = [f'tensor_name: "{_escaped(tag)}"', f'tensor_path: "{_escaped(f"{_FOLDER}/{tag}/tensors.tsv")}"']
    with replacing(os.path.join(folder, "tensors.tsv")) as file:
        np.savetxt(file, table.astype(np.float64), fmt="%.9g", delimiter="\t")
    if rows is not None:
        with replacing(os.path.join(folder, "metadata.tsv")) as file:
            file.write("".join(f"{row}\n" for row in rows).encode("utf-8"))
        entry.append(f'metadata_path: "{_escaped(f"{_FOLDER}/{tag}/metadata.tsv")}"')
    if sprite is not None:
        picture, height, width = sprite
        with replacing(os.path.join(folder, "sprite.png")) as file:
            picture.save(file, "PNG")
        entry.append(
            f'sprite {{ image_path: "{_escaped(f"{_FOLDER}/{tag}/sprite.png")}" single_image_dim: {width} '
            f"single_image_dim: {height} }}"
        )
    _register(os.path.join(os.path.realpath(summary_dir), _CONFIG), tag, " ".join(entry))


def _array(value: Any, what: str) -> np.ndarray:
    if isinstance(value, torch.Tensor):
        value = torch.Tensor.detach(value).to("cpu", torch.float32 if value.dtype is torch.bfloat16 else value.dtype)
        return np.asarray(value.numpy() if type(value) is torch.Tensor else value.asnumpy())
    return np.asarray(value)


def _rows(metadata: Any, columns: Any, count: int) -> list[str] | None:
    """Return the lines of the file of labels; a single column has no head."""
    if metadata is None:
        if columns is not None:
            raise ValueError("For 'add_embedding', 'columns' names the labels of 'metadata', which is missing.")
        return None
    cells = [[item] for item in metadata] if columns is None else [list(item) for item in metadata]
    if len(cells) != count or (columns is not None and any(len(row) != len(columns) for row in cells)):
        raise ValueError(
            f"For 'add_embedding', 'metadata' must have {count} items, one for each vector, each of a label, or of as "
            f"many as 'columns' ({columns}), but has {len(cells)}."
        )
    lines = ([list(columns)] if columns is not None else []) + cells
    return ["\t".join(" ".join(str(cell).split()) or "-" for cell in row) for row in lines]


def _sprite(images: np.ndarray, count: int) -> tuple[Any, int, int]:
    """Return (all pictures in one, row by row; height and width of each)."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("Pictures of embeddings need pillow: pip install pillow.") from error
    is_grey_or_rgb = images.ndim == 3 or (images.ndim == 4 and images.shape[3] == 3)
    if not is_grey_or_rgb or len(images) != count or images.dtype.kind not in "fiu":
        raise ValueError(
            f"For 'add_embedding', the 'images' must be of the shape ({count}, height, width) or ({count}, height, "
            "width, 3), "
            f"but got {images.dtype} of the shape {images.shape}."
        )
    side = int(np.ceil(np.sqrt(count)))
    height, width = images.shape[1:3]
    if not height or not width or max(height, width) * side > _MOST_SPRITE:
        raise ValueError(
            f"For 'add_embedding', {count} pictures of {height}x{width} do not fit into the page's {_MOST_SPRITE} "
            "pixels a side."
        )
    whole = np.zeros((side * height, side * width, *images.shape[3:]), np.uint8)
    for number, image in enumerate(np.clip(images, 0, 255).astype(np.uint8)):
        row, column = divmod(number, side)
        whole[row * height : (row + 1) * height, column * width : (column + 1) * width] = image
    return Image.fromarray(whole), height, width


# --- projector_config.pbtxt, which the page reads first ---------------------------------------------------------------


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _register(path: str, tag: str, entry: str) -> None:
    """Write a line for the embedding; lines of others stay."""
    lines = read_regular(path, _MOST_CONFIG).decode("utf-8").splitlines() if os.path.exists(path) else []
    lines = [line for line in lines if not line.startswith(f'embeddings {{ tensor_name: "{_escaped(tag)}" ')]
    with replacing(path) as file:
        file.write("".join(f"{line}\n" for line in [*lines, f"embeddings {{ {entry} }}"]).encode("utf-8"))
