"""Feed-forward part of a transformer layer, in its own file since experts use it. Public in ``.transformer``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.basic import Dropout
from mindspore_compat.nn.transformer.layers import _Linear
from mindspore_compat.nn.transformer.op_parallel_config import default_dpmp_config


class FeedForward(Cell):
    """Two dense layers with an activation between and dropout after, computed in float16: (..., hidden_size) gives the
    same shape, float16.
    """

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
        return self.dropout(self.projection(self.mapping(x.to(torch.float16))))
