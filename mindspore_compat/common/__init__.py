"""Tensor, Parameter, dtypes, initializers, seed. Upstream: ``mindspore.common``."""
from mindspore_compat.common import dtype
from mindspore_compat.common.dtype import *  # noqa: F403
from mindspore_compat.common.initializer import Initializer, initializer
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.seed import get_seed, set_seed
from mindspore_compat.common.tensor import Tensor, is_tensor, tensor

__all__ = ["Tensor", "tensor", "is_tensor", "Parameter", "ParameterTuple", "Initializer", "initializer", "set_seed", "get_seed", "dtype",
           *dtype.__all__]
