"""Upstream's C++ core, of which scripts borrow a few names. Upstream: ``mindspore._c_expression``."""

from __future__ import annotations

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._c_expression import typing
from mindspore_compat.common._philox import fill_normal as _random_normal  # noqa: F401 - scripts borrow them
from mindspore_compat.common._philox import fill_truncated_normal as _truncated_normal  # noqa: F401
from mindspore_compat.common._philox import fill_uniform as _random_uniform  # noqa: F401
from mindspore_compat.context import get_context, set_context

__all__ = ["MSContext", "disable_multi_thread", "is_reboot_node", "typing"]


class MSContext:
    """The one context of the process, as libraries ask it which Ascend chip there is: none."""

    _one: MSContext | None = None

    @classmethod
    def get_instance(cls) -> MSContext:
        """The one object."""
        cls._one = cls._one or cls()
        return cls._one

    def get_ascend_soc_version(self) -> str:
        """Empty: there is no Ascend chip, as real MindSpore says on a CPU."""
        return ""

    def is_pkg_support_device(self, device: str) -> bool:
        """Whether there is code for that device target."""
        return device in ("CPU", "GPU")

    def get_param(self, name: str) -> object:
        """The value of a context key."""
        return get_context(name)

    def set_param(self, name: str, value: object) -> None:
        """Set a context key."""
        set_context(**{name: value})


def is_reboot_node() -> bool:
    """Whether the process took the place of one that failed (Ascend's recovery): never."""
    return False


def disable_multi_thread() -> None:
    """Run operators in the thread that calls them, as they always are here."""


__getattr__ = module_getattr(
    __name__,
    {
        "Cell_": "nn.cell:Cell",
        "amp": "_c_expression.amp:",
        "prim_type": "ops.primitive:PrimType",
        "MixedPrecisionType": "nn._cell_dtype",
        "TensorPy": "common.tensor:Tensor",
    },
    unsupported={
        "init_exec_dataset": "it starts the queue that feeds an Ascend device. There is no queue here: "
        "a dataset sinks in Model.train and train_thor.ModelThor by itself.",
        "swap_cache": "it copies blocks of an Ascend device's paged attention. Copy the Tensors with asnumpy() and "
        "set_data().",
    },
)
