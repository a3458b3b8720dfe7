"""`Tensor.repeat` as programs of 1.x (numpy) and of 2.x (torch) write it."""

import numpy as np
import pytest

from mindspore_compat import Tensor

ROWS = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("values", [ROWS, ROWS[0], ROWS[None]])
def test_a_second_number_that_no_repetition_can_be_is_an_axis(values, axis):
    np.testing.assert_array_equal(Tensor(values).repeat(2, axis).asnumpy(), values.repeat(2, axis))


def test_a_repetition_for_each_axis_repeats_the_whole():
    np.testing.assert_array_equal(Tensor(ROWS).repeat(2, 1).asnumpy(), np.tile(ROWS, (2, 1)))
