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


#: ``Name folder: arguments | arguments | …``; CocoDataset by its annotation file; other lines are whole expressions
_TABLE = """
Mnist mnist:  | 'train' | 'test' | 'all' | 'dev' | num_samples=2 | num_shards=2, shard_id=1 | sampler=[3, 1]
Mnist mnist_train:
Mnist mnist_images:
Mnist mnist_size:
Mnist mnist_count:
Mnist mnist_cut:
Mnist mnist_dots:
Mnist empty:
Mnist mnist_train: 'test'
Mnist nowhere:
FashionMnist mnist_train:
KMnist mnist: 'test'
Mnist mnist: sampler=[1], shuffle=False | sampler=[1], num_samples=1 | num_shards=2, shard_id=2 | shuffle=1
Mnist mnist: num_samples=-1 | num_samples=1.5 | num_parallel_workers=0 | decode=True
EMnist emnist: 'mnist' | 'mnist', 'train' | 'letters', 'test' | 'other' |  | 'digits'
QMnist qmnist:  | 'train' | 'test', False | 'nist' | 'test10k' | 'bad'
QMnist qmnist_train:  | 'train'
Cifar10 cifar10: 'dev' | sampler=[1], shuffle=True
Cifar10 empty:
Cifar100 cifar100: 'dev'
STL10 stl10:  | 'train' | 'test' | 'unlabeled' | 'train+unlabeled' | 'x'
STL10 stl10_train:  | 'train' | 'all'
Semeion semeion:
Semeion empty:
USPS usps: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'test', shuffle=False | 'x'
SVHN svhn:  | 'train' | 'extra'
SVHN svhn_train: 'train' |  | 'all'
ImageFolder folder:  | decode=True, extensions=['.jpg', '.png', '.bmp', '.jpeg'] | extensions=['.jpg']
ImageFolder folder: class_indexing={'b': 7, 'c': 2} | class_indexing={'zz': 1} | decode=True | extensions='jpg'
ImageFolder folder: decrypt=lambda path: b'abc' | class_indexing={'b': 7, 'zz': 2}
ImageFolder empty:
ImageFolder nowhere:
Caltech256 caltech256:  | decode=True
Caltech101 caltech101:  | 'annotation' | 'all', decode=True | 'x' | sampler=[1]
RenderedSST2 sst2_images:  | 'train' | 'test' | 'val', decode=True | 'dev'
RenderedSST2 sst2_images_train:  | 'train'
LSUN lsun:  | 'train' | 'valid', decode=True | 'test' | 'train', ['classroom'] | classes=['x'] | 'dev'
Omniglot omniglot:  | False, decode=True
Omniglot omniglot_part:  | False
Food101 food101:  | 'train' | 'test', decode=True
Food101 empty:
SUN397 sun397:  | decode=True
WIDERFace wider:  | 'train' | 'valid', decode=True | 'test'
CelebA celeba:  | usage='train' | usage='valid' | usage='test', decode=True | extensions=['.jpg'] | usage='x'
CelebA celeba: decrypt=lambda path: b'x'
CelebA celeba_plain:  | usage='train'
CelebA empty:
Cityscapes cityscapes:  | task='semantic' | task='color', decode=True | task='polygon' | 'all', task='semantic'
Cityscapes cityscapes: 'val', 'coarse' | 'test', 'coarse'
Cityscapes cityscapes_part: task='semantic' | 'all', task='semantic'
DIV2K div2k:  | 'all' | 'valid', 'mild', 4 | 'train', 'bicubic', 8, decode=True | 'train', 'wild', 4
DIV2K div2k: 'train', 'mild', 2 | scale=5
ds.FlickrDataset(root + '/flickr', root + '/flickr.token')
ds.FlickrDataset(root + '/flickr', root + '/flickr.token', decode=True)
ds.FlickrDataset(root + '/flickr', root + '/none')
Flowers102 flowers:  | 'Segmentation', 'train' | 'Classification', 'test', decode=True | usage='valid' | 'x'
Flowers102 empty:
KITTI kitti:  | 'test' | 'train', decode=True | 'all'
LFW lfw:  | 'people', 'train', 'original' | 'people', '10fold', 'deepfunneled' | 'pairs'
LFW lfw: 'pairs', 'test', decode=True | 'pairs', '10fold' | 'x'
Manifest manifest/all.manifest:  | 'eval' | 'train', decode=True | class_indexing={'cat': 4, 'apple': 9} | 'inference'
Manifest manifest/all.manifest: 5
PhotoTour photo_tour: 'liberty', num_samples=3 | 'liberty', sampler=[299, 17] | 'liberty', 'test' | 'x' | 'yosemite'
Places365 places: usage='val' | usage='val', small=False, decode=True |  | 'train-challenge' | 'x'
SBU sbu:  | decode=True
SBU empty:
SB sbd:  | 'Segmentation', 'train' | usage='train_noval', decode=True
SB empty:
Coco detection: 'Detection' | 'Detection', decode=True, extra_metadata=True
Coco stuff: 'Stuff' | 'Stuff', extra_metadata=True
Coco keypoint: 'Keypoint' | 'Keypoint', extra_metadata=True
Coco panoptic: 'Panoptic' | 'Panoptic', extra_metadata=True
Coco captions: 'Captioning' | 'Captioning', decode=True, extra_metadata=True
Coco unknown_category: 'Detection'
Coco unknown_image: 'Detection'
Coco no_box: 'Detection'
Coco nothing: 'Detection'
Coco broken: 'Detection'
Coco lost: 'Detection'
Coco detection: 'Other' | 'Stuff' | 'Detection', decrypt=lambda path: b'abc' | 'Detection', num_shards=2, shard_id=0
VOC voc:  | 'Segmentation', 'val', decode=True | 'Segmentation', 'train', extra_metadata=True | 'Detection'
VOC voc: 'Detection', 'train', decode=True, extra_metadata=True | 'Detection', 'train', {'dog': 5, 'train': 1}
VOC voc: 'Detection', 'bad' | 'Detection', 'none' | 'Detection', 'lost' | 'Detection', 'nowhere' | 'Other'
VOC voc: 'Segmentation', class_indexing={'a': 1} | 'Detection', sampler=ds.PKSampler(1) | decrypt=lambda path: b'abc'
VOC voc: 'Detection', 'train', {'zebra': 5}
AGNews ag_news: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'test', num_samples=1, shuffle=False
AGNews ag_news: 'x'
AmazonReview amazon: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False
AmazonReview amazon: 'test', num_samples=1, shuffle=False | 'x'
DBpedia dbpedia: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'test', num_samples=1, shuffle=False
DBpedia dbpedia: 'x'
YelpReview yelp: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'test', num_samples=1, shuffle=False
YelpReview yelp: 'x'
YahooAnswers yahoo: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False
YahooAnswers yahoo: 'test', num_samples=1, shuffle=False | 'x'
SogouNews sogou: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'test', num_samples=1, shuffle=False
SogouNews sogou: 'x'
AGNews ag_train: 'train' |  | 'test'
AGNews empty:
AGNews ag_news: num_shards=2, shard_id=1, shuffle=False, num_parallel_workers=1
CSV csv/a.csv: column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1
CSV csv/a.csv: column_defaults=[1, 2.0, ''], column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1
CSV csv/*b.csv: column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1
ds.CSVDataset(root + '/csv/header.csv', field_delim='|', shuffle=False, num_parallel_workers=1)
ds.CSVDataset(root + '/csv/header.csv', field_delim='|', column_defaults=[1, ''], shuffle=False, num_parallel_workers=1)
CSV csv/ragged.csv: column_names=['a', 'b', 'c'], shuffle=False, num_parallel_workers=1
CSV csv/quote.csv: column_names=['a', 'b', 'c'], shuffle=False, num_parallel_workers=1
CSV csv/a.csv: column_defaults=['', '', 1], column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1
CSV csv/a.csv: column_names=['i'], shuffle=False, num_parallel_workers=1
CSV csv/a.csv: field_delim='::', shuffle=False, num_parallel_workers=1
CSV csv/lost.csv: shuffle=False, num_parallel_workers=1
CSV csv/a.csv: column_defaults=[1, 2], column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1
ds.CSVDataset([root + '/csv/b.csv', root + '/csv/a.csv'], column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1)
CSV csv/[ab].csv: column_names=['i', 'f', 's'], shuffle=False, num_parallel_workers=1, num_shards=3, shard_id=2
CoNLL2000 conll: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'test', shuffle=False
UDPOS udpos: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'valid', shuffle=False
UDPOS udpos: 'test', shuffle=False
UDPOS empty:
EnWik9 enwik9: shuffle=False
EnWik9 empty:
IMDB imdb:  | 'train' | 'test' | 'dev'
IMDB imdb_train: 'train' |
Multi30k multi30k: shuffle=False, num_parallel_workers=1 | 'train', ['de', 'en'], shuffle=False
Multi30k multi30k: 'valid', shuffle=False | 'test', shuffle=False | language_pair=['en', 'fr'] | language_pair=['en']
PennTreebank ptb: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'valid', shuffle=False
PennTreebank ptb: 'test', shuffle=False | 'x'
WikiText wikitext: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'valid', shuffle=False
WikiText wikitext: 'test', shuffle=False | 'x'
PennTreebank empty:  | 'train'
SQuAD squad: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'dev', shuffle=False
SQuAD squad_dev: 'dev', shuffle=False | 'train' |
SST2 sst2: shuffle=False | 'test', shuffle=False | 'dev', shuffle=False | 'all'
SST2 empty:
IWSLT2016 iwslt2016: shuffle=False, num_parallel_workers=1 | 'train', ['de', 'en'], shuffle=False
IWSLT2016 iwslt2016: 'valid', shuffle=False | 'test', test_set='tst2013', shuffle=False | 'train', ['en', 'de']
IWSLT2016 iwslt2016: 'train', ['en', 'xx'] | 'valid', valid_set='dev2010' | 'valid', valid_set='x'
IWSLT2017 iwslt2017: shuffle=False, num_parallel_workers=1 | 'train', shuffle=False | 'valid', shuffle=False
IWSLT2017 iwslt2017: 'test', shuffle=False | 'train', ['de', 'it']
CMUArctic cmu:  | 'aew' | 'xxx' | 'ahw'
GTZAN gtzan:  | 'test' | 'x'
LibriTTS libri:  | 'dev-clean' | 'test-clean' | 'x'
LJSpeech lj:
LJSpeech empty:
SpeechCommands speech:  | 'train' | 'test' | 'valid'
SpeechCommands empty:
YesNo yesno:
YesNo empty:
YesNo wave8:
YesNo wave_stereo:
Tedlium tedlium: 'release1' | 'release2', 'dev' | 'release3' | 'release1', 'x' | 'release3', 'train' | 'x'
ds.FakeImageDataset(5, (4, 6, 3), 3)
ds.FakeImageDataset(num_samples=2, image_size=[2, 2, 1])
ds.FakeImageDataset(0)
ds.FakeImageDataset(5, (4, 6, 3), 0)
"""


def _expressions(line: str) -> list[str]:
    if line.startswith("ds."):
        return [line]
    (name, folder), alternatives = line.split(":")[0].split(), line.partition(":")[2].split("|")
    files = f"root + '/{folder}'"
    if name == "Coco":
        files = f"root + '/coco/images', root + '/coco/{folder}.json'"
    return [f"ds.{name}Dataset({', '.join(filter(None, (files, each.strip())))})" for each in alternatives]


CASES = [case for line in _TABLE.strip().split("\n") for case in _expressions(line)]
#: whose rows are random: only their dtypes and shapes are compared
RANDOM = ("FakeImage", "RandomDataset")
#: whose order is that of the file system in the real one; here it is sorted
UNORDERED = ("GTZAN", "YesNo", "LibriTTS", "WIDERFace", "RenderedSST2")
#: where real MindSpore gives something else on purpose (docs/differences.md): waveforms of zeros or of what lies
# behind the file,
#: parts of two rows as one, sizes of what cannot be read
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
