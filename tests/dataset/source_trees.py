"""Small folders in the layout of every data set that MindSpore knows. Runs under ours and under a real MindSpore's
Python.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["make_trees"]


def _image(number: int, height: int = 4, width: int = 5) -> bytes:
    """A BMP: written without a library, decoded exactly by each."""
    pixels = np.random.default_rng(number).integers(0, 256, (height, width, 3), dtype=np.uint8)
    padding = b"\0" * (-3 * width % 4)
    body = b"".join(row.tobytes() + padding for row in pixels)
    return (
        b"BM"
        + struct.pack("<IHHI", 54 + len(body), 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(body), 0, 0, 0, 0)
        + body
    )


def _gray_bmp(pixels: np.ndarray) -> bytes:
    palette = b"".join(bytes([i, i, i, 0]) for i in range(256))
    body = pixels[::-1].tobytes()
    start = 54 + len(palette)
    return (
        b"BM"
        + struct.pack("<IHHI", start + len(body), 0, 0, start)
        + struct.pack("<IiiHHIIiiII", 40, pixels.shape[1], pixels.shape[0], 1, 8, 0, len(body), 0, 0, 256, 0)
        + palette
        + body
    )


def _wave(number: int, rate: int, count: int = 30, channels: int = 1, bits: int = 16) -> bytes:
    rng = np.random.default_rng(number)
    data = (
        rng.integers(-32768, 32768, count * channels).astype("<i2").tobytes()
        if bits == 16
        else rng.integers(0, 256, count * channels, dtype=np.uint8).tobytes()
    )
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )


def _idx(values: np.ndarray, magic: int) -> bytes:
    return struct.pack(f">{1 + values.ndim}I", magic, *values.shape) + values.tobytes()


class _Tree:
    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, path: str, content: bytes | str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content.encode() if isinstance(content, str) else content)

    def images(self, *paths: str) -> None:
        """Write an image to each of the paths, several to an argument."""
        for path in " ".join(paths).split():
            self.put(path, _image(sum(map(ord, path))))

    def mat(self, path: str, **values: Any) -> None:
        from scipy.io import savemat

        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        savemat(self.root / path, values)


def _numbers(seed: int, *shape: int, high: int = 256) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, high, shape, dtype=np.uint8)


def _digits(tree: _Tree) -> None:
    def pair(
        folder: str,
        prefix: str,
        seed: int,
        count: int,
        images: str = "images-idx3-ubyte",
        labels: str = "labels-idx1-ubyte",
    ) -> None:
        tree.put(f"{folder}/{prefix}-{images}", _idx(_numbers(seed, count, 28, 28), 2051))
        tree.put(f"{folder}/{prefix}-{labels}", _idx(_numbers(seed + 1, count, high=10), 2049))

    pair("mnist", "train", 1, 3)
    pair("mnist", "t10k", 2, 2)
    pair("mnist_train", "train", 1, 3)
    tree.put("mnist_images/train-images-idx3-ubyte", _idx(_numbers(1, 3, 28, 28), 2051))
    tree.put("mnist_size/train-images-idx3-ubyte", _idx(_numbers(1, 3, 20, 28), 2051))
    tree.put("mnist_size/train-labels-idx1-ubyte", _idx(_numbers(2, 3), 2049))
    tree.put("mnist_count/train-images-idx3-ubyte", _idx(_numbers(1, 3, 28, 28), 2051))
    tree.put("mnist_count/train-labels-idx1-ubyte", _idx(_numbers(2, 2), 2049))
    tree.put("mnist_cut/train-images-idx3-ubyte", _idx(_numbers(1, 3, 28, 28), 2051)[:-5])
    tree.put("mnist_cut/train-labels-idx1-ubyte", _idx(_numbers(2, 3), 2049))
    pair("mnist_dots", "train", 1, 3, "images.idx3-ubyte", "labels.idx1-ubyte")
    tree.put("empty/readme.md", "nothing")
    for name in ("mnist", "letters"):
        pair("emnist", f"emnist-{name}-train", 3, 2)
        pair("emnist", f"emnist-{name}-test", 4, 3)
    for prefix, seed in (("qmnist-train", 5), ("qmnist-test", 6), ("xnist", 7)):
        tree.put(f"qmnist/{prefix}-images-idx3-ubyte", _idx(_numbers(seed, 2, 28, 28), 2051))
        tree.put(
            f"qmnist/{prefix}-labels-idx2-int",
            struct.pack(">III", 3074, 2, 8) + np.random.default_rng(seed).integers(0, 99, 16).astype(">u4").tobytes(),
        )
    tree.put("qmnist_train/qmnist-train-images-idx3-ubyte", _idx(_numbers(5, 2, 28, 28), 2051))
    tree.put(
        "qmnist_train/qmnist-train-labels-idx2-int",
        struct.pack(">III", 3074, 2, 8) + np.arange(16).astype(">u4").tobytes(),
    )
    for i in range(1, 6):
        tree.put(f"cifar10/data_batch_{i}.bin", _numbers(i, 2, 3073).tobytes())
    tree.put("cifar10/test_batch.bin", _numbers(9, 2, 3073).tobytes())
    tree.put("cifar10_part/data_batch_2.bin", _numbers(9, 2, 3073).tobytes())
    tree.put("cifar10_test/test_batch.bin", _numbers(9, 2, 3073).tobytes())
    tree.put("cifar100/train.bin", _numbers(1, 3, 3074).tobytes())
    tree.put("cifar100/test.bin", _numbers(2, 2, 3074).tobytes())
    tree.put("cifar100_test/test.bin", _numbers(2, 2, 3074).tobytes())
    tree.put("cifar_cut/data_batch_1.bin", _numbers(1, 3000).tobytes())
    for name, count in (("train", 2), ("test", 1)):
        tree.put(f"stl10/{name}_X.bin", _numbers(count, count, 27648).tobytes())
        tree.put(f"stl10/{name}_y.bin", bytes(range(1, 1 + count)))
    tree.put("stl10/unlabeled_X.bin", _numbers(8, 1, 27648).tobytes())
    tree.put("stl10_train/train_X.bin", _numbers(2, 2, 27648).tobytes())
    tree.put("stl10_train/train_y.bin", bytes([1, 2]))
    lines = []
    for row in range(3):
        bits = _numbers(row, 256, high=2)
        lines.append(
            " ".join(f"{bit:.4f}" for bit in bits)
            + " "
            + " ".join("1" if i == row + 4 else "0" for i in range(10))
            + " "
        )
    tree.put("semeion/semeion.data", "\n".join(lines) + "\n")
    for name, count in (("usps", 3), ("usps.t", 2)):
        values = np.random.default_rng(count).uniform(-1, 1, (count, 256))
        tree.put(
            f"usps/{name}",
            "".join(
                f"{i + 1} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(row)) + " \n"
                for i, row in enumerate(values)
            ),
        )
    for name, count in (("train", 3), ("test", 2), ("extra", 2)):
        tree.mat(
            f"svhn/{name}_32x32.mat",
            X=_numbers(count, 32, 32, 3, count),
            y=np.array([[10], [3], [9]][:count], np.uint8),
        )
    tree.mat("svhn_train/train_32x32.mat", X=_numbers(3, 32, 32, 3, 2), y=np.array([[10], [3]], np.uint8))


def _classes(tree: _Tree) -> None:
    tree.images("folder/b/2.png", "folder/b/1.jpg", "folder/a/x.bmp", "folder/c/k.jpeg")
    tree.put("folder/a/notes.txt", "no image")
    tree.put("folder/loose.jpg", _image(5))
    (tree.root / "folder/empty").mkdir()
    tree.images(
        "caltech256/001.ak47/001_0001.jpg", "caltech256/002.flag/002_0001.jpg", "caltech256/002.flag/002_0002.JPEG"
    )
    tree.put("caltech256/001.ak47/note.txt", "text")
    for name, folder in (("Faces", "Faces_2"), ("ant", "ant")):
        for i in (1, 2):
            tree.images(f"caltech101/101_ObjectCategories/{name}/image_000{i}.jpg")
            tree.mat(
                f"caltech101/Annotations/{folder}/annotation_000{i}.mat",
                obj_contour=np.arange(6.0).reshape(2, 3) + i,
                box_coord=np.array([[1, 2, 3, 4]]),
            )
    tree.images("caltech101/101_ObjectCategories/BACKGROUND_Google/image_0001.jpg")
    for usage in ("train", "test", "valid"):
        for sentiment in ("negative", "positive"):
            tree.images(f"sst2_images/{usage}/{sentiment}/0002.png", f"sst2_images/{usage}/{sentiment}/0001.png")
    tree.put("sst2_images/train/negative/skip.txt", "text")
    tree.images("sst2_images_train/train/negative/0001.png", "sst2_images_train/train/positive/0001.png")
    tree.images(
        "lsun/bedroom_train/1_1.jpg lsun/bedroom_train/1_2.jpg lsun/bedroom_val/1_1.jpg lsun/classroom_train/2_1.jpg "
        "lsun/test/9.jpg lsun/tower_val/3.jpg lsun/other_train/3.jpg"
    )
    for part in ("background", "evaluation"):
        tree.images(
            f"omniglot/images_{part}/Latin/character02/0709_01.png "
            f"omniglot/images_{part}/Latin/character01/0709_02.png "
            f"omniglot/images_{part}/Greek/character01/0700_01.png"
        )
    tree.images("omniglot_part/images_background/Latin/character01/0700_01.png")
    tree.images(
        "food101/images/pie/2.jpg", "food101/images/pie/1.jpg", "food101/images/cake/3.jpg", "food101/images/cake/4.jpg"
    )
    tree.put("food101/meta/train.txt", "pie/2\ncake/3\n")
    tree.put("food101/meta/test.txt", "cake/4\npie/1\n")
    tree.put("sun397/ClassName.txt", "/b/balcony/exterior\n/a/abbey\n")
    tree.images(
        "sun397/a/abbey/sun_b.jpg sun397/a/abbey/sun_a.jpg sun397/b/balcony/exterior/sun_c.jpg sun397/a/abbey/other.jpg"
    )
    tree.images(
        "wider/WIDER_train/images/0--Parade/a.jpg wider/WIDER_train/images/1--Hands/b.jpg "
        "wider/WIDER_val/images/0--Parade/c.jpg wider/WIDER_val/images/1--Hands/e.jpg "
        "wider/WIDER_test/images/0--Parade/d.jpg"
    )
    tree.put(
        "wider/wider_face_split/wider_face_train_bbx_gt.txt",
        "0--Parade/a.jpg\n1\n449 330 122 149 0 1 0 0 0 0 \n1--Hands/b.jpg\n2\n1 2 3 4 2 0 1 0 2 1 \n5 6 7 8 1 1 1 1 1 "
        "1 \n",
    )
    tree.put(
        "wider/wider_face_split/wider_face_val_bbx_gt.txt",
        "0--Parade/c.jpg\n0\n0 0 0 0 0 0 0 0 0 0 \n1--Hands/e.jpg\n1\n9 8 7 6 1 0 1 0 1 0 \n",
    )
    tree.put("wider/wider_face_split/wider_face_test_filelist.txt", "0--Parade/d.jpg\n")


def _lists(tree: _Tree) -> None:
    tree.put(
        "celeba/list_attr_celeba.txt",
        "3\nBald Young Male\n000001.jpg  1 -1  1\n000002.jpg -1 -1  1\n000003.png  1  1 -1\n",
    )
    tree.put("celeba/list_eval_partition.txt", "000001.jpg 0\n000002.jpg 1\n000003.png 2\n")
    tree.images("celeba/000001.jpg", "celeba/000002.jpg", "celeba/000003.png")
    tree.put("celeba_plain/list_attr_celeba.txt", "1\nBald Young Male\n000001.jpg  1 -1  1\n")
    tree.images("celeba_plain/000001.jpg")
    for usage in ("train", "val", "test"):
        for city in ("bonn", "aachen"):
            tree.images(f"cityscapes/leftImg8bit/{usage}/{city}/{city}_000001_leftImg8bit.png")
            for kind in ("instanceIds", "labelIds", "color"):
                tree.images(f"cityscapes/gtFine/{usage}/{city}/{city}_000001_gtFine_{kind}.png")
            tree.put(
                f"cityscapes/gtFine/{usage}/{city}/{city}_000001_gtFine_polygons.json",
                json.dumps({"b": [1, 2.5], "a": {"é": None}}, ensure_ascii=False),
            )
    tree.images(
        "cityscapes_part/leftImg8bit/train/bonn/bonn_000001_leftImg8bit.png "
        "cityscapes_part/gtFine/train/bonn/bonn_000001_gtFine_labelIds.png"
    )
    for usage in ("train", "valid"):
        tree.images(
            f"div2k/DIV2K_{usage}_HR/0002.png div2k/DIV2K_{usage}_HR/0001.png "
            f"div2k/DIV2K_{usage}_LR_bicubic/X2/0001x2.png div2k/DIV2K_{usage}_LR_bicubic/X2/0002x2.png "
            f"div2k/DIV2K_{usage}_LR_mild/0001x4m.png div2k/DIV2K_{usage}_LR_mild/0002x4m.png "
            f"div2k/DIV2K_{usage}_LR_x8/0001x8.png div2k/DIV2K_{usage}_LR_x8/0002x8.png"
        )
    tree.images("flickr/b.jpg", "flickr/a.jpg")
    tree.put("flickr.token", "b.jpg#0\tA dog .\nb.jpg#1\tTwo dogs here\na.jpg#0\tA cat.\na.jpg#1\tcats\n")
    for i in range(1, 7):
        tree.images(f"flowers/jpg/image_{i:05d}.jpg", f"flowers/segmim/segmim_{i:05d}.jpg")
    tree.mat("flowers/imagelabels.mat", labels=np.array([[77, 1, 102, 5, 5, 6]]))
    tree.mat("flowers/setid.mat", trnid=np.array([[2, 1]]), valid=np.array([[3]]), tstid=np.array([[6, 4, 5]]))
    tree.images(
        *(f"kitti/data_object_image_2/training/image_2/{i:06d}.png" for i in range(3)),
        *(f"kitti/data_object_image_2/testing/image_2/{i:06d}.png" for i in range(2)),
    )
    for i, lines in enumerate(
        (
            "Truck 0.00 0 -1.57 599.41 156.40 629.75 189.25 2.85 2.63 12.34 0.47 1.49 69.44 -1.56\nCar 0.5 1 1 1 2 3 4 "
            "5 6 7 8 9 10 11\n",
            "DontCare -1 -1 -10 503.89 169.71 590.61 190.13 -1 -1 -1 -1000 -1000 -1000 -10\n",
            "Car 0.25 3 1 1 2 3 4 5 6 7 8 9 10 11\n",
        )
    ):
        tree.put(f"kitti/data_object_label_2/training/label_2/{i:06d}.txt", lines)
    people = {"Ann_Lee": 2, "Bob_Ray": 1, "Cy_Fox": 3}
    for person, count in people.items():
        for i in range(count):
            for folder in ("lfw", "lfw_funneled", "lfw-deepfunneled"):
                tree.images(f"lfw/{folder}/{person}/{person}_{i + 1:04d}.jpg")
    tree.put("lfw/lfw-names.txt", "".join(f"{person}\t{count}\n" for person, count in people.items()))
    tree.put("lfw/peopleDevTrain.txt", "2\nCy_Fox\t3\nAnn_Lee\t2\n")
    tree.put("lfw/peopleDevTest.txt", "1\nBob_Ray\t1\n")
    tree.put("lfw/people.txt", "2\n1\nCy_Fox\t3\n2\nAnn_Lee\t2\nBob_Ray\t1\n")
    tree.put("lfw/pairsDevTrain.txt", "1\nAnn_Lee\t1\t2\nBob_Ray\t1\tCy_Fox\t3\n")
    tree.put("lfw/pairsDevTest.txt", "1\nCy_Fox\t3\t2\nBob_Ray\t1\tAnn_Lee\t1\n")
    tree.put("lfw/pairs.txt", "2\t1\nAnn_Lee\t1\t2\nBob_Ray\t1\tCy_Fox\t3\nCy_Fox\t3\t2\nBob_Ray\t1\tAnn_Lee\t1\n")
    tree.images("manifest/1.jpg", "manifest/2.jpg", "manifest/3.jpg")
    tree.put("manifest/no_image.txt", "plain text")
    rows = [
        ("1.jpg", "train", ["cat"]),
        ("2.jpg", "TRAIN", ["dog", "cat"]),
        ("3.jpg", "eval", ["bird"]),
        ("no_image.txt", "train", ["cat"]),
        ("3.jpg", "train", ["apple"]),
    ]
    tree.put(
        "manifest/all.manifest",
        "".join(
            json.dumps(
                {
                    "source": str(tree.root / "manifest" / name),
                    "usage": usage,
                    "annotation": [{"name": label} for label in labels],
                }
            )
            + "\n"
            for name, usage, labels in rows
        ),
    )
    tree.put("photo_tour/liberty/info.txt", "".join(f"{i // 2} 0\n" for i in range(300)))
    tree.put("photo_tour/liberty/m50_100000_100000_0.txt", "0 0 0 1 0 0 0\n2 1 0 299 149 0 0\n256 128 0 257 128 0 0\n")
    for i in range(2):
        tree.put(f"photo_tour/liberty/patches000{i}.bmp", _gray_bmp(_numbers(i, 16, 16).repeat(64, 0).repeat(64, 1)))
    tree.put("places/categories_places365.txt", "/a/airfield 0\n/b/bar 1\n")
    tree.put("places/places365_val.txt", "Places365_val_1.jpg 1\nPlaces365_val_2.jpg 0\n")
    tree.put("places/places365_train_standard.txt", "/a/airfield/1.jpg 0\n/b/bar/2.jpg 1\n")
    tree.images(
        "places/val_256/Places365_val_1.jpg places/val_256/Places365_val_2.jpg places/val_large/Places365_val_1.jpg "
        "places/val_large/Places365_val_2.jpg places/data_256_standard/a/airfield/1.jpg "
        "places/data_256_standard/b/bar/2.jpg"
    )
    tree.put(
        "sbu/SBU_captioned_photo_dataset_urls.txt", "".join(f"http://static.flickr.com/2/{i}.jpg\n" for i in range(3))
    )
    tree.put("sbu/SBU_captioned_photo_dataset_captions.txt", "A red car. \nnot there\nsky   \n")
    tree.images("sbu/sbu_images/m_2_0.jpg", "sbu/sbu_images/m_2_2.jpg")
    from scipy.sparse import csc_matrix

    boundaries = np.empty((20, 1), object)
    for i in range(20):
        boundaries[i, 0] = csc_matrix(_numbers(i, 3, 4, high=2))
    for name in ("2008_1", "2008_2"):
        tree.images(f"sbd/img/{name}.jpg")
        tree.mat(
            f"sbd/cls/{name}.mat",
            GTcls={"Boundaries": boundaries, "Segmentation": _numbers(3, 3, 4), "CategoriesPresent": np.array([1])},
        )
    tree.put("sbd/train.txt", "2008_2\n")
    tree.put("sbd/val.txt", "2008_1\n")
    tree.put("sbd/train_noval.txt", "2008_2\n2008_1\n")


def _annotated(tree: _Tree) -> None:
    tree.images("coco/images/1.jpg", "coco/images/2.jpg", "coco/images/3.jpg")
    images = [{"id": 7, "file_name": "2.jpg"}, {"id": 5, "file_name": "1.jpg"}, {"id": 6, "file_name": "3.jpg"}]
    names = [{"id": 3, "name": "person", "isthing": 1}, {"id": 1, "name": "bicycle", "isthing": 0}]
    box = [
        {"id": i, "image_id": image, "bbox": bbox, "category_id": c, "iscrowd": crowd, "area": 2.5}
        for i, (image, bbox, c, crowd) in enumerate(
            [(5, [1, 2, 3.5, 4], 3, 0), (7, [0, 0, 9, 9], 1, 1), (5, [5, 5, 1, 1], 1, 0)]
        )
    ]
    del box[2]["iscrowd"]
    stuff = [
        {"id": 1, "image_id": 5, "iscrowd": 0, "segmentation": [[1, 2, 3, 4], [5, 6, 7.5]]},
        {"id": 2, "image_id": 7, "iscrowd": 1, "segmentation": {"counts": [3, 4, 5], "size": [4, 5]}},
    ]
    points = [
        {"id": 1, "image_id": 5, "num_keypoints": 2, "keypoints": [1, 2, 2, 3, 4, 1]},
        {"id": 2, "image_id": 7, "num_keypoints": 1, "keypoints": [1, 2, 2, 0, 0, 0]},
        {"id": 3, "image_id": 5, "num_keypoints": 0, "keypoints": [0, 0, 0, 0, 0, 0]},
    ]
    panoptic = [
        {
            "image_id": image,
            "segments_info": [
                {"bbox": [i, 2, 3, 4], "category_id": 1, "iscrowd": i, "area": 12 + i} for i in range(count)
            ],
        }
        for image, count in ((7, 1), (5, 2))
    ]
    captions = [
        {"id": i, "image_id": image, "caption": text}
        for i, (image, text) in enumerate([(5, "a dog"), (6, "é cat"), (5, "second one")])
    ]
    for name, items in (
        ("detection", box),
        ("stuff", stuff),
        ("keypoint", points),
        ("panoptic", panoptic),
        ("captions", captions),
    ):
        tree.put(f"coco/{name}.json", json.dumps({"images": images, "annotations": items, "categories": names}))
    tree.put(
        "coco/unknown_category.json",
        json.dumps({"images": images, "annotations": [{**box[0], "category_id": 99}], "categories": names}),
    )
    tree.put(
        "coco/unknown_image.json",
        json.dumps({"images": images, "annotations": [{**box[0], "image_id": 99}], "categories": names}),
    )
    tree.put(
        "coco/no_box.json",
        json.dumps(
            {"images": images, "annotations": [{"id": 1, "image_id": 5, "category_id": 3}], "categories": names}
        ),
    )
    tree.put("coco/nothing.json", json.dumps({"images": images, "annotations": [], "categories": names}))
    tree.put("coco/broken.json", "{")

    def objects(*items: tuple) -> str:
        return (
            "<annotation>"
            + "".join(
                f"<object><name>{name}</name><truncated>{t}</truncated><difficult>{d}</difficult><bndbox><xmin>{b[0]}</xmin><ymin>{b[1]}</ymin><xmax>{b[2]}</xmax><ymax>{b[3]}</ymax></bndbox></object>"
                for name, t, d, b in items
            )
            + "</annotation>"
        )

    for name in ("000001", "000002", "000003"):
        tree.images(f"voc/JPEGImages/{name}.jpg", f"voc/SegmentationClass/{name}.png")
    tree.put("voc/Annotations/000001.xml", objects(("dog", 0, 1, (1, 2, 3, 4)), ("cat", 1, 0, (5, 6.5, 8, 9))))
    tree.put("voc/Annotations/000002.xml", objects(("train", 0, 0, (1, 1, 2, 2))))
    tree.put("voc/Annotations/000003.xml", objects(("dog", 0, 0, (4, 4, 2, 2))))
    tree.put("voc/Annotations/none.xml", "<annotation></annotation>")
    for task, usage, content in (
        ("Main", "train", "000002\n000001\n"),
        ("Main", "bad", "000003\n"),
        ("Main", "none", "none\n"),
        ("Main", "lost", "lost\n"),
        ("Segmentation", "train", "000001\r\n000003\r\n"),
        ("Segmentation", "val", "000002"),
    ):
        tree.put(f"voc/ImageSets/{task}/{usage}.txt", content)


def _texts(tree: _Tree) -> None:
    for name, columns in (("ag_news", 3), ("amazon", 3), ("dbpedia", 3), ("yelp", 2), ("yahoo", 4), ("sogou", 3)):
        for usage, rows in (("train", 3), ("test", 2)):
            tree.put(
                f"{name}/{usage}.csv",
                "".join(
                    ",".join([f'"{i + 1}"'] + [f'"{usage} {i}, ""x"" {c} é"' for c in range(columns - 1)]) + "\n"
                    for i in range(rows)
                ),
            )
    tree.put("ag_train/train.csv", '"3","t","d"\n')
    tree.put("csv/a.csv", '1,2.5,x\n3,4,"y,z"\n')
    tree.put("csv/b.csv", '5,6,w\n\n7,8e1,"q""q"\n')
    tree.put("csv/header.csv", "a|b\n1|2\n3|\n")
    tree.put("csv/ragged.csv", "1,2,3\n4,5\n")
    tree.put("csv/quote.csv", '1,a"b,3\n')
    for usage in ("train", "test"):
        tree.put(f"conll/{usage}.txt", f"Confidence NN B-NP\nin IN B-PP {usage}\n\n\nnext JJ B-NP\n . . O\n\n")
    for usage in ("train", "dev", "test"):
        tree.put(
            f"udpos/en-ud-tag.v2.{usage}.txt",
            f"Al\tPROPN\tNNP\n{usage}\tPUNCT\tHYPH\n\nfrom\tADP\tIN\nhere\tADV\tRB\n\n",
        )
    tree.put("enwik9/enwik9", "<mediawiki>\n\n  <page>\nlast")
    for usage in ("train", "test"):
        for label in ("pos", "neg"):
            tree.put(f"imdb/{usage}/{label}/1_7.txt", f"{usage} {label} one")
            tree.put(f"imdb/{usage}/{label}/0_9.txt", f"{usage} {label} zero\nsecond line")
    tree.put("imdb_train/train/pos/0.txt", "x")
    tree.put("imdb_train/train/neg/0.txt", "y")
    for usage in ("training/train", "validation/val", "mmt16_task1_test/test"):
        for language in ("en", "de"):
            tree.put(f"multi30k/{usage}.{language}", f"{language} one\n{language} two {usage}\n")
    for usage in ("train", "valid", "test"):
        tree.put(f"ptb/ptb.{usage}.txt", f" {usage} <unk> one \n\n no it was n't \n")
        tree.put(f"wikitext/wiki.{usage}.tokens", f" \n = {usage} = \n \n text @-@ here \n")
    qas = [
        {
            "question": "Who?",
            "id": "1",
            "answers": [{"text": "Ann", "answer_start": 3}, {"text": "Bob é", "answer_start": 0}],
        },
        {"question": "What?", "id": "2", "answers": []},
    ]
    document = json.dumps(
        {
            "version": "1.1",
            "data": [
                {"title": "t", "paragraphs": [{"context": "It is Ann.", "qas": qas}, {"context": "c2", "qas": qas[:1]}]}
            ],
        }
    )
    tree.put("squad/train-v1.1.json", document)
    tree.put("squad/dev-v1.1.json", document.replace("Who", "Dev who"))
    tree.put("squad_dev/dev-v2.0.json", document)
    tree.put("sst2/train.tsv", "sentence\tlabel\nhide new secretions \t0\ncontains no wit\t1\n")
    tree.put("sst2/dev.tsv", "sentence\tlabel\nit 's good\t1\n")
    tree.put("sst2/test.tsv", "index\tsentence\n0\tuneasy mishmash\n1\tok then\n")
    folder = "iwslt2016/texts/de/en/de-en"
    for language in ("de", "en"):
        tree.put(
            f"{folder}/train.tags.de-en.{language}",
            f"<url>http</url>\n<title>t</title>\n {language} first line \n{language} second\n</doc>\n",
        )
        for name in ("tst2013", "tst2014"):
            tree.put(
                f"{folder}/IWSLT16.TED.{name}.de-en.{language}.xml",
                '<?xml version="1.0" encoding="UTF-8"?>\n<mteval><srcset setid="x"><doc docid="1"><url>u</url><seg '
                f'id="1"> {language} {name} a </seg><seg id="2">b &amp; c</seg></doc></srcset></mteval>\n',
            )
    folder = "iwslt2017/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
    for language in ("de", "en"):
        tree.put(
            f"{folder}/train.tags.de-en.{language}", f"<url>http</url>\n {language} first line \n{language} second\n"
        )
        for name in ("dev2010", "tst2010"):
            tree.put(
                f"{folder}/IWSLT17.TED.{name}.de-en.{language}.xml",
                '<?xml version="1.0" encoding="UTF-8"?>\n<mteval><srcset setid="x"><doc docid="1"><seg id="1"> '
                f"{language} {name} a </seg></doc></srcset></mteval>\n",
            )


def _sounds(tree: _Tree) -> None:
    for i in (1, 2):
        tree.put(f"cmu/cmu_us_aew_arctic/wav/arctic_a000{i}.wav", _wave(i, 16000))
    tree.put(
        "cmu/cmu_us_aew_arctic/etc/txt.done.data",
        '( arctic_a0001 "Author of the danger trail, etc." )\n( arctic_a0002 "Not at this." )\n',
    )
    for genre in ("blues", "rock", "pop"):
        for i in (0, 1):
            tree.put(f"gtzan/{genre}/{genre}.{i:05d}.wav", _wave(i, 22050))
    for usage, speaker in (("dev-clean", 84), ("train-clean-100", 103)):
        folder = f"libri/{usage}/{speaker}/1240"
        tree.put(
            f"{folder}/{speaker}_1240.trans.tsv",
            "".join(f"{speaker}_1240_000000_00000{i}\tCHAPTER {i}\tChapter norm {i}\n" for i in range(2)),
        )
        for i in range(2):
            tree.put(f"{folder}/{speaker}_1240_000000_00000{i}.wav", _wave(i, 24000))
    tree.put(
        "lj/metadata.csv", "LJ001-0001|Printing, in 1 sense|Printing, in one sense\nLJ001-0002|in being|in being\n"
    )
    for i in (1, 2):
        tree.put(f"lj/wavs/LJ001-000{i}.wav", _wave(i, 22050))
    for word, name in (
        ("cat", "0a_nohash_0"),
        ("cat", "0b_nohash_1"),
        ("dog", "0a_nohash_0"),
        ("_background_noise_", "white"),
    ):
        tree.put(f"speech/{word}/{name}.wav", _wave(len(name), 16000))
    tree.put("speech/testing_list.txt", "cat/0b_nohash_1.wav\n")
    tree.put("speech/validation_list.txt", "dog/0a_nohash_0.wav\n")
    for name in ("1_0_0_1_1_0_0_1", "0_1_0_0_0_0_1_1"):
        tree.put(f"yesno/{name}.wav", _wave(sum(map(ord, name)), 8000))
    tree.put("wave8/1_0_0_1_1_0_0_1.wav", _wave(3, 8000, bits=8))
    tree.put("wave_stereo/1_0_0_1_1_0_0_1.wav", _wave(3, 8000, channels=2))
    for usage in ("train", "test", "dev"):
        stm = (
            f"{usage}Talk 1 spk 0.0 0.002 <o,f0,female> hello there\n{usage}Talk 1 spk 0.001 0.003 <o,f0,male> second\n"
        )
        tree.put(f"tedlium/{usage}/stm/{usage}Talk.stm", stm)
        head = "NIST_1A\n   1024\nchannel_count -i 1\nsample_rate -i 16000\nend_head\n".ljust(1024)
        tree.put(
            f"tedlium/{usage}/sph/{usage}Talk.sph",
            head.encode() + np.random.default_rng(1).integers(-999, 999, 200).astype(">i2").tobytes(),
        )


def make_trees(root: Path) -> None:
    """Write all folders below `root`."""
    for part in (_digits, _classes, _lists, _annotated, _texts, _sounds):
        part(_Tree(root))
