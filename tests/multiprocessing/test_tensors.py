"""Tensors pass between processes in shared memory."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat import multiprocessing as mp


def _fill(queue: Any, answers: Any) -> None:
    tensor = queue.get()
    tensor[:] = 7
    answers.put((type(tensor).__name__, ops.ones(2) * 3))
    queue.get()


def _double(tensor: Tensor) -> Tensor:
    return tensor * 2


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_queue_shares_memory(method: str) -> None:
    context = mp.get_context(method)
    queue, answers = context.Queue(), context.Queue()
    process = context.Process(target=_fill, args=(queue, answers))
    process.start()
    try:
        tensor = ops.zeros(3)
        queue.put(tensor)
        kind, made = answers.get(timeout=60)
        assert kind == "Tensor" and isinstance(made, Tensor)
        np.testing.assert_array_equal(made.asnumpy(), [3, 3])
        np.testing.assert_array_equal(tensor.asnumpy(), [7, 7, 7])
    finally:
        queue.put(None)
        process.join(60)


def test_a_pool_maps_tensors() -> None:
    with mp.get_context("fork").Pool(2) as pool:
        found = pool.map(_double, [Tensor([1.0]), Tensor([2.0, 3.0])])
    assert [item.asnumpy().tolist() for item in found] == [[2], [4, 6]]


def test_all_of_python_is_there() -> None:
    import multiprocessing

    assert set(multiprocessing.__all__) <= set(dir(mp)) and ms.multiprocessing is mp  # type: ignore[attr-defined]


def test_what_is_differentiated_does_not_pass() -> None:
    tensor = Tensor([1.0]).requires_grad_(True) * 2
    with pytest.raises(RuntimeError, match="stop_gradient"):
        ForkingPickler.dumps(tensor)
