"""`nn.OptTFTWrapper` refuses, as upstream does where there is no Ascend device."""

from __future__ import annotations

import pytest

from mindspore_compat import nn


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
