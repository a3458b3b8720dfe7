"""Tiny data in the formats that projects read. Each maker fills a folder; the same call always makes the same bytes.

Pictures are not noise: each class has its own colour and stripes, so that a network can learn them.
"""

from __future__ import annotations

import gzip
import json
import pickle
import struct
import wave as wavelib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

__all__ = [
    "cifar10",
    "cifar10_python",
    "cifar100",
    "coco",
    "div2k",
    "image_folder",
    "mnist",
    "picture",
    "pictures",
    "segmentation_pairs",
    "tiff_volumes",
    "two_domains",
    "voc",
    "voc_list",
    "words",
]


def picture(size: tuple[int, int], label: int, seed: int, channels: int = 3) -> np.ndarray:
    """A picture (height, width, channels) of uint8 for a class: stripes of a width and colour of its own,
    with noise.
    """
    height, width = size
    random = np.random.RandomState(1000 * label + seed)
    y, x = np.mgrid[:height, :width]
    stripes = np.sin((x * (label % 3 + 1) + y * (label % 4)) * 0.3 + random.rand() * 6)
    colour = np.random.RandomState(label).randint(60, 200, channels)
    image = colour + 40 * stripes[..., None] + random.normal(0, 8, (height, width, channels))
    return image.clip(0, 255).astype(np.uint8)


def save(path: Path, image: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(path), image):
        raise OSError(f"{path} was not written")


def pictures(
    folder: Path,
    count: int = 4,
    size: tuple[int, int] = (64, 64),
    suffix: str = "jpg",
    name: str = "{:04d}",
    channels: int = 3,
    label: int | None = None,
) -> list[Path]:
    paths = [folder / f"{name.format(i)}.{suffix}" for i in range(count)]
    for i, path in enumerate(paths):
        save(path, picture(size, i if label is None else label, i, channels))
    return paths


def image_folder(
    folder: Path,
    classes: int | Sequence[str] = 2,
    each: int = 4,
    size: tuple[int, int] = (64, 64),
    splits: Sequence[str] = ("train", "val"),
    suffix: str = "JPEG",
) -> None:
    """splits/class/picture, as ImageNet is laid out."""
    names = [f"n{i:08d}" for i in range(classes)] if isinstance(classes, int) else classes
    for split in splits or ("",):
        for label, name in enumerate(names):
            pictures(folder / split / name, each, size, suffix, f"{name}_{{}}", label=label)


def cifar10(
    folder: Path,
    train: int = 40,
    test: int = 20,
    train_folder: str = "cifar-10-batches-bin",
    test_folder: str | None = None,
) -> None:
    """The binary version: five training files and one of tests, in one folder or in two."""

    def write(path: Path, count: int, seed: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            b"".join(
                bytes([i % 10]) + picture((32, 32), i % 10, seed + i).transpose(2, 0, 1).tobytes() for i in range(count)
            )
        )

    for number in range(1, 6):
        write(folder / train_folder / f"data_batch_{number}.bin", train // 5, 100 * number)
    write(folder / (test_folder or train_folder) / "test_batch.bin", test, 0)
    for place in {train_folder, test_folder or train_folder}:
        (folder / place / "batches.meta.txt").write_text(
            "\n".join("airplane automobile bird cat deer dog frog horse ship truck".split()) + "\n"
        )


def cifar10_python(folder: Path, train: int = 40, test: int = 20) -> None:
    """The Python version: pickles in cifar-10-batches-py."""
    home = folder / "cifar-10-batches-py"
    home.mkdir(parents=True, exist_ok=True)
    for name, count in (*((f"data_batch_{n}", train // 5) for n in range(1, 6)), ("test_batch", test)):
        data = np.stack([picture((32, 32), i % 10, i).transpose(2, 0, 1).reshape(-1) for i in range(count)])
        (home / name).write_bytes(pickle.dumps({b"data": data, b"labels": [i % 10 for i in range(count)]}))


def cifar100(folder: Path, train: int = 40, test: int = 20) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, count in (("train", train), ("test", test)):
        (folder / f"{name}.bin").write_bytes(
            b"".join(
                bytes([i % 20, i % 100]) + picture((32, 32), i % 100, i).transpose(2, 0, 1).tobytes()
                for i in range(count)
            )
        )


def mnist(
    folder: Path,
    train: int = 64,
    test: int = 32,
    train_folder: str = "train",
    test_folder: str = "test",
    packed: bool = False,
    dot: str = "-",
) -> None:
    """The four idx files, in two folders (or one, if these are the same), plain or gzipped; ``dot`` stands before "idx"
    in their names.
    """
    for place, prefix, count in ((train_folder, "train", train), (test_folder, "t10k", test)):
        images = np.stack([picture((28, 28), i % 10, i, 1)[..., 0] for i in range(count)])
        labels = np.array([i % 10 for i in range(count)], np.uint8)
        home = folder / place
        home.mkdir(parents=True, exist_ok=True)
        for name, content in (
            (f"{prefix}-images{dot}idx3-ubyte", struct.pack(">4i", 2051, *images.shape) + images.tobytes()),
            (f"{prefix}-labels{dot}idx1-ubyte", struct.pack(">2i", 2049, count) + labels.tobytes()),
        ):
            if packed:
                (home / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))
            else:
                (home / name).write_bytes(content)


def two_domains(folder: Path, count: int = 2, size: tuple[int, int] = (64, 64)) -> None:
    """Unpaired pictures of two kinds: trainA, trainB, testA, testB."""
    for place, label in (("trainA", 1), ("trainB", 5), ("testA", 1), ("testB", 5)):
        pictures(folder / place, count, size, label=label)


COCO_NAMES = [
    "person",
    "bicycle",
    "car",
    "motorcycle",
    "airplane",
    "bus",
    "train",
    "truck",
    "boat",
    "traffic light",
    "fire hydrant",
    "stop sign",
    "parking meter",
    "bench",
    "bird",
    "cat",
    "dog",
    "horse",
    "sheep",
    "cow",
    "elephant",
    "bear",
    "zebra",
    "giraffe",
    "backpack",
    "umbrella",
    "handbag",
    "tie",
    "suitcase",
    "frisbee",
    "skis",
    "snowboard",
    "sports ball",
    "kite",
    "baseball bat",
    "baseball glove",
    "skateboard",
    "surfboard",
    "tennis racket",
    "bottle",
    "wine glass",
    "cup",
    "fork",
    "knife",
    "spoon",
    "bowl",
    "banana",
    "apple",
    "sandwich",
    "orange",
    "broccoli",
    "carrot",
    "hot dog",
    "pizza",
    "donut",
    "cake",
    "chair",
    "couch",
    "potted plant",
    "bed",
    "dining table",
    "toilet",
    "tv",
    "laptop",
    "mouse",
    "remote",
    "keyboard",
    "cell phone",
    "microwave",
    "oven",
    "toaster",
    "sink",
    "refrigerator",
    "book",
    "clock",
    "vase",
    "scissors",
    "teddy bear",
    "hair drier",
    "toothbrush",
]
_COCO_SKIPPED = {12, 26, 29, 30, 45, 66, 68, 69, 71, 83}
COCO_IDS = [number for number in range(1, 91) if number not in _COCO_SKIPPED]


def scene(
    size: tuple[int, int], seed: int, objects: int = 2
) -> tuple[np.ndarray, list[tuple[int, int, int, int, int]]]:
    """A picture with rectangles, and (class, x, y, width, height) of each."""
    random = np.random.RandomState(seed)
    height, width = size
    image = picture(size, 50, seed)
    boxes = []
    for _ in range(objects):
        w, h = random.randint(width // 5, width // 2), random.randint(height // 5, height // 2)
        x, y, label = random.randint(0, width - w), random.randint(0, height - h), random.randint(0, 3)
        image[y : y + h, x : x + w] = (40 + 80 * label, 220 - 80 * label, 128)
        boxes.append((int(label), int(x), int(y), int(w), int(h)))
    return image, boxes


def coco(
    folder: Path,
    train: int = 4,
    val: int = 2,
    size: tuple[int, int] = (128, 160),
    train_folder: str = "train2017",
    val_folder: str = "val2017",
    train_json: str = "annotations/instances_train2017.json",
    val_json: str = "annotations/instances_val2017.json",
) -> None:
    """Pictures with boxes, polygons as masks, and 17 key points for persons."""
    for place, name, count, start in ((train_folder, train_json, train, 1), (val_folder, val_json, val, 1001)):
        images: list[dict[str, Any]] = []
        annotations: list[dict[str, Any]] = []
        for number in range(start, start + count):
            image, boxes = scene(size, number)
            save(folder / place / f"{number:012d}.jpg", image)
            images.append({"id": number, "file_name": f"{number:012d}.jpg", "height": size[0], "width": size[1]})
            for label, x, y, w, h in boxes:
                annotations.append(
                    {
                        "id": len(annotations) + 1,
                        "image_id": number,
                        "category_id": COCO_IDS[label],
                        "iscrowd": 0,
                        "area": float(w * h),
                        "bbox": [x, y, w, h],
                        "segmentation": [[x, y, x + w, y, x + w, y + h, x, y + h]],
                        "num_keypoints": 17,
                        "keypoints": [
                            value
                            for k in range(17)
                            for value in (x + w * (k % 5 + 1) // 6, y + h * (k // 5 + 1) // 6, 2)
                        ],
                    }
                )
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        categories = [
            {"id": number, "name": label, "supercategory": "thing"} for number, label in zip(COCO_IDS, COCO_NAMES)
        ]
        (folder / name).write_text(
            json.dumps(
                {"info": {}, "licenses": [], "images": images, "annotations": annotations, "categories": categories}
            )
        )


VOC_NAMES = (
    "aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse motorbike person "
    "pottedplant sheep sofa train tvmonitor"
).split()


def voc(folder: Path, train: int = 4, val: int = 2, size: tuple[int, int] = (96, 128)) -> None:
    """VOC's folders: Annotations, JPEGImages, SegmentationClass (palette of class numbers), ImageSets/Main and
    /Segmentation.
    """
    lists: dict[str, list[str]] = {"train": [], "val": []}
    for number in range(train + val):
        name = f"2012_{number:06d}"
        lists["train" if number < train else "val"].append(name)
        image, boxes = scene(size, number)
        save(folder / "JPEGImages" / f"{name}.jpg", image)
        mask = np.zeros(size, np.uint8)
        objects = []
        for label, x, y, w, h in boxes:
            mask[y : y + h, x : x + w] = label + 1
            objects.append(
                f"<object><name>{VOC_NAMES[label]}</name><pose>Unspecified</pose><truncated>0</truncated><difficult>0</difficult><bndbox><xmin>{x + 1}</xmin><ymin>{y + 1}</ymin><xmax>{x + w}</xmax><ymax>{y + h}</ymax></bndbox></object>"
            )
        save(folder / "SegmentationClass" / f"{name}.png", mask)
        (folder / "Annotations").mkdir(exist_ok=True)
        (folder / "Annotations" / f"{name}.xml").write_text(
            f"<annotation><folder>VOC2012</folder><filename>{name}.jpg</filename><size><width>{size[1]}</width><height>{size[0]}</height><depth>3</depth></size><segmented>1</segmented>{''.join(objects)}</annotation>"
        )
    lists["trainval"] = lists["train"] + lists["val"]
    lists["test"] = lists["val"]
    for kind in ("Main", "Segmentation"):
        (folder / "ImageSets" / kind).mkdir(parents=True, exist_ok=True)
        for split, names in lists.items():
            (folder / "ImageSets" / kind / f"{split}.txt").write_text("\n".join(names) + "\n")


def segmentation_pairs(
    folder: Path,
    count: int = 4,
    size: tuple[int, int] = (64, 64),
    images: str = "images",
    masks: str = "masks",
    suffix: str = "png",
    mask_suffix: str | None = None,
    classes: int = 2,
    scale: int = 1,
    channels: int = 3,
) -> list[tuple[Path, Path]]:
    """Pictures with rectangles and masks of class numbers times `scale`."""
    made = []
    for number in range(count):
        image, boxes = scene(size, number)
        mask = np.zeros(size, np.uint8)
        for label, x, y, w, h in boxes:
            mask[y : y + h, x : x + w] = (label % (classes - 1) + 1) * scale
        paths = folder / images / f"{number}.{suffix}", folder / masks / f"{number}.{mask_suffix or suffix}"
        save(paths[0], image if channels == 3 else image[..., 0])
        save(paths[1], mask)
        made.append(paths)
    return made


def tiff_volumes(folder: Path, count: int = 5, size: tuple[int, int] = (572, 572)) -> None:
    """train-volume.tif and train-labels.tif with `count` pages, as the ISBI challenge has them."""
    scenes = [scene(size, number) for number in range(count)]
    masks = []
    for image, boxes in scenes:
        mask = np.full(size, 255, np.uint8)
        for _, x, y, w, h in boxes:
            mask[y : y + h, x : x + w] = 0
        masks.append(mask)
    for name, pages in (("train-volume.tif", [image[..., 0] for image, _ in scenes]), ("train-labels.tif", masks)):
        if not cv2.imwritemulti(str(folder / name), pages):
            raise OSError(f"{name} was not written")


def div2k(
    folder: Path, scale: int = 2, size: tuple[int, int] = (96, 96), train: int = 4, valid: int = 2, first: int = 1
) -> None:
    """DIV2K_train_HR, DIV2K_train_LR_bicubic/X2/0001x2.png and so on; ``first`` numbers the first picture."""
    number = first
    for part, count in (("train", train), ("valid", valid)):
        for _ in range(count):
            image = picture(size, number % 7, number)
            save(folder / f"DIV2K_{part}_HR" / f"{number:04d}.png", image)
            small = cv2.resize(image, (size[1] // scale, size[0] // scale), interpolation=cv2.INTER_CUBIC)
            save(folder / f"DIV2K_{part}_LR_bicubic" / f"X{scale}" / f"{number:04d}x{scale}.png", small)
            number += 1


def words(folder: Path, count: int = 16) -> None:
    """Pictures of words: synth/ with annotation_train.txt and lexicon.txt, svt/ with the word in each file's name."""
    lexicon = ["cat", "dog42", "house", "mindspore"]
    lines = []
    for number in range(count):
        word = lexicon[number % len(lexicon)]
        image = np.full((32, 100, 3), 230, np.uint8)
        cv2.putText(image, word, (2, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (20, 20, 20), 1)
        save(folder / "synth" / f"{number}.jpg", image)
        save(folder / "svt" / f"{number}_{word}.jpg", image)
        lines.append(f"{number}.jpg {number % len(lexicon)}")
    (folder / "synth/lexicon.txt").write_text("\n".join(lexicon) + "\n")
    for part in ("train", "test"):
        (folder / f"synth/annotation_{part}.txt").write_text("\n".join(lines) + "\n")


def voc_list(folder: Path, **options: Any) -> None:
    """VOC, and lists of picture and mask a line: train.txt, val.txt."""
    voc(folder, **options)
    for split in ("train", "val"):
        names = (folder / f"ImageSets/Segmentation/{split}.txt").read_text().split()
        (folder / f"{split}.txt").write_text(
            "".join(f"JPEGImages/{name}.jpg SegmentationClass/{name}.png\n" for name in names)
        )


def crowds(folder: Path, count: int = 3, size: tuple[int, int] = (256, 256)) -> None:
    """Grey pictures, and densities of the same size as CSV: train, train_den, val, val_den."""
    y, x = np.mgrid[: size[0], : size[1]]
    for part in ("train", "val"):
        (folder / f"{part}_den").mkdir(parents=True, exist_ok=True)
        for number in range(count):
            places = np.random.RandomState(number).randint(20, min(size) - 20, (5, 2))
            density = sum(np.exp(-((y - top) ** 2 + (x - left) ** 2) / 32) / (32 * np.pi) for top, left in places)
            save(folder / part / f"{number}.jpg", (255 - 4000 * np.clip(density, 0, 0.06)).astype(np.uint8))
            np.savetxt(folder / f"{part}_den" / f"{number}.csv", density, "%.5f", ",")


def spoken_words(
    folder: Path,
    words: Sequence[str] = ("yes", "no", "up", "down"),
    speakers: int = 30,
    seconds: float = 1.0,
    rate: int = 16000,
) -> None:
    """word/speaker_nohash_0.wav: a tone of a height of its own for each word; and some noise to mix in."""
    time = np.arange(int(seconds * rate)) / rate
    for number, word in enumerate(words):
        for speaker in range(speakers):
            tone = np.sin(2 * np.pi * (300 + 200 * number + 5 * speaker) * time) * np.exp(-3 * time)
            wave(folder / word / f"{speaker:08x}_nohash_0.wav", tone, rate)
    wave(folder / "_background_noise_" / "noise.wav", np.random.RandomState(0).uniform(-0.3, 0.3, 4 * len(time)), rate)


def wave(path: Path, sound: np.ndarray, rate: int = 16000) -> None:
    """One channel of 16 bits; the sound is in [-1, 1]."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wavelib.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())


def schrodinger(folder: Path, places: int = 64, times: int = 51) -> None:
    """NLS.mat: x, tt and the complex solution uu (a soliton)."""
    from scipy.io import savemat

    x, t = np.linspace(-5, 5, places), np.linspace(0, np.pi / 2, times)
    savemat(folder / "NLS.mat", {"x": x[None], "tt": t[None], "uu": 2 / np.cosh(x)[:, None] * np.exp(0.5j * t)[None]})


def omniglot(folder: Path, characters: int = 6, each: int = 20) -> None:
    """data/Alphabet/character01/*.png, and splits/vinyals/train.txt with the classes, each in four rotations."""
    for number in range(1, characters + 1):
        pictures(
            folder / f"data/Alphabet/character{number:02d}",
            each,
            (105, 105),
            "png",
            f"{number:04d}_{{:02d}}",
            1,
            label=number,
        )
    classes = [
        f"Alphabet/character{number:02d}/rot{turn:03d}"
        for number in range(1, characters + 1)
        for turn in (0, 90, 180, 270)
    ]
    (folder / "splits/vinyals").mkdir(parents=True)
    for split in ("train", "val", "trainval", "test"):
        (folder / f"splits/vinyals/{split}.txt").write_text("\n".join(classes) + "\n")


def point_clouds(
    folder: Path, count: int = 12, points: int = 600, name: str = "Chair", number: str = "03001627", parts: int = 4
) -> None:
    """ShapeNet's parts: NUMBER/points/ID.pts, NUMBER/points_label/ID.seg and the lists of the splits."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "synsetoffset2category.txt").write_text(f"{name}\t{number}\n")
    names = [f"{i:08x}" for i in range(count)]
    for i, shape in enumerate(names):
        random = np.random.RandomState(i)
        part = random.randint(0, parts, points)
        cloud = random.normal(0, 0.1, (points, 3)) + np.eye(4, 3)[part % 4]
        for place, suffix, values, form in (("points", "pts", cloud, "%.5f"), ("points_label", "seg", part + 1, "%d")):
            path = folder / number / place / f"{shape}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savetxt(path, values, form)
    (folder / "train_test_split").mkdir()
    for split in ("train", "val", "test"):
        (folder / f"train_test_split/shuffled_{split}_file_list.json").write_text(
            json.dumps([f"shape_data/{number}/{shape}" for shape in names])
        )
