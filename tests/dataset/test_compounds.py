"""What `Compose`, `RandomApply`, `RandomChoice` and `RandomOrder` give when they are called directly: kinds and dtypes as real
MindSpore's. Projects write ``transform(image)[0]``, which of an array would be its first channel.
"""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from mindspore_compat.dataset.transforms import py_transforms
from mindspore_compat.dataset.transforms import transforms as T
from mindspore_compat.dataset.vision import py_transforms as vision_py
from mindspore_compat.dataset.vision import transforms as V
from tests.support.oracle import run_both

PROGRAM = """
import mindspore.dataset as ds, numpy as np
from PIL import Image
from mindspore.dataset import transforms as T, vision as V

array = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
inputs = {"array": array, "image": Image.fromarray(array), "list": array.tolist()}
lists = {
    "pil, tensor": lambda: [V.ToPIL(), V.ToTensor()],
    "pil, resize": lambda: [V.ToPIL(), V.Resize((2, 2))],
    "to pil": lambda: [lambda x: Image.fromarray(np.asarray(x, np.uint8))],
    "to list": lambda: [lambda x: [1, 2]],
    "to int": lambda: [lambda x: 3],
    "to float": lambda: [lambda x: 3.5],
    "to text": lambda: [lambda x: "abc"],
    "to dict": lambda: [lambda x: {"a": 1}],
    "to None": lambda: [lambda x: None],
    "to tuple": lambda: [lambda x: (1, [2, 3])],
    "kinds between steps": lambda: [lambda x: [1, 2], lambda x: type(x).__name__],
    "resize": lambda: [V.Resize((2, 2))],
    "function, resize": lambda: [lambda x: x, V.Resize((2, 2))],
    "resize, to list": lambda: [V.Resize((2, 2)), lambda x: np.asarray(x).tolist()],
    "inner": lambda: [T.RandomApply([lambda x: [1]], 1.0)],
    "inner compose": lambda: [T.Compose([V.ToPIL()]), lambda x: np.asarray(x)],
    "cast": lambda: [T.TypeCast(np.float32)],
    "normalize": lambda: [V.ToTensor(), V.Normalize([0.5] * 3, [1.0] * 3, False)],
    "decode": lambda: [V.Decode(True), V.ToTensor()],
}

def described(value):
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(described, value)]
    return type(value).__name__ + str(getattr(value, "dtype", "")) + str(getattr(value, "shape", ""))

def called(compound, value):
    try:
        return described(compound(value))
    except Exception:
        return "fails"

found = {}
for name, made in lists.items():
    for kind, value in inputs.items():
        if kind == "list" and not name.startswith("to "):
            continue
        found[f"Compose of {name}: {kind}"] = called(T.Compose(made()), value)
        if name.startswith("to ") or name == "resize":
            found[f"RandomApply of {name}: {kind}"] = called(T.RandomApply(made(), 1.0), value)
            found[f"RandomChoice of {name}: {kind}"] = called(T.RandomChoice(made()), value)
            found[f"RandomOrder of {name}: {kind}"] = called(T.RandomOrder(made()), value)
give(found)
"""


@pytest.mark.oracle
def test_direct_calls_give_the_kinds_of_real_mindspore() -> None:
    ours, real = run_both(PROGRAM)
    assert ours == real


ARRAY = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)


def test_compose_in_python_gives_a_tuple() -> None:
    (image,) = T.Compose([V.ToPIL(), V.ToTensor()])(ARRAY)
    assert image.shape == (3, 4, 4)
    (image,) = T.Compose([V.Resize((2, 2))])(Image.fromarray(ARRAY))
    assert image.size == (2, 2)


def test_compose_of_functions_gives_arrays() -> None:
    image = T.Compose([Image.fromarray, lambda x: x])(ARRAY)
    np.testing.assert_array_equal(image, ARRAY)
    with pytest.raises(RuntimeError):
        T.Compose([lambda x: {"a": x}])(ARRAY)


def test_1x_composed_in_python_alone() -> None:
    (image,) = py_transforms.Compose([lambda x: x.tolist()])(ARRAY)
    assert image == ARRAY.tolist()
    (image,) = vision_py.Compose([vision_py.ToTensor()])(ARRAY)
    assert image.shape == (3, 4, 4)
    assert py_transforms.RandomApply([lambda x: [x]], 1.0)(3) == [3]
