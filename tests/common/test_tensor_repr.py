"""The repr of a Tensor. The texts are those of real MindSpore 2.10."""

import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat._api import alias


# what real MindSpore 2.10 writes
@pytest.mark.parametrize(
    ("value", "dtype", "written"),
    [
        (1.0, ms.float32, "1"),
        (1 / 3, ms.float32, "0.333333"),
        (1 / 3, ms.float16, "0.333252"),
        (1 / 3, ms.bfloat16, "0.333984"),
        (123456789.0, ms.float64, "1.23457e+08"),
        (1e5, ms.float64, "100000"),
        (float("nan"), ms.float32, "nan"),
        (-0.0, ms.float32, "-0"),
        (3, ms.int64, "3"),
        (True, ms.bool_, "True"),
        (1 + 2j, ms.complex128, "1+2j"),
    ],
)
def test_a_number_is_written_with_six_digits_at_most(value: object, dtype: object, written: str) -> None:
    tensor = Tensor(value, dtype)
    assert repr(tensor).endswith(f"value= {written})")
    assert str([tensor]).endswith(f"value= {written})]")


# what real MindSpore 2.10 writes
@pytest.mark.parametrize(
    ("value", "text", "value_in_repr"),
    [
        ([1, 2, 3], "[1.000000 2.000000 3.000000]", " [1, 2, 3]"),
        (1.5, "1.500000", " 1.5"),
        (
            [0.1, 1e-6, 1e10, 3.14159],
            "[0.100098 0.000001 9999220736.000000 3.140625]",
            " [   0.100098, 9.98378e-07, 9.99922e+09,     3.14062]",
        ),
        ([[1, -2], [float("nan"), float("inf")]], "[[1.000000 -2.000000]\n [nan inf]]", "\n[[  1,  -2],\n [nan, inf]]"),
        ([[[1], [2]], [[3], [4]]], None, "\n[[[1],\n  [2]],\n [[3],\n  [4]]]"),
        (range(1001), None, " [   0,    1,    2 ... 1000, 1000, 1000]"),
        (
            [[10 * row + column for column in range(7)] for row in range(8)],
            None,
            "\n[[ 0,  1,  2 ...  4,  5,  6],\n [10, 11, 12 ... 14, 15, 16],\n [20, 21, 22 ... 24, 25, 26],\n ...\n"
            " [50, 51, 52 ... 54, 55, 56],\n [60, 61, 62 ... 64, 65, 66],\n [70, 71, 72 ... 74, 75, 76]]",
        ),
        ([7] * 25, None, " [" + "7, " * 24 + "\n 7]"),
        ([7] * 24, None, " [" + "7, " * 23 + "7\n ]"),
        ([], "[]", " "),
    ],
)
def test_bfloat16_is_written_without_numpy(value: object, text: str | None, value_in_repr: str) -> None:
    tensor = Tensor(list(value) if isinstance(value, range) else value, ms.float32).astype(ms.bfloat16)
    assert text is None or str(tensor) == text
    assert repr(tensor) == f"Tensor(shape={list(tensor.shape)}, dtype=BFloat16, value={value_in_repr})"


@pytest.mark.parametrize(
    ("values", "dtype", "written"),
    [
        (np.arange(7), ms.float32, " [" + ", ".join(f" {x}.00000000e+00" for x in range(7)) + "]"),
        # twelve floats or bools in a line, twenty-four of the others: a full line breaks even before the bracket
        (np.arange(12) % 2, ms.float16, " [" + ", ".join(f" {x % 2}.0000e+00" for x in range(12)) + "\n ]"),
        (np.arange(13) % 2, ms.bool_, " [" + "False,  True, " * 6 + "\n False]"),
        (np.arange(25) % 2, ms.int64, " [" + "0, 1, " * 12 + "\n 0]"),
        (np.arange(1001), ms.int32, " [   0,    1,    2 ...  998,  999, 1000]"),
        # with more axes than one, six of each
        ([[5, -7, 0, 1, 2, 3]], ms.int32, "\n[[ 5, -7,  0,  1,  2,  3]]"),
        (np.arange(14).reshape(2, 7), ms.int8, "\n[[ 0,  1,  2 ...  4,  5,  6],\n [ 7,  8,  9 ... 11, 12, 13]]"),
        (np.arange(7).reshape(7, 1), ms.uint8, "\n[[0],\n [1],\n [2],\n ...\n [4],\n [5],\n [6]]"),
        (
            np.ones((1, 2, 7)) > 0,
            ms.bool_,
            "\n[[" + ",\n  ".join(["[ True,  True,  True ...  True,  True,  True]"] * 2) + "]]",
        ),
        ([-1576, 0.5, 1 / 3], ms.bfloat16, " [   -1576,      0.5, 0.333984]"),
        ([np.nan, -np.inf], ms.float32, " [            nan,            -inf]"),
        ([1 + 2j, 1 - 0.5j], ms.complex64, " [1+2j, 1-0.5j]"),
        (np.zeros(0), ms.float32, " "),
        (np.zeros((2, 0)), ms.float32, "\n"),
    ],
)
def test_values_stand_in_lines_as_upstreams(values: object, dtype: object, written: str) -> None:
    tensor = Tensor(np.array(values)).astype(dtype)
    assert repr(tensor).partition("value=")[2] == written + ")"


def test_the_classes_print_under_upstreams_names_where_import_mindspore_is_this_package():
    before = alias.is_installed()
    alias.install()
    try:
        assert str(Tensor) == "<class 'mindspore.common.tensor.Tensor'>"
        assert str(ms.Parameter) == "<class 'mindspore.common.parameter.Parameter'>"
    finally:
        if not before:
            alias.uninstall()
    if not before:
        assert str(Tensor) == "<class 'mindspore_compat.common.tensor.Tensor'>"


def test_the_classes_are_pickled_under_their_own_names():
    assert pickle.loads(pickle.dumps(Tensor)) is Tensor
    assert Tensor.__module__ == "mindspore_compat.common.tensor"


def test_a_class_of_the_programs_own_prints_as_pythons():
    class Mine(Tensor):
        pass

    assert str(Mine) == f"<class '{__name__}.{Mine.__qualname__}'>"
    assert isinstance(ms.Parameter(Tensor(1.0)), (Tensor, ms.Parameter)) and not isinstance(Tensor(1.0), ms.Parameter)
