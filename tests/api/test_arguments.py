"""Layers whose signatures take over another's arguments."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

from mindspore_compat import nn
from mindspore_compat.nn.layer.quant import Conv2dQuant


def names(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_a_subclass_calls_a_layer_by_place_and_by_name() -> None:
    class Own(nn.Conv2d):
        def __init__(self) -> None:
            super().__init__(3, 8, 3, pad_mode="valid", has_bias=True)

    class OwnQuant(Conv2dQuant):
        def __init__(self) -> None:
            super().__init__(3, 8, 3, 2, num_bits=8)

    assert Own().bias is not None
    assert OwnQuant().stride == (2, 2)
    assert names(nn.Conv2d)[:4] == ["in_channels", "out_channels", "kernel_size", "stride"]


def test_what_takes_over_arguments_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(nn.exponential_decay_lr)) is nn.exponential_decay_lr
    assert pickle.loads(pickle.dumps(nn.Conv2d(3, 8, 3))).kernel_size == (3, 3)
