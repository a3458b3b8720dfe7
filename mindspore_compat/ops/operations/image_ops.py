"""Resizing and regions of images in class form. MindSpore: ``mindspore.ops.operations.image_ops`` and box operators of
``other_ops``.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops import image

globals().update(image.PRIMITIVES)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
