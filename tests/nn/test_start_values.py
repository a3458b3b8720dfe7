"""Start values have MindSpore's distributions: largest value and deviation of large layers (figures from
tests/golden/make_nn.py).
"""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import nn
from tests.nn.start_cases import layers
from tests.nn.test_against_golden import STARTS

LAYERS = layers(nn)


@pytest.mark.parametrize("name", LAYERS)
def test_start_values_are_distributed_as_in_mindspore(name: str) -> None:
    parameters = {item.name: item.asnumpy() for item in LAYERS[name]().get_parameters()}
    assert list(parameters) == list(STARTS[name])
    for path, values in parameters.items():
        largest, deviation = STARTS[name][path]
        count = values.size
        if deviation == 0:
            assert np.all(np.abs(values) == largest), path
            continue
        # Deviations of samples scatter by deviation/sqrt(2n); both sides are samples.
        assert abs(values.std() - deviation) < 6 * deviation / np.sqrt(count), path
        if largest < 2 * deviation:  # uniform: the bound shows
            assert abs(np.abs(values).max() - largest) < 12 * largest / count + 1e-6, path
