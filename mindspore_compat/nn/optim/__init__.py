"""Optimizers. MindSpore: ``mindspore.nn.optim``."""

from mindspore_compat.nn.optim.ada_grad import Adagrad
from mindspore_compat.nn.optim.adadelta import Adadelta
from mindspore_compat.nn.optim.adafactor import AdaFactor
from mindspore_compat.nn.optim.adam import Adam, AdamOffload, AdamWeightDecay
from mindspore_compat.nn.optim.adamax import AdaMax
from mindspore_compat.nn.optim.adasum import AdaSumByDeltaWeightWrapCell, AdaSumByGradWrapCell
from mindspore_compat.nn.optim.asgd import ASGD
from mindspore_compat.nn.optim.ftrl import FTRL
from mindspore_compat.nn.optim.lamb import Lamb
from mindspore_compat.nn.optim.lars import LARS
from mindspore_compat.nn.optim.lazyadam import LazyAdam
from mindspore_compat.nn.optim.momentum import Momentum
from mindspore_compat.nn.optim.optimizer import Optimizer, keep_init_args
from mindspore_compat.nn.optim.proximal_ada_grad import ProximalAdagrad
from mindspore_compat.nn.optim.rmsprop import RMSProp
from mindspore_compat.nn.optim.rprop import Rprop
from mindspore_compat.nn.optim.sgd import SGD
from mindspore_compat.nn.optim.tft_wrapper import OptTFTWrapper
from mindspore_compat.nn.optim.thor import thor

__all__ = [
    "Optimizer",
    "OptTFTWrapper",
    "Momentum",
    "SGD",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "LazyAdam",
    "RMSProp",
    "Adagrad",
    "Adadelta",
    "AdaMax",
    "FTRL",
    "ProximalAdagrad",
    "Rprop",
    "ASGD",
    "LARS",
    "AdaFactor",
    "Lamb",
    "thor",
    "AdaSumByDeltaWeightWrapCell",
    "AdaSumByGradWrapCell",
]

_KEEPING: tuple[type, ...] = (Adagrad, Adadelta, AdaFactor, Adam, AdaMax, ASGD, FTRL, Lamb, LARS, LazyAdam, Momentum)
for _kind in (*_KEEPING, ProximalAdagrad, RMSProp, Rprop, SGD):  # as in MindSpore
    keep_init_args(_kind)
