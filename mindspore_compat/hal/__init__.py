"""``mindspore.hal``: older location of `mindspore.runtime`, and device queries."""

from mindspore_compat.hal import device, memory
from mindspore_compat.hal.device import *  # noqa: F403
from mindspore_compat.hal.memory import *  # noqa: F403
from mindspore_compat.runtime import stream
from mindspore_compat.runtime.event import Event
from mindspore_compat.runtime.stream import *  # noqa: F403

__all__ = ["Event", *device.__all__, *memory.__all__, *stream.__all__]
