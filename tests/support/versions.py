"""What the torch at hand can do."""

from __future__ import annotations

import torch

#: torch.compile sees Tensors as subclasses; older ones were not tried but for 2.6, which does not
COMPILES = tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) >= (2, 13)
#: DTensor of older ones was not tried
SHARDS = COMPILES

#: tells whether hooks of saved tensors are set, without which nothing is copied before it is overwritten
TELLS_HOOKS = hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks")
