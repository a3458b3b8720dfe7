"""Norms of gradients as one device sees them, which `mindformers/wrapper/wrapper.py` imports.

MindSpore: ``mindspore.ops._grad_experimental.grad_comm_ops``.
"""

from mindspore_compat._api.placeholders import placeholder

get_squared_device_local_norm_param = placeholder(
    "mindspore.ops._grad_experimental.grad_comm_ops.get_squared_device_local_norm_param",
    "it is what MindSpore's graphs with 'dump_device_local_norm' write. Compute the norm of the gradients that the "
    "training Cell gets.",
)
