"""Operators of reinforcement learning, which real MindSpore 2.10 no longer has: by their documentation and formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat.ops.operations import _rl_inner_ops as rl
from mindspore_compat.ops.operations import _tensor_array as ta
from tests.support.ranks import run_ranks

P = ops.operations
SHAPES, DTYPES = ((2,), (1,)), (ms.float32, ms.int32)


def _item(i: float) -> tuple[Tensor, Tensor]:
    return Tensor([i, -i], ms.float32), Tensor([int(i)], ms.int32)


class Buffer(nn.Cell):
    """A replay buffer of `capacity` elements in Parameters."""

    def __init__(self, capacity: int, batch_size: int = 2, **options: Any) -> None:
        super().__init__()
        pairs = zip(SHAPES, DTYPES)
        self.data = [Parameter(ops.zeros((capacity, *shape), dtype), requires_grad=False) for shape, dtype in pairs]
        self.count, self.head = (Parameter(Tensor(0, ms.int32), requires_grad=False) for _ in range(2))
        self.append_op = P.BufferAppend(capacity, SHAPES, DTYPES)
        self.get_op = P.BufferGetItem(capacity, SHAPES, DTYPES)
        self.sample_op = P.BufferSample(capacity, batch_size, SHAPES, DTYPES, **options)

    def add(self, *items: float) -> None:
        exp = _item(items[0]) if len(items) == 1 else [ops.stack(part) for part in zip(*map(_item, items))]
        self.append_op(self.data, exp, self.count, self.head)

    def at(self, index: Any) -> float:
        pair = self.get_op(self.data, self.count, self.head, index)
        assert [item.shape for item in pair] == [*SHAPES] and pair[0][0] == -pair[0][1] == pair[1][0]
        return float(pair[0][0])

    def all(self) -> list[float]:
        return [self.at(i) for i in range(int(self.count))]

    def construct(self) -> Any:
        return self.sample_op(self.data, self.count, self.head)


def test_a_full_buffer_loses_its_oldest_elements() -> None:
    buffer = Buffer(3)
    for i, expected in ((1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (4, [2, 3, 4]), (5, [3, 4, 5])):
        buffer.add(i)
        assert buffer.all() == expected
    assert (int(buffer.count), int(buffer.head)) == (3, 2)
    assert buffer.data[0].asnumpy()[:, 0].tolist() == [4, 5, 3]
    assert buffer.at(-1) == 5 and buffer.at(Tensor(-3, ms.int64)) == 3
    with pytest.raises(ValueError, match="out of range of 3"):
        buffer.at(3)


def test_a_batch_goes_around_the_end_of_the_buffer() -> None:
    buffer = Buffer(4)
    buffer.add(1, 2, 3)
    buffer.add(4, 5, 6)
    assert buffer.all() == [3, 4, 5, 6] and int(buffer.head) == 2
    buffer.add(7, 8)
    assert buffer.all() == [5, 6, 7, 8]


def test_an_emptied_buffer_fills_again() -> None:
    buffer = Buffer(3)
    for i in range(4):
        buffer.add(i)
    ops.assign(buffer.count, Tensor(0, ms.int32))
    buffer.add(7)
    buffer.add(8)
    assert buffer.all() == [7, 8]
    assert set(buffer()[0].asnumpy()[:, 0].tolist()) <= {7, 8}


def test_what_does_not_fit_a_buffer_is_refused_and_changes_nothing() -> None:
    buffer = Buffer(3)
    good, (floats, ints) = _item(1), _item(2)
    for exp, error in (
        ((floats, Tensor([1, 2], ms.int32)), ValueError),
        ((Tensor([1.0, 2.0], ms.float64), ints), TypeError),
        ((floats,), ValueError),
        ([ops.stack([part] * 4) for part in good], ValueError),
    ):
        with pytest.raises(error):
            buffer.append_op(buffer.data, exp, buffer.count, buffer.head)
    assert int(buffer.count) == 0 and not buffer.data[0].asnumpy().any()
    with pytest.raises(ValueError, match="batch_size"):
        P.BufferSample(3, 4, SHAPES, DTYPES)
    with pytest.raises(ValueError, match="must hold 1 elements, but holds 0"):
        buffer()


def test_samples_are_whole_elements_of_those_there() -> None:
    buffer = Buffer(50, 40, seed=5)
    buffer.add(*range(20))
    floats, ints = buffer()
    assert floats.shape == (40, 2) and floats.dtype == ms.float32 and ints.shape == (40, 1) and ints.dtype == ms.int32
    assert np.array_equal(floats.asnumpy()[:, 0], ints.asnumpy()[:, 0])
    # uniform_int_distribution over std::mt19937: numbers below n * (2**32 - 1) // n, divided by (2**32 - 1) // n
    raw = np.random.RandomState(5).randint(0, 2**32, 40, np.uint64)
    scale = (2**32 - 1) // 20
    assert ints.asnumpy()[:, 0].tolist() == [int(number) // scale for number in raw if number < 20 * scale][:40]
    assert not np.array_equal(buffer()[1].asnumpy(), ints.asnumpy())


def test_unique_samples_hold_each_element_once() -> None:
    for seed in (0, 3):
        buffer = Buffer(20, 8, seed=seed, unique=True)
        buffer.add(*range(10))
        found = buffer()[1].asnumpy()[:, 0]
        assert len({*found.tolist()}) == 8
    buffer = Buffer(20, 8, unique=True)
    buffer.add(1, 2)
    with pytest.raises(ValueError, match="must hold 8"):
        buffer()


def test_without_a_seed_the_global_one_counts() -> None:
    found = []
    for seed in (1, 1, 2):
        ms.set_seed(seed)
        buffer = Buffer(100, 30)
        buffer.add(*range(100))
        found.append(buffer()[1].asnumpy().tolist())
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_step_that_fills_and_samples_goes_on_in_both_modes(mode: int) -> None:
    ms.set_context(mode=mode)

    class Step(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.buffer = Buffer(6, 3)
            self.array = nn.TensorArray(ms.float32, ())

        def construct(self, x: Tensor) -> tuple:
            self.buffer.append_op(self.buffer.data, (x, x[:1].astype(ms.int32)), self.buffer.count, self.buffer.head)
            self.array.write(self.array.size(), x[0])
            total = self.array.stack().sum() + 0 * ops.tanh(ops.relu(x * x + 1)).sum().abs()
            return self.buffer(), total, ops.relu(total)

    step = Step()
    for i in range(12):
        (floats, ints), total, _ = step(Tensor([i, -i], ms.float32))
        assert float(total) == sum(range(i + 1))
        assert np.array_equal(floats.asnumpy()[:, 0], ints.asnumpy()[:, 0]) and int(ints.max()) <= i
    assert step.buffer.all() == [6, 7, 8, 9, 10, 11]


# --- buffers behind handles -------------------------------------------------------------------------------------------


def _priority_buffer(alpha: float, count: int, batch_size: int = 64, capacity: int = 100) -> tuple:
    handle = int(rl.PriorityReplayBufferCreate(capacity, alpha, SHAPES, DTYPES, 0, 42)())
    push = rl.PriorityReplayBufferPush(handle)
    for i in range(count):
        assert push(_item(i)).asnumpy().tolist() == [handle]
    return (
        push,
        rl.PriorityReplayBufferSample(handle, batch_size, SHAPES, DTYPES),
        rl.PriorityReplayBufferUpdate(handle),
        rl.PriorityReplayBufferDestroy(handle),
    )


def test_transitions_are_drawn_by_priority() -> None:
    _, sample, update, destroy = _priority_buffer(1.0, 100)
    indices, weights, floats, ints = sample(1.0)
    assert indices.dtype == ms.int64 and weights.dtype == ms.float32 and floats.shape == (64, 2)
    assert np.array_equal(indices.asnumpy(), ints.asnumpy()[:, 0]) and np.allclose(weights.asnumpy(), 1)
    update(indices, ops.full((64,), 1e-7, dtype=ms.float32))
    again = sample(1.0)[0].asnumpy()
    assert not {*again.tolist()} & {*indices.asnumpy().tolist()}
    destroy()
    with pytest.raises(RuntimeError, match="no PriorityReplayBuffer"):
        sample(1.0)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (0.5, 0.4), (0.0, 1.0)])
def test_shares_and_weights_follow_the_formula(alpha: float, beta: float) -> None:
    _, sample, update, _ = _priority_buffer(alpha, 4, 1000)
    priorities = np.array([1.0, 2.0, 3.0, 4.0])
    update(Tensor([0, 1, 2, 3], ms.int64), Tensor(priorities, ms.float32))
    shares = priorities**alpha / (priorities**alpha).sum()
    indices, weights, *_ = (item.asnumpy() for item in sample(Tensor(beta, ms.float32)))
    assert np.allclose(np.bincount(indices, minlength=4) / 1000, shares, atol=2e-3)  # one of each thousandth
    expected = (4 * shares) ** -beta
    assert np.allclose(weights, (expected / expected.max())[indices], rtol=1e-5)


def test_a_new_transition_has_the_greatest_priority_and_replaces_the_oldest() -> None:
    push, sample, update, _ = _priority_buffer(1.0, 3, 900, capacity=3)
    update(Tensor([0, 1, 2], ms.int64), Tensor([1.0, 0.0, 7.0], ms.float32))
    push(*_item(9))
    indices, _, _, ints = (item.asnumpy() for item in sample(1.0))
    assert {*zip(indices.tolist(), ints[:, 0].tolist())} == {(0, 9), (2, 2)}
    assert abs((indices == 0).mean() - 0.5) < 2e-3
    with pytest.raises(ValueError, match="out of a size of 3"):
        update(Tensor([3], ms.int64), Tensor([1.0], ms.float32))


def test_a_reservoir_keeps_a_uniform_sample_of_all() -> None:
    kept = np.zeros(60)
    for seed in range(1, 201):
        handle = int(rl.ReservoirReplayBufferCreate(10, SHAPES, DTYPES, seed, 0)())
        push = rl.ReservoirReplayBufferPush(handle)
        for i in range(60):
            push(_item(i))
        floats, ints = rl.ReservoirReplayBufferSample(handle, 200, SHAPES, DTYPES)()
        found = {*ints.asnumpy()[:, 0].tolist()}
        assert len(found) <= 10 and np.array_equal(floats.asnumpy()[:, 0], ints.asnumpy()[:, 0])
        kept[[*found]] += 1
        rl.ReservoirReplayBufferDestroy(handle)()
    thirds = kept.reshape(3, 20).mean(1) / 200
    assert np.allclose(thirds, 1 / 6, atol=0.02)
    with pytest.raises(RuntimeError, match="no ReservoirReplayBuffer"):
        push(_item(1))


def test_an_empty_buffer_has_nothing_to_draw() -> None:
    _, sample, *_ = _priority_buffer(1.0, 0)
    reservoir = int(rl.ReservoirReplayBufferCreate(10, SHAPES, DTYPES)())
    for draw in (lambda: sample(1.0), rl.ReservoirReplayBufferSample(reservoir, 2, SHAPES, DTYPES)):
        with pytest.raises(RuntimeError):
            draw()
    with pytest.raises(ValueError):
        rl.PriorityReplayBufferCreate(10, 1.5, SHAPES, DTYPES)


def test_queues_give_back_in_order() -> None:
    shapes = ((2,), ())
    handle = rl.TensorsQueueCreate(ms.float32, shapes, 2)()
    put, size = rl.TensorsQueuePut(ms.float32, shapes), rl.TensorsQueueSize()
    get, pop = (rl.TensorsQueueGet(ms.float32, shapes, pop_after_get=pops) for pops in (False, True))
    for i in (1.0, 2.0):
        put(handle, (Tensor([i, i]), Tensor(i)))
    assert int(size(handle)) == 2 and size(handle).dtype == ms.int64
    with pytest.raises(RuntimeError, match="full"):
        put(handle, (Tensor([3.0, 3.0]), Tensor(3.0)))
    assert [float(take(handle)[1]) for take in (get, pop, get, pop)] == [1, 1, 2, 2]
    with pytest.raises(RuntimeError, match="empty"):
        get(handle)
    put(handle, (Tensor([1.0, 1.0]), Tensor(1.0)))
    rl.TensorsQueueClear()(handle)
    assert int(size(handle)) == 0
    rl.TensorsQueueClose()(handle)
    with pytest.raises(RuntimeError, match="no TensorsQueue"):
        size(handle)


# --- others -----------------------------------------------------------------------------------------------------------


def test_parameters_are_assigned_by_pairs() -> None:
    ours, theirs = nn.Dense(2, 3), nn.Dense(2, 3)
    assert rl.BatchAssign()(ours.trainable_params(), theirs.trainable_params()) is None
    assert all(np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in zip(ours.get_parameters(), theirs.get_parameters()))
    with pytest.raises(ValueError):
        rl.BatchAssign(lock=False)(ours.trainable_params(), nn.Dense(2, 4).trainable_params())


def test_returns_are_discounted_within_an_episode() -> None:
    reward = Tensor([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    done = Tensor([[False, False], [True, False], [False, False]])
    found = rl.DiscountedReturn(0.5)(reward, done, Tensor([8.0, 16.0]))
    assert found.asnumpy().tolist() == [[2.0, 5.0], [2.0, 8.0], [8.0, 12.0]]


def test_a_process_that_is_alone_hears_itself() -> None:
    rl.MuxSend(0)((Tensor([1.0, 2.0]), Tensor([3.0])))
    found = rl.MuxReceive([(2,), (1,)], ms.float32)()
    assert [item.asnumpy().tolist() for item in found] == [[1.0, 2.0], [3.0]]
    with pytest.raises(RuntimeError, match="has sent nothing"):
        rl.MuxReceive([(2,)], ms.float32)()


def test_a_learner_answers_the_actor_that_it_heard_from() -> None:
    assert run_ranks(Path(__file__).with_name("mux_program.py"), 3) == ["OK\n"] * 3


def test_arrays_gather_and_refuse_what_does_not_fit() -> None:
    handle = ta.TensorArray(ms.int64, (), False, 3)()
    write = ta.TensorArrayWrite()
    for i in range(3):
        write(handle, i, 10 * i)
    assert ta.TensorArrayGather(ms.int64, ())(handle, Tensor([2, 0], ms.int32)).asnumpy().tolist() == [20, 0]
    for index, value, error in ((3, 1, ValueError), (-1, 1, ValueError), (0, 1.5, TypeError), (0, [1, 2], ValueError)):
        with pytest.raises(error):
            write(handle, index, value)
    ta.TensorArrayClear()(handle)
    with pytest.raises(ValueError, match="out of a size of 0"):
        ta.TensorArrayRead(ms.int64, ())(handle, 0)
