"""Cells: layers, losses, optimizers, training wrappers. Upstream: ``mindspore.nn``."""
from mindspore_compat.nn import layer, learning_rate_schedule, loss, optim, wrap
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer import *  # noqa: F403
from mindspore_compat.nn.learning_rate_schedule import *  # noqa: F403
from mindspore_compat.nn.loss import *  # noqa: F403
from mindspore_compat.nn.optim import *  # noqa: F403
from mindspore_compat.nn.wrap import *  # noqa: F403

__all__ = ["Cell", *layer.__all__, *loss.__all__, *optim.__all__, *wrap.__all__, *learning_rate_schedule.__all__]
