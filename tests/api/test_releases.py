"""Calls whose meaning changed between MindSpore's releases: the older meaning where it is asked for, or where arguments
fit no other.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._api.releases import VARIABLE, notes, parse
from mindspore_compat._api.resolve import ABSENT, resolve
from tests.support.processes import run_command, run_python

# each line of what a program prints: with 1.9 / with today's meaning
CALLS = {
    "[item.shape for item in ops.split(x, 1, 4)]": ("[(3, 1), (3, 1), (3, 1), (3, 1)]", "IndexError"),
    "[item.shape for item in x.split(1, 2)]": ("[(3, 2), (3, 2)]", "IndexError"),
    "[item.shape for item in ops.split(x, 0, 1)]": ("[(3, 4)]", "[(3, 4)]"),
    "ops.norm(x, 1).shape": ("(3,)", "()"),
    "x.norm(1).shape": ("(3,)", "()"),
    "ops.median(x)[0].asnumpy().tolist()": ("[4.0, 5.0, 6.0, 7.0]", "[1.0, 5.0, 9.0]"),
    "ops.max(x)[0].asnumpy().tolist()": ("[2, 2, 2, 2]", "11.0"),
    "ops.min(x, 1)[1].asnumpy().tolist()": ("[0.0, 4.0, 8.0]", "[0, 0, 0]"),
    "ops.argmin(x).asnumpy().tolist()": ("[0, 0, 0]", "0"),
    "ops.argmax(x).asnumpy().tolist()": ("[3, 3, 3]", "11"),
    "type(ops.std(x)).__name__": ("tuple", "Tensor"),
    "type(ops.dropout(x, 0.3)).__name__": ("tuple", "Tensor"),
    "ops.conv2d(image, kernel, 'same').shape": ("(1, 2, 4, 4)", "(1, 2, 4, 4)"),
    "ops.interpolate(image, None, None, (8, 8), 'half_pixel', 'bilinear').shape": ("(1, 1, 8, 8)", "(1, 1, 8, 8)"),
    "ops.avg_pool2d(image, 2, 2, 'valid').shape": ("(1, 1, 2, 2)", "(1, 1, 2, 2)"),
    "nn.MaxPool2d(2, 2, 'valid', 'NCHW')(image).shape": ("(1, 1, 2, 2)", "(1, 1, 2, 2)"),
    "nn.Conv2dTranspose(1, 1, 3, 1, 'pad', 0, 3)(image).shape": ("(1, 1, 10, 10)", "(1, 1, 9, 9)"),
    "nn.Flatten()(x[0]).shape": ("(4, 1)", "IndexError"),
    "nn.Flatten()(image).shape": ("(1, 16)", "(1, 16)"),
    "nn.BCELoss()(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])).shape": ("(2,)", "()"),
    "ops.vjp(lambda a, b: a * b, (x, x + 1), x)[1][0].asnumpy()[0].tolist()": ("[0.0, 2.0, 6.0, 12.0]", "TypeError"),
    "ops.vjp(lambda a: a * 3, x, x)[1].asnumpy()[0].tolist()": ("[0.0, 3.0, 6.0, 9.0]", "TypeError"),
    "x.max(1).asnumpy().tolist()": ("[3.0, 7.0, 11.0]", "AttributeError"),
    "x.min(0, True).shape": ("(1, 4)", "AttributeError"),
    "x.repeat(2, 1).shape": ("(3, 8)", "(6, 4)"),
    "x.repeat(2).shape": ("(24,)", "(24,)"),
    "Vjp(lambda a: a * 3)(x, x)[1].asnumpy()[0].tolist()": ("[0.0, 3.0, 6.0, 9.0]", "[0.0, 3.0, 6.0, 9.0]"),
    "[load(nn.Dense(3, 2), {}) for load in LOADS]": (
        "[['weight', 'bias'], ['weight', 'bias']]",
        "[(['weight', 'bias'], []), (['weight', 'bias'], [])]",
    ),
    "(Tensor([7], ms.int32) / 2.0).asnumpy().tolist()": ("[3.5]", "[3.5]"),
    "hooked('register_forward_pre_hook')": ("True", "False"),
    "hooked('register_forward_hook')": ("True", "False"),
    "hooked('register_backward_hook')": ("True", "False"),
    "ms.__version__": ("1.9.0", "2.10.0"),
    "ms.get_context('mode')": ("0", "1"),
}
# the same for 2.0, as real MindSpore 2.0.0 computes
CALLS_BEFORE_2_1 = {
    "bool(nn.Dense(64, 64).weight.asnumpy().std() < 0.02)": ("True", "False"),
    "bool(np.all(nn.Dense(64, 64).bias.asnumpy() == 0))": ("True", "False"),
    "bool(Tensor(np.zeros(99, np.float32)).bernoulli().asnumpy().any())": ("True", "False"),
    "bool(x.bernoulli(x * 0 + 1).asnumpy().all())": ("True", "TypeError"),
    "(x.astype(ms.int32) / 4 * 4)[2].asnumpy().tolist()": ("[8, 8, 8, 8]", "[8.0, 9.0, 10.0, 11.0]"),
    "(-7 / Tensor([2, 4], ms.int32)).asnumpy().tolist()": ("[-3, -1]", "[-3.5, -1.75]"),
    "(Tensor([7], ms.int32) / Tensor([2], ms.int64)).dtype == ms.int64": ("True", "False"),
    "ops.div(Tensor([7], ms.int32), 2).asnumpy().tolist()": ("[3]", "[3.5]"),
    "Tensor([7], ms.int32).div(value=Tensor(2)).asnumpy().tolist()": ("[3]", "[3.5]"),
    "P.Div()(Tensor([7], ms.int32), 2).asnumpy().tolist()": ("[3]", "[3.5]"),
    "ops.true_divide(Tensor([True]), 2).asnumpy().tolist()": ("[0]", "[0.5]"),
    "nn.Conv2d(1, 1, 3, has_bias=True).bias.asnumpy().any()": ("False", "True"),
    "(Tensor([1.5], ms.float16) * Tensor(2.0)).dtype == ms.float32": ("True", "False"),
    "ops.div(Tensor(3.0), Tensor([1.5], ms.float16)).dtype == ms.float32": ("True", "False"),
    "ms.jit(lambda a, b: a.__iadd__(b))(x.astype(ms.float16), x).dtype == ms.float32": ("True", "False"),
    "Tensor([7, 8], ms.int16).sum().dtype == ms.int16": ("True", "False"),
    "ops.prod(Tensor([7, 8], ms.int32)).dtype == ms.int32": ("True", "False"),
    "Tensor([7, 8], ms.int32).sum(dtype=ms.int64).dtype == ms.int64": ("True", "True"),
    "x.argmax_with_value(1)[1].dtype == ms.int32": ("True", "False"),
    "ops.unique_consecutive(x[0], True)[1].dtype == ms.int32": ("True", "False"),
    "gradients(lambda x: ops.clamp(x, 0.0, 1.0), Tensor([0.0, 0.5]))": ("[[0.5, 1.0]]", "[[1.0, 1.0]]"),
    "gradients(nn.BCELoss(), Tensor([0.25]), Tensor([0.5]))[1][0] != 0": ("False", "True"),
    "bool(P.IsClose()(Tensor([np.nan]), Tensor([np.nan])))": ("True", "False"),
    "'linear1.bias' in nn.TransformerEncoderLayer(4, 2, 4).parameters_dict()": ("True", "False"),
    "decayed('bn.gamma')": ("0.75", "1.0"),
    "P.ResizeNearestNeighborV2()(Tensor(np.ones((1, 2, 3, 4), np.float32)), Tensor([6, 6], ms.int32)).shape": (
        "(1, 6, 6, 4)",
        "(1, 2, 6, 6)",
    ),
    "rates()": ("[2.0, 3.0]", "[2.0, 2.0]"),
    "aliases(lambda x: x.reshape(-1))": ("False", "True"),
    "aliases(lambda x: x.astype(ms.float32))": ("False", "True"),
    "aliases(lambda x: x[1:])": ("True", "True"),
    "gradients(written, Tensor([[1.0, 2.0]]))": ("[[[8.0, 22.0]]]", "[[[0.0, 22.0]]]"),
    "loaded_from_another()": ("[0.0, 0.0]", "[7.0, 7.0]"),
    "read_bytes(b'ab\\0')": ("(3, dtype('uint8'))", "(1, dtype('S3'))"),
}
CALLS.update(CALLS_BEFORE_2_1)

PROGRAM = """
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.nn.grad import Vjp
from mindspore.train.serialization import load_param_into_net
LOADS = load_param_into_net, ms.load_param_into_net
from mindspore.ops import operations as P
x = Tensor(np.arange(12).reshape(3, 4).astype(np.float32))
image, kernel = Tensor(np.ones((1, 1, 4, 4), np.float32)), Tensor(np.ones((2, 1, 3, 3), np.float32))

def hooked(register):
    net, found = nn.ReLU(), []
    getattr(net, register)(lambda *args: found.append(args[0]))
    ms.grad(lambda x: net(x))(x)
    return found[0] == f"ReLU({id(net)})"

def gradients(function, *inputs):
    return [item.asnumpy().tolist() for item in ms.ops.GradOperation(get_all=True)(function)(*inputs)]

def decayed(name):
    weight = ms.Parameter(Tensor([1.0]), name=name)
    nn.SGD([weight], 0.5, weight_decay=0.5)((Tensor([0.0]),))
    return weight.asnumpy()[0]

def rates():
    class Stepper(nn.Optimizer):
        def construct(self, gradients):
            return self.get_lr()
    stepper = Stepper([2.0, 3.0], [ms.Parameter(Tensor([1.0]), name="w")])
    return [float(stepper((Tensor([1.0]),)).asnumpy()) for _ in range(2)]

def aliases(function):
    x = Tensor(np.zeros((3, 4), np.float32))
    function(x)[0] = 1.0
    return bool(x.asnumpy().any())

def written(x):
    h = x * 2
    y = h.reshape(-1)
    y[0] = 0.0
    return (h ** 2).sum() + (y * 3).sum()

def loaded_from_another():
    first, second = nn.Dense(3, 2, bias_init="zeros"), nn.Dense(3, 2)
    ms.load_param_into_net(second, first.parameters_dict())
    ops.assign(first.bias, first.bias + 7)
    return second.bias.asnumpy().tolist()

def read_bytes(content):
    writer = ms.mindrecord.FileWriter("bytes.mindrecord", overwrite=True)
    writer.add_schema({"n": {"type": "bytes"}})
    writer.write_raw_data([{"n": content}])
    writer.commit()
    (row,) = ms.dataset.MindDataset("bytes.mindrecord").create_tuple_iterator(output_numpy=True)
    return row[0].size, row[0].dtype

for call in CALLS:
    try:
        print(eval(call))
    except Exception as error:
        print(type(error).__name__)
"""


def _printed(folder: Path, *options: str, **environment: str) -> dict[str, str]:
    program = folder / "program.py"
    program.write_text(f"CALLS = {list(CALLS)!r}\n{PROGRAM}", encoding="utf-8")
    command = ("-m", "mindspore_compat", "run", *options, str(program))
    run = run_python(*command, cwd=folder, environment=environment, fresh=bool(environment))
    assert run.returncode == 0, run.stderr
    return dict(zip(CALLS, run.stdout.splitlines(), strict=True))


def test_calls_have_the_meaning_of_the_release(tmp_path: Path) -> None:
    assert _printed(tmp_path, "--release", "1.9") == {call: old for call, (old, _) in CALLS.items()}


def test_calls_changed_in_2_1(tmp_path: Path) -> None:
    for release, place in (("2.0", 0), ("2.1", 1)):
        printed = _printed(tmp_path, "--release", release)
        assert {call: printed[call] for call in CALLS_BEFORE_2_1} == {
            call: values[place] for call, values in CALLS_BEFORE_2_1.items()
        }


def test_methods_changed_in_2_5(tmp_path: Path) -> None:
    for release, place in (("2.4", 0), ("2.5", 1)):
        printed = _printed(tmp_path, "--release", release)
        assert [printed[call] for call in CALLS if call[:5] in ("x.max", "x.min", "x.rep")] == [
            CALLS[call][place] for call in CALLS if call[:5] in ("x.max", "x.min", "x.rep")
        ]


def test_calls_have_todays_meaning_otherwise(tmp_path: Path) -> None:
    assert _printed(tmp_path) == {call: new for call, (_, new) in CALLS.items()}


def test_the_environment_chooses_as_well(tmp_path: Path) -> None:
    found = _printed(tmp_path, **{VARIABLE: "1.9"})
    assert found == {call: old for call, (old, _) in CALLS.items()}


def test_what_fits_one_meaning_only_has_it() -> None:
    x = np.random.default_rng(0).standard_normal((1, 1, 4, 4)).astype(np.float32)
    image, kernel = Tensor(x), Tensor(np.ones((2, 1, 3, 3), np.float32))
    assert np.array_equal(
        ops.conv2d(image, kernel, "pad", 1, 2).asnumpy(),
        ops.conv2d(image, kernel, pad_mode="pad", padding=1, stride=2).asnumpy(),
    )
    assert np.array_equal(
        ops.interpolate(image, None, None, (8, 8), "half_pixel", "bilinear").asnumpy(),
        ops.interpolate(image, size=(8, 8), mode="bilinear", align_corners=False).asnumpy(),
    )
    assert np.allclose(ops.avg_pool2d(image, 3, 1, "same").asnumpy(), nn.AvgPool2d(3, 1, "same")(image).asnumpy())
    assert nn.MaxPool2d(2, 2, "valid", "NHWC")(Tensor(x.transpose(0, 2, 3, 1))).shape == (1, 2, 2, 1)


def test_notes_are_of_names_that_are_there() -> None:
    assert [name for name in notes() if resolve(name) is ABSENT] == []


@pytest.mark.parametrize("release", ["1.10", "2.0", "1.9.0", "2.0.0rc1"])
def test_a_release(release: str) -> None:
    assert f"{parse(release)[0]}.{parse(release)[1]}" in release


@pytest.mark.parametrize("release", ["0.9", "", "one", "2.11"])
def test_no_release(release: str) -> None:
    with pytest.raises(ValueError, match="release"):
        ms.install(release=release)


@pytest.mark.parametrize(
    ("options", "older", "is_said"),
    [((), "nn.DenseQuant", True), (("--release", "2.10"), "nn.DenseQuant", False), ((), "nn.Dense", False)],
)
def test_a_program_of_1_x_is_told_once_which_calls_changed(
    tmp_path: Path, options: tuple[str, ...], older: str, is_said: bool
) -> None:
    (tmp_path / "parts.py").write_text("from mindspore import ops\n\ndef cut(x):\n    return ops.split(x, 1, 4)\n")
    (tmp_path / "train.py").write_text(f"import parts\nimport mindspore.nn as nn\nnet = {older}\nprint('done')\n")
    run = run_command("run", *options, "train.py", cwd=tmp_path)
    assert run.stdout == "done\n", run.stderr
    assert run.stderr.count("parts.py:4: mindspore.ops.split") == run.stderr.count("--release 1.9") == int(is_said)
