"""Mixed precision at the top level. Upstream: ``mindspore.amp``."""
from mindspore_compat.train.amp import auto_mixed_precision, build_train_network
from mindspore_compat.train.loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager

__all__ = ["auto_mixed_precision", "build_train_network", "LossScaleManager", "FixedLossScaleManager", "DynamicLossScaleManager"]
