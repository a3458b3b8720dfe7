"""Image datasets in folders, and those listed in files with labels, attributes or captions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.core.validator_helpers import check_dir, check_file
from mindspore_compat.dataset.engine._sources.described import (
    DECRYPT,
    FOLDER,
    GENERATED,
    IMAGES,
    IMAGES_NONE,
    REQUIRED,
    TRAIN_TEST,
    Argument,
    FilesDataset,
    choice,
    flag,
)
from mindspore_compat.dataset.engine._sources.files import (
    CALTECH101,
    FLOWERS,
    files_in,
    folders_in,
    is_picture,
    lines_of,
    read_mat,
    reading,
    words_of,
)

__all__ = [
    "Caltech101Dataset",
    "Caltech256Dataset",
    "Food101Dataset",
    "ImageFolderDataset",
    "LSUNDataset",
    "OmniglotDataset",
    "RenderedSST2Dataset",
    "SUN397Dataset",
    "CelebADataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "LFWDataset",
    "Places365Dataset",
    "SBUDataset",
]


class _ClassFolders(FilesDataset):
    """Images in one folder per class, labelled in the order of the folders' names."""

    columns = "image:image label:int32"
    label_column, size_of_nothing = "label", 0
    _endings: tuple[str, ...] = ()

    def _folders(self) -> list[tuple[str, int]]:
        """Return (full name, label) of each folder, in order."""
        folder = os.fspath(self.dataset_dir)
        return [(os.path.join(folder, name), i) for i, name in enumerate(folders_in(folder))]

    def _find(self) -> list[tuple]:
        return [(path, label) for folder, label in self._folders() for path in files_in(folder, *self._endings)]

    def num_classes(self) -> int | None:
        return len(self._folders())


class ImageFolderDataset(_ClassFolders):
    """Images in one folder per class; columns image (uint8: the file's bytes, or the decoded image) and label (int32).

    Args:
        extensions: file name ends that count; default: all files.
        class_indexing: from folder name to label; default: sorted names, from 0. Other folders are left out.
        decode: decode the images to RGB here.
        decrypt: ``f(path) -> bytes`` to read a file.

    Examples:
        >>> import os
        >>> os.makedirs("./images/cat")
        >>> ds.vision.write_jpeg("./images/cat/0.jpg", np.zeros((4, 6, 3), np.uint8))
        >>> print(ds.ImageFolderDataset("./images", decode=True).get_class_indexing())
        {'cat': 0}
    """

    arguments = (
        FOLDER,
        *IMAGES[:3],
        IMAGES[4],
        Argument("extensions", check=kind_of(list)),
        Argument("class_indexing", check=kind_of(dict)),
        flag("decode"),
        *IMAGES[5:],
        DECRYPT,
    )
    extensions: list[str] | None
    class_indexing: dict[str, int] | None

    def get_class_indexing(self) -> dict[str, int]:
        if self.class_indexing:
            return dict(self.class_indexing)
        found = {name: i for i, name in enumerate(folders_in(os.fspath(self.dataset_dir)))}
        if not found:
            raise self._nothing()
        return found

    def num_classes(self) -> int | None:
        found = folders_in(os.fspath(self.dataset_dir))
        missing = sorted(set(self.class_indexing or ()) - set(found))
        if missing:
            raise RuntimeError(f"Invalid subdirectory, class {missing} doesn't exist under {self.dataset_dir}.")
        return len(self.class_indexing or found)

    def _folders(self) -> list[tuple[str, int]]:
        folder = os.fspath(self.dataset_dir)
        labels = self.class_indexing or {name: i for i, name in enumerate(folders_in(folder))}
        return [(os.path.join(folder, name), labels[name]) for name in folders_in(folder) if name in labels]

    def _find(self) -> list[tuple]:
        ends = tuple(self.extensions or ("",))
        found = [(path, label) for folder, label in self._folders() for path in files_in(folder) if path.endswith(ends)]
        if not found and self.class_indexing:
            raise self._nothing()
        return found


class Caltech256Dataset(_ClassFolders):
    """Caltech 256: columns image and label (int32), from 0 in the order of the folders."""

    arguments = (FOLDER, *IMAGES)
    _endings = (".jpg", ".JPEG")


class RenderedSST2Dataset(_ClassFolders):
    """Sentences of SST-2 as pictures; columns image and label (uint32: 0 negative, 1 positive).

    Args:
        usage: "train", "val", "test" or "all" (default: what is there).
    """

    arguments = (FOLDER, choice("usage", "val all train test", "all"), *IMAGES)
    columns = "image:image label:uint32"
    _endings = (".png",)

    def _folders(self) -> list[tuple[str, int]]:
        folder = os.fspath(self.dataset_dir)
        splits = folders_in(folder) if self.usage == "all" else ["valid" if self.usage == "val" else self.usage]
        return [
            (os.path.join(folder, split, name), i)
            for split in splits
            for i, name in enumerate(folders_in(os.path.join(folder, split)))
        ]

    def num_classes(self) -> int | None:
        return len({os.path.basename(folder) for folder, _ in self._folders()})


_LSUN = "bedroom bridge church_outdoor classroom conference_room dining_room kitchen living_room restaurant tower"


def _check_classes(value: Any, name: str) -> None:
    for item in value:
        choice(name, _LSUN).taken(item)


class LSUNDataset(_ClassFolders):
    """LSUN as folders of images; columns image and label (uint32).

    Args:
        usage: "train", "valid", "test" or "all" (default: train and valid). classes: which of the ten; default all.
    """

    arguments = (
        FOLDER,
        choice("usage", "train test valid all", "all"),
        Argument("classes", check=_check_classes, none=()),
        *IMAGES,
    )
    columns = "image:image label:uint32"
    classes: list[str]

    def _splits(self) -> list[str]:
        wanted = [
            f"{name}_{split}"
            for name in self.classes or _LSUN.split()
            for split, usage in (("train", "train"), ("val", "valid"))
            if self.usage in (usage, "all")
        ]
        return [name for name in folders_in(os.fspath(self.dataset_dir)) if any(item in name for item in wanted)]

    def _folders(self) -> list[tuple[str, int]]:
        names = ["test"] if self.usage == "test" else self._splits()
        return [(os.path.join(self.dataset_dir, name), i) for i, name in enumerate(names)]

    def num_classes(self) -> int | None:
        names = [] if self.usage == "test" else self._splits()
        return len({item for name in names for item in self.classes or _LSUN.split() if item in name})


class OmniglotDataset(_ClassFolders):
    """Omniglot's characters; columns image and label (int32: the number of the character, alphabets one after another).

    Args:
        background: the larger half (default), else the one for evaluation.
    """

    arguments = (FOLDER, flag("background", None, True), *IMAGES)
    background: bool

    def _folders(self) -> list[tuple[str, int]]:
        folder = os.path.join(self.dataset_dir, "images_background" if self.background else "images_evaluation")
        names = [
            os.path.join(folder, alphabet, name)
            for alphabet in folders_in(folder)
            for name in folders_in(os.path.join(folder, alphabet))
        ]
        return [(name, i) for i, name in enumerate(names)]


class Caltech101Dataset(FilesDataset):
    """Caltech 101: column image, and category (int64), annotation (float64, by SciPy) or both.

    Args:
        target_type: "category" (default), "annotation" or "all".
    """

    arguments = (FOLDER, choice("target_type", "category annotation all", "category"), *GENERATED)
    size_of_nothing = 0
    _other_names = {
        "Faces": "Faces_2",
        "Faces_easy": "Faces_3",
        "Motorbikes": "Motorbikes_16",
        "airplanes": "Airplanes_Side_2",
    }
    target_type: str

    def _columns(self) -> list[tuple[str, str]]:
        targets = ["category", "annotation"] if self.target_type == "all" else [self.target_type]
        return [("image", "image"), *((name, "int64" if name == "category" else "array") for name in targets)]

    def _find(self) -> list[tuple]:
        folder = os.path.join(self.dataset_dir, "101_ObjectCategories")
        names = [name for name in folders_in(folder) if name != "BACKGROUND_Google"]
        return [
            (name, label, i + 1)
            for label, name in enumerate(names)
            for i in range(len(os.listdir(os.path.join(folder, name))))
        ]

    def _expanded(self, sample: tuple) -> tuple:
        name, label, number = sample
        found: dict[str, Any] = {
            "image": os.path.join(self.dataset_dir, "101_ObjectCategories", name, f"image_{number:04d}.jpg"),
            "category": label,
        }
        if self.target_type != "category":
            path = os.path.join(
                self.dataset_dir, "Annotations", self._other_names.get(name, name), f"annotation_{number:04d}.mat"
            )
            with reading(path):
                found["annotation"] = read_mat(path)["obj_contour"]
        return tuple(found[name] for name in self._column_names())

    def get_class_indexing(self) -> dict[str, int]:
        """Return labels by category, of all 101, as in MindSpore: labels of rows count only the existing folders."""
        return {name: i for i, name in enumerate(CALTECH101)}


class Food101Dataset(FilesDataset):
    """Food 101: columns image and label (text: the name of the dish).

    Args:
        usage: "train", "test" or "all" (default).
    """

    arguments = (FOLDER, TRAIN_TEST, *IMAGES)
    columns = "image:image label:text"

    def _find(self) -> list[tuple]:
        folder = os.path.join(self.dataset_dir, "images")
        classes = folders_in(folder)
        lists = [name for name in ("train", "test") if self.usage in (name, "all")]
        lines = [
            line for name in lists for line in lines_of(os.path.join(self.dataset_dir, "meta", f"{name}.txt")) if line
        ]
        return [
            (os.path.join(folder, f"{line}.jpg"), next((name for name in classes if name in line), ""))
            for line in lines
        ]


class SUN397Dataset(FilesDataset):
    """SUN 397: columns image and label (uint32: the place of the class in ``ClassName.txt``)."""

    arguments = (FOLDER, *IMAGES)
    columns = "image:image label:uint32"
    label_column = "label"

    def _find(self) -> list[tuple]:
        labels = {
            name: i for i, name in reversed(list(enumerate(words_of(os.path.join(self.dataset_dir, "ClassName.txt")))))
        }
        return [
            (path, labels[name])
            for name in sorted(labels)
            for path in files_in(os.fspath(self.dataset_dir) + name, ".jpg")
            if os.path.basename(path).startswith("sun_")
        ]


class CelebADataset(FilesDataset):
    """CelebA: columns image and attr (uint32 (40,): 1 if it has the attribute).

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
        DECRYPT,
    )
    columns = "image:image attr:uint32"
    extensions: list[str]

    def _find(self) -> list[tuple]:
        lines = [line for line in lines_of(os.path.join(self.dataset_dir, "list_attr_celeba.txt"))[2:] if line]
        if self.usage != "all":
            path = os.path.join(self.dataset_dir, "list_eval_partition.txt")
            if not os.path.exists(path):
                raise RuntimeError(f"Partition file cannot be found when usage is not 'all': {path}.")
            wanted = {"train": "0", "valid": "1", "test": "2"}[self.usage]
            lines = [line for line, part in zip(lines, lines_of(path), strict=False) if part.split()[1:] == [wanted]]
        with reading(os.path.join(self.dataset_dir, "list_attr_celeba.txt")):
            found = [
                (name, np.array([int(value) for value in values], np.int64) > 0)
                for name, *values in map(str.split, lines)
            ]
        return [
            (os.path.join(self.dataset_dir, name), values)
            for name, values in found
            if not self.extensions or os.path.splitext(name)[1] in self.extensions
        ]


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
                raise RuntimeError(f"Invalid file, name or annotation is missing in {self.annotation_file}: {line}.")
            captions.setdefault(os.path.join(self.dataset_dir, name[:-2]), []).append(caption)
        return [(path, captions[path]) for path in sorted(captions) if is_picture(path)]


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
    size_of_nothing = 0
    _parts = {"train": ["trnid"], "test": ["tstid"], "valid": ["valid"], "all": ["trnid", "tstid", "valid"]}

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
        with reading(" or ".join(files)):
            labels = [int(label) for label in read_mat(files[0])["labels"].reshape(-1)]
            sets = read_mat(files[1])
            numbers = [int(number) for part in self._parts[self.usage] for number in sets[part].reshape(-1)]
        if numbers and not 1 <= min(numbers) <= max(numbers) <= len(labels):
            raise RuntimeError(f"Invalid file, {files[1]} names images that {files[0]} does not have.")
        folders = ["jpg/image", "segmim/segmim"] if self.task == "Segmentation" else ["jpg/image"]
        return [
            (*(os.path.join(self.dataset_dir, f"{folder}_{i:05d}.jpg") for folder in folders), labels[i - 1] - 1)
            for i in numbers
        ]

    def get_class_indexing(self) -> dict[str, int]:
        """Return the labels by the flowers' names."""
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
            with reading(path):
                for row in _rows_of_folds(rows, self.task, self.usage == "10fold"):
                    if self.task == "people":
                        found.extend((image(row[0], str(i + 1)), labels.get(row[0], 0)) for i in range(int(row[1])))
                    elif len(row) == 3:
                        found.append((image(row[0], row[1]), image(row[0], row[2]), 1))
                    else:
                        found.append((image(row[0], row[1]), image(row[2], row[3]), 0))
        return found


def _rows_of_folds(rows: list[list[str]], task: str, is_folded: bool) -> Iterable[list[str]]:
    """Yield the rows of the folds without the counts: each fold of people starts with its count; all folds of pairs
    share one, and have twice as many rows.
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
    small: bool

    def _find(self) -> list[tuple]:
        words_of(os.path.join(self.dataset_dir, "categories_places365.txt"))  # MindSpore needs it as well
        words = words_of(os.path.join(self.dataset_dir, f"places365_{self.usage.replace('-', '_')}.txt"))
        size = "256" if self.small else "large"
        folder = f"val_{size}" if self.usage == "val" else f"data_{size}_{self.usage.removeprefix('train-')}"
        with reading(f"the list of {self.dataset_dir}"):
            found = [
                (os.path.join(self.dataset_dir, folder, path.lstrip("/")), int(label))
                for path, label in zip(words[::2], words[1::2], strict=True)
            ]
        for path, _ in found:
            if not os.path.exists(path):
                raise RuntimeError(f"Invalid file path, Places365 image: {path} does not exists.")
        return found


class SBUDataset(FilesDataset):
    """SBU captioned photos: columns image and caption (text), of the existing photos."""

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
