"""The child's side of pipeline.py: reads one epoch of a pipeline for each line of standard input, and says how many
rows came in how many seconds, and how much CPU time it took, that of worker processes that ended included.

    _pipeline_child.py ours|mindspore PIPELINE WORKERS FOLDER

The pipelines are written once, for both.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

OURS = sys.argv[1] == "ours"
NAME, WORKERS, FOLDER = sys.argv[2], int(sys.argv[3]), sys.argv[4]

ds: Any = importlib.import_module("mindspore_compat.dataset" if OURS else "mindspore.dataset")
transforms: Any = importlib.import_module(f"{ds.__name__}.transforms")
vision: Any = importlib.import_module(f"{ds.__name__}.vision")
text: Any = importlib.import_module(f"{ds.__name__}.text")
dtypes: Any = importlib.import_module("mindspore_compat" if OURS else "mindspore")

MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def tail() -> list:
    return [vision.Normalize(MEAN, STD), vision.HWC2CHW()]


def imagenet_train() -> Any:
    data = ds.ImageFolderDataset(f"{FOLDER}/imagenet", num_parallel_workers=WORKERS, shuffle=True)
    image = [
        vision.RandomCropDecodeResize(224, scale=(0.08, 1.0), ratio=(0.75, 1.333)),
        vision.RandomHorizontalFlip(0.5),
        *tail(),
    ]
    data = data.map(image, "image", num_parallel_workers=WORKERS).map(
        transforms.TypeCast(dtypes.int32), "label", num_parallel_workers=WORKERS
    )
    return data.batch(32, drop_remainder=True)


def imagenet_eval() -> Any:
    data = ds.ImageFolderDataset(f"{FOLDER}/imagenet", num_parallel_workers=WORKERS, shuffle=False)
    data = data.map(
        [vision.Decode(), vision.Resize(256), vision.CenterCrop(224), *tail()], "image", num_parallel_workers=WORKERS
    )
    return data.map(transforms.TypeCast(dtypes.int32), "label", num_parallel_workers=WORKERS).batch(32)


def cifar() -> Any:
    data = ds.Cifar10Dataset(f"{FOLDER}/cifar", "train", num_parallel_workers=WORKERS, shuffle=True)
    image = [
        vision.RandomCrop((32, 32), (4, 4, 4, 4)),
        vision.RandomHorizontalFlip(),
        vision.Rescale(1 / 255, 0.0),
        vision.Normalize([0.4914, 0.4822, 0.4465], [0.2023, 0.1994, 0.2010]),
        vision.HWC2CHW(),
    ]
    data = data.map(transforms.TypeCast(dtypes.int32), "label", num_parallel_workers=WORKERS)
    return data.map(image, "image", num_parallel_workers=WORKERS).batch(128, drop_remainder=True)


def with_boxes(image: np.ndarray, boxes: np.ndarray, masks: np.ndarray, shape: np.ndarray) -> tuple:
    """A script's own function: image to 384 x 384 with its ratio kept, boxes and masks with it, 16 of them, turned at
    random.
    """
    import cv2

    height, width = image.shape[:2]
    scale = 384 / max(height, width)
    small = cv2.resize(image, None, fx=scale, fy=scale)
    frame = np.zeros((384, 384, 3), np.uint8)
    frame[: small.shape[0], : small.shape[1]] = small
    frames = np.zeros((16, 96, 96), np.uint8)
    whole = np.unpackbits(np.frombuffer(masks.tobytes(), np.uint8)[:-1], count=int(np.prod(shape))).reshape(shape)
    for number, mask in enumerate(whole[:16]):
        reduced = cv2.resize(mask, None, fx=scale / 4, fy=scale / 4, interpolation=cv2.INTER_NEAREST)
        frames[number, : reduced.shape[0], : reduced.shape[1]] = reduced
    found = np.zeros((16, 5), np.float32)
    found[: len(boxes)] = boxes[:16]
    found[:, :4] *= scale
    if np.random.rand() < 0.5:
        frame, frames = frame[:, ::-1], frames[:, :, ::-1]
        found[:, [0, 2]] = 384 - found[:, [2, 0]]
    return np.ascontiguousarray(frame), found, np.ascontiguousarray(frames)


def coco(processes: bool = False) -> Any:
    names = ["image", "boxes", "masks", "shape"]
    data = ds.MindDataset(f"{FOLDER}/coco.mindrecord", names, num_parallel_workers=WORKERS, shuffle=True)
    data = data.map(vision.Decode(), "image", num_parallel_workers=WORKERS)
    data = data.map(with_boxes, names, names[:3], num_parallel_workers=WORKERS, python_multiprocessing=processes)
    return data.map(tail(), "image", num_parallel_workers=WORKERS).batch(8, drop_remainder=True)


def bert_text() -> Any:
    vocab = text.Vocab.from_file(f"{FOLDER}/vocab.txt")
    data = ds.TextFileDataset(f"{FOLDER}/lines.txt", shuffle=False, num_parallel_workers=WORKERS)
    data = data.map(
        [text.BertTokenizer(vocab, lower_case=True), text.Lookup(vocab, "[UNK]"), transforms.PadEnd([64], 0)],
        "text",
        num_parallel_workers=WORKERS,
    )
    return data.batch(64)


def plain_text() -> Any:
    vocab = text.Vocab.from_file(f"{FOLDER}/vocab.txt")
    data = ds.TextFileDataset(f"{FOLDER}/lines.txt", shuffle=False, num_parallel_workers=WORKERS)
    data = data.map([text.WhitespaceTokenizer(), text.Lookup(vocab, "[UNK]")], "text", num_parallel_workers=WORKERS)
    return data.padded_batch(64, pad_info={"text": ([64], 0)})


def mindrecord() -> Any:
    return ds.MindDataset(
        f"{FOLDER}/bert.mindrecord", ["input_ids", "input_mask", "label"], num_parallel_workers=WORKERS, shuffle=True
    ).batch(64)


def tfrecord() -> Any:
    schema = ds.Schema()
    for name in ("input_ids", "input_mask"):
        schema.add_column(name, dtypes.int32, [128])
    schema.add_column("label", dtypes.int32, [1])
    return ds.TFRecordDataset(f"{FOLDER}/bert.tfrecord", schema, shuffle=True, num_parallel_workers=WORKERS).batch(64)


class Source:
    def __init__(self) -> None:
        self.images = np.load(f"{FOLDER}/images.npy")

    def __len__(self) -> int:
        return 4 * len(self.images)

    def __getitem__(self, index: int) -> tuple:
        return self.images[index % len(self.images)], np.int32(index % 10)


def augment(image: np.ndarray) -> np.ndarray:
    """A script's own augmentation, in NumPy."""
    if np.random.rand() < 0.5:
        image = image[:, ::-1]
    top, left = np.random.randint(0, 16, 2)
    image = image[top : top + 112, left : left + 112].astype(np.float32)
    image = (image - np.array(MEAN, np.float32)) / np.array(STD, np.float32)
    return image.transpose(2, 0, 1).copy()


def generator(processes: bool = False) -> Any:
    data = ds.GeneratorDataset(
        Source(), ["image", "label"], num_parallel_workers=WORKERS, python_multiprocessing=processes, shuffle=True
    )
    return data.map(augment, "image", num_parallel_workers=WORKERS, python_multiprocessing=processes).batch(32)


PIPELINES: dict[str, Callable[[], Any]] = {
    "imagenet_train": imagenet_train,
    "imagenet_eval": imagenet_eval,
    "cifar": cifar,
    "coco": coco,
    "coco_processes": lambda: coco(True),
    "bert_text": bert_text,
    "plain_text": plain_text,
    "mindrecord": mindrecord,
    "tfrecord": tfrecord,
    "generator": generator,
    "generator_processes": lambda: generator(True),
}


def main() -> None:
    ds.config.set_num_parallel_workers(WORKERS)
    data = PIPELINES[NAME]()
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        for _ in range(int(line)):
            rows, start, before = 0, time.perf_counter(), sum(os.times()[:4])
            for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
                rows += len(row[0])
            print(json.dumps([rows, time.perf_counter() - start, sum(os.times()[:4]) - before]), flush=True)


if __name__ == "__main__":
    main()
