"""Functions that MindSpore writes by hand beside its generated ones. MindSpore:
``mindspore.ops.operations.manually_defined``.
"""

from mindspore_compat._api.placeholders import module_getattr

__getattr__ = module_getattr(__name__, fallback="ops.function")
