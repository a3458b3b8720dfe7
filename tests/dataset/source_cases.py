"""Expressions with `ds` and `root` (tests/dataset/source_trees.py), and what a data set gives, as JSON holds it."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CASES", "DEFECTS", "agree", "evaluate"]


def agree(found: Any, real: Any) -> bool:
    """Whether two evaluations are the same; where reading fails, the columns need not be known."""
    if isinstance(real.get("rows"), dict) and isinstance(real["columns"], dict):
        return found.get("rows") == real["rows"] and found.get("size") == real["size"]
    return found == real


def _case(name: str, folder: str, *more: str) -> list[str]:
    return [f"ds.{name}Dataset(root + '/{folder}'{', ' if item else ''}{item})" for item in (more or ("",))]


CASES = [
    *_case(
        "Mnist",
        "mnist",
        "",
        "'train'",
        "'test'",
        "'all'",
        "'dev'",
        "num_samples=2",
        "num_shards=2, shard_id=1",
        "sampler=[3, 1]",
    ),
    *[
        case
        for name in ("mnist_train", "mnist_images", "mnist_size", "mnist_count", "mnist_cut", "mnist_dots", "empty")
        for case in _case("Mnist", name)
    ],
    *_case("Mnist", "mnist_train", "'test'"),
    *_case("Mnist", "nowhere"),
    *_case("FashionMnist", "mnist_train"),
    *_case("KMnist", "mnist", "'test'"),
    *_case(
        "Mnist",
        "mnist",
        "sampler=[1], shuffle=False",
        "sampler=[1], num_samples=1",
        "num_shards=2, shard_id=2",
        "shuffle=1",
        "num_samples=-1",
        "num_samples=1.5",
        "num_parallel_workers=0",
        "decode=True",
    ),
    *_case("EMnist", "emnist", "'mnist'", "'mnist', 'train'", "'letters', 'test'", "'other'", "", "'digits'"),
    *_case("QMnist", "qmnist", "", "'train'", "'test', False", "'nist'", "'test10k'", "'bad'"),
    *_case("QMnist", "qmnist_train", "", "'train'"),
    *_case("Cifar10", "cifar10", "'dev'", "sampler=[1], shuffle=True"),
    *_case("Cifar10", "empty"),
    *_case("Cifar100", "cifar100", "'dev'"),
    *_case("STL10", "stl10", "", "'train'", "'test'", "'unlabeled'", "'train+unlabeled'", "'x'"),
    *_case("STL10", "stl10_train", "", "'train'", "'all'"),
    *_case("Semeion", "semeion"),
    *_case("Semeion", "empty"),
    *_case(
        "USPS",
        "usps",
        "shuffle=False, num_parallel_workers=1",
        "'train', shuffle=False",
        "'test', shuffle=False",
        "'x'",
    ),
    *_case("SVHN", "svhn", "", "'train'", "'extra'"),
    *_case("SVHN", "svhn_train", "'train'", "", "'all'"),
    *_case(
        "ImageFolder",
        "folder",
        "",
        "decode=True, extensions=['.jpg', '.png', '.bmp', '.jpeg']",
        "extensions=['.jpg']",
        "class_indexing={'b': 7, 'c': 2}",
        "class_indexing={'zz': 1}",
        "decode=True",
        "extensions='jpg'",
        "decrypt=lambda path: b'abc'",
        "class_indexing={'b': 7, 'zz': 2}",
    ),
    *_case("ImageFolder", "empty"),
    *_case("ImageFolder", "nowhere"),
    *_case("Caltech256", "caltech256", "", "decode=True"),
    *_case("Caltech101", "caltech101", "", "'annotation'", "'all', decode=True", "'x'", "sampler=[1]"),
    *_case("RenderedSST2", "sst2_images", "", "'train'", "'test'", "'val', decode=True", "'dev'"),
    *_case("RenderedSST2", "sst2_images_train", "", "'train'"),
    *_case(
        "LSUN",
        "lsun",
        "",
        "'train'",
        "'valid', decode=True",
        "'test'",
        "'train', ['classroom']",
        "classes=['x']",
        "'dev'",
    ),
    *_case("Omniglot", "omniglot", "", "False, decode=True"),
    *_case("Omniglot", "omniglot_part", "", "False"),
    *_case("Food101", "food101", "", "'train'", "'test', decode=True"),
    *_case("Food101", "empty"),
    *_case("SUN397", "sun397", "", "decode=True"),
    *_case("WIDERFace", "wider", "", "'train'", "'valid', decode=True", "'test'"),
    *_case(
        "CelebA",
        "celeba",
        "",
        "usage='train'",
        "usage='valid'",
        "usage='test', decode=True",
        "extensions=['.jpg']",
        "usage='x'",
        "decrypt=lambda path: b'x'",
    ),
    *_case("CelebA", "celeba_plain", "", "usage='train'"),
    *_case("CelebA", "empty"),
    *_case(
        "Cityscapes",
        "cityscapes",
        "",
        "task='semantic'",
        "task='color', decode=True",
        "task='polygon'",
        "'all', task='semantic'",
        "'val', 'coarse'",
        "'test', 'coarse'",
    ),
    *_case("Cityscapes", "cityscapes_part", "task='semantic'", "'all', task='semantic'"),
    *_case(
        "DIV2K",
        "div2k",
        "",
        "'all'",
        "'valid', 'mild', 4",
        "'train', 'bicubic', 8, decode=True",
        "'train', 'wild', 4",
        "'train', 'mild', 2",
        "scale=5",
    ),
    "ds.FlickrDataset(root + '/flickr', root + '/flickr.token')",
    "ds.FlickrDataset(root + '/flickr', root + '/flickr.token', decode=True)",
    "ds.FlickrDataset(root + '/flickr', root + '/none')",
    *_case(
        "Flowers102",
        "flowers",
        "",
        "'Segmentation', 'train'",
        "'Classification', 'test', decode=True",
        "usage='valid'",
        "'x'",
    ),
    *_case("Flowers102", "empty"),
    *_case("KITTI", "kitti", "", "'test'", "'train', decode=True", "'all'"),
    *_case(
        "LFW",
        "lfw",
        "",
        "'people', 'train', 'original'",
        "'people', '10fold', 'deepfunneled'",
        "'pairs'",
        "'pairs', 'test', decode=True",
        "'pairs', '10fold'",
        "'x'",
    ),
    *_case(
        "Manifest",
        "manifest/all.manifest",
        "",
        "'eval'",
        "'train', decode=True",
        "class_indexing={'cat': 4, 'apple': 9}",
        "'inference'",
        "5",
    ),
    *_case(
        "PhotoTour",
        "photo_tour",
        "'liberty', num_samples=3",
        "'liberty', sampler=[299, 17]",
        "'liberty', 'test'",
        "'x'",
        "'yosemite'",
    ),
    *_case(
        "Places365", "places", "usage='val'", "usage='val', small=False, decode=True", "", "'train-challenge'", "'x'"
    ),
    *_case("SBU", "sbu", "", "decode=True"),
    *_case("SBU", "empty"),
    "ds.SBDataset(root + '/sbd')",
    "ds.SBDataset(root + '/sbd', 'Segmentation', 'train')",
    "ds.SBDataset(root + '/sbd', usage='train_noval', decode=True)",
    "ds.SBDataset(root + '/empty')",
    *[
        f"ds.CocoDataset(root + '/coco/images', root + '/coco/{file}.json', '{task}'{more})"
        for file, task, more in (
            ("detection", "Detection", ""),
            ("detection", "Detection", ", decode=True, extra_metadata=True"),
            ("stuff", "Stuff", ""),
            ("stuff", "Stuff", ", extra_metadata=True"),
            ("keypoint", "Keypoint", ""),
            ("keypoint", "Keypoint", ", extra_metadata=True"),
            ("panoptic", "Panoptic", ""),
            ("panoptic", "Panoptic", ", extra_metadata=True"),
            ("captions", "Captioning", ""),
            ("captions", "Captioning", ", decode=True, extra_metadata=True"),
            ("unknown_category", "Detection", ""),
            ("unknown_image", "Detection", ""),
            ("no_box", "Detection", ""),
            ("nothing", "Detection", ""),
            ("broken", "Detection", ""),
            ("lost", "Detection", ""),
            ("detection", "Other", ""),
            ("detection", "Stuff", ""),
            ("detection", "Detection", ", decrypt=lambda path: b'abc'"),
            ("detection", "Detection", ", num_shards=2, shard_id=0"),
        )
    ],
    *_case(
        "VOC",
        "voc",
        "",
        "'Segmentation', 'val', decode=True",
        "'Segmentation', 'train', extra_metadata=True",
        "'Detection'",
        "'Detection', 'train', decode=True, extra_metadata=True",
        "'Detection', 'train', {'dog': 5, 'train': 1}",
        "'Detection', 'bad'",
        "'Detection', 'none'",
        "'Detection', 'lost'",
        "'Detection', 'nowhere'",
        "'Other'",
        "'Segmentation', class_indexing={'a': 1}",
        "'Detection', sampler=ds.PKSampler(1)",
        "decrypt=lambda path: b'abc'",
        "'Detection', 'train', {'zebra': 5}",
    ),
    *[
        case
        for name, folder in (
            ("AGNews", "ag_news"),
            ("AmazonReview", "amazon"),
            ("DBpedia", "dbpedia"),
            ("YelpReview", "yelp"),
            ("YahooAnswers", "yahoo"),
            ("SogouNews", "sogou"),
        )
        for case in _case(
            name,
            folder,
            "shuffle=False, num_parallel_workers=1",
            "'train', shuffle=False",
            "'test', num_samples=1, shuffle=False",
            "'x'",
        )
    ],
    *_case("AGNews", "ag_train", "'train'", "", "'test'"),
    *_case("AGNews", "empty"),
    *_case(
        "AGNews",
        "ag_news",
        "num_shards=2, shard_id=1, shuffle=False, num_parallel_workers=1",
    ),
    *[
        f"ds.CSVDataset(root + '/csv/{file}'{more}, shuffle=False, num_parallel_workers=1)"
        for file, more in (
            ("a.csv", ", column_names=['i', 'f', 's']"),
            ("a.csv", ", column_defaults=[1, 2.0, ''], column_names=['i', 'f', 's']"),
            ("*b.csv", ", column_names=['i', 'f', 's']"),
            ("header.csv", ", field_delim='|'"),
            ("header.csv", ", field_delim='|', column_defaults=[1, '']"),
            ("ragged.csv", ", column_names=['a', 'b', 'c']"),
            ("quote.csv", ", column_names=['a', 'b', 'c']"),
            ("a.csv", ", column_defaults=['', '', 1], column_names=['i', 'f', 's']"),
            ("a.csv", ", column_names=['i']"),
            ("a.csv", ", field_delim='::'"),
            ("lost.csv", ""),
            ("a.csv", ", column_defaults=[1, 2], column_names=['i', 'f', 's']"),
        )
    ],
    "ds.CSVDataset([root + '/csv/b.csv', root + '/csv/a.csv'], column_names=['i', 'f', 's'], shuffle=False, "
    "num_parallel_workers=1)",
    "ds.CSVDataset(root + '/csv/[ab].csv', column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1, "
    "num_shards=3, shard_id=2)",
    *_case(
        "CoNLL2000", "conll", "shuffle=False, num_parallel_workers=1", "'train', shuffle=False", "'test', shuffle=False"
    ),
    *_case(
        "UDPOS",
        "udpos",
        "shuffle=False, num_parallel_workers=1",
        "'train', shuffle=False",
        "'valid', shuffle=False",
        "'test', shuffle=False",
    ),
    *_case("UDPOS", "empty"),
    *_case("EnWik9", "enwik9", "shuffle=False"),
    *_case("EnWik9", "empty"),
    *_case("IMDB", "imdb", "", "'train'", "'test'", "'dev'"),
    *_case("IMDB", "imdb_train", "'train'", ""),
    *_case(
        "Multi30k",
        "multi30k",
        "shuffle=False, num_parallel_workers=1",
        "'train', ['de', 'en'], shuffle=False",
        "'valid', shuffle=False",
        "'test', shuffle=False",
        "language_pair=['en', 'fr']",
        "language_pair=['en']",
    ),
    *[
        case
        for name, folder in (("PennTreebank", "ptb"), ("WikiText", "wikitext"))
        for case in _case(
            name,
            folder,
            "shuffle=False, num_parallel_workers=1",
            "'train', shuffle=False",
            "'valid', shuffle=False",
            "'test', shuffle=False",
            "'x'",
        )
    ],
    *_case("PennTreebank", "empty", "", "'train'"),
    *_case("SQuAD", "squad", "shuffle=False, num_parallel_workers=1", "'train', shuffle=False", "'dev', shuffle=False"),
    *_case("SQuAD", "squad_dev", "'dev', shuffle=False", "'train'", ""),
    *_case("SST2", "sst2", "shuffle=False", "'test', shuffle=False", "'dev', shuffle=False", "'all'"),
    *_case("SST2", "empty"),
    *_case(
        "IWSLT2016",
        "iwslt2016",
        "shuffle=False, num_parallel_workers=1",
        "'train', ['de', 'en'], shuffle=False",
        "'valid', shuffle=False",
        "'test', test_set='tst2013', shuffle=False",
        "'train', ['en', 'de']",
        "'train', ['en', 'xx']",
        "'valid', valid_set='dev2010'",
        "'valid', valid_set='x'",
    ),
    *_case(
        "IWSLT2017",
        "iwslt2017",
        "shuffle=False, num_parallel_workers=1",
        "'train', shuffle=False",
        "'valid', shuffle=False",
        "'test', shuffle=False",
        "'train', ['de', 'it']",
    ),
    *_case("CMUArctic", "cmu", "", "'aew'", "'xxx'", "'ahw'"),
    *_case("GTZAN", "gtzan", "", "'test'", "'x'"),
    *_case("LibriTTS", "libri", "", "'dev-clean'", "'test-clean'", "'x'"),
    *_case("LJSpeech", "lj"),
    *_case("LJSpeech", "empty"),
    *_case("SpeechCommands", "speech", "", "'train'", "'test'", "'valid'"),
    *_case("SpeechCommands", "empty"),
    *_case("YesNo", "yesno"),
    *_case("YesNo", "empty"),
    *_case("YesNo", "wave8"),
    *_case("YesNo", "wave_stereo"),
    *_case(
        "Tedlium",
        "tedlium",
        "'release1'",
        "'release2', 'dev'",
        "'release3'",
        "'release1', 'x'",
        "'release3', 'train'",
        "'x'",
    ),
    "ds.FakeImageDataset(5, (4, 6, 3), 3)",
    "ds.FakeImageDataset(num_samples=2, image_size=[2, 2, 1])",
    "ds.FakeImageDataset(0)",
    "ds.FakeImageDataset(5, (4, 6, 3), 0)",
]
#: whose rows are random: only their dtypes and shapes are compared
RANDOM = ("FakeImage", "RandomDataset")
#: whose order is that of the file system in the real one; here it is sorted
UNORDERED = ("GTZAN", "YesNo", "LibriTTS", "WIDERFace", "RenderedSST2")
#: where real MindSpore gives something else on purpose (docs/differences.md): waveforms of zeros or of what lies
# behind the file,
#: parts of two rows as one, sizes of what can not be read
DEFECTS = (
    "ds.AGNewsDataset(root + '/ag_news', num_shards=2, shard_id=1, shuffle=False, num_parallel_workers=1)",
    "ds.TedliumDataset(root + '/tedlium', 'release1')",
    "ds.TedliumDataset(root + '/tedlium', 'release2', 'dev')",
    "ds.YesNoDataset(root + '/wave8')",
    "ds.ImageFolderDataset(root + '/folder', class_indexing={'zz': 1})",
    "ds.CSVDataset(root + '/csv/quote.csv', column_names=['a', 'b', 'c'], shuffle=False, num_parallel_workers=1)",
    "ds.QMnistDataset(root + '/qmnist', 'test10k')",
)


def _value(value: Any, is_random: bool) -> list:
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        return ["text", array.tolist()]
    head: list = [array.dtype.name, list(array.shape)]
    if is_random:
        return head
    return [*head, array.tolist() if array.size <= 24 else zlib.crc32(np.ascontiguousarray(array).tobytes())]


def evaluate(module: Any, expression: str, root: Path) -> Any:
    """Columns, rows, size and classes of a data set, or the type of the exception at each step."""
    is_random = any(name in expression for name in RANDOM)
    ordered = expression
    if not any(word in expression for word in ("shuffle", "sampler", "FakeImage")):
        ordered = expression[:-1] + ", shuffle=False)"

    def attempt(function: Any) -> Any:
        try:
            return function()
        except Exception as error:
            return {"error": type(error).__name__}

    try:
        data = eval(ordered, {"ds": module, "root": str(root)})
    except Exception as error:
        return {"error": type(error).__name__}

    if "extra_metadata" in expression:
        data = data.rename("_meta-filename", "name")

    def rows() -> list:
        return [
            [_value(row[name], is_random) for name in data.get_col_names()]
            for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)
        ]

    def sorted_rows() -> list:
        return sorted(rows(), key=str) if any(name in expression for name in UNORDERED) else rows()

    def classes() -> Any:
        return data.num_classes() if callable(data.num_classes) else data.num_classes

    found = {
        "columns": attempt(data.get_col_names),
        "rows": attempt(sorted_rows),
        "size": attempt(data.get_dataset_size),
        "classes": attempt(classes),
    }
    indexing = attempt(data.get_class_indexing)
    found["indexing"] = (
        indexing
        if not isinstance(indexing, dict) or len(indexing) < 20
        else [len(indexing), *sorted(indexing.items())[:3]]
    )
    return found
