"""Operators as functions. Upstream: ``mindspore.ops.function``."""
from mindspore_compat.common._tensor_methods_as_ops import bind_methods
from mindspore_compat.ops.function._activation import *  # noqa: F403
from mindspore_compat.ops.function._conv import *  # noqa: F403
from mindspore_compat.ops.function._creation import *  # noqa: F403
from mindspore_compat.ops.function._elementwise import *  # noqa: F403
from mindspore_compat.ops.function._indexing import *  # noqa: F403
from mindspore_compat.ops.function._loss import *  # noqa: F403
from mindspore_compat.ops.function._reduction import *  # noqa: F403
from mindspore_compat.ops.function._shaping import *  # noqa: F403
from mindspore_compat.ops.function.clip_func import *  # noqa: F403
from mindspore_compat.ops.function.debug_func import *  # noqa: F403
from mindspore_compat.ops.function.fft_func import *  # noqa: F403
from mindspore_compat.ops.function.grad import *  # noqa: F403
from mindspore_compat.ops.function.image_func import *  # noqa: F403
from mindspore_compat.ops.function.linalg_func import *  # noqa: F403
from mindspore_compat.ops.function.other_func import *  # noqa: F403
from mindspore_compat.ops.function.random_func import *  # noqa: F403

bind_methods(globals())
