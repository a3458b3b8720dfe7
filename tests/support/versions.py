"""What the torch at hand can do."""

from __future__ import annotations

import torch

#: torch.compile sees Tensors as subclasses; older ones were not tried but for 2.6, which does not
COMPILES = tuple(map(int, torch.__version__.split("+")[0].split(".")[:2])) >= (2, 13)
#: DTensor of older ones was not tried
SHARDS = COMPILES
