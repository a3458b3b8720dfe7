"""Versions. MindSpore: ``mindspore.version``, ``mindspore.run_check``."""

from __future__ import annotations

import torch

from mindspore_compat import ops
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.tensor import Tensor

__all__ = ["__version__", "run_check"]

#: the MindSpore release whose behaviour this package follows; scripts compare it
__version__ = "2.10.0"


def run_check() -> None:
    """Compute something small and say on which device."""
    total = ops.add(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    if total.asnumpy().tolist() != [4.0, 6.0]:
        raise RuntimeError(f"The result of a small addition is wrong: {total}. Check the PyTorch installation.")
    print(f"MindSpore version:  {__version__} (mindspore_compat on PyTorch {torch.__version__})")
    print(
        "The result of multiplication calculation is correct, MindSpore has been installed on platform "
        f"[{current_device().type.upper()}] successfully!"
    )
