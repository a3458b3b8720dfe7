"""``mindspore.experimental.optim``: torch's optimizers with MindSpore's formulas; rates lie in ``param_groups``."""

from mindspore_compat.experimental.optim import lr_scheduler
from mindspore_compat.experimental.optim.adadelta import Adadelta
from mindspore_compat.experimental.optim.adagrad import Adagrad
from mindspore_compat.experimental.optim.adam import Adam
from mindspore_compat.experimental.optim.adamax import Adamax
from mindspore_compat.experimental.optim.adamw import AdamW
from mindspore_compat.experimental.optim.asgd import ASGD
from mindspore_compat.experimental.optim.nadam import NAdam
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.experimental.optim.radam import RAdam
from mindspore_compat.experimental.optim.rmsprop import RMSprop
from mindspore_compat.experimental.optim.rprop import Rprop
from mindspore_compat.experimental.optim.sgd import SGD

__all__ = [
    "ASGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "lr_scheduler",
]
