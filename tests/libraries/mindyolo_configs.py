"""Writes configurations of small mindyolo networks on the data of make_coco.py: pictures without chance, the whole data set in
one batch, so that an order of its own does not change a loss. Usage: ``python mindyolo_configs.py ROOT CHECKOUT DATA``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_TRANSFORMS = [
    {"func_name": "letterbox", "scaleup": True},
    {"func_name": "label_norm", "xyxy2xywh_": True},
    {"func_name": "label_pad", "padding_size": 160, "padding_value": -1},
    {"func_name": "image_norm", "scale": 255.0},
    {"func_name": "image_transpose", "bgr2rgb": True, "hwc2chw": True},
]
_SMALL = {"depth_multiple": 0.33, "width_multiple": 0.125}
#: name → configuration of the checkout, what the network gets instead
_NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "yolov3": ("yolov3/yolov3.yaml", _SMALL),
    "yolov4": ("yolov4/yolov4.yaml", _SMALL),
    "yolov5n": ("yolov5/yolov5n.yaml", {"width_multiple": 0.125}),
    "yolov7-tiny": ("yolov7/yolov7-tiny.yaml", {"width_multiple": 0.25}),
    "yolov8n": ("yolov8/yolov8n.yaml", {"width_multiple": 0.125}),
    "yolov8n-seg": ("yolov8/seg/yolov8n-seg.yaml", {"width_multiple": 0.125}),
    "yolov9-t": ("yolov9/yolov9-t.yaml", {}),
    "yolov10n": ("yolov10/yolov10n.yaml", {}),
    "yolov11-n": ("yolov11/yolov11-n.yaml", {}),
    "yolox-nano": ("yolox/yolox-nano.yaml", {"width_multiple": 0.125}),
}


def write_configs(root: Path, checkout: Path, data: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, (origin, network) in _NETWORKS.items():
        written = {
            "__BASE__": [str(checkout.resolve() / "configs" / origin)],
            "weight": "",
            "callback": [],
            "network": network,
            # MindSpore 2.10's kernel for CPUs leaves nesterov out; YOLOX wants more epochs than its warm-up has; with the
            # usual rates rounding alone parts two runs after three steps
            "optimizer": {
                "nesterov": False,
                "warmup_epochs": 1,
                "cooldown_epochs": 1,
                "lr_init": 0.0005,
                "warmup_bias_lr": 0.002,
            },
            **({"loss": {"input_size": [64, 64]}} if name.startswith("yolox") else {}),
            "data": {
                "num_parallel_workers": 1,
                "train_set": str(data.resolve() / "train2017.txt"),
                "val_set": str(data.resolve() / "val2017.txt"),
                "train_transforms": _TRANSFORMS,
            },
        }
        (root / f"{name}.yaml").write_text(json.dumps(written, indent=1))  # JSON is YAML


if __name__ == "__main__":
    write_configs(*map(Path, sys.argv[1:4]))
