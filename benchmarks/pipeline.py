"""Data pipelines: rows a second of ours and of real MindSpore.

    python benchmarks/pipeline.py [--rounds 7] [--workers 1 2] [--only cifar coco ...] [--oracle PYTHON] [--images 384]

Contestants are processes that read one whole epoch when it is their turn and are stopped (SIGSTOP) otherwise, so that a
slow moment of the machine hits both. The first epoch is not counted. An epoch's time is from making the iterator to its
last batch; the rows come as NumPy arrays. The figures are medians over the rounds of the ratio of neighbouring epochs:
of time, and of CPU time, which says what an epoch costs where other programs want the cores as well (there who has more
threads gets more of them).

Photographs are cut out of scikit-learn's two (about 500 x 370, 60 kB). MindRecord and TFRecord files are written here.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _oracle import oracle_python

HERE = Path(__file__).resolve().parent
CHILD = str(HERE / "_pipeline_child.py")
NAMES = (
    "imagenet_train",
    "imagenet_eval",
    "cifar",
    "coco",
    "coco_processes",
    "bert_text",
    "plain_text",
    "mindrecord",
    "tfrecord",
    "generator",
    "generator_processes",
)
WORDS = (
    "the a of training data pipeline reads images and masks quickly from disk; tokens (words, marks) are looked "
    "up. It's unaffable!"
).split()


class Contestant:
    """A child that works when it is its turn."""

    def __init__(self, python: str, who: str, *arguments: str) -> None:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment |= {"GLOG_v": "3", "OMP_NUM_THREADS": "1"}
        if who == "ours":
            environment["PYTHONPATH"] = str(HERE.parent)
        self.child = subprocess.Popen(
            [python, "-W", "ignore", CHILD, who, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
            stderr=None if os.environ.get("VERBOSE") else subprocess.DEVNULL,
        )
        self.answer()
        os.killpg(self.child.pid, signal.SIGSTOP)

    def answer(self) -> Any:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            with contextlib.suppress(ValueError):
                return json.loads(line)
        raise RuntimeError(f"{' '.join(map(str, self.child.args))} ended early; VERBOSE=1 shows why.")

    def turn(self) -> tuple[float, float]:
        """Rows a second, and rows a second of CPU time, of one epoch."""
        assert self.child.stdin is not None
        os.killpg(self.child.pid, signal.SIGCONT)
        self.child.stdin.write("1\n")
        self.child.stdin.flush()
        rows, seconds, busy = self.answer()
        os.killpg(self.child.pid, signal.SIGSTOP)
        return rows / seconds, rows / busy

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()


# --- the data ---------------------------------------------------------------------------------------------------------


def photographs(count: int) -> list[np.ndarray]:
    """Parts of scikit-learn's two photographs, BGR."""
    import cv2
    import sklearn

    folder = Path(sklearn.__file__).parent / "datasets/images"
    whole = [cv2.imread(str(folder / name)) for name in ("china.jpg", "flower.jpg")]
    rng = np.random.default_rng(0)
    parts = []
    for number in range(count):
        height, width = int(rng.integers(333, 400)), int(rng.integers(480, 520))
        image = whole[number % 2]
        top, left = int(rng.integers(image.shape[0] - height + 1)), int(rng.integers(image.shape[1] - width + 1))
        parts.append(image[top : top + height, left : left + width])
    return parts


def as_jpeg(image: np.ndarray) -> bytes:
    import cv2

    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


def make_data(folder: Path, images: int) -> None:
    """All files that the pipelines read."""
    photos = photographs(images)
    for number, photo in enumerate(photos):
        path = folder / "imagenet" / f"class_{number % 8}" / f"{number:05d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_jpeg(photo))
    rng = np.random.default_rng(0)
    (folder / "cifar").mkdir()
    for number in range(1, 6):
        records = rng.integers(0, 256, (10000, 3073), np.uint8)
        records[:, 0] %= 10
        records.tofile(folder / "cifar" / f"data_batch_{number}.bin")
    np.save(folder / "images.npy", rng.integers(0, 256, (256, 128, 128, 3), np.uint8))
    make_text(folder, rng)
    make_records(folder, photos, rng)


def make_text(folder: Path, rng: np.random.Generator) -> None:
    lines = [" ".join(rng.choice(WORDS, int(rng.integers(8, 40)))) for _ in range(6000)]
    (folder / "lines.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pieces = [
        "[PAD]",
        "[UNK]",
        "un",
        "##aff",
        "##able",
        *sorted({word.strip("();,.!").lower() for word in WORDS if "una" not in word} - {"it's"}),
        *"();,.!'",
        "it",
        "s",
        "##s",
        *WORDS,
    ]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(pieces)) + "\n", encoding="utf-8")


def make_records(folder: Path, photos: list[np.ndarray], rng: np.random.Generator) -> None:
    from mindspore_compat._format.records import masked_crc32c
    from mindspore_compat._format.tfrecord import EXAMPLE
    from mindspore_compat.mindrecord import FileWriter

    def write(name: str, schema: dict, rows: list[dict]) -> None:
        writer = FileWriter(str(folder / name), 1)
        writer.add_schema(schema, name)
        writer.write_raw_data(rows)
        writer.commit()

    rows = [
        {
            "input_ids": rng.integers(0, 30000, 128).astype(np.int32),
            "input_mask": (np.arange(128) < 90).astype(np.int32),
            "label": np.array([number % 2], np.int32),
        }
        for number in range(20000)
    ]
    write("bert.mindrecord", {name: {"type": "int32", "shape": [-1]} for name in rows[0]}, rows)
    with open(folder / "bert.tfrecord", "wb") as stream:
        for row in rows:
            example = EXAMPLE.Example()
            for name, values in row.items():
                entry = example.features.feature.add(key=name)
                entry.value.int64_list.value.extend(values.tolist())
            data = example.SerializeToString()
            head = struct.pack("<Q", len(data))
            stream.write(head + struct.pack("<I", masked_crc32c(head)) + data + struct.pack("<I", masked_crc32c(data)))
    boxed = []
    for photo in photos[: len(photos) // 2]:
        count = int(rng.integers(2, 12))
        masks = np.zeros((count, *photo.shape[:2]), np.uint8)
        boxes = np.zeros((count, 5), np.float32)
        for number in range(count):
            top, left = int(rng.integers(200)), int(rng.integers(300))
            masks[number, top : top + 100, left : left + 150] = 1
            boxes[number] = left, top, left + 150, top + 100, number
        bits = np.packbits(masks).tobytes() + b"1"  # bytes come as an S-string, which would lose zeros at its end
        boxed.append({"image": as_jpeg(photo), "boxes": boxes, "masks": bits, "shape": np.array(masks.shape, np.int32)})
    write(
        "coco.mindrecord",
        {
            "image": {"type": "bytes"},
            "boxes": {"type": "float32", "shape": [-1, 5]},
            "masks": {"type": "bytes"},
            "shape": {"type": "int32", "shape": [-1]},
        },
        boxed,
    )


# --- the race ---------------------------------------------------------------------------------------------------------


def race(name: str, workers: int, folder: str, rounds: int, oracle: str | None) -> None:
    pythons = {"ours": sys.executable} | ({"mindspore": oracle} if oracle else {})
    found = {who: Contestant(python, who, name, str(workers), folder) for who, python in pythons.items()}
    try:
        rates: dict[str, list[tuple[float, float]]] = {who: [] for who in found}
        for number in range(rounds + 1):
            for who in random.sample(list(found), len(found)):
                rate = found[who].turn()
                if number:
                    rates[who].append(rate)
    finally:
        for contestant in found.values():
            contestant.end()
    line = f"{name:<20} {workers:>7} {statistics.median(rate for rate, _ in rates['ours']):>11,.0f}"
    if oracle:
        ratios, busy = (
            sorted(a[part] / b[part] for a, b in zip(rates["ours"], rates["mindspore"], strict=True)) for part in (0, 1)
        )
        line += (
            f" {statistics.median(rate for rate, _ in rates['mindspore']):>11,.0f} {statistics.median(ratios):>8.2f}   "
        )
        line += f"({ratios[0]:.2f} to {ratios[-1]:.2f}) {statistics.median(busy):>10.2f}"
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--only", nargs="+", default=list(NAMES))
    parser.add_argument("--images", type=int, default=512, help="photographs in the JPEG folder")
    parser.add_argument("--oracle", default=oracle_python())
    parser.add_argument("--folder", help="where the files are, or are made; a temporary folder without")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.folder or temporary)
        if not (folder / "images.npy").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make_data(folder, args.images)
        print(
            f"{'rows a second':<20} {'workers':>7} {'ours':>11} {'MindSpore':>11} {'ours/MS':>8}   (least to most)  of "
            "CPU time"
        )
        for name in args.only:
            for workers in args.workers:
                race(name, workers, str(folder), args.rounds, args.oracle)


if __name__ == "__main__":
    main()
