"""Sequencing, parameters and Python values. MindSpore: ``mindspore.ops.function.other_func``, ``parameter_func``,
``functional``.
"""

from mindspore_compat._ops.other import *  # noqa: F403
