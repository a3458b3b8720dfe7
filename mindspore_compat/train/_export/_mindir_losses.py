"""Losses as MINDIR operators, where real MindSpore's CPUs have them. Rows of ``_mindir_rows.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._capture.graph.ir import Node
from mindspore_compat.train._export._lower import Ref, Row

__all__ = ["LOSSES", "LOSS_FORMS"]

#: MindSpore's number and name of a reduction by torch's number
_NUMBERS, _NAMES = {0: 2, 1: 1, 2: 0}, {0: "none", 1: "mean", 2: "sum"}


def _nll_loss(e: Any, a: Any, n: Node) -> Any:
    weight = a.weight if a.weight is not None else e.constant(torch.ones(a.self.shape[1]))
    result = e("NLLLoss", a.self, e.operand(a.target, torch.int32), weight, _NUMBERS[a.reduction], a.ignore_index)
    return e.item(result, 0), e.item(result, 1)


def _margin_loss(e: Any, a: Any, n: Node) -> Ref:
    return e(
        "MultiMarginLoss",
        a.self,
        a.target,
        getattr(a, "weight", None),
        p=int(getattr(a, "p", 1)),
        margin=float(getattr(a, "margin", 1)),
        reduction=_NAMES[getattr(a, "reduction", 1)],
    )


#: {aten's operator: its row}
LOSSES: dict[str, Row] = {
    "nll_loss_forward": _nll_loss,
    "multi_margin_loss": _margin_loss,
}

#: the forms that MINDIR has
LOSS_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "nll_loss_forward": lambda a: a["self"].dtype is torch.float32 and a["self"].dim() == 2,
    "multi_margin_loss": lambda a: a["self"].dtype is torch.float32 and a["self"].dim() == 2,
}
