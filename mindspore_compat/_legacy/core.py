"""Names of MindSpore's C++ core that programs import: MindNLP (`mindnlp/_legacy/initializer.py`,
`mindnlp/transformers/generation/utils.py`, `mindnlp/core/ops/creation.py`, `src/mindtorch/serialization.py`),
mindformers (`mindformers/version_control.py`, `mindformers/model_runner.py`), mindediting
(`mindediting/utils/mixed_precision.py`), hyper-parallel (`platform/mindspore/platform.py`) and the zoo
(`research/nlp/cpm/src/model_cpm.py`, `official/nlp/bert/src/bert_for_pre_training.py`).

MindSpore: ``mindspore._c_expression``, ``mindspore.common._monad``.
"""

from __future__ import annotations

from contextlib import nullcontext as NoFallbackGuard  # noqa: F401
from typing import Any

import torch

from mindspore_compat._api.placeholders import placeholder
from mindspore_compat._random.philox import fill_normal as _random_normal  # noqa: F401
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.data import device_from
from mindspore_compat._tensor.param_info import ParamInfo  # noqa: F401
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.tensor import Tensor  # noqa: F401
from mindspore_compat.common.tensor import Tensor as TensorPy  # noqa: F401
from mindspore_compat.context import get_context, set_context
from mindspore_compat.nn._cell_dtype import MixedPrecisionType  # noqa: F401
from mindspore_compat.nn.cell import Cell as Cell_  # noqa: F401


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

    def set_backend_policy(self, policy: str) -> None:
        """Do nothing: "ge" and "ms" are ways to compile for Ascend."""


K_CONTEXT = MSContext.get_instance()

U = None  # the order of side effects in a compiled graph; operators here run in the order of the program


def _framework_profiler_step_start() -> None:
    """Do nothing: `Profiler` counts steps itself."""


_framework_profiler_step_end = _framework_profiler_step_start


def pyboost_empty(arguments: list[Any]) -> Any:
    """Return a Tensor of (shape, dtype, device) that is not filled."""
    size, dtype, device = arguments
    place = current_device() if device is None else device_from(device)
    return wrap(torch.empty(size, dtype=dtype, device=place))


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


class TensorTransform:
    """Planner of the steps between two layouts of a sharded Tensor."""

    get_instance = classmethod(lambda cls: cls())
    transform_tensor_sharding = placeholder(
        "mindspore._c_expression.TensorTransform.transform_tensor_sharding",
        "it is MindSpore's compiled planner. torch.distributed.tensor.DTensor.redistribute moves a sharded tensor.",
    )
