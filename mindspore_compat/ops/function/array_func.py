"""Tensors made, shaped, joined, indexed. Upstream: ``mindspore.ops.function.array_func``."""

from mindspore_compat.ops.function._creation import *  # noqa: F403
from mindspore_compat.ops.function._indexing import *  # noqa: F403
from mindspore_compat.ops.function._joining import *  # noqa: F403
from mindspore_compat.ops.function._ordering import *  # noqa: F403
from mindspore_compat.ops.function._padding import *  # noqa: F403
from mindspore_compat.ops.function._scattering import *  # noqa: F403
from mindspore_compat.ops.function._shaping import *  # noqa: F403
