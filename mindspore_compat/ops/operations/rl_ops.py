"""Replay buffers in Parameters: ``count`` rows from ``head`` on, first in, first out. MindSpore:
``mindspore.ops.operations.rl_ops`` (1.5 to 2.6).
"""

from mindspore_compat._ops import replay

globals().update(replay.PRIMITIVES)
