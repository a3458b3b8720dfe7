"""Random numbers. MindSpore: ``mindspore.ops.function.random_func``.

A ``seed`` argument other than None and 0 gives each call its own generator, so that one seed gives one result.
On a CPU the numbers of normal, uniform and Laplace functions are MindSpore's.
"""

from typing import Any

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._ops.random import *  # noqa: F403
from mindspore_compat.common.seed import _get_graph_seed as _get_seed  # noqa: F401
from mindspore_compat.ops._mint_names import kept_in


def _set_prim_op_user_data(primitive: Any, key: str, value: Any) -> Any:
    """Return the operator; MindNLP (`mindnlp/core/nn/functional.py`) imports it."""
    return primitive.add_prim_attr(key, value)


__getattr__ = module_getattr(__name__, {**kept_in("random_func")}, fallback="ops.function")
