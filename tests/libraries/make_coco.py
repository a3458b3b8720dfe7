"""Writes a small detection data set in COCO's layout and in YOLO's, as mindyolo reads them: ``ROOT/{train2017,val2017}.txt``,
``images/``, ``labels/`` (class, centre, size, in parts of the picture), ``annotations/instances_*.json``.
Usage: ``python make_coco.py ROOT [--train 16] [--val 8] [--size 64] [--classes 80]``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def write_coco(root: Path, train: int, val: int, size: int, classes: int) -> None:
    """Pictures of noise with one to three filled rectangles; the class gives the colour."""
    random = np.random.default_rng(1)
    for split, count in (("train2017", train), ("val2017", val)):
        for folder in ("images", "labels", "annotations"):
            (root / folder / (split if folder != "annotations" else "")).mkdir(parents=True, exist_ok=True)
        pictures: list[dict[str, Any]] = []
        boxes: list[dict[str, Any]] = []
        for number in range(1, count + 1):
            picture = random.integers(90, 120, (size, size, 3)).astype(np.uint8)
            lines = []
            for _ in range(int(random.integers(1, 4))):
                label = int(random.integers(0, min(classes, 4)))
                width, height = (int(side) for side in random.integers(size // 4, size // 2, 2))
                left, top = int(random.integers(0, size - width)), int(random.integers(0, size - height))
                picture[top : top + height, left : left + width] = (60 * label, 255 - 60 * label, 128)
                centre = ((left + width / 2) / size, (top + height / 2) / size)
                lines.append(f"{label} {centre[0]:.6f} {centre[1]:.6f} {width / size:.6f} {height / size:.6f}")
                boxes.append(
                    {
                        "id": len(boxes) + 1,
                        "image_id": number,
                        "category_id": label + 1,
                        "bbox": [left, top, width, height],
                        "area": width * height,
                        "iscrowd": 0,
                        "segmentation": [],
                    }
                )
            name = f"{number:012d}"
            Image.fromarray(picture).save(root / "images" / split / f"{name}.jpg", quality=95)
            (root / "labels" / split / f"{name}.txt").write_text("\n".join(lines) + "\n")
            pictures.append({"id": number, "file_name": f"{name}.jpg", "height": size, "width": size})
        (root / f"{split}.txt").write_text("".join(f"./images/{split}/{item['file_name']}\n" for item in pictures))
        categories = [{"id": number + 1, "name": f"class_{number}"} for number in range(classes)]
        written = {"info": {}, "licenses": [], "images": pictures, "annotations": boxes, "categories": categories}
        (root / "annotations" / f"instances_{split}.json").write_text(json.dumps(written))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    for name, default in (("train", 16), ("val", 8), ("size", 64), ("classes", 80)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    write_coco(given.root, given.train, given.val, given.size, given.classes)
