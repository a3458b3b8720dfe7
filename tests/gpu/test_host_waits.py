"""No layer, loss or optimizer makes the host wait for the device, forward or backward, but those listed here; and which
operators do.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch

from mindspore_compat.common.tensor import Tensor
from tests.gpu.waits import waits_within
from tests.nn.cases import CASES, Case
from tests.nn.optim_cases import SETTINGS, make_data
from tests.nn.test_against_golden import built, leaves, to_tensor
from tests.nn.test_optim_golden import train_cell
from tests.ops.cases import cases, evaluate
from tests.ops.test_against_golden import MINDSPORE
from tests.support import fakecuda

pytestmark = pytest.mark.skipif(not fakecuda.installed(), reason="the fake device is not installed (--device cuda)")

LAYERS = {
    r"(RNN|GRU|LSTM)\.(lengths|.*lengths.*)": "packed sequences are made on the host: torch wants their lengths there",
    r"loss\.CTCLoss\..*": "torch's loss wants lengths on the host",
    r"loss\.CrossEntropyLoss\.smooth\.mean": "torch's own: the weights of targets that are not ignored",
}
#: torch cannot differentiate these by all their inputs
WITHOUT_GRADIENT = re.compile(r"IGamma|loss\.SoftMarginLoss|Uniform\.mode")

_BY_VALUES = "the result's size depends on values"
_HOST = "a Tensor is given where a size or axis is meant"
_LINEAR = "torch raises for singular matrices"
OPERATORS = {
    r"CTCLoss|ctc_": "labels and lengths are read on the host",
    r"nonzero|NonZero|argwhere|unique|Unique|masked_select|MaskedSelect|bincount|a\[t\]|setdiff1d|combinations|choice_with_mask": _BY_VALUES,
    r"RandomChoiceWithMask|sequence_mask\(ix\)|HistogramFixedWidth|Histogram\(|histc|Randperm|repeat\(a": _BY_VALUES,
    r"inverse|Inverse|cholesky|Cholesky|MatrixLogarithm|MatrixPower|Lstsq|NuclearNorm|[sS]olve|svd|pinv|'nuc'|matrix_rank|slogdet|logdet|lstsq|eig|Eig|qr|Svd|orgqr|det|Lu\(": _LINEAR,
    r"multinomial|Multinomial|random_categorical|RandomCategorical": "torch checks probabilities",
    r"[pP]rod": "torch's gradient of a product looks for zeros",
    r"polygamma|CumulativeLogsumexp|_window|Reshape|fold|Resize|range\(|Range|linspace|LinSpace|logspace|LogSpace": _HOST,
    r"MirrorPad|EuclideanNorm|Tensor\(|clamp\(a, v, p\)": _HOST,
    r"NMSWithMask": "boxes are compared one after the other, on the host",
    r"Custom": "a function of numpy",
    r"CheckNumerics": "it raises by values",
    r"augassign_add\(\(": "a tuple of Python is the value",
    r"mnp\.(pad|array_str|array_repr|histogram|unravel_index|array_equal|digitize|intersect|cov|corrcoef|window)": (
        "numpy computes it, or a bool is the result"
    ),
    r"mnp\.": "numpy computes it",
    r"ops\.cov|TruncatedNormal": "torch's own checks",
    r"itemset|a\[\[": "a list of Python is the index or the value",
    r"asnumpy|item\(|tolist|int\(|float\(|bool\(|repr|str\(": "it is asked for values",
}


def _reason(name: str, reasons: dict[str, str], whole: bool) -> str | None:
    match = re.fullmatch if whole else re.search
    return next((reason for pattern, reason in reasons.items() if match(pattern, name)), None)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_layers_and_losses(case: Case) -> None:
    differentiable = not WITHOUT_GRADIENT.match(case.name)
    net, inputs = built(case), [to_tensor(item) for item in case.inputs]
    for item in inputs:
        if isinstance(item, torch.Tensor) and item.dtype.is_floating_point:
            item.requires_grad_(differentiable)
    try:
        with fakecuda.recorded() as traffic:
            found = [item for item in leaves(net(*inputs)) if isinstance(item, torch.Tensor) and item.requires_grad]
            if found and differentiable:
                torch.autograd.backward(found, [torch.ones_like(item) for item in found])
    except NotImplementedError:
        assert not differentiable
        return
    waits = waits_within(traffic)
    assert bool(waits) == (_reason(case.name, LAYERS, True) is not None), waits


@pytest.mark.filterwarnings("ignore")
def test_operators_that_wait_have_a_reason() -> None:
    unexplained, waiting, counted = {}, 0, 0
    for case in cases():
        if case.startswith("! "):
            continue
        with fakecuda.recorded() as traffic:
            evaluate(case, MINDSPORE)
        waits = [wait for wait in waits_within(traffic) if " asnumpy" not in wait]
        if "Tensor(" not in case:  # else mostly a shape or an axis as a Tensor, which the host must read
            counted, waiting = counted + 1, waiting + bool(waits)
        if waits and _reason(case, OPERATORS, False) is None:
            unexplained[case] = waits
    assert not unexplained
    assert waiting < 0.05 * counted


def _updates(setting: str) -> Any:
    step = train_cell(setting)
    x, y = make_data()
    batch = Tensor(x[:4]), Tensor(y[:4])
    step(*batch)
    return step, batch


@pytest.mark.parametrize("setting", list(SETTINGS))
def test_optimizers(setting: str) -> None:
    step, batch = _updates(setting)
    with fakecuda.recorded() as traffic:
        step(*batch)
    waits = waits_within(traffic)
    assert not waits
