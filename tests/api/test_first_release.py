"""Programs of MindSpore 1.0. Most values are what real MindSpore 1.0.0 prints; what it refuses outside of a Cell is by its
signatures. `OneHotOp` is that of all releases, without the axis that 1.0 adds.
"""

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
    "drawn('uniform')": ("[-0.0116, 0.0308, -0.07, -0.0277, -0.0495, -0.0571]", "1.6"),
    "drawn(TruncatedNormal(1.0))": ("[-0.1999, 0.5543, -1.998, -0.4921, -0.9829, -1.2218]", "1.6"),
    "drawn('he_normal')": ("[1.3263, -0.4995, -0.4313, -0.8761, 0.7066, -1.8792]", "1.6"),
    "str(P.ArgMaxWithValue()(Tensor([1.0, 2.0]))[0].asnumpy().dtype)": ("int32", "2.1"),
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
    "rows(ds.MindDataset('file', ['id'], 1, shuffle=False, num_shards=3, shard_id=1))": ("[[4], [5], [6], [7]]", "2.1"),
    "rows(ds.MindDataset('file', ['data'], 1, shuffle=False))[2]": ("[[50, 7]]", "2.1"),
    "[pt.OneHotOp(3, 0.3)(np.array(label)).round(2).tolist() for label in (0, 2)]": (
        "[[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]]",
        None,
    ),
}
PROGRAM = """
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms.py_transforms as pt
from mindspore import Parameter, Tensor, context, nn
from mindspore.common.initializer import TruncatedNormal, initializer
from mindspore.mindrecord import FileWriter
from mindspore.ops import operations as P

FLOATS = (lambda x: x - 2.5, lambda x: 2.5 - x, lambda x: P.Sub()(x, 2.5))
EPOCH = lambda a, info: ([np.array(info.get_epoch_num())],)
x, h, h4 = (Tensor(np.ones((n, 1 if n == 2 else n // 2 or 1, 3 + (n != 2))), ms.float32) for n in (2, 1, 4))
w = Tensor(np.ones((144, 1, 1)), ms.float32)
numbers = lambda **how: ds.NumpySlicesDataset({'a': np.arange(12)}, **how)
writer = FileWriter('file', 1)
writer.add_schema({'id': {'type': 'int32'}, 'data': {'type': 'bytes'}}, 'a file')
writer.write_raw_data([{'id': i, 'data': bytes([48 + i, 7])} for i in range(10)])
writer.commit()

def rows(data):
    return [[value.asnumpy().tolist() for value in row.values()] for row in data.create_dict_iterator(num_epochs=1)]

def values(init, shape):
    np.random.seed(1)
    made = initializer(init, shape)
    return (made.to_tensor() if hasattr(made, 'to_tensor') else made.init_data()).asnumpy()

drawn = lambda init, *shape: [round(float(v), 4) for v in values(init, shape or (2, 3)).ravel()[-6:]]

for call in CALLS:
    try:
        print(eval(call))
    except Exception as error:
        print(type(error).__name__)
"""


def _printed(folder: Path, release: str) -> dict[str, str]:
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
