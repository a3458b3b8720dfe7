"""The repr of a Tensor without dimensions."""

import pickle

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
