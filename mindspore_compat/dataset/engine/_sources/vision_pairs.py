"""Datasets of images paired with an image or array: Cityscapes, DIV2K, semantic boundaries."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from mindspore_compat._format.matlab import dense
from mindspore_compat.dataset.engine._sources.arrays import read_mat
from mindspore_compat.dataset.engine._sources.described import (
    FOLDER,
    GENERATED,
    IMAGES_NONE,
    REQUIRED,
    Argument,
    FilesDataset,
    choice,
)
from mindspore_compat.dataset.engine._sources.files import files_in, folders_in, lines_of, read_json_file

__all__ = ["CityscapesDataset", "DIV2KDataset", "SBDataset"]


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
