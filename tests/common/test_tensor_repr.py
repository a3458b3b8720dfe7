"""The repr of a Tensor without dimensions."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor


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
