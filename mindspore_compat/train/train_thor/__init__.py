"""Networks and Models for the optimizer `thor`. MindSpore: ``mindspore.train.train_thor``."""

from mindspore_compat.train.train_thor.convert_utils import ConvertModelUtils, ConvertNetUtils

__all__ = ["ConvertNetUtils", "ConvertModelUtils"]
