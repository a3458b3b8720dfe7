"""Optimizers. Upstream: ``mindspore.nn.optim``."""
from mindspore_compat.nn.optim.ada_grad import Adagrad
from mindspore_compat.nn.optim.adam import Adam, AdamWeightDecay
from mindspore_compat.nn.optim.lamb import Lamb
from mindspore_compat.nn.optim.momentum import Momentum
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.nn.optim.rmsprop import RMSProp
from mindspore_compat.nn.optim.sgd import SGD

__all__ = ["Optimizer", "Momentum", "SGD", "Adam", "AdamWeightDecay", "RMSProp", "Adagrad", "Lamb"]
