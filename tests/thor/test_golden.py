"""Ours against what real MindSpore computed with its own thor.py (tests/golden/make_thor.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.thor.networks import CASES, FLAGS, OPTIONS, RATES
from tests.thor.ours import batch, make_net, make_step, make_thor

GOLDEN = np.load(Path(__file__).parents[1] / "golden/thor.npz")
INDEX = json.loads(GOLDEN["index"].tobytes())
RUNS = sorted({tuple(key.split("|")[:2]) for key in GOLDEN.files if key.endswith("|losses")})
STRIDE = 7


def kept(value: np.ndarray) -> np.ndarray:
    return value if value.size < 3000 else value.ravel()[::STRIDE]


@pytest.mark.parametrize(("case", "option"), RUNS)
def test_weights_after_four_steps(case: str, option: str) -> None:
    settings = OPTIONS[option]
    net = make_net(case)
    step = make_step(net, make_thor(net, RATES[case], **settings), settings.get("loss_scale", 1.0))
    losses = [float(step(*batch(case, number))) for number in range(len(FLAGS))]
    np.testing.assert_allclose(losses, GOLDEN[f"{case}|{option}|losses"], rtol=2e-6)
    for parameter in net.trainable_params():
        expected = GOLDEN[f"{case}|{option}|{parameter.name}"]
        np.testing.assert_allclose(kept(parameter.asnumpy()), expected, rtol=0, atol=1e-6, err_msg=parameter.name)


@pytest.mark.parametrize("case", CASES)
def test_factors_after_the_first_step(case: str) -> None:
    net = make_net(case)
    make_step(net, make_thor(net, RATES[case]))(*batch(case, 0))
    found = {
        item.name: item.asnumpy() for item in net.get_parameters() if "matrix" in item.name or "normalizer" in item.name
    }
    expected = {key.split("|")[2]: GOLDEN[key] for key in GOLDEN.files if key.startswith(f"{case}|factor|")}
    assert set(found) == set(expected)
    for name, value in found.items():
        value = value if value.size < 3000 else value.ravel()[:: 97 * STRIDE]
        np.testing.assert_allclose(value, expected[name], rtol=1e-5, atol=1e-7, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_state_has_upstreams_names(case: str) -> None:
    net = make_net(case)
    optimizer = make_thor(net, RATES[case])
    names = {item.name: list(item.shape) for item in net.get_parameters()}
    own = {item.name: list(item.shape) for item in optimizer.get_parameters() if item.name not in names}
    assert names == INDEX[case]["net"]
    expected = INDEX[case]["optimizer"]
    assert set(own) == set(expected)
    for (
        name,
        shape,
    ) in expected.items():  # A is not copied for each row of blocks here, and an embedding's G is one block
        assert own[name] == shape or own[name] == shape[1:] or own[name][1:] == shape, name
