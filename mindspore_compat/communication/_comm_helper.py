"""Questions about the process group that `mindformers/checkpoint/broadcast.py` and MindNLP ask. MindSpore:
``mindspore.communication._comm_helper``.
"""

from __future__ import annotations

import torch.distributed as dist

from mindspore_compat.communication.management import GlobalComm

__all__ = ["GlobalComm", "_is_available", "_is_initialized"]


def _is_available() -> bool:
    """Return whether torch was built with support for several processes."""
    return dist.is_available()


def _is_initialized() -> bool:
    """Return whether `mindspore.communication.init` has been called."""
    return dist.is_available() and dist.is_initialized()
