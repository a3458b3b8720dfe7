"""Conversion of checkpoints between MindSpore networks and torch networks with other layer names, by rule files
(docs/checkpoints.md).

MindSpore has no such package.
"""

from mindspore_compat.train.checkpoint_maps._arithmetic import match_arithmetic
from mindspore_compat.train.checkpoint_maps._convert import Converted, convert_checkpoint
from mindspore_compat.train.checkpoint_maps._rules import available

__all__ = ["convert_checkpoint", "Converted", "match_arithmetic", "available"]
