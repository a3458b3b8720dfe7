"""All of ``mindspore.train`` but the summaries, which need protobuf: loaded by ``import mindspore`` and ``from
mindspore import *``.
"""

from mindspore_compat.train import metrics, serialization
from mindspore_compat.train._torch.step import TorchTrainStep
from mindspore_compat.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from mindspore_compat.train.callback import _eager as callback
from mindspore_compat.train.callback._eager import *  # noqa: F403
from mindspore_compat.train.data_sink import data_sink
from mindspore_compat.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from mindspore_compat.train.metrics import *  # noqa: F403
from mindspore_compat.train.model import Model
from mindspore_compat.train.serialization import *  # noqa: F403
from mindspore_compat.train.train_thor import ConvertModelUtils, ConvertNetUtils

__all__ = [
    "Model",
    "DatasetHelper",
    "connect_network_with_dataset",
    "LossScaleManager",
    "FixedLossScaleManager",
    "DynamicLossScaleManager",
    "build_train_network",
    "auto_mixed_precision",
    "custom_mixed_precision",
    "get_white_list",
    "get_black_list",
    "data_sink",
    "TorchTrainStep",
    "ConvertNetUtils",
    "ConvertModelUtils",
    *serialization.__all__,
    *callback.__all__,
    *metrics.__all__,
]
