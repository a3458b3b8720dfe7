"""Names of MindSpore's C++ core that MindNLP (`mindnlp/_legacy/initializer.py`, `src/mindtorch/serialization.py`),
mindformers (`mindformers/version_control.py`, `mindformers/model_runner.py`), mindediting
(`mindediting/utils/mixed_precision.py`) and the zoo (`research/nlp/cpm/src/model_cpm.py`) import.

MindSpore: ``mindspore._c_expression``.
"""

from __future__ import annotations

from mindspore_compat._api.placeholders import placeholder
from mindspore_compat._random.philox import fill_normal as _random_normal  # noqa: F401
from mindspore_compat._tensor.param_info import ParamInfo  # noqa: F401
from mindspore_compat.common.tensor import Tensor  # noqa: F401
from mindspore_compat.common.tensor import Tensor as TensorPy  # noqa: F401
from mindspore_compat.context import get_context, set_context
from mindspore_compat.nn._cell_dtype import MixedPrecisionType  # noqa: F401
from mindspore_compat.nn.cell import Cell as Cell_  # noqa: F401

__all__ = ["MSContext", "disable_multi_thread", "init_exec_dataset", "is_reboot_node", "swap_cache"]


class MSContext:
    """Context of the process."""

    _one: MSContext | None = None

    @classmethod
    def get_instance(cls) -> MSContext:
        """Return the one object."""
        cls._one = cls._one or cls()
        return cls._one

    def get_ascend_soc_version(self) -> str:
        """Return "": there is no Ascend chip, as on MindSpore's CPU."""
        return ""

    def is_pkg_support_device(self, device: str) -> bool:
        """Return whether there is code for that device target."""
        return device in ("CPU", "GPU")

    def get_param(self, name: str) -> object:
        """Return the value of a context key."""
        return get_context(name)

    def set_param(self, name: str, value: object) -> None:
        """Set a context key."""
        set_context(**{name: value})


def is_reboot_node() -> bool:
    """Return False: a process that failed is not replaced."""
    return False


def disable_multi_thread() -> None:
    """Do nothing: operators run in the thread that calls them."""


init_exec_dataset = placeholder(
    "mindspore._c_expression.init_exec_dataset",
    "it starts the queue that feeds an Ascend device. There is no queue here: a dataset sinks in Model.train and "
    "train_thor.ModelThor by itself.",
)
swap_cache = placeholder(
    "mindspore._c_expression.swap_cache",
    "it copies blocks of an Ascend device's paged attention. Copy the Tensors with asnumpy() and set_data().",
)
