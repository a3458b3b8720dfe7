"""`nn.OptTFTWrapper` refuses, as upstream does where there is no Ascend device."""

from __future__ import annotations

import pytest

from mindspore_compat import nn
from mindspore_compat.utils import TFTCommValue
from tests.support.oracle import run_oracle


def test_it_is_refused() -> None:
    with pytest.raises(ValueError):
        nn.OptTFTWrapper(nn.SGD(nn.Dense(2, 2).trainable_params(), 0.1))


@pytest.mark.oracle
def test_switches_are_upstreams() -> None:
    names = [name for name in vars(TFTCommValue) if name.isupper()]
    found = run_oracle(f"from mindspore.utils import TFTCommValue as V\ngive([getattr(V, name) for name in {names!r}])")
    assert found == [getattr(TFTCommValue, name) for name in names] and len(names) == 3
