"""Ours against the float64 reference: every network, flag and option of docs/design/thor.md."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.thor.networks import CASES, DAMPINGS, FLAGS, OPTIONS, RATES, make_data
from tests.thor.ours import batch, make_net, make_step, make_thor, trainable
from tests.thor.reference_networks import make_reference


def compare(
    case: str, option: str, dtype: torch.dtype = torch.float32, dampings: np.ndarray = DAMPINGS, slower: float = 1.0
) -> tuple[float, float]:
    """(largest |difference| of a weight after any of the four steps, largest change of a weight in a step)."""
    settings, rates = OPTIONS[option], (RATES[case] * slower).astype(np.float32)
    reference = make_reference(case, rates, dampings=dampings, **settings)
    net = make_net(case, dtype)
    optimizer = make_thor(net, rates, dampings=dampings, **settings)
    step = make_step(net, optimizer, settings.get("loss_scale", 1.0))
    worst, change, before = 0.0, 0.0, trainable(net)
    for number, flag in enumerate(FLAGS):
        assert optimizer.thor is flag
        loss = step(*batch(case, number, dtype))
        assert float(loss) == pytest.approx(reference.step(*make_data(case, number), flag), rel=1e-4)
        assert optimizer.failed_inversions == 0
        found, expected = trainable(net), reference.weights()
        assert set(found) == set(expected)
        worst = max(worst, *(float(np.abs(found[name] - expected[name]).max()) for name in found))
        change = max(change, *(float(np.abs(found[name] - before[name]).max()) for name in found))
        before = found
    return worst, change


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("case", CASES)
def test_float32_is_within_rounding_of_the_reference(case: str, option: str) -> None:
    difference, change = compare(case, option)
    assert 2e-4 < change < 0.7
    assert difference <= 5e-7


@pytest.mark.parametrize("case", CASES)
def test_float64_is_the_reference(case: str) -> None:
    assert compare(case, "decay_clip", torch.float64)[0] <= 1e-12


@pytest.mark.parametrize(("case", "slower"), [("dense", 0.01), ("conv", 0.004), ("embedding", 0.02)])
def test_little_damping_costs_the_accuracy_it_must(case: str, slower: float) -> None:
    difference, change = compare(case, "plain", dampings=np.full(4, 1e-4, np.float32), slower=slower)
    assert 5e-3 < change < 0.7
    assert difference <= 3e-5
