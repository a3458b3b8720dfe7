"""Large layers whose start values are compared with real MindSpore's by their largest value and deviation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def layers(nn: Any) -> dict[str, Callable[[], Any]]:
    return {
        "Dense": lambda: nn.Dense(400, 300),
        "Conv1d": lambda: nn.Conv1d(30, 40, 5, has_bias=True),
        "Conv2d": lambda: nn.Conv2d(30, 200, 3, has_bias=True),
        "Conv2d.group": lambda: nn.Conv2d(64, 256, 3, group=2, has_bias=True),
        "Conv3d": lambda: nn.Conv3d(16, 64, 3, has_bias=True),
        "Conv2dTranspose": lambda: nn.Conv2dTranspose(64, 200, 3, has_bias=True),
        "Conv3dTranspose": lambda: nn.Conv3dTranspose(16, 64, 3, has_bias=True),
        "Embedding": lambda: nn.Embedding(300, 100),
        "Linear": lambda: nn.Linear(400, 300),
        "BiDense": lambda: nn.BiDense(40, 50, 60),
        "LSTM": lambda: nn.LSTM(60, 100),
        "GRUCell": lambda: nn.GRUCell(60, 100),
        "MultiheadAttention": lambda: nn.MultiheadAttention(128, 4),
        "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(128, 4, 300),
        "Transformer": lambda: nn.Transformer(64, 4, 1, 1, 300),
        "DenseBnAct": lambda: nn.DenseBnAct(400, 300),
        "Conv2dBnAct": lambda: nn.Conv2dBnAct(30, 200, 3),
        "EmbeddingLookup": lambda: nn.EmbeddingLookup(300, 99),
    }
