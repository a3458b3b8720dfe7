"""Norms of gradients as one device sees them. Upstream: ``mindspore.ops._grad_experimental.grad_comm_ops``."""

from mindspore_compat._api.placeholders import module_getattr

_REASON = (
    "it is what upstream's graphs with 'dump_device_local_norm' write. Compute the norm of the gradients that the "
    "training Cell gets."
)
__getattr__ = module_getattr(
    __name__,
    unsupported=dict.fromkeys(("get_squared_device_local_norm_param", "get_device_local_norm_param"), _REASON),
)
