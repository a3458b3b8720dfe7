"""Replay buffers and queues behind handles, returns, and messages between actors and learners. MindSpore:
``mindspore.ops.operations._rl_inner_ops``, which mindrl imports.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import buffers
from mindspore_compat._ops.recurrent import CudnnGRU  # noqa: F401

globals().update(buffers.PRIMITIVES)

__getattr__ = module_getattr(
    __name__,
    unsupported=dict.fromkeys(
        ("EnvCreate", "EnvReset", "EnvStep"),
        "MindSpore has an environment for GPUs inside. Wrap one in Python with `PyFunc`.",
    ),
)
