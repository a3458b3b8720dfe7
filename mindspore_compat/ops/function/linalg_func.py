"""Products of matrices and vectors, and linear algebra. MindSpore: ``mindspore.ops.function.linalg_func`` and parts of
``math_func``.
"""

from mindspore_compat._ops.linalg import *  # noqa: F403
