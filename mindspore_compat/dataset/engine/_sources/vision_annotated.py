"""Image datasets with bounding boxes: VOC, KITTI, WIDER FACE; manifests."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.core.validator_helpers import check_file
from mindspore_compat.dataset.engine._sources.described import (
    FOLDER,
    IMAGES,
    METADATA,
    REQUIRED,
    Argument,
    FilesDataset,
    choice,
    flag,
)
from mindspore_compat.dataset.engine._sources.files import files_in, folders_in, is_picture, lines_of, read_xml, reading

__all__ = ["KITTIDataset", "ManifestDataset", "VOCDataset", "WIDERFaceDataset"]


class VOCDataset(FilesDataset):
    """PASCAL VOC. "Segmentation" (default): columns image and target; "Detection": image, and for its n objects bbox
    float32 (n, 4: x, y, width, height), label, difficult and truncate, uint32 (n, 1).

    Args:
        usage: the name of a list in ``ImageSets``. class_indexing: from class to label (detection only); default:
            sorted names, from 0.
        extra_metadata: a column ``_meta-filename``, which rows have after it was renamed. decrypt: ``f(path) -> bytes``
            to read an image.
    """

    arguments = (
        FOLDER,
        Argument("task", "Segmentation", kind_of(str), REQUIRED),
        Argument("usage", "train", kind_of(str), REQUIRED),
        Argument("class_indexing", check=kind_of(dict)),
        *IMAGES,
        *METADATA,
    )
    class_indexing: dict[str, int] | None
    extra_metadata: bool

    def _check(self, values: dict[str, Any]) -> None:
        task = values["task"]
        if task not in ("Segmentation", "Detection"):
            raise ValueError(f"Invalid task : {task}. It should be 'Segmentation' or 'Detection'.")
        if task == "Segmentation" and values["class_indexing"] is not None:
            raise ValueError("class_indexing is not supported in Segmentation task.")
        check_file(self._list_path(values["dataset_dir"], task, values["usage"]))

    @staticmethod
    def _list_path(folder: str, task: str, usage: str) -> str:
        return os.path.join(folder, "ImageSets", "Main" if task == "Detection" else task, f"{usage}.txt")

    @property
    def columns(self) -> str:  # type: ignore[override]
        more = (
            "target:image"
            if self.task == "Segmentation"
            else "bbox:float32 label:uint32 difficult:uint32 truncate:uint32"
        )
        return f"image:image {more}{' _meta-filename:text' if self.extra_metadata else ''}"

    @cached_property
    def _names(self) -> list[str]:
        return [line.removesuffix("\r") for line in lines_of(self._list_path(self.dataset_dir, self.task, self.usage))]

    @cached_property
    def _objects(self) -> dict[str, list[tuple[str, list[float]]]]:
        """Objects of each image: class and [x, y, width, height, difficult, truncated]."""
        found = {}
        for name in self._names:
            path = self._inside(os.path.join(self.dataset_dir, "Annotations", f"{name}.xml"))
            objects = [
                item
                for item in _voc_objects(path)
                if item[0] and (not self.class_indexing or item[0] in self.class_indexing)
            ]
            if objects:
                found[name] = objects
        if not found:
            raise self._nothing()
        return found

    def _find(self) -> list[tuple]:
        return [(name,) for name in (self._names if self.task == "Segmentation" else self._objects)]

    def _expanded(self, sample: tuple) -> tuple:
        name = sample[0]
        image = os.path.join(self.dataset_dir, "JPEGImages", f"{name}.jpg")
        more: tuple
        if self.task == "Segmentation":
            more = (os.path.join(self.dataset_dir, "SegmentationClass", f"{name}.png"),)
        else:
            labels = self._labels_by_name
            numbers = np.array([values for _, values in self._objects[name]], np.float32)
            more = (
                numbers[:, :4],
                [[labels[label]] for label, _ in self._objects[name]],
                numbers[:, 4:5],
                numbers[:, 5:],
            )
        return (image, *more, *([name] if self.extra_metadata else []))

    @cached_property
    def _labels_by_name(self) -> dict[str, int]:
        if self.class_indexing:
            return self.class_indexing
        return {
            name: i
            for i, name in enumerate(sorted({label for objects in self._objects.values() for label, _ in objects}))
        }

    def get_class_indexing(self) -> dict[str, int]:
        """Return the labels by class. Raises: NotImplementedError for "Segmentation"."""
        if self.task != "Detection":
            raise NotImplementedError("Only 'Detection' support get_class_indexing.")
        return dict(self._labels_by_name)


def _voc_objects(path: str) -> list[tuple[str, list[float]]]:
    root = read_xml(path)
    found = []
    for item in root.findall("object"):
        box = item.find("bndbox")
        if box is None:
            raise RuntimeError(f"Invalid data, bndbox dismatch in {path}.")
        left, top, right, bottom = (_number(box, name, path) for name in ("xmin", "ymin", "xmax", "ymax"))
        if not (left > 0 and top > 0 and right > left and bottom > top):
            raise RuntimeError(f"Invalid bndbox: {{{left}, {top}, {right}, {bottom}}} found in {path}.")
        values = [
            left,
            top,
            right - left,
            bottom - top,
            _number(item, "difficult", path),
            _number(item, "truncated", path),
        ]
        found.append((item.findtext("name") or "", values))
    if not found:
        raise RuntimeError(f"Invalid data, no object found in {path}.")
    return found


def _number(node: ElementTree.Element, name: str, path: str) -> float:
    text = node.findtext(name)
    try:
        return float(np.float32(text)) if text else 0.0
    except ValueError:
        raise RuntimeError(f"Invalid data, {name} in {path} is no number: {text!r}.") from None


class KITTIDataset(FilesDataset):
    """KITTI's objects. For training, of the n objects of an image: label uint32 (n, 1: sorted classes), truncated
    float32, occluded uint32, alpha float32, bbox (n, 4), dimensions (n, 3), location (n, 3), rotation_y; for the test
    only image.

    Args:
        usage: "train" (default) or "test".
    """

    arguments = (FOLDER, choice("usage", "train test", "train"), *IMAGES)

    @property
    def columns(self) -> str:  # type: ignore[override]
        more = (
            " label:uint32 truncated:float32 occluded:array alpha:float32 bbox:float32 dimensions:float32 "
            "location:float32 rotation_y:float32"
        )
        return "image:image" + (more if self.usage == "train" else "")

    def _path(self, kind: str, name: str) -> str:
        part = "training" if self.usage == "train" else "testing"
        return os.path.join(self.dataset_dir, f"data_object_{kind}_2", part, f"{kind}_2", name)

    @cached_property
    def _objects(self) -> dict[str, list[tuple[str, np.ndarray]]]:
        found = {}
        for name in self._all_names:
            path = self._path("label", f"{name}.txt")
            with reading(path):
                rows = [
                    (label, np.array(values[:14], np.float64))
                    for label, *values in (line.split() for line in lines_of(path))
                ]
                if any(len(values) != 14 for _, values in rows):
                    raise ValueError("14 numbers expected behind each label")
            if rows:
                found[name] = rows
        return found

    @cached_property
    def _all_names(self) -> list[str]:
        return [f"{i:06d}" for i in range(len(files_in(self._path("image", ""))))]

    def _find(self) -> list[tuple]:
        return [(name,) for name in (self._objects if self.usage == "train" else self._all_names)]

    def _expanded(self, sample: tuple) -> tuple:
        name = sample[0]
        image = self._path("image", f"{name}.png")
        if self.usage == "test":
            return (image,)
        labels = {label: i for i, label in enumerate(self._classes)}
        values = np.stack([numbers for _, numbers in self._objects[name]])
        occluded = values[:, 1:2].astype(np.int64).astype(np.uint32)  # -1 becomes the largest, as in MindSpore
        return (
            image,
            [[labels[label]] for label, _ in self._objects[name]],
            values[:, :1],
            occluded,
            *np.split(values[:, 2:], [1, 5, 8, 11], axis=1),
        )

    @cached_property
    def _classes(self) -> list[str]:
        return sorted({label for rows in self._objects.values() for label, _ in rows})


class WIDERFaceDataset(FilesDataset):
    """WIDER FACE: image, and (not for the test) of its n faces bbox int32 (n, 4), blur, expression, illumination,
    occlusion, pose and invalid, int32 (n,).

    Args:
        usage: "train", "valid", "test" or "all" (default: train and valid).
    """

    arguments = (FOLDER, choice("usage", "train test valid all", "all"), *IMAGES)

    @property
    def columns(self) -> str:  # type: ignore[override]
        return "image:image" + (
            ""
            if self.usage == "test"
            else " bbox:int32 blur:int32 expression:int32 illumination:int32 occlusion:int32 pose:int32 invalid:int32"
        )

    def _find(self) -> list[tuple]:
        found: list[tuple] = []
        for usage in ("train", "valid") if self.usage == "all" else (self.usage,):
            part = "val" if usage == "valid" else usage
            folder = os.path.join(self.dataset_dir, f"WIDER_{part}", "images")
            paths = [path for name in folders_in(folder) for path in files_in(os.path.join(folder, name), ".jpg")]
            if not paths:
                raise RuntimeError(f"Invalid file, no .jpg file found under path: {folder}.")
            if usage == "test":
                found.extend((path,) for path in paths)
                continue
            faces = _wider_faces(os.path.join(self.dataset_dir, "wider_face_split", f"wider_face_{part}_bbx_gt.txt"))
            found.extend(
                (path, faces.get(os.path.relpath(path, folder).replace(os.sep, "/"), np.empty((0, 10), np.int32)))
                for path in paths
            )
        return found

    def _expanded(self, sample: tuple) -> tuple:
        return sample if self.usage == "test" else (sample[0], sample[1][:, :4], *sample[1][:, 4:].T)


def _wider_faces(path: str) -> dict[str, np.ndarray]:
    """Return the ten numbers of each face, by the image's name. An image without faces has one line, too."""
    found, rows = {}, iter(lines_of(path))
    try:
        for name in rows:
            count = max(int(next(rows)), 1)
            found[name] = np.array(
                [[int(word) for word in next(rows).split()] for _ in range(count)], np.int32
            ).reshape(count, 10)
    except (ValueError, StopIteration) as error:
        raise RuntimeError(f"Invalid data, failed to read the boxes of {path}: {error}.") from error
    return found


class ManifestDataset(FilesDataset):
    """Images of a manifest with a JSON object on every line: ``source``, ``usage`` and ``annotation`` with names.
    Columns image and label (int32, one or (n,)). Files that are no JPEG, PNG, GIF or BMP are skipped.

    Args:
        dataset_file: the manifest. usage: "train" (default), "eval", "inference" or any other. class_indexing: from
            name to label; default: sorted names.
    """

    arguments = (
        Argument("dataset_file", REQUIRED, lambda value, name: check_file(value), REQUIRED),
        Argument("usage", "train", kind_of(str), "train"),
        IMAGES[0],
        *IMAGES[1:3],
        IMAGES[4],
        Argument("class_indexing", check=kind_of(dict)),
        flag("decode"),
        *IMAGES[5:],
    )
    columns = "image:image label:int32"
    dataset_file: str
    class_indexing: dict[str, int] | None

    @cached_property
    def _images(self) -> list[tuple[str, list[str]]]:
        found = []
        for line in lines_of(self.dataset_file):
            with reading(self.dataset_file):
                row = json.loads(line)
                path, usage = row.get("source", ""), row.get("usage", "").lower()
                if not is_picture(path) or usage != self.usage.lower():
                    continue
                names = [annotation["name"] for annotation in row["annotation"]]
            names = [name for name in names if not self.class_indexing or name in self.class_indexing]
            if names:
                found.append((path, names))
        if not found:
            raise self._nothing()
        return found

    def get_class_indexing(self) -> dict[str, int]:
        if self.class_indexing:
            return dict(self.class_indexing)
        return {name: i for i, name in enumerate(sorted({name for _, names in self._images for name in names}))}

    def num_classes(self) -> int | None:
        return len({name for _, names in self._images for name in names})

    def _find(self) -> list[tuple]:
        labels = self.get_class_indexing()
        return [
            (path, labels[names[0]] if len(names) == 1 else [labels[name] for name in names])
            for path, names in self._images
        ]
