"""Image data sets whose images are listed in files, or belong to others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from mindspore_compat._format.matlab import dense
from mindspore_compat.dataset.core.validator_helpers import check_dir, check_file
from mindspore_compat.dataset.engine._described import (
    FOLDER,
    GENERATED,
    IMAGES,
    IMAGES_NONE,
    REQUIRED,
    Argument,
    FilesDataset,
    choice,
    files_in,
    flag,
    folders_in,
    kind_of,
    lines_of,
    read_bytes,
    read_json_file,
    words_of,
)
from mindspore_compat.dataset.engine._vision_arrays import read_mat
from mindspore_compat.dataset.engine.samplers import PKSampler

__all__ = [
    "CelebADataset",
    "CityscapesDataset",
    "DIV2KDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "LFWDataset",
    "Places365Dataset",
    "SBDataset",
    "SBUDataset",
    "check_decrypt",
    "is_picture",
]


def check_decrypt(value: Any, name: str) -> None:
    """A function. Raises: TypeError."""
    if not callable(value):
        raise TypeError(f"Argument decrypt is not a callable object, but got {type(value)}.")


class CelebADataset(FilesDataset):
    """CelebA: columns image and attr (uint32 (40,): 1 where the attribute is there).

    Args:
        usage: "train", "valid", "test" or "all" (default); all but "all" need ``list_eval_partition.txt``.
        extensions: file name ends that count; default: all. decrypt: ``f(path) -> bytes`` to read a file.
    """

    arguments = (
        FOLDER,
        *IMAGES[1:3],
        choice("usage", "all train valid test", "all", "all"),
        IMAGES[4],
        IMAGES[3],
        Argument("extensions", check=kind_of(list), none=()),
        IMAGES[0],
        *IMAGES[5:],
        Argument("decrypt", check=check_decrypt),
    )
    columns = "image:image attr:uint32"
    usage: str
    extensions: list[str]

    def _check(self, values: dict[str, Any]) -> None:
        if isinstance(values["sampler"], PKSampler):
            raise ValueError("CelebADataset doesn't support PKSampler.")

    def _find(self) -> list[tuple]:
        lines = [line for line in lines_of(os.path.join(self.dataset_dir, "list_attr_celeba.txt"))[2:] if line]
        if self.usage != "all":
            path = os.path.join(self.dataset_dir, "list_eval_partition.txt")
            if not os.path.exists(path):
                raise RuntimeError(f"Partition file can not be found when usage is not 'all': {path}.")
            wanted = {"train": "0", "valid": "1", "test": "2"}[self.usage]
            lines = [line for line, part in zip(lines, lines_of(path), strict=False) if part.split()[1:] == [wanted]]
        try:
            found = [
                (name, np.array([int(value) for value in values], np.int64) > 0)
                for name, *values in map(str.split, lines)
            ]
        except ValueError as error:
            raise RuntimeError(
                f"Invalid data, list_attr_celeba.txt of {self.dataset_dir} has an attribute that is no number: {error}."
            ) from error
        return [
            (os.path.join(self.dataset_dir, name), values)
            for name, values in found
            if not self.extensions or os.path.splitext(name)[1] in self.extensions
        ]


class CityscapesDataset(FilesDataset):
    """Cityscapes: columns image and task (an image as well, or text for "polygon").

    Args:
        usage: "train", "val", "test" ("train_extra" for coarse annotations) or "all". quality_mode: "fine" or "coarse".
        task: "instance", "semantic", "polygon" or "color".
    """

    arguments = (
        FOLDER,
        choice("usage", "train test val all train_extra", default="train"),
        choice("quality_mode", "fine coarse", default="fine"),
        choice("task", "instance semantic polygon color", default="instance"),
        *IMAGES_NONE,
    )
    usage: str
    quality_mode: str
    task: str
    _endings = {
        "instance": "instanceIds.png",
        "semantic": "labelIds.png",
        "color": "color.png",
        "polygon": "polygons.json",
    }

    def _columns(self) -> list[tuple[str, str]]:
        return [("image", "image"), ("task", "json" if self.task == "polygon" else "image")]

    def _usages(self, quality: str) -> list[str]:
        return ["train", "test", "val"] if quality == "fine" else ["train", "train_extra", "val"]

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        choice("usage", [*self._usages(values["quality_mode"]), "all"]).taken(values["usage"])

    def _find(self) -> list[tuple]:
        kind = "gtFine" if self.quality_mode == "fine" else "gtCoarse"
        found = []
        for usage in self._usages(self.quality_mode) if self.usage == "all" else [self.usage]:
            images, targets = (os.path.join(self.dataset_dir, name, usage) for name in ("leftImg8bit", kind))
            folders_in(targets)
            for city in folders_in(images):
                for path in files_in(os.path.join(images, city), ".png"):
                    target = os.path.join(
                        targets,
                        city,
                        f"{os.path.basename(path).split('_leftImg8bit')[0]}_{kind}_{self._endings[self.task]}",
                    )
                    if not os.path.exists(target):
                        raise RuntimeError(f"Invalid file, {target} not found.")
                    found.append((path, target))
        return found

    def _column(self, kind: str, value: Any) -> Any:
        return np.array(_plain_json(read_json_file(value))) if kind == "json" else super()._column(kind, value)


def _plain_json(value: Any) -> str:
    """JSON without spaces and with sorted keys, as upstream's library writes it."""
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class DIV2KDataset(FilesDataset):
    """DIV2K: columns hr_image and lr_image, the same in high and in low resolution.

    Args:
        usage: "train", "valid" or "all". downgrade: "bicubic", "unknown", "mild", "difficult" or "wild" (the last three
            with scale 4).
        scale: 2, 3, 4 or (bicubic only) 8.
    """

    arguments = (
        FOLDER,
        choice("usage", "train valid all", default="train"),
        choice("downgrade", "bicubic unknown mild difficult wild", default="bicubic"),
        Argument("scale", 2, None, REQUIRED),
        *IMAGES_NONE,
    )
    columns = "hr_image:image lr_image:image"
    usage: str
    downgrade: str
    scale: int

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        scale, downgrade = values["scale"], values["downgrade"]
        if scale not in (2, 3, 4, 8):
            raise ValueError(f"Input scale is not within the valid set of [2, 3, 4, 8], got {scale!r}.")
        if scale == 8 and downgrade != "bicubic":
            raise ValueError("DIV2KNode: scale equal to 8 is allowed only in bicubic downgrade.")
        if downgrade in ("mild", "difficult", "wild") and scale != 4:
            raise ValueError(f"DIV2KNode: {downgrade} downgrade requires scale equal to 4.")

    def _find(self) -> list[tuple]:
        letter = {"mild": "m", "difficult": "d", "wild": "w"}.get(self.downgrade, "")
        found = []
        for usage in ("train", "valid") if self.usage == "all" else (self.usage,):
            high = os.path.join(self.dataset_dir, f"DIV2K_{usage}_HR")
            name = f"DIV2K_{usage}_LR_{'x8' if self.scale == 8 else self.downgrade}"
            low = os.path.join(self.dataset_dir, name, *([] if letter or self.scale == 8 else [f"X{self.scale}"]))
            folders_in(low)
            for path in files_in(high, ".png"):
                small = os.path.join(low, f"{os.path.splitext(os.path.basename(path))[0]}x{self.scale}{letter}.png")
                if not os.path.exists(small):
                    raise RuntimeError(f"Invalid file, div2k image file: {small} does not exist.")
                found.append((path, small))
        return found


class FlickrDataset(FilesDataset):
    """Flickr 8k and 30k: columns image and annotation (texts, (captions,)).

    Args:
        annotation_file: lines of ``name#number``, a tab and a caption.
    """

    arguments = (
        FOLDER,
        Argument("annotation_file", REQUIRED, lambda value, name: check_file(value), REQUIRED),
        *IMAGES_NONE,
    )
    columns = "image:image annotation:text"
    annotation_file: str

    def _find(self) -> list[tuple]:
        captions: dict[str, list[str]] = {}
        for line in filter(None, lines_of(self.annotation_file)):
            name, tab, caption = line.partition("\t")
            if not (tab and caption and name[:-2]):
                raise RuntimeError(
                    f"Invalid file, name or annotation is missing in flickr dataset file: {self.annotation_file}, "
                    f"line: {line}."
                )
            captions.setdefault(os.path.join(self.dataset_dir, name[:-2]), []).append(caption)
        return [(path, captions[path]) for path in sorted(captions) if is_picture(path)]


def is_picture(path: str) -> bool:
    """Whether a file begins as a JPEG, PNG, GIF or BMP does. Raises: RuntimeError."""
    return read_bytes(path)[:3].startswith((b"\xff\xd8\xff", b"\x89PN", b"GIF", b"BM"))


class Flowers102Dataset(FilesDataset):
    """Flowers 102 (its .mat files by SciPy): columns image, for "Segmentation" segmentation, and label (uint32, from
    0).

    Args:
        task: "Classification" (default) or "Segmentation". usage: "train", "valid", "test" or "all" (default).
    """

    arguments = (
        FOLDER,
        choice("task", "Classification Segmentation", "Classification", "Classification"),
        choice("usage", "train valid test all", "all", "all"),
        *GENERATED,
    )
    is_generated, size_of_nothing = True, 0
    _parts = {"train": ["trnid"], "test": ["tstid"], "valid": ["valid"], "all": ["trnid", "tstid", "valid"]}
    task: str
    usage: str

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        folder = values["dataset_dir"]
        check_dir(os.path.join(folder, "jpg"))
        for name in ("imagelabels.mat", "setid.mat"):
            check_file(os.path.join(folder, name))
        if values["task"] == "Segmentation":
            check_dir(os.path.join(folder, "segmim"))

    def _columns(self) -> list[tuple[str, str]]:
        return [
            ("image", "image"),
            *([("segmentation", "image")] if self.task == "Segmentation" else []),
            ("label", "uint32"),
        ]

    def _find(self) -> list[tuple]:
        files = [os.path.join(self.dataset_dir, name) for name in ("imagelabels.mat", "setid.mat")]
        try:
            labels = [int(label) for label in read_mat(files[0])["labels"].reshape(-1)]
            sets = read_mat(files[1])
            numbers = [int(number) for part in self._parts[self.usage] for number in sets[part].reshape(-1)]
        except (KeyError, AttributeError, TypeError, ValueError, OverflowError) as error:
            raise RuntimeError(
                f"Invalid file, {files[0]} or {files[1]} has other variables than Flowers102: {error}."
            ) from error
        if numbers and not 1 <= min(numbers) <= max(numbers) <= len(labels):
            raise RuntimeError(
                f"Invalid file, {files[1]} names images {min(numbers)} to {max(numbers)}, {files[0]} has {len(labels)} "
                "labels."
            )
        folders = ["jpg/image", "segmim/segmim"] if self.task == "Segmentation" else ["jpg/image"]
        return [
            (*(os.path.join(self.dataset_dir, f"{folder}_{i:05d}.jpg") for folder in folders), labels[i - 1] - 1)
            for i in numbers
        ]

    def get_class_indexing(self) -> dict[str, int]:
        """From the flowers' names to the labels."""
        from mindspore_compat.dataset.engine._names import FLOWERS

        return {name: i for i, name in enumerate(FLOWERS)}


class LFWDataset(FilesDataset):
    """Labeled Faces in the Wild: image and label (uint32: the person), or for "pairs" image1, image2 and label (1: the
    same person).

    Args:
        task: "people" (default) or "pairs". usage: "10fold", "train", "test" or "all" (default: train and test).
        image_set: "original", "funneled" (default) or "deepfunneled".
    """

    arguments = (
        FOLDER,
        choice("task", "people pairs", "people"),
        choice("usage", "10fold train test all", "all"),
        choice("image_set", "original funneled deepfunneled", "funneled"),
        *IMAGES,
    )
    task: str
    usage: str
    image_set: str

    def _columns(self) -> list[tuple[str, str]]:
        images = ["image"] if self.task == "people" else ["image1", "image2"]
        return [*((name, "image") for name in images), ("label", "uint32")]

    def _find(self) -> list[tuple]:
        names = {"10fold": [""], "train": ["DevTrain"], "test": ["DevTest"], "all": ["DevTrain", "DevTest"]}[self.usage]
        folder = os.path.join(
            self.dataset_dir,
            {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}[self.image_set],
        )
        labels = {
            line.split()[0]: i
            for i, line in enumerate(lines_of(os.path.join(self.dataset_dir, "lfw-names.txt")))
            if line.split()
        }

        def image(person: str, number: str) -> str:
            return os.path.join(folder, person, f"{person}_{number:0>4}.jpg")

        found: list[tuple] = []
        for name in names:
            path = os.path.join(self.dataset_dir, f"{self.task}{name}.txt")
            rows = [line.split() for line in lines_of(path)]
            try:
                for row in _rows_of_folds(rows, self.task, self.usage == "10fold"):
                    if self.task == "people":
                        found.extend((image(row[0], str(i + 1)), labels.get(row[0], 0)) for i in range(int(row[1])))
                    elif len(row) == 3:
                        found.append((image(row[0], row[1]), image(row[0], row[2]), 1))
                    else:
                        found.append((image(row[0], row[1]), image(row[2], row[3]), 0))
            except (ValueError, IndexError) as error:
                raise RuntimeError(f"Invalid file, {path} is no annotation file of LFW: {error}.") from error
        return found


def _rows_of_folds(rows: list[list[str]], task: str, is_folded: bool) -> Iterable[list[str]]:
    """The rows of the folds without the counts: a fold of people has its count on top, all folds of pairs have one, and
    twice as many rows.
    """
    folds = int(rows[0][0]) if is_folded else 1
    place = 1 if is_folded or task == "pairs" else 0
    for _ in range(folds):
        count = int(rows[place][0]) if task == "people" else 2 * int(rows[0][1 if is_folded else 0])
        place += task == "people"
        if place + count > len(rows):
            raise ValueError(f"{place + count} lines expected, {len(rows)} found")
        yield from rows[place : place + count]
        place += count


class Places365Dataset(FilesDataset):
    """Places 365: columns image and label (uint32).

    Args:
        usage: "train-standard" (default), "train-challenge" or "val". small: images of 256 × 256, else the large ones.
    """

    arguments = (
        FOLDER,
        choice("usage", "train-standard train-challenge val", "train-standard"),
        flag("small", True, True),
        flag("decode"),
        *IMAGES[:3],
        *IMAGES[4:],
    )
    columns = "image:image label:uint32"
    label_column = "label"
    usage: str
    small: bool

    def _find(self) -> list[tuple]:
        words_of(os.path.join(self.dataset_dir, "categories_places365.txt"))  # upstream needs it as well
        words = words_of(os.path.join(self.dataset_dir, f"places365_{self.usage.replace('-', '_')}.txt"))
        size = "256" if self.small else "large"
        folder = f"val_{size}" if self.usage == "val" else f"data_{size}_{self.usage.removeprefix('train-')}"
        try:
            found = [
                (os.path.join(self.dataset_dir, folder, path.lstrip("/")), int(label))
                for path, label in zip(words[::2], words[1::2], strict=True)
            ]
        except ValueError as error:
            raise RuntimeError(
                f"Invalid data, reading places365 file list of {self.dataset_dir} failed: {error}."
            ) from error
        for path, _ in found:
            if not os.path.exists(path):
                raise RuntimeError(f"Invalid file path, Places365 image: {path} does not exists.")
        return found


class SBUDataset(FilesDataset):
    """SBU captioned photos: columns image and caption (text), of those photos that are there."""

    arguments = (FOLDER, *IMAGES)
    columns = "image:image caption:text"
    _urls, _captions = "SBU_captioned_photo_dataset_urls.txt", "SBU_captioned_photo_dataset_captions.txt"

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        for name in (self._urls, self._captions):
            check_file(os.path.join(values["dataset_dir"], name))
        check_dir(os.path.join(values["dataset_dir"], "sbu_images"))

    def _find(self) -> list[tuple]:
        pairs = zip(
            *(lines_of(os.path.join(self.dataset_dir, name)) for name in (self._urls, self._captions)), strict=False
        )
        found = [
            (os.path.join(self.dataset_dir, "sbu_images", url[23:].replace("/", "_")), caption.rstrip(" "))
            for url, caption in pairs
            if url and caption
        ]
        return [(path, caption) for path, caption in found if os.path.isfile(path)]


class SBDataset(FilesDataset):
    """Semantic Boundaries (its .mat files by SciPy): image, and task: boundaries (20, H, W) or segmentation (H, W),
    uint8.

    Args:
        task: "Boundaries" (default) or "Segmentation". usage: "train", "val", "train_noval" or "all" (default).
    """

    arguments = (
        FOLDER,
        choice("task", "Boundaries Segmentation", "Boundaries", "Boundaries"),
        choice("usage", "train val train_noval all", "all", "all"),
        *(a._replace(default=None) if a.name == "decode" else a for a in GENERATED),
    )
    columns = "image:image task:array"
    is_generated, size_of_nothing = True, 0
    task: str
    usage: str

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        for path in self._lists(values["dataset_dir"], values["usage"]):
            if not os.path.exists(path):
                raise FileNotFoundError(f"SBDataset: {path} not found")

    def _lists(self, folder: str, usage: str) -> list[str]:
        return [os.path.join(folder, f"{name}.txt") for name in (["train", "val"] if usage == "all" else [usage])]

    def _find(self) -> list[tuple]:
        return [(line.strip(),) for path in self._lists(self.dataset_dir, self.usage) for line in lines_of(path)]

    def _expanded(self, sample: tuple) -> tuple:
        path = self._inside(os.path.join(self.dataset_dir, "cls", f"{sample[0]}.mat"))
        try:
            target = read_mat(path)["GTcls"].reshape(-1)[0][self.task]
            if self.task == "Boundaries":
                target = np.stack([dense(target[i][0]) for i in range(20)])
        except (FileNotFoundError, KeyError, IndexError, AttributeError, TypeError, ValueError) as error:
            raise RuntimeError(f"SBDataset: {path} is no annotation file: {error}.") from error
        return os.path.join(self.dataset_dir, "img", f"{sample[0]}.jpg"), np.asarray(target)
