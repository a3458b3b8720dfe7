"""nn.Embedding at ids of every sign, as real MindSpore's CPU looks them up; the gradient is that of the rows read."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("dtype", [ms.int16, ms.int32, ms.int64])
@pytest.mark.parametrize("ids", [[0, -1], [-4, 3], [[-1, 2], [0, 1]], [[-2], [-3]], []])
def test_ids_below_0_count_from_the_end(mode: int, dtype: object, ids: list) -> None:
    ms.set_context(mode=mode)
    embedding = nn.Embedding(4, 3, False, Tensor(TABLE))
    expected = TABLE[np.array(ids, np.int64)]
    np.testing.assert_array_equal(embedding(Tensor(np.array(ids), dtype)).asnumpy(), expected)
    found = ms.grad(lambda places: embedding(places).sum(), None, embedding.trainable_params())(
        Tensor(np.array(ids), dtype)
    )
    counts = np.bincount(np.array(ids, np.int64).ravel() % 4, minlength=4)
    np.testing.assert_array_equal(found[0].asnumpy()[:, 0], counts)


@pytest.mark.parametrize("ids", [[-5, 0], [0, 4]])
@pytest.mark.parametrize("padding", [None, 1])
def test_ids_out_of_range_are_refused(ids: list, padding: int | None) -> None:
    embedding = nn.Embedding(4, 3, False, Tensor(TABLE), padding_idx=padding)
    with pytest.raises((IndexError, ValueError)):
        embedding(Tensor(ids, ms.int32))
