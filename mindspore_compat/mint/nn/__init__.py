"""``mindspore.mint.nn``: torch's layers as Cells."""

from mindspore_compat.mint.nn import _convolution, _layers, _normalization, _others, functional
from mindspore_compat.mint.nn._convolution import *  # noqa: F403
from mindspore_compat.mint.nn._layers import *  # noqa: F403
from mindspore_compat.mint.nn._normalization import *  # noqa: F403
from mindspore_compat.mint.nn._others import *  # noqa: F403
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Linear

__all__ = [
    "Cell",
    "Linear",
    "functional",
    *_convolution.__all__,
    *_layers.__all__,
    *_normalization.__all__,
    *_others.__all__,
]
