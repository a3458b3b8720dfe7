"""Optimizer settings that real MindSpore and this package run alike, and the net they train (as in
tests/golden/upstream).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["SETTINGS", "STEPS", "make_net", "make_data"]

STEPS = 6


def make_net(nn: Any) -> Any:
    """Convolution, batch norm and a dense layer over 1×6×6 images, 3 classes."""

    class Small(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=False)
            self.bn = nn.BatchNorm2d(2)
            self.relu = nn.ReLU()
            self.flat = nn.Flatten()
            self.fc = nn.Dense(32, 3)

        def construct(self, x: Any) -> Any:
            return self.fc(self.flat(self.relu(self.bn(self.conv(x)))))

    return Small()


def make_data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(11)
    return random.randn(12, 1, 6, 6).astype(np.float32), random.randint(0, 3, 12).astype(np.int32)


def _groups(params: list[Any]) -> list[dict[str, Any]]:
    return [
        {"params": [p for p in params if "conv" in p.name], "lr": 0.05, "weight_decay": 0.01},
        {"params": [p for p in params if "conv" not in p.name]},
        {"order_params": params},
    ]


def _schedules(nn: Any, params: list[Any]) -> list[dict[str, Any]]:
    return [
        {"params": params[:2], "lr": nn.ExponentialDecayLR(0.1, 0.5, 2), "weight_decay": 0.05},
        {"params": params[2:]},
    ]


SETTINGS: dict[str, Callable[[Any, list[Any]], Any]] = {
    # the 24 settings of the project's golden files
    "Momentum": lambda nn, p: nn.Momentum(p, 0.1, 0.9),
    "Momentum_lr_list": lambda nn, p: nn.Momentum(p, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 0.9),
    "Momentum_schedule": lambda nn, p: nn.Momentum(p, nn.ExponentialDecayLR(0.1, 0.9, 4), 0.9),
    "Momentum_groups": lambda nn, p: nn.Momentum(_groups(p), 0.1, 0.9),
    "SGD": lambda nn, p: nn.SGD(p, 0.1),
    "SGD_momentum": lambda nn, p: nn.SGD(p, 0.1, momentum=0.9, weight_decay=0.01),
    "SGD_nesterov": lambda nn, p: nn.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "SGD_dampening": lambda nn, p: nn.SGD(p, 0.1, momentum=0.9, dampening=0.5),
    "Adam": lambda nn, p: nn.Adam(p, 0.01),
    "Adam_wd": lambda nn, p: nn.Adam(p, 0.01, weight_decay=0.1),
    "Adam_nesterov": lambda nn, p: nn.Adam(p, 0.01, use_nesterov=True),
    "Adam_amsgrad": lambda nn, p: nn.Adam(p, 0.01, use_amsgrad=True),
    "AdamWeightDecay": lambda nn, p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
    "AdaMax": lambda nn, p: nn.AdaMax(p, 0.01),
    "RMSProp": lambda nn, p: nn.RMSProp(p, 0.01, decay=0.9, momentum=0.5, epsilon=1e-6),
    "RMSProp_centered": lambda nn, p: nn.RMSProp(p, 0.01, centered=True),
    "Adagrad": lambda nn, p: nn.Adagrad(p, 0.1, 0.01),
    "Adadelta": lambda nn, p: nn.Adadelta(p, 1.0, 0.9),
    "FTRL": lambda nn, p: nn.FTRL(p, learning_rate=0.01),
    "ProximalAdagrad": lambda nn, p: nn.ProximalAdagrad(p, learning_rate=0.01),
    "LazyAdam": lambda nn, p: nn.LazyAdam(p, 0.01),
    "Rprop": lambda nn, p: nn.Rprop(p, 0.01),
    "ASGD": lambda nn, p: nn.ASGD(p, 0.01),
    # Not here, since MindSpore's CPU kernels depart from its formulas: use_nesterov of Momentum and update_slots=False
    # of Adagrad have no effect there, and l1 of FTRL counts with the wrong sign for negative sums. test_optim_formulas
    # has them. other arguments
    "Momentum_scaled": lambda nn, p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.02, loss_scale=4.0),
    "Momentum_group_schedules": lambda nn, p: nn.Momentum(_schedules(nn, p), 0.1, 0.9),
    "Adam_groups": lambda nn, p: nn.Adam(_groups(p), 0.02, 0.8, 0.99, 1e-4),
    "Adam_scaled": lambda nn, p: nn.Adam(p, 0.01, weight_decay=0.1, loss_scale=8.0),
    "AdamWeightDecay_groups": lambda nn, p: nn.AdamWeightDecay(_groups(p), 0.02),
    "AdaMax_wd": lambda nn, p: nn.AdaMax(p, 0.02, 0.8, 0.9, 1e-3, weight_decay=0.1, loss_scale=2.0),
    "Adadelta_wd": lambda nn, p: nn.Adadelta(p, 0.5, 0.8, 1e-3, weight_decay=0.1),
    "Adadelta_groups": lambda nn, p: nn.Adadelta(_groups(p), 0.5),
    "FTRL_l2": lambda nn, p: nn.FTRL(p, 0.2, 0.1, -0.6, l2=0.05, weight_decay=0.02),
    "ProximalAdagrad_l1_l2": lambda nn, p: nn.ProximalAdagrad(p, 0.3, 0.1, l1=0.02, l2=0.05),
    "LazyAdam_nesterov": lambda nn, p: nn.LazyAdam(p, 0.01, use_nesterov=True, weight_decay=0.05),
    "Rprop_etas": lambda nn, p: nn.Rprop(p, 0.02, (0.3, 1.5), (1e-3, 0.03), weight_decay=0.01),
    "Rprop_groups": lambda nn, p: nn.Rprop(_groups(p), 0.02),
    "ASGD_t0": lambda nn, p: nn.ASGD(p, 0.05, 0.1, 0.5, 2.0, weight_decay=0.01),
    "RMSProp_wd": lambda nn, p: nn.RMSProp(p, 0.02, 0.8, 0.3, 1e-4, centered=True, weight_decay=0.1),
    "AdaFactor": lambda nn, p: nn.AdaFactor(p),
    "AdaFactor_wd": lambda nn, p: nn.AdaFactor(p, weight_decay=0.1, beta1=0.0),
    "AdaFactor_lr": lambda nn, p: nn.AdaFactor(
        p, 0.05, scale_parameter=False, relative_step=False, decay_rate=0.6, clip_threshold=0.5
    ),
    "AdaFactor_warmup": lambda nn, p: nn.AdaFactor(p, warmup_init=True, eps=(1e-10, 0.5)),
}
