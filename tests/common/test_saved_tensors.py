"""Hooks of saved tensors, recomputation, and memory shared with others."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.utils import dlpack


def test_hooks_see_what_is_kept_and_decide_what_comes_back() -> None:
    seen: list[Any] = []

    def pack(x: Tensor) -> Tensor:
        seen.append(("pack", type(x), x.asnumpy().tolist()))
        return x + 1

    def unpack(x: Tensor) -> Tensor:
        seen.append(("unpack", type(x), x.asnumpy().tolist()))
        return x * 2

    def product(x: Tensor, y: Tensor) -> Tensor:
        with ms.saved_tensors_hooks(pack, unpack):
            out = x * y
        return out + x

    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    value, gradients = ms.value_and_grad(product, grad_position=(0, 1))(x, y)
    np.testing.assert_array_equal(value.asnumpy(), [4, 10])
    np.testing.assert_array_equal(gradients[0].asnumpy(), [9, 11])  # 2·(y + 1) + 1
    np.testing.assert_array_equal(gradients[1].asnumpy(), [4, 6])
    assert [item[0] for item in seen] == ["pack", "pack", "unpack", "unpack"]
    assert {item[1] for item in seen} == {Tensor}
    decorated = ms.register_saved_tensors_hooks(pack, unpack)(lambda x: x * x)
    np.testing.assert_array_equal(ms.grad(decorated)(x).asnumpy(), [8, 12])


def test_hooks_work_in_graph_mode() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        function = ms.register_saved_tensors_hooks(lambda x: x.asnumpy(), lambda kept: Tensor(kept))(lambda x: x * x)
        for value in (1.0, 2.0, 3.0):
            assert float(ms.grad(function)(Tensor([value]))) == 2 * value
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_recomputation_runs_the_forward_again_with_the_same_gradient() -> None:
    calls: list[int] = []

    class Block(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.dropout = nn.Dense(3, 3), nn.Dropout(p=0.5)

        def construct(self, x: Tensor) -> Tensor:
            calls.append(1)
            return self.dropout(ops.exp(self.dense(x)))

    block = Block().set_train()
    x = ops.ones((2, 3))
    results = []
    for run in (block, lambda x: ms.recompute(block, x), lambda x: ms.recompute(block, x, use_reentrant=False)):
        calls.clear()
        ms.manual_seed(3)
        results.append(ms.value_and_grad(lambda x: run(x).sum(), 0, block.trainable_params())(x))
        results.append(len(calls))
    assert results[1::2] == [1, 2, 2]
    for value, (of_x, of_weights) in results[2::2]:
        np.testing.assert_allclose(value.asnumpy(), results[0][0].asnumpy())
        np.testing.assert_allclose(of_x.asnumpy(), results[0][1][0].asnumpy())
        for one, other in zip(of_weights, results[0][1][1]):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy())
    with pytest.raises(TypeError, match="inherited from Cell"):
        ms.recompute(ops.exp, x)
    np.testing.assert_allclose(ms.recompute(ops.exp, x, use_reentrant=False).asnumpy(), np.exp(np.ones((2, 3))))


@pytest.mark.cpu_only("a device has memory of its own")
def test_buffers_are_shared() -> None:
    buffer = bytearray(np.array([1, 2, 3], "int32").tobytes())
    made = ms.frombuffer(buffer, ms.int32)
    assert made.asnumpy().tolist() == [1, 2, 3] and isinstance(made, Tensor)
    buffer[0] = 9
    assert made.asnumpy().tolist() == [9, 2, 3]
    assert ms.frombuffer(buffer, ms.int32, count=1, offset=8).asnumpy().tolist() == [3]
    assert ms.frombuffer(array.array("d", [0.5]), ms.float64).asnumpy().tolist() == [0.5]
    assert ms.frombuffer(bytes(4), ms.float32).asnumpy().tolist() == [0]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        ms.frombuffer(bytearray(7), ms.int32)
    with pytest.raises(ValueError):
        ms.frombuffer(bytearray(8), ms.int32, count=5)


def test_tensors_change_places() -> None:
    first, second = Tensor([1.0]), Parameter(Tensor([2, 3]), name="q")
    ms.swap_tensors(first, second)
    assert isinstance(first, Parameter) and first.name == "q" and first.asnumpy().tolist() == [2, 3]
    assert not isinstance(second, Parameter) and second.dtype is ms.float32


def test_dlpack_shares_memory_both_ways() -> None:
    x = Tensor([1.0, 2.0])
    theirs = torch.utils.dlpack.from_dlpack(dlpack.to_dlpack(x))
    theirs[0] = 7
    assert x.asnumpy().tolist() == [7, 2]
    numbers = np.ones(3)
    shared = dlpack.from_dlpack(numbers)
    numbers[1] = 5
    assert isinstance(shared, Tensor) and shared.asnumpy().tolist() == [1, 5, 1]
    of_torch = torch.zeros(2)
    ours = ms.utils.from_dlpack(of_torch)
    of_torch[0] = 3
    assert ours.asnumpy().tolist() == [3, 0]
    capsule = dlpack.to_dlpack(x)
    dlpack.from_dlpack(capsule)
    with pytest.raises(RuntimeError):
        dlpack.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="invalid capsule"):
        dlpack.from_dlpack(3)
    with pytest.raises(TypeError, match="must be a Tensor"):
        dlpack.to_dlpack(3)
