"""Writes pictures with words and what mindocr reads beside them: ``python make_ocr.py ROOT [--train 16] [--val 8]`` makes
``ROOT/{train,val}/{rec,det,cls}/N.jpg`` and ``{rec,det,cls}_gt.txt``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def letters() -> ImageFont.ImageFont:
    """The font of dots that Pillow's default was until 10.0: with another, losses are those of other pictures."""
    font = getattr(ImageFont, "load_default_imagefont", ImageFont.load_default)()
    if not isinstance(font, ImageFont.ImageFont):
        raise SystemExit("Pillow 10.1 to 10.3 cannot draw with the font of dots: take another")
    return font


def write_words(root: Path, split: str, count: int) -> None:
    """``count`` pictures for each task, the same at every call."""
    random = np.random.default_rng(len(split))
    font = letters()
    lines: dict[str, list[str]] = {"rec": [], "det": [], "cls": []}
    for task in lines:
        (root / split / task).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        name = f"{number:03d}.jpg"
        word = "".join(random.choice(list(LETTERS), random.integers(3, 9)))
        picture = Image.new("RGB", (100, 32), tuple(int(value) for value in random.integers(150, 255, 3)))
        ImageDraw.Draw(picture).text((5, 8), word, fill=(0, 0, 60), font=font)
        picture.save(root / split / "rec" / name, quality=95)
        lines["rec"].append(f"{name}\t{word}")
        turned = number % 2
        picture.rotate(180 * turned).save(root / split / "cls" / name, quality=95)
        lines["cls"].append(f"{name}\t{180 * turned}")
        page = Image.new("RGB", (256, 256), (230, 230, 220))
        boxes = []
        for row in range(4):
            left, top = int(random.integers(5, 130)), 10 + 58 * row
            page.paste(picture.resize((120, 40)), (left, top))
            corners = [[left, top], [left + 120, top], [left + 120, top + 40], [left, top + 40]]
            boxes.append({"transcription": word, "points": corners})
        page.save(root / split / "det" / name, quality=95)
        lines["det"].append(f"{name}\t{json.dumps(boxes)}")
    for task, listed in lines.items():
        (root / split / f"{task}_gt.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--train", type=int, default=16)
    parser.add_argument("--val", type=int, default=8)
    given = parser.parse_args()
    write_words(given.root, "train", given.train)
    write_words(given.root, "val", given.val)
