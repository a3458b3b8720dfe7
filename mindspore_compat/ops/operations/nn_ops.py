"""Layers, losses and pooling in class form. MindSpore: ``mindspore.ops.operations.nn_ops``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import (
    activation,
    attention_inference,
    conv,
    experts,
    loss,
    normalization,
    pooling,
    random,
    recurrent,
    shape,
    update,
)

globals().update(
    activation.PRIMITIVES
    | attention_inference.PRIMITIVES
    | conv.PRIMITIVES
    | experts.PRIMITIVES
    | loss.PRIMITIVES
    | normalization.PRIMITIVES
    | pooling.PRIMITIVES
    | random.PRIMITIVES
    | recurrent.PRIMITIVES
    | shape.PRIMITIVES
    | update.PRIMITIVES
)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
