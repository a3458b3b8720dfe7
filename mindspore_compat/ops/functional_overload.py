"""Functions of `mindspore.mint` under the name of upstream's file ``mindspore.ops.functional_overload``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.ops._mint_names import kept_in

__getattr__ = module_getattr(__name__, kept_in("functional_overload"))
