"""Image datasets with annotations: bounding boxes (VOC, KITTI, WIDER FACE, manifests), COCO, and datasets of images
paired with an image or array (Cityscapes, DIV2K, semantic boundaries).
"""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mindspore_compat._format.matlab import dense
from mindspore_compat.dataset.core.arguments import kind_of
from mindspore_compat.dataset.core.validator_helpers import check_file
from mindspore_compat.dataset.engine._sources.described import (
    FOLDER,
    GENERATED,
    IMAGES,
    IMAGES_NONE,
    METADATA,
    REQUIRED,
    Argument,
    FilesDataset,
    choice,
    flag,
)
from mindspore_compat.dataset.engine._sources.files import (
    files_in,
    folders_in,
    is_picture,
    lines_of,
    read_json_file,
    read_mat,
    read_xml,
    reading,
)

__all__ = [
    "KITTIDataset",
    "ManifestDataset",
    "VOCDataset",
    "WIDERFaceDataset",
    "CocoDataset",
    "CityscapesDataset",
    "DIV2KDataset",
    "SBDataset",
]


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


class CocoDataset(FilesDataset):
    """COCO. Column image, and by task, for the n annotations of an image:

    "Detection" (default): bbox float32 (n, 4), category_id and iscrowd uint32 (n, 1); "Stuff": segmentation float32 (n,
    longest, filled up with -1), iscrowd; "Keypoint": keypoints float32 (n, 3 · number), num_keypoints uint32;
    "Panoptic": as detection, and area uint32; "Captioning": captions (n, 1). Images without annotations are left out.

    Args:
        dataset_dir: the folder of the images. annotation_file: the JSON file.
        extra_metadata: a column ``_meta-filename`` (the name without its end), which rows have after it was renamed.
        decrypt: ``f(path) -> bytes`` to read an image.
    """

    arguments = (
        FOLDER,
        Argument("annotation_file", REQUIRED, lambda value, name: check_file(value), REQUIRED),
        choice("task", "Detection Stuff Panoptic Keypoint Captioning", default="Detection"),
        *IMAGES,
        *METADATA,
    )
    _tasks = {
        "Detection": "bbox:float32 category_id:uint32 iscrowd:uint32",
        "Stuff": "segmentation:float32 iscrowd:uint32",
        "Keypoint": "keypoints:float32 num_keypoints:uint32",
        "Panoptic": "bbox:float32 category_id:uint32 iscrowd:uint32 area:uint32",
        "Captioning": "captions:text",
    }
    annotation_file: str
    extra_metadata: bool

    @property
    def columns(self) -> str:  # type: ignore[override]
        return f"image:image {self._tasks[self.task]}{' _meta-filename:text' if self.extra_metadata else ''}"

    @cached_property
    def _annotations(self) -> tuple[list[tuple[str, list[tuple]]], dict[str, list[int]]]:
        """Name and rows of annotations of each image, and the categories."""
        content = read_json_file(self.annotation_file)
        with reading(self.annotation_file):
            images = {image["id"]: image["file_name"] for image in content["images"]}
            categories = {}
            if self.task in ("Detection", "Panoptic"):
                categories = {
                    c["name"]: [c["id"], *([c["isthing"]] if self.task == "Panoptic" else [])]
                    for c in content["categories"]
                }
            known = {ids[0] for ids in categories.values()}
            rows: dict[str, list[tuple]] = {}
            for annotation in content["annotations"]:
                image = annotation["image_id"]
                if image not in images:
                    raise RuntimeError(f"Invalid data, image_id: {image} is no image of {self.annotation_file}.")
                rows.setdefault(images[image], []).extend(self._rows_of(annotation, known))
        return [(name, rows[name]) for name in dict.fromkeys(images.values()) if name in rows], categories

    def _rows_of(self, annotation: dict[str, Any], known: set[int]) -> list[tuple]:
        """Return the annotation as (coordinates or caption, numbers ...)."""
        if self.task == "Captioning":
            return [(annotation["caption"],)]
        if self.task == "Keypoint":
            return [(annotation["keypoints"], annotation["num_keypoints"])]
        if self.task == "Stuff":
            crowd, outline = annotation["iscrowd"], annotation["segmentation"]
            return [
                (part, crowd if i == 0 else None)
                for i, part in enumerate((outline or [None]) if crowd == 0 else [outline["counts"]])
            ]
        found = annotation["segments_info"] if self.task == "Panoptic" else [annotation]
        for item in found:
            if item["category_id"] not in known:
                raise RuntimeError(f"Invalid data, category_id: {item['category_id']} is no category.")
        if self.task == "Panoptic":
            return [(item["bbox"], item["category_id"], item["iscrowd"], item["area"]) for item in found]
        return [(item["bbox"], item["category_id"], item.get("iscrowd", 0)) for item in found]

    def _find(self) -> list[tuple]:
        return [(name,) for name, _ in self._annotations[0]]

    def _expanded(self, sample: tuple) -> tuple:
        name = sample[0]
        rows = self._by_name[name]
        first = [row[0] for row in rows if row[0] is not None]
        values: list[Any]
        if self.task == "Captioning":
            values = [[[caption] for caption in first]]
        else:
            longest = max(map(len, first), default=0)
            numbers = [
                [[value] for value in column if value is not None] for column in list(zip(*rows, strict=True))[1:]
            ]
            values = [
                np.array([[*part, *[-1.0] * (longest - len(part))] for part in first], np.float32).reshape(
                    len(first), longest
                ),
                *numbers,
            ]
        return (
            os.path.join(self.dataset_dir, name),
            *values,
            *([name.partition(".")[0]] if self.extra_metadata else []),
        )

    @cached_property
    def _by_name(self) -> dict[str, list[tuple]]:
        return dict(self._annotations[0])

    def get_class_indexing(self) -> dict[str, list[int]]:  # type: ignore[override]
        """Return [id], or for "Panoptic" [id, whether it is a thing], by category. Raises: NotImplementedError for
        other tasks.
        """
        if self.task not in ("Detection", "Panoptic"):
            raise NotImplementedError("Only 'Detection' and 'Panoptic' support get_class_indexing.")
        if not self._annotations[0]:
            raise self._nothing()
        return dict(self._annotations[1])


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
    quality_mode: str
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
    """Return JSON without spaces and with sorted keys, as from MindSpore's library."""
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
    downgrade: str
    scale: int

    def _check(self, values: dict[str, Any]) -> None:
        super()._check(values)
        scale, downgrade = values["scale"], values["downgrade"]
        if scale not in (2, 3, 4, 8):
            raise ValueError(f"Input scale is not within the valid set of [2, 3, 4, 8]. Got {scale!r}.")
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
    size_of_nothing = 0

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
