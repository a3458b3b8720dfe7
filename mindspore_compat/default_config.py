"""Settings of the build, which code of the converter x2ms reads (`x2ms_adapter/__init__.py`)."""

import torch

__package_name__ = "mindspore"
__device_target__ = ["cpu", *(["gpu"] if torch.cuda.is_available() else [])]
