"""Checkpoints of MindSpore networks as those of torch networks whose layers have other names, and back, by rule files
(docs/checkpoints.md).

This package is ours: MindSpore has nothing like it.
"""

from mindspore_compat.train.checkpoint_maps._arithmetic import match_arithmetic
from mindspore_compat.train.checkpoint_maps._convert import Converted, convert_checkpoint
from mindspore_compat.train.checkpoint_maps._rules import available

__all__ = ["convert_checkpoint", "Converted", "match_arithmetic", "available"]
