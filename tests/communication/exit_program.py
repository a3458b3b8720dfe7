"""A script that ends without ``release()``, and one of its children before it: prints what is still open at the end."""

import atexit
import os

import torch.distributed as dist

atexit.register(lambda: print(f"open: {dist.is_initialized()}", flush=True))  # after those registered later

import mindspore_compat as ms  # noqa: E402

ms.communication.init()
ms.ops.AllReduce()(ms.Tensor([1.0]))
if os.fork() == 0:
    raise SystemExit
os.wait()
ms.ops.AllReduce()(ms.Tensor([1.0]))
