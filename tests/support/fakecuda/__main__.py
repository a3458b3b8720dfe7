"""``python -m tests.support.fakecuda``: whether tests can run with ``--device cuda`` here; 1 with the reason if not."""

from __future__ import annotations

import torch

from tests.support import fakecuda

if not torch.cuda.is_available() and (reason := fakecuda.unavailable()):
    raise SystemExit(f"no CUDA device, and no fake one: {reason}")
