"""Training, callbacks, metrics, checkpoints. Upstream: ``mindspore.train``."""
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.train import amp, callback, metrics, serialization  # noqa: F401
from mindspore_compat.train.amp import auto_mixed_precision, build_train_network, custom_mixed_precision, get_black_list, get_white_list
from mindspore_compat.train.callback import *  # noqa: F403
from mindspore_compat.train.data_sink import data_sink
from mindspore_compat.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from mindspore_compat.train.metrics import *  # noqa: F403
from mindspore_compat.train.model import Model
from mindspore_compat.train.serialization import *  # noqa: F403
from mindspore_compat.train.train_thor import ConvertModelUtils, ConvertNetUtils

__all__ = ["Model", "DatasetHelper", "connect_network_with_dataset", "LossScaleManager", "FixedLossScaleManager", "DynamicLossScaleManager",
           "build_train_network", "auto_mixed_precision", "custom_mixed_precision", "get_white_list", "get_black_list", "data_sink",
           "ConvertNetUtils", "ConvertModelUtils", *serialization.__all__, *callback.__all__, *metrics.__all__]

# Summaries bring protobuf and tensorboard's protos: imported on first use.
__getattr__ = module_getattr(__name__, {"SummaryRecord": "train.summary", "SummaryCollector": "train.callback._summary_collector",
                                        "SummaryLandscape": "train.callback._landscape", "summary": "train.summary"})
