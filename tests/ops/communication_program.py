"""What each of two processes gets from ``ops.communication``; prints OK."""

from __future__ import annotations

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.ops import communication as c

assert ops.is_available() and not ops.is_initialized()
c.init_process_group()
rank, size = ops.get_rank(), ops.get_world_size()
assert ops.is_initialized() and size == 2 and ops.get_rank is mint.distributed.get_rank


def own() -> Tensor:
    return Tensor(np.arange(4, dtype=np.float32) + 10 * rank)


x = own()
assert ops.all_reduce(x) is None
assert x.asnumpy().tolist() == [10, 12, 14, 16]
out = Tensor(np.zeros(8, np.float32))
ops.all_gather_into_tensor(out, own())
assert out.asnumpy().tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
part = Tensor(np.zeros(2, np.float32))
ops.reduce_scatter_tensor(part, own())
assert part.asnumpy().tolist() == [[10, 12], [14, 16]][rank]
y = own()
ops.broadcast(y, 1)
assert y.asnumpy().tolist() == [10, 11, 12, 13]
parts = [Tensor(np.zeros(2, np.float32)) for _ in range(2)]
ops.all_to_all(parts, [own()[:2], own()[2:]])
assert [item.asnumpy().tolist() for item in parts] == [[[0, 1], [10, 11]], [[2, 3], [12, 13]]][rank]
whole = Tensor(np.zeros(8, np.float32))
ops.gather_into_tensor(whole, own(), 0)
assert rank or whole.asnumpy().tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
objects = [None, None]
ops.all_gather_object(objects, {"rank": rank})
assert objects == [{"rank": 0}, {"rank": 1}]
if rank:
    ops.recv(y, 0)
    assert y.asnumpy().tolist() == [0, 1, 2, 3]
else:
    ops.send(own(), 1)
ops.barrier()

# new tensors in place of the given ones
ops.set_comm_ops_inplace(False)
z = own()
total, handle = ops.all_reduce(z)
assert (
    handle is None and total.asnumpy().tolist() == [10, 12, 14, 16] and z.asnumpy().tolist() == own().asnumpy().tolist()
)
assert ops.all_gather_into_tensor(None, own())[0].asnumpy().tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
assert ops.reduce_scatter_tensor(None, own())[0].asnumpy().tolist() == [[10, 12], [14, 16]][rank]
gradient = ms.grad(lambda x: (ops.all_reduce(x)[0] * (rank + 1)).sum())(own())
assert gradient.asnumpy().tolist() == [3, 3, 3, 3]
try:
    ops.broadcast(own(), 0)
    raise AssertionError("broadcast has no form that returns a new tensor")
except ValueError as error:
    assert "set_comm_ops_inplace" in str(error)
ops.set_comm_ops_inplace(True, ["broadcast"])
ops.broadcast(z, 0)
assert z.asnumpy().tolist() == [0, 1, 2, 3]
ops.destroy_process_group()
print("OK")
