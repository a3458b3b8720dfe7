"""Modules of upstream's whose names live elsewhere here."""

import importlib
from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat._api.moved import MOVED
from tests.support.processes import run_python


@pytest.mark.parametrize("module", MOVED)
def test_names_of_a_moved_module(module: str) -> None:
    found = importlib.import_module(f"mindspore_compat.{module}")
    for name, home in MOVED[module].items():
        assert getattr(found, name) is getattr(importlib.import_module(f"mindspore_compat.{home}"), name)
    with pytest.raises((AttributeError, ImportError), match="nothing_of_the_sort"):
        found.nothing_of_the_sort


def test_a_function_of_the_modules_name_stays() -> None:
    import mindspore_compat.common.mutable

    assert ms.mutable([1]) == [1] and mindspore_compat.common.mutable([1, 2]) == [1, 2]


def test_under_the_name_of_upstream(tmp_path: Path) -> None:
    program = (
        "from mindspore.common.mutable import mutable\n"
        "from mindspore.nn.utils import no_init_parameters\n"
        "import mindspore.common.lazy_inline\n"
        "import mindspore as ms\n"
        "import mindspore.dataset.transforms.vision.c_transforms as CV\n"
        "from mindspore.dataset.transforms.vision import Inter, utils\n"
        "import mindspore.nn.metrics.metric\n"
        "assert ms.dataset.transforms.vision.c_transforms is CV and utils.Inter is Inter\n"
        "assert CV.Resize is ms.dataset.vision.c_transforms.Resize\n"
        "assert issubclass(ms.nn.Accuracy, ms.nn.metrics.metric.EvaluationBase)\n"
        "from mindspore._checkparam import check_int_positive\n"
        "assert check_int_positive(3) == 3\n"
        "assert ms.common.mutable is mutable and callable(ms.lazy_inline)\n"
        "from mindspore.ops.composite.multitype_ops.zeros_like_impl import zeros_like\n"
        "print(zeros_like(ms.Tensor([1.0])))\n"
    )
    code = f"import mindspore_compat; mindspore_compat.install()\nexec({program!r})"
    told = run_python("-c", code, cwd=tmp_path)
    assert told.stdout == "[0.]\n", told.stderr


def test_optimizers_of_2_1() -> None:
    from mindspore_compat.nn.lr_scheduler import StepLR
    from mindspore_compat.nn.optim_ex import SGD

    optim = ms.experimental.optim
    assert (SGD, StepLR, ms.nn.StepLR) == (optim.SGD, optim.lr_scheduler.StepLR, optim.lr_scheduler.StepLR)


def test_bert_reads_its_loss_scale_after_the_update() -> None:
    """`official/nlp/bert` of 1.5: ``Load`` with the order of side effects."""
    import mindspore_compat.common._monad as monad

    assert float(ms.ops.operations.Load()(ms.Parameter(ms.Tensor(2.0)), monad.U)) == 2.0
