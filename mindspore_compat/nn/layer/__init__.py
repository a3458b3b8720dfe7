"""Layers. Upstream: ``mindspore.nn.layer``."""
from mindspore_compat.nn.layer import activation, basic, container, conv, normalization, pooling
from mindspore_compat.nn.layer.activation import *  # noqa: F403
from mindspore_compat.nn.layer.basic import *  # noqa: F403
from mindspore_compat.nn.layer.container import *  # noqa: F403
from mindspore_compat.nn.layer.conv import *  # noqa: F403
from mindspore_compat.nn.layer.normalization import *  # noqa: F403
from mindspore_compat.nn.layer.pooling import *  # noqa: F403

__all__ = [*activation.__all__, *basic.__all__, *container.__all__, *conv.__all__, *normalization.__all__, *pooling.__all__]
