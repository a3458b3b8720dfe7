"""What lineage says of a pipeline, operation by operation, is what real MindSpore's says: so MindInsight shows mean,
std and sizes.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

import mindspore_compat
import mindspore_compat.dataset as ds
from mindspore_compat._format.proto.lineage import DatasetGraph
from mindspore_compat.dataset import transforms, vision
from mindspore_compat.train.summary._lineage import dataset_graph
from tests.support.oracle import run_oracle

#: expressions over ms, ds, V and T
EXPRESSIONS = """\
V.Resize((8, 9))|V.Resize(8, V.Inter.BICUBIC)|V.Rescale(.5, .25)|V.Normalize([.485, .456, .406], [.229, .224, .225], is_hwc=True)|V.HWC2CHW()
V.RandomCrop(8, 4)|V.RandomCrop((8, 9), (1, 2, 3, 4), True, 7, V.Border.EDGE)|V.RandomHorizontalFlip(.3)|V.RandomVerticalFlip()|V.CenterCrop(5)
V.CenterCrop((5, 6))|V.Decode()|V.RandomCropDecodeResize(8)|V.RandomResizedCrop((8, 9))|V.RandomColorAdjust(.4, .4, .4, .1)|V.RandomRotation(10)
V.Pad(2)|T.TypeCast(ms.float32)|T.OneHot(10)|V.ToTensor()|V.ToType("float32")|T.Fill(3)|V.CutOut(3)|V.RandomSharpness()|V.RandomColor()
T.Compose([V.Rescale(.5, 0.), V.HWC2CHW()])|T.RandomApply([V.Rescale(.5, 0.)], .3)|T.RandomChoice([V.Rescale(.5, 0.)])|T.Slice(slice(0, 2))
T.PadEnd([3], 0)|T.Duplicate()|T.Unique()|V.Invert()|V.Equalize()|V.AutoContrast()|V.RandAugment()|V.NormalizePad([1., 2., 3.], [1., 2., 4.])
V.RandomLighting(.1)|V.RandomPosterize()|V.RandomSolarize()|V.HorizontalFlip()|V.VerticalFlip()|V.RandomAffine(15)
V.ConvertColor(V.ConvertMode.COLOR_BGR2RGB)|V.Crop((0, 0), 5)|V.Rotate(30.)""".replace("\n", "|").split("|")
PIPELINES = {
    "source": "base()",
    "shuffle": "base().shuffle(4)",
    "repeat": "base().repeat(2)",
    "batch": "base().batch(2)",
    "take": "base().take(2)",
    "skip": "base().skip(1)",
    "per_batch_map": "base().batch(2, per_batch_map=lambda x, y, b: (x, y))",
    "zip": "ds.zip((base(), base().rename(['x', 'y'], ['a', 'b'])))",
    "project": "base().project(['x'])",
    "rename": "base().rename('x', 'z')",
    "filter": "base().filter(lambda x: True, 'x')",
    "map": "base().map(lambda x: x, 'x', 'w')",
    "operations": "base().map([V.Rescale(.5, 0.), T.TypeCast(ms.float32)], 'x').batch(2, drop_remainder=True)",
}
_SOURCE = "ds.NumpySlicesDataset({'x': [1, 2, 3, 4], 'y': [1, 2, 3, 4]}, shuffle=False)"


def _expressions() -> dict[str, str]:
    return {**{text: f"base().map({text}, 'x')" for text in EXPRESSIONS}, **PIPELINES}


@pytest.fixture(scope="module")
def real() -> dict[str, str]:
    """Each message of real MindSpore, in base 64."""
    return run_oracle(f"""
import base64, mindspore as ms, mindspore.dataset as ds, mindspore.dataset.vision as V, mindspore.dataset.transforms as T
from mindspore.train.callback._dataset_graph import DatasetGraph
base = lambda: {_SOURCE}
give({{name: base64.b64encode(DatasetGraph().package_dataset_graph(eval(text)).SerializeToString()).decode() for name, text in {_expressions()!r}.items()}})
""")


def _message(text: str) -> Any:
    names = {"ms": mindspore_compat, "ds": ds, "V": vision, "T": transforms}
    return dataset_graph(eval(text, {**names, "base": lambda: eval(_SOURCE, names)}))


def _without_workers(message: Any) -> Any:
    message.parameter.mapInt.pop("num_parallel_workers", None)  # the machine's
    for child in message.children:
        _without_workers(child)
    return message


@pytest.mark.oracle
@pytest.mark.parametrize("name", _expressions())
def test_a_pipeline_is_described_as_real_mindspore_describes_it(name: str, real: dict[str, str]) -> None:
    theirs = DatasetGraph.FromString(base64.b64decode(real[name]))
    assert _without_workers(_message(_expressions()[name])) == _without_workers(theirs)


def test_mean_and_std_are_there() -> None:
    (operation,) = _message("base().map(V.Normalize([0.5, 1.0, 2.0], [0.25, 1.0, 4.0]), 'x')").operations
    assert dict(operation.operationParam.mapStr) == {
        "tensor_op_name": "Normalize",
        "tensor_op_params": '{"device_target": "CPU", "is_hwc": true, "mean": [0.5, 1.0, 2.0], "std": [0.25, 1.0, '
        "4.0]}",
    }


def test_an_own_class_has_its_name_alone() -> None:
    class Normalize:
        def __call__(self, x: Any) -> Any:
            return x

    message = dataset_graph(eval(_SOURCE, {"ds": ds}).map(Normalize(), "x"))
    assert [dict(operation.operationParam.mapStr) for operation in message.operations] == [
        {"tensor_op_name": "Normalize"}
    ]
