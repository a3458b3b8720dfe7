"""Writes folders of small pictures, as mindcv's ``--dataset imagenet --data_dir`` and its own tests read them:
``ROOT/{train,val}/CLASS/N.jpg``. Usage: ``python make_images.py ROOT [--classes 2] [--train 40] [--val 20] [--size 64]``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image


def write_images(root: Path, classes: int, train: int, val: int, size: int) -> None:
    """``train`` and ``val`` pictures in all, over the classes in turn; each class has its own colour and stripes."""
    random = np.random.default_rng(1)
    rows = np.arange(size)
    for split, count in (("train", train), ("val", val)):
        for number in range(count):
            label = number % classes
            stripes = 60 * np.sin(rows * (label + 1) / 3)[:, None, None]
            colour = np.array([60 + 120 * (label % 2), 120, 180 - 120 * (label % 2)])
            picture = np.clip(colour + stripes + random.normal(0, 25, (size, size, 3)), 0, 255).astype(np.uint8)
            folder = root / split / f"class_{label}"
            folder.mkdir(parents=True, exist_ok=True)
            Image.fromarray(picture).save(folder / f"{number:04d}.jpg", quality=95)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    for name, default in (("classes", 2), ("train", 40), ("val", 20), ("size", 64)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    write_images(given.root, given.classes, given.train, given.val, given.size)
