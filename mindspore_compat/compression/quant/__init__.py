"""MindSpore: ``mindspore.compression.quant``."""

from mindspore_compat.compression.quant.qat import QuantizationAwareTraining, create_quant_config
from mindspore_compat.compression.quant.quant_utils import load_nonquant_param_into_quant_net, query_quant_layers
from mindspore_compat.compression.quant.quantizer import OptimizeOption

__all__ = [
    "load_nonquant_param_into_quant_net",
    "query_quant_layers",
    "QuantizationAwareTraining",
    "create_quant_config",
    "OptimizeOption",
]
