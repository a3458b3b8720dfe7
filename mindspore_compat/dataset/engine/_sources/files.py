"""Readers of a dataset's files: broken or missing ones raise RuntimeError with the file's name, as in MindSpore.

Array files are records of one size, IDX or MATLAB. Names of classes, and the split of GTZAN, are as published.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mindspore_compat._format import idx
from mindspore_compat._format.compressed import most_bytes
from mindspore_compat._format.matlab import read_variables
from mindspore_compat._format.source import open_regular, parse_json
from mindspore_compat._format.wire import FormatError

#: what content that is not as expected raises
_WRONG = (AttributeError, LookupError, OSError, OverflowError, RecursionError, SyntaxError, TypeError, ValueError)


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Let errors of content that is not as expected be RuntimeErrors with the file's name."""
    try:
        yield
    except FormatError as error:  # names the file itself
        raise RuntimeError(f"Invalid file, {error}.") from error
    except _WRONG as error:
        raise RuntimeError(f"Invalid file, {path}: {type(error).__name__}: {error}.") from error


def read_array(path: str) -> np.ndarray:
    """Return the bytes of a file as an array of its own. Raises: RuntimeError."""
    try:  # for each image; `reading` would cost two microseconds
        with open_regular(path) as stream:
            return np.fromfile(stream, np.uint8)
    except (OSError, FormatError) as error:
        raise RuntimeError(f"Invalid file, failed to open file: {path} ({error}).") from error


def read_bytes(path: str) -> bytes:
    """Return the content of a file. Raises: RuntimeError."""
    return read_array(path).tobytes()


def read_xml(path: str) -> ElementTree.Element:
    """Return the root of an XML file. Raises: RuntimeError for invalid XML."""
    with reading(path):
        return ElementTree.fromstring(read_bytes(path))


def read_json_file(path: str) -> Any:
    """Return the value of a JSON file. Raises: RuntimeError."""
    with reading(path):
        return parse_json(read_bytes(path), path)


def lines_of(path: str) -> list[str]:
    """Return the lines of a file of text, without their ends. Raises: RuntimeError."""
    lines = read_bytes(path).decode("utf-8", "surrogateescape").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def words_of(path: str) -> list[str]:
    """Return the words of a text file, split at white space. Raises: RuntimeError."""
    return read_bytes(path).decode("utf-8", "surrogateescape").split()


def folders_in(path: str) -> list[str]:
    """Return names of the folders in a folder, sorted. Raises: RuntimeError."""
    return sorted(entry.name for entry in _entries(path) if os.path.isdir(entry.path))


def files_in(path: str, *endings: str) -> list[str]:
    """Return full names of the files in a folder, of these extensions (default: all), sorted. Raises: RuntimeError."""
    found = (entry.path for entry in _entries(path) if not endings or os.path.splitext(entry.name)[1] in endings)
    return sorted(file for file in found if os.path.isfile(file))


def _entries(path: str) -> list[os.DirEntry]:
    with reading(path), os.scandir(path) as entries:
        return list(entries)


def is_picture(path: str) -> bool:
    """Return whether a file begins as a JPEG, PNG, GIF or BMP does. Raises: RuntimeError."""
    return read_bytes(path)[:3].startswith((b"\xff\xd8\xff", b"\x89PN", b"GIF", b"BM"))


def joined(parts: Sequence[tuple[Any, ...]], shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return the columns of all parts, one after another."""
    if not parts:
        return np.empty((0, *shape), np.uint8), np.empty(0, np.uint32)
    return tuple(np.concatenate(columns) if len(columns) > 1 else columns[0] for columns in zip(*parts, strict=True))


def check_equal(images: np.ndarray, labels: np.ndarray, images_path: str, labels_path: str) -> None:
    if len(images) != len(labels):
        raise RuntimeError(f"Invalid file, {images_path}: {len(images)} images, {labels_path}: {len(labels)} labels.")


def fixed_records(path: str, size: int) -> np.ndarray:
    """Return a file of records of `size` bytes."""
    content = read_array(path)
    if len(content) == 0 or len(content) % size:
        raise RuntimeError(f"Invalid file, {path} should hold records of {size} bytes, but has {len(content)} bytes.")
    return content.reshape(-1, size)


def read_idx(path: str, magic: int, rank: int, dtype: str = "u1") -> np.ndarray:
    """Return a file of the IDX format. Raises: RuntimeError."""
    with reading(path):
        return idx.read_idx(path, magic, rank, dtype)


def read_images(path: str) -> np.ndarray:
    """Return the images of an IDX file, (n, 28, 28) uint8. Raises: RuntimeError."""
    with reading(path):
        return idx.read_images(path)


def read_mat(path: str) -> dict[str, Any]:
    """Return a file of MATLAB. Raises: FileNotFoundError; RuntimeError."""
    if not os.path.lexists(path):
        raise FileNotFoundError(path)
    try:
        return read_variables(read_bytes(path), most_bytes(path))
    except FormatError as error:
        raise RuntimeError(f"Invalid file, failed to read {path}: {error}.") from error


GTZAN_GENRES = "blues classical country disco hiphop jazz metal pop reggae rock".split()
#: Numbers of the pieces of each genre, in the genres' order.
_GTZAN = {
    "train": (
        "29-49 73-97",
        "30-33 43-48 50-67 80-99",
        "19-26 28-29 65-99",
        "5 15-20 22-37 39-45 47 49 53-54 56-57 59 61 70 73-74 89",
        "2-25 28-29 31-38 41-42 55-61 77-80",
        "0-1 11-24 41 47-72",
        "2-3 5 21 24 35 46-57 59-66 69 71-72 79-80 84 86 89-99",
        "2-9 11-12 16-20 23-29 31-36 38-42 44 46 49-50 80 97-99",
        "0-2 4 6 9 11-12 14-32 42-45 49-51 54-60 63 69",
        "0-9 16-26 57-70 91-99",
    ),
    "valid": (
        "0-11 50-60",
        "0-10 68-76",
        "0-7 9-18 27 41-42 45 49",
        "0 2-4 6-14 46 48 52 67-68 72 75 90 95",
        "81-98",
        "2-10 25-32",
        "0-1 6-11 16-20 36-37 68 76-77 81-82",
        "10 53 55 58-62 81 83-86",
        "61-62 70 72 74 76-78 85 92-99",
        "38 49-56 71-85",
    ),
    "test": (
        "12-28 61-72 98-99",
        "11-29 34-41 49 77-79",
        "30-40 43-44 46-48 50-51 53-64",
        "1 21 58 62-66 69 76-88 91-94 96-97 99",
        "0 26-27 30 40 43-45 51-54 62-75 99",
        "73-99",
        "12-15 22-23 25-33 38-39 67 70 73-75 78 83 85 87-88",
        "0-1 13-14 43 63-66 69-79 82 88-96",
        "34-40 46-48 52-53 64-68 71 79 82-84 87-90",
        "10-15 27-37 39-48 86-90",
    ),
}


def gtzan_numbers(usage: str, genre: str) -> list[int]:
    """Return the numbers of the pieces of one genre in one part of the filtered split."""
    ranges = (part.partition("-") for part in _GTZAN[usage][GTZAN_GENRES.index(genre)].split())
    return [number for first, _, last in ranges for number in range(int(first), int(last or first) + 1)]


FLOWERS = (
    "pink primrose, hard-leaved pocket orchid, canterbury bells, sweet pea, english marigold, tiger lily, moon orchid, "
    "bird of paradise, monkshood, globe thistle, snapdragon, colt's foot, king protea, spear thistle, yellow iris, "
    "globe-flower, purple coneflower, peruvian lily, balloon flower, giant white arum lily, fire lily, pincushion "
    "flower, fritillary, red ginger, grape hyacinth, corn poppy, prince of wales feathers, stemless gentian, "
    "artichoke, sweet william, carnation, garden phlox, love in the mist, mexican aster, alpine sea holly, ruby-lipped "
    "cattleya, cape flower, great masterwort, siam tulip, lenten rose, barbeton daisy, daffodil, sword lily, "
    "poinsettia, bolero deep blue, wallflower, marigold, buttercup, oxeye daisy, common dandelion, petunia, wild "
    "pansy, primula, sunflower, pelargonium, bishop of llandaff, gaura, geranium, orange dahlia, pink-yellow dahlia?, "
    "cautleya spicata, japanese anemone, black-eyed susan, silverbush, californian poppy, osteospermum, spring crocus, "
    "bearded iris, windflower, tree poppy, gazania, azalea, water lily, rose, thorn apple, morning glory, passion "
    "flower, lotus, toad lily, anthurium, frangipani, clematis, hibiscus, columbine, desert-rose, tree mallow, "
    "magnolia, cyclamen, watercress, canna lily, hippeastrum, bee balm, ball moss, foxglove, bougainvillea, camellia, "
    "mallow, mexican petunia, bromelia, blanket flower, trumpet creeper, blackberry lily"
).split(", ")

CALTECH101 = (
    "Faces Faces_easy Leopards Motorbikes accordion airplanes anchor ant barrel bass beaver binocular bonsai brain "
    "brontosaurus buddha butterfly camera cannon car_side ceiling_fan cellphone chair chandelier cougar_body "
    "cougar_face crab crayfish crocodile crocodile_head cup dalmatian dollar_bill dolphin dragonfly electric_guitar "
    "elephant emu euphonium ewer ferry flamingo flamingo_head garfield gerenuk gramophone grand_piano hawksbill "
    "headphone hedgehog helicopter ibis inline_skate joshua_tree kangaroo ketch lamp laptop llama lobster lotus "
    "mandolin mayfly menorah metronome minaret nautilus octopus okapi pagoda panda pigeon pizza platypus pyramid "
    "revolver rhino rooster saxophone schooner scissors scorpion sea_horse snoopy soccer_ball stapler starfish "
    "stegosaurus stop_sign strawberry sunflower tick trilobite umbrella watch water_lilly wheelchair wild_cat "
    "windsor_chair wrench yin_yang"
).split()
