"""Image datasets in folders."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.engine._sources.arrays import read_mat
from mindspore_compat.dataset.engine._sources.described import (
    DECRYPT,
    FOLDER,
    GENERATED,
    IMAGES,
    TRAIN_TEST,
    Argument,
    FilesDataset,
    choice,
    flag,
)
from mindspore_compat.dataset.engine._sources.files import files_in, folders_in, lines_of, reading, words_of
from mindspore_compat.dataset.engine._sources.names import CALTECH101

__all__ = [
    "Caltech101Dataset",
    "Caltech256Dataset",
    "Food101Dataset",
    "ImageFolderDataset",
    "LSUNDataset",
    "OmniglotDataset",
    "RenderedSST2Dataset",
    "SUN397Dataset",
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
