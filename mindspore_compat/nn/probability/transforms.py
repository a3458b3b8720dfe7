"""Conversion of networks to Bayesian ones. MindSpore until 1.9: ``mindspore.nn.probability.transforms``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.probability.bnn_layers import ConvReparam, DenseReparam, WithBNNLossCell
from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell

__all__ = ["TransformToBNN"]


def _dense_args(layer: Any) -> dict[str, Any]:
    return {name: getattr(layer, name) for name in ("in_channels", "has_bias", "out_channels", "activation")}


def _conv_args(layer: Any) -> dict[str, Any]:
    names = "in_channels out_channels pad_mode kernel_size stride has_bias padding dilation group"
    return {name: getattr(layer, name) for name in names.split()}


class TransformToBNN:
    """Replace layers of a network by those that draw their weights, and train it by `nn.probability.bnn_layers`'
    ``WithBNNLossCell``. The network is changed in place. New layers begin with random distributions, not with the
    weights of those that they replace.

    The new optimizer has the class of the old one, and its rate and other Parameters. As in MindSpore, its other
    settings are the defaults of the class.

    Args:
        trainable_dnn: a `nn.TrainOneStepCell` of a `nn.WithLossCell`.
        dnn_factor, bnn_factor: factors of the loss and of the layers' divergences.

    Examples:
        >>> net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
        >>> loss = nn.WithLossCell(net, nn.MSELoss())
        >>> step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params()))
        >>> step = nn.probability.transforms.TransformToBNN(step, 100, 0.1).transform_to_bnn_model()
        >>> print(type(net[0]).__name__, step(ops.ones((5, 3)), ops.ones((5, 2))).shape)
        DenseReparam ()
    """

    def __init__(self, trainable_dnn: Any, dnn_factor: float = 1, bnn_factor: float = 1) -> None:
        self.optimizer = trainable_dnn.optimizer
        self.backbone, self.loss_fn = trainable_dnn.network.backbone_network, trainable_dnn.network._loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor

    def transform_to_bnn_model(
        self,
        get_dense_args: Callable[[Any], dict[str, Any]] = _dense_args,
        get_conv_args: Callable[[Any], dict[str, Any]] = _conv_args,
        add_dense_args: dict[str, Any] | None = None,
        add_conv_args: dict[str, Any] | None = None,
    ) -> Any:
        """Replace all `nn.Dense` and `nn.Conv2d`; return a `nn.TrainOneStepCell`.

        Args:
            get_dense_args, get_conv_args: functions from a layer to arguments of the new one.
            add_dense_args, add_conv_args: other arguments.
        """
        return self._transform(
            {
                Dense: lambda layer: DenseReparam(**get_dense_args(layer), **(add_dense_args or {})),
                Conv2d: lambda layer: ConvReparam(**get_conv_args(layer), **(add_conv_args or {})),
            }
        )

    def transform_to_bnn_layer(
        self,
        dnn_layer_type: type,
        bnn_layer_type: type,
        get_args: Callable[[Any], dict[str, Any]] | None = None,
        add_args: dict[str, Any] | None = None,
    ) -> Any:
        """Replace the layers of one type; return a `nn.TrainOneStepCell`.

        Args:
            dnn_layer_type, bnn_layer_type: `nn.Dense` and ``DenseReparam``, or `nn.Conv2d` and ``ConvReparam``.
            get_args: a function from a layer to arguments of the new one.
            add_args: other arguments.
        """
        given = get_args or (_dense_args if issubclass(dnn_layer_type, Dense) else _conv_args)
        return self._transform({dnn_layer_type: lambda layer: bnn_layer_type(**given(layer), **(add_args or {}))})

    def _transform(self, makers: dict[type, Callable[[Any], Any]]) -> Any:
        _replace(self.backbone, makers)
        for name, parameter in self.backbone.parameters_and_names():
            parameter.name = name
        loss = WithBNNLossCell(self.backbone, self.loss_fn, self.dnn_factor, self.bnn_factor)
        return TrainOneStepCell(loss, self._new_optimizer())

    def _new_optimizer(self) -> Any:
        old = self.optimizer
        taken = set(inspect.signature(type(old).__init__).parameters)
        settings = {
            name: value.asnumpy().tolist()
            for name, value in old._parameters.items()
            if name in taken and value is not None
        }
        if "learning_rate" in old._modules:  # a schedule
            settings["learning_rate"] = old._modules["learning_rate"]
        return type(old)(self.backbone.trainable_params(), **settings)


def _replace(cell: Any, makers: dict[type, Callable[[Any], Any]]) -> None:
    for name, child in cell.name_cells().items():
        make = next((make for kind, make in makers.items() if isinstance(child, kind)), None)
        if make is None:
            _replace(child, makers)
        else:
            cell._exchange_child(name, make(child))
