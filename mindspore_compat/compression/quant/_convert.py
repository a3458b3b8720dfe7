"""Conversion of a network to quantizing layers, for `QuantizationAwareTraining` and 1.0's ``convert_quant_network``.

It replaces ``nn.Conv2dBnAct`` and ``nn.DenseBnAct``, in them the convolution or dense layer and the activation, and the
operators of a table that are attributes of a Cell. All other layers, also ``nn.Conv2d`` and ``nn.Dense``, stay in
floats.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer import quant
from mindspore_compat.nn.layer.activation import HSigmoid, HSwish, LeakyReLU, ReLU, ReLU6, Sigmoid
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.layer.combined import Conv2dBnAct, DenseBnAct
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.ops.primitive import Primitive

_log = logging.getLogger("mindspore_compat")
_DONE = (
    quant.FakeQuantWithMinMaxObserver,
    quant.Conv2dQuant,
    quant.Conv2dBnFoldQuant,
    quant.Conv2dBnFoldQuantOneConv,
    quant.Conv2dBnWithoutFoldQuant,
    quant.DenseQuant,
    quant.ActQuant,
    quant.LeakyReLUQuant,
    quant.HSwishQuant,
    quant.HSigmoidQuant,
    quant.TensorAddQuant,
    quant.MulQuant,
)
_PLAIN, _SIGNED = (ReLU, ReLU6, Sigmoid), (LeakyReLU, HSigmoid, HSwish)
_OLD_SIGNED = {LeakyReLU: quant.LeakyReLUQuant, HSigmoid: quant.HSigmoidQuant, HSwish: quant.HSwishQuant}


def _identity(x: Any) -> Any:
    return x


class QuantAfter(Cell):
    """Operator or Cell ``subcell`` whose result is rounded by ``fake_quant_act``."""

    def __init__(self, subcell: Callable[..., Any], observer: Any) -> None:
        super().__init__(auto_prefix=False)
        self.subcell, self.fake_quant_act = subcell, observer

    def construct(self, *data: Any) -> Any:
        return self.fake_quant_act(self.subcell(*data))


@dataclass
class Conversion:
    """Configuration of a conversion.

    Args:
        config: makes the observers; for the weight of one layer, ``weight_config`` may give another.
        weight_dtype, activation_dtype: types to round to.
        operators: names of the operators whose result is rounded.
        learned: whether ranges are trained, from a wider start.
        old: names and activations of MindSpore 1.0: ``conv.tensor_add.fake_quant_act.minq`` where later there is
            ``conv.add...``, after the attribute.
    """

    config: Any
    weight_dtype: Any
    activation_dtype: Any
    operators: frozenset[str]
    bn_fold: bool = True
    one_conv_fold: bool = True
    freeze_bn: int = 10000000
    old: bool = False
    learned: bool = False
    weight_config: Callable[[Cell], Any] | None = None

    def observer(self) -> Any:
        """Return an observer of a result: its range begins with the first batch's and is then a moving average."""
        bound = 16 if self.learned else 6
        made = self.config.activation(quant_dtype=self.activation_dtype, min_init=-bound, max_init=bound, ema=True)
        made.starts_at_batch = True
        return made

    def layer_config(self, layer: Cell) -> Any:
        """Return the config of one layer."""
        return self.config if self.weight_config is None else self.weight_config(layer)


def convert(network: Cell, how: Conversion) -> Cell:
    """Return ``network``, changed in place; existing Parameters stay the same objects."""
    network.update_cell_prefix()
    left = _walk(network, how)
    network.update_cell_type("quant")
    if left:
        _log.warning(
            "quantization: these layers are no Conv2dBnAct or DenseBnAct and stay in floats, as in MindSpore 1.x: %s",
            ", ".join(left),
        )
    return network


def _walk(cell: Cell, how: Conversion) -> list[str]:
    left = []
    for child in cell.cells():
        if isinstance(child, (Conv2dBnAct, DenseBnAct)):
            prefix = child.param_prefix
            if isinstance(child.conv if isinstance(child, Conv2dBnAct) else child.dense, _DONE):
                raise ValueError(
                    f"For 'quantize', the network is converted already: {prefix} holds a layer of nn.layer.quant. "
                    "Convert a network once."
                )
            (_convert_conv if isinstance(child, Conv2dBnAct) else _convert_dense)(child, how)
            _convert_activation(child, how)
            for part in child.cells():
                part.set_train(child.training)  # a new Cell is in evaluation
            child.update_parameters_name(f"{prefix}.")
        elif isinstance(child, (Conv2d, Dense)):
            left.append(f"{child.param_prefix} ({type(child).__name__})")
        elif isinstance(child, Cell) and not isinstance(child, _DONE):
            left += _walk(child, how)
    if isinstance(cell, (Conv2dBnAct, DenseBnAct)):
        raise ValueError(
            f"For 'quantize', the network must hold its layers as attributes, but got a lone {type(cell).__name__}. "
            "Wrap it, e.g. in nn.SequentialCell."
        )
    _convert_operators(cell, how)
    return left


def _convert_operators(cell: Cell, how: Conversion) -> None:
    found = [
        (name, item)
        for name, item in vars(cell).items()
        if not name.startswith("_") and isinstance(item, Primitive) and item.name in how.operators
    ]
    taken: set[str] = set()
    for name, operator in found:
        prefix = re.sub(r"(?<=.)([A-Z])", r"_\1", operator.name).lower() if how.old else name
        prefix = {"add": "tensor_add"}.get(prefix, prefix) if how.old else prefix
        prefix = name if prefix in taken else prefix
        taken.add(prefix)
        made = QuantAfter(operator, how.observer())
        made.set_train(cell.training)
        made.update_parameters_name(f"{cell.param_prefix}.{prefix}." if cell.param_prefix else f"{prefix}.")
        delattr(cell, name)
        cell._exchange_child(name, made)


def _take(new: Cell, old: Cell, names: tuple[str, ...]) -> None:
    """Move the Parameters of ``old`` to those of ``new``."""
    for name in names:
        if getattr(old, name, None) is not None:
            setattr(new, name, getattr(old, name))


def _convert_conv(cell: Any, how: Conversion) -> None:
    conv, norm, extra = cell.conv, cell.batchnorm if cell.has_bn else None, {}
    cls: Any = quant.Conv2dQuant
    if norm is not None:
        cls = quant.Conv2dBnWithoutFoldQuant
        extra = {"eps": norm.eps, "momentum": 1 - norm.momentum}  # the norm's attribute is 1 - momentum
        if how.bn_fold:
            cls = quant.Conv2dBnFoldQuantOneConv if how.one_conv_fold else quant.Conv2dBnFoldQuant
            extra.update({} if how.one_conv_fold else {"freeze_bn": how.freeze_bn}, fake=True)
    made = cls(
        conv.in_channels,
        conv.out_channels,
        conv.kernel_size,
        conv.stride,
        conv.pad_mode,
        conv.padding,
        conv.dilation,
        conv.group,
        has_bias=conv.has_bias,
        quant_config=how.layer_config(cell),
        quant_dtype=how.weight_dtype,
        **extra,
    )
    _take(made, conv, ("weight", "bias"))
    if norm is not None:
        _take(made if how.bn_fold else made.batchnorm, norm, ("gamma", "beta", "moving_mean", "moving_variance"))
        del cell.batchnorm
        cell.batchnorm, cell.has_bn = None, False
    cell.conv = made


def _convert_dense(cell: Any, how: Conversion) -> None:
    dense = cell.dense
    made = quant.DenseQuant(
        dense.in_channels,
        dense.out_channels,
        has_bias=dense.has_bias,
        activation=dense.activation,
        quant_config=how.layer_config(cell),
        quant_dtype=how.weight_dtype,
    )
    _take(made, dense, ("weight", "bias"))
    cell.dense = made


def _convert_activation(cell: Any, how: Conversion) -> None:
    activation = cell.activation if cell.has_act else None
    if activation is None:
        if cell.after_fake:
            _set_activation(cell, QuantAfter(_identity, how.observer()))
            cell.has_act = True
        return
    if not isinstance(activation, (*_PLAIN, *_SIGNED)):
        raise ValueError(
            f"For 'quantize', the activation of {cell.param_prefix} must be one of "
            f"{', '.join(item.__name__ for item in (*_PLAIN, *_SIGNED))}, but got {type(activation).__name__}. "
            "Take it out of the Conv2dBnAct or DenseBnAct, and apply it in 'construct'."
        )
    signed = isinstance(activation, _SIGNED)
    if how.old and signed:
        made = _OLD_SIGNED[type(activation)](activation, **_old_arguments(how))
    elif how.old:
        made = quant.ActQuant(activation, **_old_arguments(how))
    else:
        made = quant.ActQuant(
            activation, ema=signed, fake_before=signed, quant_config=how.config, quant_dtype=how.activation_dtype
        )
    for observer in made.cells():
        if isinstance(observer, quant.FakeQuantWithMinMaxObserver):
            observer.starts_at_batch = True
    _set_activation(cell, made)


def _set_activation(cell: Any, made: Cell) -> None:
    """Set ``activation``, which may be None so far, an attribute and no child."""
    cell.__dict__.pop("activation", None)
    cell.activation = made


def _old_arguments(how: Conversion) -> dict[str, Any]:
    observer = how.observer()
    return {
        "per_channel": False,
        "num_bits": observer.num_bits,
        "symmetric": observer.symmetric,
        "narrow_range": observer.narrow_range,
        "quant_delay": observer.quant_delay,
    }
