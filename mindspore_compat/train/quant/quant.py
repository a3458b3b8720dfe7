"""Quantization-aware networks. MindSpore: ``mindspore.train.quant.quant``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.validate import check_bool, check_int, check_isinstance, check_non_negative_int
from mindspore_compat.compression.quant._convert import Conversion, convert
from mindspore_compat.compression.quant.qat import create_quant_config, pair
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train import _export

__all__ = ["convert_quant_network", "export"]

_OWNER = "convert_quant_network"
_OPERATORS = frozenset({"TensorAdd", "Add", "Sub", "Mul", "RealDiv"})


def convert_quant_network(
    network: Cell,
    bn_fold: bool = True,
    freeze_bn: int = 10000000,
    quant_delay: Any = (0, 0),
    num_bits: Any = (8, 8),
    per_channel: Any = (False, False),
    symmetric: Any = (False, False),
    narrow_range: Any = (False, False),
) -> Cell:
    """Convert a network for quantization-aware training, in place; each pair is one value, or two for weights and
    activations.

    Args:
        network: its ``nn.Conv2dBnAct`` and ``nn.DenseBnAct``, and additions, subtractions, products and quotients by
            operators that are attributes of a Cell, are replaced; docs/quant.md has the table.
        bn_fold: whether a batch norm is folded into the convolution.
        freeze_bn: training steps after which a folded norm keeps its statistics.
        quant_delay: training steps before which values pass unchanged.
        num_bits: 4, 7 or 8.
        per_channel: a range for each channel; for weights only.
        symmetric: whether the ranges are symmetric. narrow_range: whether they have one value less.

    Returns:
        ``network``. Parameters keep their names; new ones are called as in MindSpore 1.0, so that its checkpoints fit.

    Raises:
        ValueError: if ``network`` is no Cell, for more than two values, other bits, ``per_channel`` of activations, or
            an activation that cannot be replaced. TypeError: for values of another type.
    """
    check_isinstance(network, "network", Cell, _OWNER)
    weight_bits, result_bits = (f"INT{check_int(item, 'num_bits', _OWNER)}" for item in pair(num_bits, "num_bits"))
    delays = [check_non_negative_int(item, "quant_delay", _OWNER) for item in pair(quant_delay, "quant_delay")]
    flags: dict[str, Any] = {
        name: [check_bool(item, name, _OWNER) for item in pair(value, name)]
        for name, value in (("per_channel", per_channel), ("symmetric", symmetric), ("narrow_range", narrow_range))
    }
    config = create_quant_config(quant_delay=delays, quant_dtype=(weight_bits, result_bits), **flags)
    config.weight(), config.activation()  # wrong bits raise here, not in the middle of the network
    return convert(
        network,
        Conversion(
            config,
            weight_bits,
            result_bits,
            _OPERATORS,
            check_bool(bn_fold, "bn_fold", _OWNER),
            one_conv_fold=False,
            freeze_bn=check_non_negative_int(freeze_bn, "freeze_bn", _OWNER),
            old=True,
        ),
    )


def export(
    network: Cell, *inputs: Any, file_name: str, mean: float = 127.5, std_dev: float = 127.5, file_format: str = "AIR"
) -> None:
    """Write a network of `convert_quant_network` for deployment; ``mindspore.export`` with ``quant_mode="QUANT"`` does
    the same.

    Args:
        network: the trained network.
        inputs: Tensors of the shapes to come.
        file_name: the suffix is added if it is missing.
        mean, std_dev: of the network's input, which is taken to be ``(pixel - mean) / std_dev`` of whole numbers from 0
            to 255.
        file_format: "MINDIR" or "ONNX". "AIR", the default of old, needs Ascend's compiler.

    Raises:
        TypeError: for another type of ``mean`` or ``std_dev``, or a network that is no Cell. ValueError: for "AIR" or
            an unknown format, or ``std_dev`` not above 0. All that ``mindspore.export`` raises.
    """
    _export.export(
        network, *inputs, file_name=file_name, file_format=file_format, quant_mode="QUANT", mean=mean, std_dev=std_dev
    )
