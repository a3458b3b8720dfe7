"""COCO: detection, stuff, keypoints, panoptic segmentation and captions."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import check_file
from mindspore_compat.dataset.engine._sources.described import (
    FOLDER,
    IMAGES,
    METADATA,
    REQUIRED,
    Argument,
    FilesDataset,
    choice,
)
from mindspore_compat.dataset.engine._sources.files import read_json_file, reading

__all__ = ["CocoDataset"]


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
