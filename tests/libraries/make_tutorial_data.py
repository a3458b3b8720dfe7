"""Writes what the official tutorials download, small and drawn at random, in the layout that they expect:
``python make_tutorial_data.py FOLDER`` makes FOLDER/NAME for each archive NAME, unpacked (run_cells.py copies from there).
"""

from __future__ import annotations

import pickle
import sys
import wave
from pathlib import Path

import numpy as np
from PIL import Image

RANDOM = np.random.default_rng(1)


def write_idx(folder: Path, prefix: str, count: int) -> None:
    """``count`` digits of 28x28 with labels 0..9, as MNIST's and Fashion-MNIST's files hold them."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = np.arange(count, dtype=np.uint8) % 10
    pictures = RANDOM.integers(0, 60, (count, 28, 28)).astype(np.uint8)
    for number, label in enumerate(labels):  # a bright row for each class: something to learn
        pictures[number, 2 * label + 4 : 2 * label + 6, 4:24] = 255
    head = np.array([0x803, count, 28, 28], dtype=">i4").tobytes()
    (folder / f"{prefix}-images-idx3-ubyte").write_bytes(head + pictures.tobytes())
    (folder / f"{prefix}-labels-idx1-ubyte").write_bytes(
        np.array([0x801, count], dtype=">i4").tobytes() + labels.tobytes()
    )


def write_cifar(root: Path) -> None:
    """CIFAR-10's binary and Python files, 20 pictures 500 times in each batch, as MindSpore asks for
    10,000; names of the classes as in the original."""
    names = "airplane automobile bird cat deer dog frog horse ship truck".split()
    binary = root / "cifar-10-binary.tar.gz" / "cifar-10-batches-bin"
    python = root / "cifar-10-python.tar.gz" / "cifar-10-batches-py"
    for folder in (binary, python):
        folder.mkdir(parents=True)
    (binary / "batches.meta.txt").write_text("\n".join(names) + "\n", encoding="utf-8")
    for name in [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]:
        labels = np.arange(20, dtype=np.uint8) % 10
        pictures = RANDOM.integers(0, 256, (20, 3072)).astype(np.uint8)
        (binary / f"{name}.bin").write_bytes(np.concatenate([labels[:, None], pictures], 1).tobytes() * 500)
        batch = {b"labels": labels.tolist(), b"data": pictures, b"filenames": [b""] * 20, b"batch_label": name.encode()}
        (python / name).write_bytes(pickle.dumps(batch))
    (python / "batches.meta").write_bytes(pickle.dumps({b"label_names": [name.encode() for name in names]}))


def write_picture(file: Path, height: int = 224, width: int = 260) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(RANDOM.integers(0, 256, (height, width, 3)).astype(np.uint8)).save(file)


def write_folders(root: Path, classes: list[str], count: int, suffix: str = ".jpg", size: int = 224) -> None:
    for name in classes:
        for number in range(count):
            write_picture(root / name / f"{name}_{number:04d}{suffix}", size, size)


def write_reviews(root: Path) -> None:
    """A few short reviews as the film corpus holds them, and vectors of 100 numbers for their words."""
    words = "a the film was good bad great dull plot actor is it i and of to in".split()
    for split in ("train", "test"):
        for label in ("pos", "neg"):
            folder = root / "aclImdb" / split / label
            folder.mkdir(parents=True)
            for number in range(40):
                (folder / f"{number}_1.txt").write_text(" ".join(RANDOM.choice(words, 60)), encoding="utf-8")
    vectors = RANDOM.normal(0, 0.4, (len(words), 100))
    lines = [" ".join([word, *(f"{value:.5f}" for value in row)]) for word, row in zip(words, vectors)]
    (root / "glove.6B.100d.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_all(root: Path) -> None:
    for name, count in (("train", 640), ("test", 256)):
        prefix = "train" if name == "train" else "t10k"
        write_idx(root / "MNIST_Data.zip" / "MNIST_Data" / name, prefix, count)
        write_idx(root / "dataset.zip" / "dataset", prefix, count // 8)
    write_cifar(root)
    write_folders(root / "ImageNetSimilar.tar.gz" / "ImageNetSimilar", ["n01440011", "n01440012"], 5)
    for split in ("train", "val"):
        write_folders(root / "Canidae_data.zip" / "data" / "Canidae" / split, ["dogs", "wolves"], 18)
        write_folders(root / "vit_imagenet_dataset.zip" / "dataset" / split, ["n01440764", "n01443537"], 8)
    write_folders(root / "faces.zip", ["faces"], 128, size=64)
    write_picture(root / "image_cat.zip" / "image_cat" / "jpg" / "000000039769.jpg", 480, 640)
    write_picture(root / "banana.jpg", 356, 200)
    with wave.open(str(root / "84-121123-0000.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((8000 * np.sin(np.arange(32000) / 12)).astype("<i2").tobytes())
    write_reviews(root)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
