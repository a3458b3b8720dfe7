"""`Tensor.init`, which pruning scripts set to None after they have put in other values."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor
from mindspore_compat.common.initializer import One, Zero


def test_none_may_be_set() -> None:
    parameter = Parameter(Tensor([1.0, 2.0], ms.float32))
    parameter.init = None
    assert parameter.init is None and parameter.asnumpy().tolist() == [1.0, 2.0]


def test_another_initializer_before_there_are_values() -> None:
    waiting = Tensor(shape=(2,), dtype=ms.float32, init=Zero())
    waiting.init = One()
    assert waiting.init_data().asnumpy().tolist() == [1.0, 1.0]


def test_a_tensor_with_values_takes_none() -> None:
    with pytest.raises(NotImplementedError, match="set_data"):
        Tensor([1.0]).init = One()
