"""Parts of `Model` that mindscience's `MindSPONGE/src/sponge/core/sponge.py` imports.

MindSpore: ``mindspore.train.model``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat.train.callback._callback import Callback


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """Return a Tensor in a tuple, all else as it is."""
    return (inputs,) if isinstance(inputs, torch.Tensor) else inputs


class _StepSync(Callback):
    """Callback that waits for the device after every step."""

    def step_end(self, run_context: Any) -> None:
        if current_device().type == "cuda":
            torch.cuda.synchronize()
