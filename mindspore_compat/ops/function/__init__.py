"""Operators as functions. MindSpore: ``mindspore.ops.function``."""

from mindspore_compat._api.former_names import or_older_meaning as _or_older_meaning
from mindspore_compat._graph.mutable import isconstant as isconstant
from mindspore_compat._ops.activation import *  # noqa: F403
from mindspore_compat._ops.attention import *  # noqa: F403
from mindspore_compat._ops.attention_inference import *  # noqa: F403
from mindspore_compat._ops.clip import *  # noqa: F403
from mindspore_compat._ops.communication import *  # noqa: F403
from mindspore_compat._ops.conv import *  # noqa: F403
from mindspore_compat._ops.creation import *  # noqa: F403
from mindspore_compat._ops.debug import *  # noqa: F403
from mindspore_compat._ops.elementwise import *  # noqa: F403
from mindspore_compat._ops.experts import *  # noqa: F403
from mindspore_compat._ops.fft import *  # noqa: F403
from mindspore_compat._ops.former import FORMER as _FORMER
from mindspore_compat._ops.image import *  # noqa: F403
from mindspore_compat._ops.indexing import *  # noqa: F403
from mindspore_compat._ops.linalg import *  # noqa: F403
from mindspore_compat._ops.loss import *  # noqa: F403
from mindspore_compat._ops.normalization import *  # noqa: F403
from mindspore_compat._ops.other import *  # noqa: F403
from mindspore_compat._ops.pooling import *  # noqa: F403
from mindspore_compat._ops.random import *  # noqa: F403
from mindspore_compat._ops.reduction import *  # noqa: F403
from mindspore_compat._ops.shape import *  # noqa: F403
from mindspore_compat._ops.sparse import *  # noqa: F403
from mindspore_compat.ops.function import (  # noqa: F401
    array_func,
    clip_func,
    debug_func,
    fft_func,
    image_func,
    linalg_func,
    math_func,
    nn_func,
    other_func,
    random_func,
    sparse_func,
)
from mindspore_compat.ops.function.grad import *  # noqa: F403

globals().update({_name: _or_older_meaning(*_older)(globals()[_name]) for _name, _older in _FORMER.items()})
