"""`nn.OptTFTWrapper` refuses, as upstream does where there is no Ascend device."""

from __future__ import annotations

import pytest

from mindspore_compat import nn
from mindspore_compat.utils import TFTCommValue
from tests.support.oracle import run_oracle


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer = nn.SGD(nn.Dense(2, 2).trainable_params(), 0.1)
    with pytest.raises(TypeError, match="must be Optimizer type"):
        nn.OptTFTWrapper(nn.Dense(2, 2))
    monkeypatch.delenv("MS_ENABLE_TFT", raising=False)
    with pytest.raises(ValueError, match="MS_ENABLE_TFT"):
        nn.OptTFTWrapper(optimizer)
    monkeypatch.setenv("MS_ENABLE_TFT", "{TTP:1}")
    with pytest.raises(ValueError, match="only support on Ascend"):
        nn.optim.OptTFTWrapper(optimizer)


@pytest.mark.oracle
def test_switches_are_upstreams() -> None:
    names = [name for name in vars(TFTCommValue) if name.isupper()]
    found = run_oracle(f"from mindspore.utils import TFTCommValue as V\ngive([getattr(V, name) for name in {names!r}])")
    assert found == [getattr(TFTCommValue, name) for name in names] and len(names) == 3
