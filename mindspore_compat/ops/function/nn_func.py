"""Activations, convolution, pooling, losses. Upstream: ``mindspore.ops.function.nn_func``."""

from mindspore_compat.ops.function._activation import *  # noqa: F403
from mindspore_compat.ops.function._conv import *  # noqa: F403
from mindspore_compat.ops.function._ctc import *  # noqa: F403
from mindspore_compat.ops.function._loss import *  # noqa: F403
from mindspore_compat.ops.function._normalization import *  # noqa: F403
from mindspore_compat.ops.function._padding import *  # noqa: F403
from mindspore_compat.ops.function._pooling import *  # noqa: F403
from mindspore_compat.ops.function._resizing import *  # noqa: F403
