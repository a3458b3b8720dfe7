"""MindSpore's layer over a kernel of Ascend, until MindSpore 2.2. MindSpore: ``mindspore.nn.layer.flash_attention``."""

from mindspore_compat._api.placeholders import module_getattr

__getattr__ = module_getattr(
    __name__,
    unsupported={
        "FlashAttention": "MindSpore 2.3 dropped it. mindspore.ops.flash_attention_score computes attention without "
        "the matrix of scores in memory."
    },
)
