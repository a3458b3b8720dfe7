"""What clipping several Tensors gives: tuples, of a list in compiled code a list, as upstream."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common.tensor import Tensor

CLIPS: dict[str, Any] = {
    "clip_by_value": lambda x: ops.clip_by_value(x, -1, 1),
    "clip_by_norm": lambda x: ops.clip_by_norm(x, 1.0),
    "clip_by_global_norm": lambda x: ops.clip_by_global_norm(x, 1.0),
}


class Clips(nn.Cell):
    def __init__(self, clip: Any, kind: type) -> None:
        super().__init__()
        self.clip, self.is_list = clip, kind is list

    def construct(self, a: Any, b: Any) -> Any:
        if self.is_list:
            return self.clip([a, b])
        return self.clip((a, b))


def given() -> list[Tensor]:
    return [Tensor(np.array([3.0, 4.0], np.float32)), Tensor(np.zeros(2, np.float32))]


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("clip", CLIPS.values(), ids=CLIPS)
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_list_stays_one_where_code_is_compiled(mode: int, clip: Any, kind: type) -> None:
    ms.set_context(mode=mode)
    try:
        assert type(Clips(clip, kind)(*given())) is (kind if mode == ms.GRAPH_MODE else tuple)
        assert type(ms.jit(lambda a, b: clip(kind((a, b))))(*given())) is kind
        is_cell = clip is CLIPS["clip_by_global_norm"] and mode == ms.GRAPH_MODE  # upstream compiles it alone
        assert type(clip(kind(given()))) is (kind if is_cell else tuple)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
