"""`nn.transformer` under its name in MindSpore 2.0, with the same submodules."""

import sys

from mindspore_compat.nn import transformer as _home
from mindspore_compat.nn.transformer import *  # noqa: F403

for _name in ("layers", "loss", "moe", "op_parallel_config", "transformer"):
    globals()[_name] = sys.modules[f"{__name__}.{_name}"] = getattr(_home, _name)
