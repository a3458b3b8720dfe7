"""MindSpore: ``mindspore.compression.quant.qat``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.compression.common.constant import QuantDtype
from mindspore_compat.compression.quant._convert import Conversion, convert
from mindspore_compat.compression.quant._threshold import weight_bounds
from mindspore_compat.compression.quant.quantizer import OptimizeOption, Quantizer
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.combined import Conv2dBnAct, DenseBnAct
from mindspore_compat.nn.layer.quant import FakeQuantWithMinMaxObserver, QuantConfig

__all__ = ["QuantizationAwareTraining", "create_quant_config"]

_OBSERVER = FakeQuantWithMinMaxObserver


def pair(value: Any, name: str) -> tuple[Any, Any]:
    """Return (for weights, for activations) of one value or a list or tuple of one or two.

    Raises:
        ValueError: for another length.
    """
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    if not 1 <= len(items) <= 2:
        raise ValueError(
            f"For '{name}', the length must be 1 or 2: for weights and for activations, but got {value!r}."
        )
    return items[0], items[-1]


def create_quant_config(
    quant_observer: Any = (_OBSERVER, _OBSERVER),
    quant_delay: Any = (0, 0),
    quant_dtype: Any = (QuantDtype.INT8, QuantDtype.INT8),
    per_channel: Any = (False, False),
    symmetric: Any = (False, False),
    narrow_range: Any = (False, False),
    mode: str = "DEFAULT",
) -> QuantConfig:
    """Return the factories of layers' observers; each argument is one value or two: for weights and for activations.

    Args:
        quant_observer: classes of observers. The others: as of `FakeQuantWithMinMaxObserver`.

    Raises:
        ValueError: for more than two values, or ``per_channel`` of activations.
    """
    observers = pair(quant_observer, "quant_observer")
    given = {
        "quant_delay": quant_delay,
        "quant_dtype": quant_dtype,
        "per_channel": per_channel,
        "symmetric": symmetric,
        "narrow_range": narrow_range,
    }
    pairs = {name: pair(value, name) for name, value in given.items()}
    if pairs["per_channel"][1]:
        raise ValueError(
            "For 'create_quant_config', the second element of 'per_channel' must be False, but got True: "
            "activations have one range for the whole layer."
        )
    return QuantConfig(
        *[
            observer.partial_init(mode=mode, **{name: values[side] for name, values in pairs.items()})
            for side, observer in enumerate(observers)
        ]
    )


class QuantizationAwareTraining(Quantizer):
    """Converter of a network to quantization-aware training; each pair is one value or two: for weights and for
    activations.

    Args:
        bn_fold: whether a batch norm is folded into the convolution.
        freeze_bn: training steps after which a folded norm keeps its statistics; only with ``one_conv_fold`` False.
        quant_delay: training steps before which values pass unchanged.
        quant_dtype: types to round to, of 4, 7 or 8 bits.
        per_channel: a range for each channel; for weights only.
        symmetric, narrow_range: of the ranges, see `FakeQuantWithMinMaxObserver`.
        optimize_option: `OptimizeOption.QAT`, or LEARNED_SCALE: ranges are trained; needs ``symmetric`` and
            ``narrow_range`` both (True, True), ``freeze_bn`` and ``quant_delay`` 0.
        one_conv_fold: whether a folded norm takes its statistics from the convolution with rounded weights, or from one
            more with float ones.

    Raises:
        ValueError: for more than two values, or an option that does not go with
            the others.
    """

    _OPERATORS = frozenset({"Add", "TensorAdd", "Sub", "Mul", "RealDiv", "ReduceMean"})

    def __init__(
        self,
        bn_fold: bool = True,
        freeze_bn: int = 10000000,
        quant_delay: Any = (0, 0),
        quant_dtype: Any = (QuantDtype.INT8, QuantDtype.INT8),
        per_channel: Any = (False, False),
        symmetric: Any = (False, False),
        narrow_range: Any = (False, False),
        optimize_option: Any = OptimizeOption.QAT,
        one_conv_fold: bool = True,
    ) -> None:
        super().__init__(optimize_option)
        self.bn_fold, self.one_conv_fold, self.freeze_bn = bn_fold, one_conv_fold, freeze_bn
        delays = list(pair(quant_delay, "quant_delay"))
        flags = {
            name: list(pair(value, name))
            for name, value in (("per_channel", per_channel), ("symmetric", symmetric), ("narrow_range", narrow_range))
        }
        self.weight_dtype, self.act_dtype = pair(quant_dtype, "quant_dtype")
        self.weight_channel = flags["per_channel"][0]
        self.mode = "LEARNED_SCALE" if OptimizeOption.LEARNED_SCALE in self.optimize_option else "DEFAULT"
        if self.mode == "LEARNED_SCALE":
            self._check_learned_scale({**flags, "freeze_bn": self.freeze_bn, "quant_delay": delays})
        self.quant_config = create_quant_config(quant_delay=delays, quant_dtype=quant_dtype, mode=self.mode, **flags)
        (
            self.quant_config.weight(),
            self.quant_config.activation(),
        )  # wrong arguments are found here, not in the middle of a network

    @staticmethod
    def _check_learned_scale(given: dict[str, Any]) -> None:
        for name, wanted in (
            ("symmetric", [True, True]),
            ("narrow_range", [True, True]),
            ("freeze_bn", 0),
            ("quant_delay", [0, 0]),
        ):
            if given[name] != wanted:
                raise ValueError(
                    f"For 'QuantizationAwareTraining', with OptimizeOption.LEARNED_SCALE '{name}' must be {wanted}, "
                    f"but got {given[name]}."
                )

    def quantize(self, network: Any) -> Cell:
        """Return the network, changed in place; on every device.

        Raises:
            ValueError: if it holds an activation that cannot be replaced.
        """
        return convert(
            network,
            Conversion(
                self.quant_config,
                self.weight_dtype,
                self.act_dtype,
                self._OPERATORS,
                self.bn_fold,
                self.one_conv_fold,
                self.freeze_bn,
                learned=self.mode == "LEARNED_SCALE",
                weight_config=self._config_of if self.mode == "LEARNED_SCALE" else None,
            ),
        )

    def _config_of(self, layer: Any) -> QuantConfig:
        norm = layer.batchnorm if isinstance(layer, Conv2dBnAct) and layer.has_bn and self.bn_fold else None
        low, high = weight_bounds(
            layer.conv if isinstance(layer, Conv2dBnAct) else layer.dense, norm, self.weight_dtype, self.weight_channel
        )
        return self.quant_config._replace(weight=self.quant_config.weight.partial_init(min_init=low, max_init=high))

    def set_mixed_bits(self, network: Cell, strategy: Any) -> Cell:
        """Set other bits for each layer's weight: ``strategy`` holds [bits] for each Conv2dBnAct and DenseBnAct, in
        order.

        Raises:
            ValueError: without LEARNED_SCALE, or if there are not as many layers.
        """
        if self.mode != "LEARNED_SCALE":
            raise ValueError(
                "For 'set_mixed_bits', the quantizer must have OptimizeOption.LEARNED_SCALE, but it has "
                f"{', '.join(map(str, self.optimize_option))}."
            )
        layers = [cell for _, cell in network.cells_and_names() if isinstance(cell, (Conv2dBnAct, DenseBnAct))]
        if len(layers) != len(strategy):
            raise ValueError(
                f"For 'set_mixed_bits', the 'strategy' must have one element for each of the {len(layers)} layers, "
                f"but got {len(strategy)}."
            )
        for layer, (bits,) in zip(layers, strategy):
            core = layer.conv if isinstance(layer, Conv2dBnAct) else layer.dense
            low, high = weight_bounds(core, core if hasattr(core, "gamma") else None, f"INT{bits}", self.weight_channel)
            core.fake_quant_weight.reset(QuantDtype[f"INT{bits}"], low, high)
        return network
