"""Layers of Bayesian networks. MindSpore: ``mindspore.nn.probability.bnn_layers``."""

from mindspore_compat.nn.probability.bnn_layers.bnn_cell_wrapper import WithBNNLossCell
from mindspore_compat.nn.probability.bnn_layers.conv_variational import ConvReparam
from mindspore_compat.nn.probability.bnn_layers.dense_variational import DenseLocalReparam, DenseReparam
from mindspore_compat.nn.probability.bnn_layers.layer_distribution import NormalPosterior, NormalPrior

__all__ = ["ConvReparam", "DenseLocalReparam", "DenseReparam", "NormalPosterior", "NormalPrior", "WithBNNLossCell"]
