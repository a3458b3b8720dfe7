"""``mindspore.device_context``: questions and settings for each kind of device."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.device_context import cpu, gpu

__all__ = ["cpu", "gpu"]
__getattr__ = module_getattr(
    __name__, unsupported={"ascend": "there is no Ascend here; use device_context.gpu or device_context.cpu."}
)
