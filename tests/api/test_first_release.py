"""Programs of MindSpore 1.0, by what real MindSpore 1.0.0 gives for each expression; some also hold until 1.5 or 2.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import run_python

# each line of what a program prints: with 1.0, and the first release that prints something else
CALLS = {
    "str(Tensor([0.5]).asnumpy().dtype), str(Tensor(0.5).asnumpy().dtype)": ("('float64', 'float64')", "1.6"),
    "str(Tensor([0.5], ms.float32).asnumpy().dtype)": ("float32", None),
    "str(nn.ExponentialDecayLR(0.1, 0.9, 4)(Tensor(2, ms.int32)).asnumpy().dtype)": ("float32", None),
    "[f(Tensor([7, -8], ms.int32)).asnumpy().tolist() for f in FLOATS]": ("[[5, -10], [-5, 10], [5, -10]]", "1.1"),
    "(Tensor([7.0], ms.float32) - 2.5).asnumpy().tolist()": ("[4.5]", None),
    "str((Tensor([True]) + 2).asnumpy().dtype)": ("int32", "1.1"),
    "Parameter(Tensor([1.0]), name='w').clone('m', 'zeros').name": ("m.w", "1.1"),
    "nn.ActQuant(nn.ReLU(), 0.9, False, 4).fake_quant_act.num_bits": ("4", "1.1"),
    "nn.LSTMCell(3, 4)(x, h, h, w)[0].shape": ("(2, 1, 4)", "1.6"),
    "[p.name for p in nn.LSTM(3, 4).get_parameters()]": ("['weight']", "1.1"),
    "nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)(x, (h4, h4))[0].shape": ("(2, 1, 8)", None),
    "drawn('normal')": ("[-0.0013, -0.0139, 0.0131, -0.0011, -0.0123, 0.0199]", "1.1"),
    "drawn(Normal(1.0), 16)[:3]": ("[-0.6323, 0.2312, -0.0871]", "1.1"),
    "drawn('uniform')": ("[-0.0116, 0.0308, -0.07, -0.0277, -0.0495, -0.0571]", "1.6"),
    "drawn(TruncatedNormal(1.0))": ("[-0.1999, 0.5543, -1.998, -0.4921, -0.9829, -1.2218]", "1.6"),
    "drawn('he_normal')": ("[1.3263, -0.4995, -0.4313, -0.8761, 0.7066, -1.8792]", "1.6"),
    "drawn(Normal(1.0), 99)[3:]": ("[-0.6862, 0.5338, 0.8553]", "1.1"),
    "str(P.ArgMaxWithValue()(Tensor([1.0, 2.0]))[0].asnumpy().dtype)": ("int32", "2.1"),
    "P.Eps()(Tensor([1.0], ms.float32)).asnumpy().tolist()": ("[1.52587890625e-05]", "2.1"),
    "rows(ds.NumpySlicesDataset({'a': [1, 2, 3]}, shuffle=False).map(lambda x: (x, -x), ['a'], ['a', 'b'], ['b', 'a']))": (
        "[[-1, 1], [-2, 2], [-3, 3]]",
        "2.0",
    ),
    "rows(numbers(shuffle=False).batch(2, True, 1, lambda a, info: ([n + 1 for n in a],), ['a']))[0]": (
        "[[1, 2]]",
        "2.0",
    ),
    "rows(numbers(num_samples=1).batch(1, per_batch_map=EPOCH, input_columns=['a']).repeat(3))": (
        "[[[0]], [[1]], [[2]]]",
        "2.1",
    ),
    "rows(numbers(num_shards=2, shard_id=0))": ("[[9], [2], [11], [6], [1], [0]]", "1.1"),
    "rows(numbers(sampler=ds.SubsetRandomSampler([1, 3, 5, 7, 9], 3)))": ("[[7], [9], [1]]", "1.1"),
    "rows(ds.MindDataset('file', ['id'], 1, shuffle=False, num_shards=3, shard_id=1))": ("[[4], [5], [6], [7]]", "2.1"),
    "rows(ds.MindDataset('file', ['data'], 1, shuffle=False))[2]": ("[[50, 7]]", "2.1"),
    "rows(images().map(cv.Resize(10), 'a'))[0][0]": ("(12, 10, 3)", "1.1"),
    "padded(cv.Pad((1, 2, 3, 4), (9, 8, 7)))": ("((23, 24, 3), [7, 8, 9], 0)", "1.1"),
    "padded(cv.RandomCrop((23, 24), [1, 2, 3, 4]))": ("((23, 24, 3), [0, 0, 0], 0)", "1.1"),
    "[pt.OneHotOp(3, 0.3)(np.array(label)).round(2).tolist() for label in (0, 2)]": (
        "[[[0.8, 0.1, 0.1]], [[0.1, 0.1, 0.8]]]",
        "1.1",
    ),
    "rows(ds.MnistDataset('mnist', shuffle=False))[0][0][:4]": ("[0, 255, 255, 255]", "1.1"),
}
PROGRAM = """
import struct
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms.py_transforms as pt
import mindspore.dataset.vision.c_transforms as cv
from mindspore import Parameter, Tensor, context, nn
from mindspore.common.initializer import Normal, TruncatedNormal, initializer
from mindspore.mindrecord import FileWriter
from mindspore.ops import operations as P

FLOATS = (lambda x: x - 2.5, lambda x: 2.5 - x, lambda x: P.Sub()(x, 2.5))
EPOCH = lambda a, info: ([np.array(info.get_epoch_num())],)
x, h, h4 = (Tensor(np.ones((n, 1 if n == 2 else n // 2 or 1, 3 + (n != 2))), ms.float32) for n in (2, 1, 4))
w = Tensor(np.ones((144, 1, 1)), ms.float32)
numbers = lambda **how: ds.NumpySlicesDataset({'a': np.arange(12)}, **how)
images = lambda: ds.NumpySlicesDataset({'a': np.ones((1, 20, 17, 3), np.uint8)}, shuffle=False)
writer = FileWriter('file', 1)
writer.add_schema({'id': {'type': 'int32'}, 'data': {'type': 'bytes'}}, 'a file')
writer.write_raw_data([{'id': i, 'data': bytes([48 + i, 7])} for i in range(10)])
writer.commit()

def mnist():
    with open('mnist/train-images-idx3-ubyte', 'wb') as file:
        file.write(struct.pack('>4I', 2051, 1, 28, 28) + bytes(i % 256 for i in range(784)))
    with open('mnist/train-labels-idx1-ubyte', 'wb') as file:
        file.write(struct.pack('>2I', 2049, 1) + bytes([3]))

def rows(data):
    ds.config.set_seed(3)
    found = [[v.asnumpy() for v in row.values()] for row in data.create_dict_iterator(num_epochs=1)]
    return [[v.shape if v.ndim == 3 and v.size < 700 else (v.ravel() if v.size > 700 else v).tolist() for v in row] for row in found]

def padded(operation):
    image = next(images().map(operation, 'a').create_dict_iterator())['a'].asnumpy()
    return image.shape, image[0, 0].tolist(), int(image[1, 3].min() != 1)

def values(init, shape):
    np.random.seed(1)
    made = initializer(init, shape)
    return (made.to_tensor() if hasattr(made, 'to_tensor') else made.init_data()).asnumpy()

drawn = lambda init, *shape: [round(float(v), 4) for v in values(init, shape or (2, 3)).ravel()[-6:]]
mnist()

for call in CALLS:
    try:
        print(eval(call))
    except Exception as error:
        print(type(error).__name__)
"""


def _printed(folder: Path, release: str) -> dict[str, str]:
    folder.joinpath("mnist").mkdir(exist_ok=True)
    for old in folder.glob("file*"):
        old.unlink()
    program = folder / "program.py"
    program.write_text(f"CALLS = {list(CALLS)!r}\n{PROGRAM}", encoding="utf-8")
    run = run_python("-m", "mindspore_compat", "run", "--release", release, str(program), cwd=folder)
    assert run.returncode == 0, run.stderr
    return dict(zip(CALLS, run.stdout.splitlines(), strict=True))


def test_first_release(tmp_path: Path) -> None:
    assert _printed(tmp_path, "1.0") == {call: expected for call, (expected, _) in CALLS.items()}


@pytest.mark.parametrize("release", ["1.1", "1.6", "2.0", "2.1"])
def test_later_releases(tmp_path: Path, release: str) -> None:
    def is_after(until: str | None) -> bool:
        return until is not None and [*map(int, release.split("."))] >= [*map(int, until.split("."))]

    printed = _printed(tmp_path, release)
    for call, (expected, until) in CALLS.items():
        assert (printed[call] != expected) == is_after(until), (call, printed[call])
