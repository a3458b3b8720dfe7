"""Layers of quantization-aware training. MindSpore: ``mindspore.nn.layer.quant`` of MindSpore 1.x (docs/quant.md)."""

from mindspore_compat.nn.layer import _fake_quant, _quant_activations, _quant_layers
from mindspore_compat.nn.layer._fake_quant import *  # noqa: F403
from mindspore_compat.nn.layer._quant_activations import *  # noqa: F403
from mindspore_compat.nn.layer._quant_layers import *  # noqa: F403
from mindspore_compat.nn.layer.combined import Conv2dBnAct, DenseBnAct

__all__ = ["Conv2dBnAct", "DenseBnAct", *_fake_quant.__all__, *_quant_layers.__all__, *_quant_activations.__all__]
