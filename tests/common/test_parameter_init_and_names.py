"""`Tensor.init`, which pruning scripts set to None after they have put in other values."""

from pathlib import Path

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor
from mindspore_compat.common.initializer import One, Zero
from tests.support.processes import run_python


def test_none_may_be_set() -> None:
    parameter = Parameter(Tensor([1.0, 2.0], ms.float32))
    parameter.init = None
    assert parameter.init is None and parameter.asnumpy().tolist() == [1.0, 2.0]


def test_another_initializer_before_there_are_values() -> None:
    waiting = Tensor(shape=(2,), dtype=ms.float32, init=Zero())
    waiting.init = One()
    assert waiting.init_data().asnumpy().tolist() == [1.0, 1.0]


def test_names_of_parameters_without_one_begin_at_two(tmp_path: Path) -> None:
    """As real MindSpore 2.10, so that checkpoints of such Parameters fit."""
    code = "import mindspore_compat as ms; print(ms.Parameter(2.0).name, ms.Parameter(ms.Tensor([1.0])).name)"
    done = run_python("-c", code, cwd=tmp_path)
    assert done.stdout.split() == ["Parameter#2", "Parameter#3"]
