"""The feed-forward part of a transformer layer; its own file because experts are made of it. Public in
``.transformer``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dropout
from mindspore_compat.nn.transformer.layers import FLOATS, _check_input_dtype, _Linear, _valid_type_checks, check_init
from mindspore_compat.nn.transformer.op_parallel_config import (
    MoEParallelConfig,
    OpParallelConfig,
    _check_config,
    default_dpmp_config,
)

__all__ = ["FeedForward", "check_multiple", "check_rate"]


def check_multiple(owner: str, config: Any, **sizes: int) -> None:
    """ValueError unless each size can be cut over ``config.model_parallel`` devices."""
    for name, size in sizes.items():
        if size % config.model_parallel:
            raise ValueError(
                f"For '{owner}', the '{name}' must be a multiple of 'parallel_config.model_parallel' "
                f"{config.model_parallel}, but got {size}."
            )


def check_rate(owner: str, **rates: float) -> None:
    """ValueError unless each rate is below 1."""
    for name, rate in rates.items():
        if not 0 <= rate < 1:
            raise ValueError(f"For '{owner}', the '{name}' must be in range [0, 1.0), but got {rate}.")


class FeedForward(Cell):
    """Two dense layers with an activation between and dropout after, computed in float16: (..., hidden_size) gives the
    same shape, float16.
    """

    @check_init("FeedForward", parallel_config=_valid_type_checks([OpParallelConfig, MoEParallelConfig], "FeedForward"))
    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        dropout_rate: float,
        hidden_act: Any = "gelu",
        expert_num: int = 1,
        expert_group_size: int | None = None,
        param_init_type: Any = torch.float32,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        super().__init__()
        if not (isinstance(hidden_act, str) or (isinstance(hidden_act, type) and issubclass(hidden_act, Cell))):
            raise TypeError(
                f"For 'FeedForward', the 'hidden_act' must be a str or a subclass of Cell, but got {hidden_act}."
            )
        _check_config(parallel_config)
        check_multiple("FeedForward", parallel_config, ffn_hidden_size=ffn_hidden_size, hidden_size=hidden_size)
        check_rate("FeedForward", dropout_rate=dropout_rate)
        groups = parallel_config.data_parallel // (parallel_config.expert_parallel if expert_num > 1 else 1)
        common: Any = {
            "transpose_b": False,
            "expert_num": expert_num,
            "expert_group_size": expert_group_size,
            "outer_batch": groups,
            "param_init_type": param_init_type,
        }
        self.mapping = _Linear(hidden_size, ffn_hidden_size, activation=hidden_act, **common)
        self.projection = _Linear(ffn_hidden_size, hidden_size, **common)
        self.dropout, self.dropout_3d, self.dropout_4d = (Dropout(p=dropout_rate) for _ in range(3))

    def construct(self, x: Any) -> Any:
        _check_input_dtype(x.dtype, "x", FLOATS, "FeedForward")
        return self.dropout(self.projection(self.mapping(x.to(torch.float16))))
