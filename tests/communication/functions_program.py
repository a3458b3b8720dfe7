"""One rank: every function of ``mint.distributed`` and ``communication.comm_func`` against what NumPy says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.communication import comm_func

md = mint.distributed
md.init_process_group()
rank, size = md.get_rank(), md.get_world_size()
assert md.is_initialized() and md.is_available()
checked = 0


def same(got: Any, expected: Any, what: str) -> None:
    global checked
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=1e-6, err_msg=what)
    checked += 1


def refused(error: type[Exception], text: str, run: Callable[[], Any]) -> None:
    global checked
    with pytest.raises(error, match=re.escape(text)):
        run()
    checked += 1


def rows(count: int, member: int, dtype: Any = np.float32) -> np.ndarray:
    return (np.arange(count * 2).reshape(count, 2) + 10 * member).astype(dtype)


def given(member: int, dtype: Any = np.float32) -> np.ndarray:
    return rows(2 * size, member, dtype)


def finished(handle: Any, async_op: bool) -> None:
    assert (handle is not None) == async_op
    if handle is not None:
        handle.wait()
        handle.wait()


group = md.new_group(list(range(size))[::-1])  # mint's groups are in ascending order
assert md.get_process_group_ranks(group) == list(range(size)) and md.get_group_rank(group, rank) == rank
assert md.get_global_rank(None, 1) == 1 and md.get_backend() == "mccl"
stack = np.stack([given(member) for member in range(size)])
REDUCE = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "avg": np.mean}
for async_op in (False, True):
    for name in (None, group):
        options = {"group": name, "async_op": async_op}
        for op, function in REDUCE.items():
            x = Tensor(given(rank))
            finished(md.all_reduce(x, op, **options), async_op)
            same(x, function(stack, 0), f"all_reduce {op}")
            x = Tensor(given(rank))
            finished(md.reduce(x, 1, op, **options), async_op)
            same(x, function(stack, 0) if rank == 1 else given(rank), f"reduce {op}")
            out = ms.numpy.zeros((2, 2))
            finished(md.reduce_scatter_tensor(out, Tensor(given(rank)), op, **options), async_op)
            same(out, function(stack, 0)[2 * rank : 2 * rank + 2], f"reduce_scatter_tensor {op}")
            out = ms.numpy.zeros((2, 2))
            parts = [Tensor(part) for part in np.split(given(rank), size)]
            finished(md.reduce_scatter(out, parts, op, **options), async_op)
            same(out, function(stack, 0)[2 * rank : 2 * rank + 2], f"reduce_scatter {op}")
            sizes = [1] * (size - 1) + [size + 1]
            if op != "prod":
                out = ms.numpy.zeros((sizes[rank], 2))
                finished(md.reduce_scatter_tensor_uneven(out, Tensor(given(rank)), sizes, op, **options), async_op)
                same(out, np.split(function(stack, 0), np.cumsum(sizes)[:-1])[rank], f"reduce_scatter uneven {op}")
        x = Tensor(given(rank))
        finished(md.broadcast(x, 1, **options), async_op)
        same(x, given(1), "broadcast")
        out = ms.numpy.zeros((2 * size * size, 2))
        finished(md.all_gather_into_tensor(out, Tensor(given(rank)), **options), async_op)
        same(out, np.concatenate(stack), "all_gather_into_tensor")
        lengths = [member + 1 for member in range(size)]
        out = ms.numpy.zeros((sum(lengths), 2))
        finished(md.all_gather_into_tensor_uneven(out, Tensor(rows(rank + 1, rank)), lengths, **options), async_op)
        same(out, np.concatenate([rows(member + 1, member) for member in range(size)]), "all_gather uneven")
        outs = [ms.numpy.zeros((member + 1, 2)) for member in range(size)]
        finished(md.all_gather(outs, Tensor(rows(rank + 1, rank)), **options), async_op)
        for member, out in enumerate(outs):
            same(out, rows(member + 1, member), "all_gather")
        outs = [ms.numpy.zeros((2, 2)) for _ in range(size)]
        finished(md.gather(Tensor(rows(2, rank)), outs, 1, **options), async_op)
        for member, out in enumerate(outs):
            same(out, rows(2, member) if rank == 1 else np.zeros((2, 2)), "gather")
        out = ms.numpy.zeros((2, 2))
        finished(md.scatter(out, [Tensor(rows(2, member)) for member in range(size)], 0, **options), async_op)
        same(out, rows(2, rank), "scatter")
        outs = [ms.numpy.zeros((rank + 1, 2)) for _ in range(size)]
        sent = [Tensor(rows(member + 1, rank)) for member in range(size)]
        finished(md.all_to_all(outs, sent, **options), async_op)
        for member, out in enumerate(outs):
            same(out, rows(rank + 1, member), "all_to_all")
        out = ms.numpy.zeros((2 * size, 2))
        finished(md.all_to_all_single(out, Tensor(given(rank)), **options), async_op)
        same(out, np.concatenate([np.split(given(member), size)[rank] for member in range(size)]), "all_to_all_single")
        finished(md.barrier(name, async_op), async_op)

for dtype in (np.int8, np.int16, np.int32, np.int64, np.float16, np.float64):
    x = Tensor(given(rank, dtype) % 5)
    expected = sum(given(member, dtype) % 5 for member in range(size))
    md.all_reduce(x)
    same(x, expected, f"all_reduce {dtype}")
    assert x.asnumpy().dtype == dtype

left, right = (rank - 1) % size, (rank + 1) % size
out = ms.numpy.zeros((2, 2))
handles = [md.irecv(out, left), md.isend(Tensor(rows(2, rank)), right)]
for handle in handles:
    handle.wait()
same(out, rows(2, left), "isend, irecv")
out = ms.numpy.zeros((2, 2))
operations = [md.P2POp("isend", Tensor(rows(2, rank)), right), md.P2POp(md.irecv, out, left)]
for handle in md.batch_isend_irecv(operations):
    handle.wait()
same(out, rows(2, left), "batch_isend_irecv")
if rank % 2 == 0 and right > rank:
    md.send(Tensor(rows(2, rank)), right)
    md.send_object_list(["a", {"b": rank}], right)
elif rank % 2:
    out = ms.numpy.zeros((2, 2))
    assert md.recv(out, left) == 0
    same(out, rows(2, left), "send, recv")
    objects: list[Any] = [None, None]
    md.recv_object_list(objects, left)
    assert objects == ["a", {"b": left}]
objects = [None] * size
md.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": member} for member in range(size)]
objects = [f"of {rank}"] * 2
md.broadcast_object_list(objects, 1)
assert objects == ["of 1", "of 1"]
objects = [None] * size
md.gather_object(rank, objects if rank == 1 else None, 1)
assert rank != 1 or objects == list(range(size))
taken = [None]
md.scatter_object_list(taken, [f"for {member}" for member in range(size)], 0)
assert taken == [f"for {rank}"]

# --- comm_func: new tensors, with gradients
x, whole = Tensor(given(rank)), sum(given(member) for member in range(size))
for async_op in (False, True):
    for op in ("sum", "prod", "max", "min"):
        out, handle = comm_func.all_reduce(x, op, async_op=async_op)
        finished(handle, async_op)
        same(out, REDUCE[op](stack, 0), f"comm_func.all_reduce {op}")
    out, handle = comm_func.all_gather_into_tensor(x, async_op=async_op)
    finished(handle, async_op)
    same(out, np.concatenate(stack), "comm_func.all_gather_into_tensor")
    out, handle = comm_func.reduce_scatter_tensor(x, async_op=async_op)
    finished(handle, async_op)
    same(out, whole[2 * rank : 2 * rank + 2], "comm_func.reduce_scatter_tensor")
    shapes = [(rank + 1, 2)] * size
    outs, handle = comm_func.all_to_all_with_output_shape(shapes, sent, async_op=async_op)
    finished(handle, async_op)
    for member, out in enumerate(outs):
        same(out, rows(rank + 1, member), "all_to_all_with_output_shape")
    out, handle = comm_func.all_to_all_single_with_output_shape((2 * size, 2), x, async_op=async_op)
    finished(handle, async_op)
    same(
        out,
        np.concatenate([np.split(given(m), size)[rank] for m in range(size)]),
        "all_to_all_single_with_output_shape",
    )
same(x, given(rank), "the input")
same(comm_func.broadcast(x, 1), given(1), "comm_func.broadcast")
same(comm_func.reduce(x, 1), whole if rank == 1 else np.zeros(1), "comm_func.reduce")
same(comm_func.scatter_tensor(x, 1), given(1)[2 * rank : 2 * rank + 2], "comm_func.scatter_tensor")
same(comm_func.gather_into_tensor(x, 1), np.concatenate(stack) if rank == 1 else np.zeros(1), "gather_into_tensor")
out = ms.numpy.zeros((2 * size, 2))
comm_func.all_to_all_v_c(out, x, [2] * size * size)
same(out, np.concatenate([np.split(given(m), size)[rank] for m in range(size)]), "all_to_all_v_c")
comm_func.barrier()
handle = comm_func.isend(Tensor(rows(2, rank)), right)
out, came = comm_func.irecv(ms.numpy.zeros((2, 2)), left)
came.wait()
handle.wait()
same(out, rows(2, left), "comm_func.irecv")
batch = [
    comm_func.P2POp("isend", Tensor(rows(2, rank)), right),
    comm_func.P2POp("irecv", (2, 2), left, recv_dtype=ms.float32),
]
same(comm_func.batch_isend_irecv(batch)[1], rows(2, left), "comm_func.batch_isend_irecv")
slope = ops.GradOperation()(lambda value: (comm_func.all_reduce(value)[0] * (rank + 1)).sum())(x)
same(slope, np.full((2 * size, 2), sum(range(1, size + 1))), "gradient of comm_func.all_reduce")
slope = ops.GradOperation()(
    lambda value: (comm_func.all_to_all_single_with_output_shape((2 * size, 2), value)[0] * (rank + 1)).sum()
)(x)
same(slope, np.repeat(np.arange(1, size + 1), 4).reshape(-1, 2), "gradient of all_to_all_single_with_output_shape")

# --- upstream's errors
refused(TypeError, "one for each member", lambda: md.all_gather([x], x))
refused(ValueError, "Invalid destination rank", lambda: md.send(x, rank))
refused(ValueError, "input shape at dim 0 must be divided by world_size", lambda: md.all_to_all_single(x, x[1:]))
refused(TypeError, "Expected op to be of type isend or irecv", lambda: md.P2POp("send", x, 0))
refused(RuntimeError, "The group nope does not exist", lambda: comm_func.all_reduce(x, group="nope"))
refused(TypeError, "Expected op to be of type isend or irecv", lambda: comm_func.P2POp("recv", x, 0))
assert md.get_rank("nope") == -1
md.destroy_process_group(group)
md.destroy_process_group()
assert not md.is_initialized()
refused(RuntimeError, "Distributed Communication has not been inited", lambda: md.all_reduce(x))
print(checked)
