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

# products of matrices cut over the ranks
world = "hccl_world_group"
r = np.random.RandomState(0)
left, right = r.randn(4, 6).astype(np.float32), r.randn(6, 3).astype(np.float32)
mine = Tensor(left[rank * 2 : rank * 2 + 2])
product, gathered = ops.all_gather_matmul(mine, Tensor(right), world, 2)
np.testing.assert_allclose(product.asnumpy(), left @ right, rtol=1e-5)
assert np.array_equal(gathered.asnumpy(), left)
turned, nothing = ops.all_gather_matmul(mine, Tensor(right.T.copy()), world, 2, gather_output=False, trans_x2=True)
np.testing.assert_allclose(turned.asnumpy(), left @ right, rtol=1e-5)
assert nothing.shape == (0,)
columns = Tensor(left[:, rank * 3 : rank * 3 + 3].copy())
part = ops.matmul_reduce_scatter(columns, Tensor(right[rank * 3 : rank * 3 + 3]), world, 2)
np.testing.assert_allclose(part.asnumpy(), (left @ right)[rank * 2 : rank * 2 + 2], rtol=1e-4, atol=1e-5)
slope = ms.grad(lambda x: ops.all_gather_matmul(x, Tensor(right), world, 2)[0].sum())(mine)
np.testing.assert_allclose(slope.asnumpy(), np.tile(2 * right.sum(1), (2, 1)), rtol=1e-5)
try:
    ops.all_gather_matmul(mine, Tensor(right), world, 2, trans_input=True)
    raise AssertionError("trans_input")
except RuntimeError as error:
    assert "trans_input" in str(error)
ops.destroy_process_group()
print("OK")
