"""One rank: every collective × dtype × op × group against a formula over what all ranks hold, values and gradients.

Each case is a function of the members' inputs; the gradient of a loss that weights all outputs of all ranks is taken
from numpy: each rank's inputs are moved by one element at a time (all collectives are linear or tested where they are
smooth).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.communication.init()
rank, size = ms.communication.get_rank(), ms.communication.get_group_size()
GROUPS: dict[str, list[int]] = {"hccl_world_group": list(range(size)), "backwards": list(range(size))[::-1]}
if size > 2:
    GROUPS |= {"pair": [0, size - 1], "inner": list(range(1, size - 1))}
for name, members in GROUPS.items():
    if name != "hccl_world_group":
        ms.communication.create_group(name, members)
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "avg": np.mean,
}
FLOATS, ALL = ("float32", "float64", "float16"), ("float32", "float64", "float16", "int8", "int16", "int32", "int64")
Formula = Callable[[list[np.ndarray]], list[np.ndarray]]
checked = 0


def formula_of(kind: str, op: str, n: int) -> Formula:
    """What each of the n members gets of what all have."""
    reduce = REDUCTIONS[op]

    def padded(value: np.ndarray, at: int) -> list[np.ndarray]:
        return [value if member == at else np.zeros(1) for member in range(n)]

    table: dict[str, Formula] = {
        "AllReduce": lambda x: [reduce(np.stack(x), 0)] * n,
        "AllGather": lambda x: [np.concatenate(x)] * n,
        "ReduceScatter": lambda x: np.split(reduce(np.stack(x), 0), n),
        "Broadcast": lambda x: [x[n - 1]] * n,
        "Reduce": lambda x: padded(reduce(np.stack(x), 0), n - 1),
        "CollectiveGather": lambda x: padded(np.concatenate(x), n - 1),
        "CollectiveScatter": lambda x: np.split(x[n - 1], n),
        "AlltoAll": lambda x: [np.concatenate([np.split(item, n)[k] for item in x], 1) for k in range(n)],
        "AlltoAllV": lambda x: [np.concatenate([cut(item, i, n)[k] for i, item in enumerate(x)]) for k in range(n)],
        "AlltoAllVC": lambda x: table["AlltoAllV"](x),
        "AllGatherV": lambda x: [np.concatenate(x)] * n,
        "ReduceScatterV": lambda x: np.split(reduce(np.stack(x), 0), np.cumsum(range(1, n))),
    }
    return table[kind]


def sent(i: int, n: int) -> list[int]:
    """How many elements member i sends to each."""
    return [1 + (i + k) % 3 for k in range(n)]


def cut(x: np.ndarray, i: int, n: int) -> list[np.ndarray]:
    return np.split(x, np.cumsum(sent(i, n))[:-1])


def operator_of(kind: str, op: str, group: str, n: int, i: int) -> Callable[..., Any]:
    made: dict[str, Callable[[], Any]] = {
        "AllReduce": lambda: ops.AllReduce(op, group),
        "AllGather": lambda: ops.AllGather(group),
        "ReduceScatter": lambda: ops.ReduceScatter(op, group),
        "Broadcast": lambda: ops.Broadcast(n - 1, group),
        "Reduce": lambda: ops.Reduce(n - 1, op, group),
        "CollectiveGather": lambda: ops.CollectiveGather(n - 1, group),
        "CollectiveScatter": lambda: ops.CollectiveScatter(n - 1, group),
        "AlltoAll": lambda: ops.AlltoAll(n, 0, 1, group),
        "AlltoAllV": lambda: ops.AlltoAllV(group),
        "AlltoAllVC": lambda: ops.AlltoAllVC(group),
        "AllGatherV": lambda: ops.AllGatherV(group),
        "ReduceScatterV": lambda: ops.ReduceScatterV(op, group),
    }
    operator = made[kind]()
    if kind == "Broadcast":
        return lambda x: operator((x,))[0]
    sizes: dict[str, tuple[Any, ...]] = {
        "AlltoAllV": (sent(i, n), [sent(k, n)[i] for k in range(n)]),
        "AlltoAllVC": ([count for k in range(n) for count in sent(k, n)],),
        "AllGatherV": ([k + 2 for k in range(n)],),
        "ReduceScatterV": ([k + 1 for k in range(n)],),
    }
    return lambda x: operator(x, *sizes.get(kind, ()))


def inputs_of(kind: str, dtype: str, n: int) -> list[np.ndarray]:
    """What each member has; small whole numbers, so that sums and products are exact in every type."""
    rng = np.random.RandomState(len(kind))
    shapes: dict[str, Callable[[int], tuple[int, ...]]] = {
        "AlltoAllV": lambda i: (sum(sent(i, n)),),
        "AlltoAllVC": lambda i: (sum(sent(i, n)),),
        "AllGatherV": lambda i: (i + 2,),
        "ReduceScatterV": lambda i: (sum(range(1, n + 1)),),
    }
    shape = shapes.get(kind, lambda i: (2 * n, 3))
    rows = [rng.permutation(np.prod(shape(i))).reshape(shape(i)) % 7 + 0.25 * i + 1 for i in range(n)]
    return [(row if dtype.startswith("float") else np.floor(row / 3)).astype(dtype) for row in rows]


def gradients_of(formula: Formula, inputs: list[np.ndarray], weights: list[np.ndarray], i: int) -> np.ndarray:
    """d(sum over members of weights·outputs)/d(member i's input), by moving each element."""
    found = np.zeros(inputs[i].shape)
    for index in np.ndindex(*inputs[i].shape):
        sides = []
        for step in (1e-4, -1e-4):
            moved = [x.astype(np.float64) for x in inputs]
            moved[i][index] += step
            sides.append(sum(np.sum(w * y) for w, y in zip(weights, formula(moved))))
        found[index] = (sides[0] - sides[1]) / 2e-4
    return found


def check(kind: str, op: str, dtype: str, group: str) -> None:
    global checked
    members = GROUPS[group]
    if rank not in members:
        return
    n, i = len(members), members.index(rank)
    formula, inputs = formula_of(kind, op, n), inputs_of(kind, dtype, n)
    run, what = operator_of(kind, op, group, n, i), f"{kind} {op} {dtype} {group} rank {rank}"
    x = Tensor(inputs[i])
    got, expected = run(x), formula(inputs)[i]
    assert got.asnumpy().dtype == dtype, f"{what}: {got.dtype}"
    np.testing.assert_allclose(
        got.asnumpy(), expected.astype(dtype), rtol=1e-3 if dtype == "float16" else 1e-6, err_msg=what
    )
    np.testing.assert_array_equal(x.asnumpy(), inputs[i], err_msg=f"{what}: the input is changed")
    checked += 1
    smooth = op in ("sum", "avg") or kind == "AllReduce"
    if dtype != "float64" or not smooth or (op == "avg" and kind.startswith("ReduceScatter")):
        return
    weights = [np.cos(np.arange(y.size)).reshape(y.shape) + k for k, y in enumerate(formula(inputs))]
    if kind in ("Reduce", "CollectiveGather"):  # the others' outputs mean nothing
        weights = [w if k == n - 1 else np.zeros(1) for k, w in enumerate(weights)]
    by_formula = gradients_of(formula, inputs, weights, i)
    if kind == "Broadcast":  # upstream's: each member's own
        by_formula = weights[i]

    class Net(nn.Cell):
        def construct(self, value: Any) -> Any:
            return (run(value) * Tensor(weights[i])).sum()

    grad = ops.GradOperation()(Net())
    for _ in range(5):  # in GRAPH_MODE a repeated call may be replayed
        np.testing.assert_allclose(grad(x).asnumpy(), by_formula, rtol=1e-5, atol=1e-5, err_msg=f"{what}: gradient")
    checked += 1


def expect(error: type[Exception], text: str, run: Callable[[], Any]) -> None:
    global checked
    with pytest.raises(error, match=re.escape(text)):
        run()
    checked += 1


WITH_OP = ("AllReduce", "ReduceScatter", "Reduce", "ReduceScatterV")
KINDS = "AllReduce AllGather ReduceScatter Broadcast Reduce CollectiveGather CollectiveScatter AlltoAll AlltoAllV"
for kind in [*KINDS.split(), "AlltoAllVC", "AllGatherV", "ReduceScatterV"]:
    for op in REDUCTIONS if kind in WITH_OP else ("sum",):
        for dtype in FLOATS if op == "avg" else ALL:
            for group in GROUPS:
                check(kind, op, dtype, group)

# --- between neighbours in a ring
left, right = (rank - 1) % size, (rank + 1) % size
mine = Tensor(np.full((2, 3), rank, np.float32))
ring = ops.NeighborExchange([right], [left], ([2, 3],), ([2, 3],), ms.float32)
assert (ring((mine,))[0].asnumpy() == left).all()
weighted = ops.GradOperation()(lambda x: (ring((x,))[0] * (rank + 1)).sum())
assert (weighted(mine).asnumpy() == right + 1).all()

both = ops.BatchISendIRecv(
    ("isend", "irecv", "isend", "irecv"), [right, left, left, right], [(2, 3)] * 2, [ms.float32] * 2
)
_, from_left, _, from_right = both((mine, mine * 10))
assert (from_left.asnumpy() == left).all() and (from_right.asnumpy() == 10 * right).all()

if rank % 2 == 0 and rank + 1 < size:
    sends = ops.Send(3, rank + 1)
    got = ops.GradOperation()(lambda x: (sends(x) * 0).sum())(mine)
    assert (got.asnumpy() == rank + 1).all(), got
elif rank % 2 == 1:
    receives = ops.Receive(3, rank - 1, (2, 3), ms.float32)
    got = ops.GradOperation()(lambda x: (receives(x) * rank).sum())(mine)
    assert (got.asnumpy() == 0).all()

picture = np.arange(2 * 4 * 5, dtype=np.float64).reshape(1, 2, 4, 5) + 100 * rank
none = [-1] * 8
to, origin = list(none), list(none)
to[2], origin[6] = right, left  # to the right neighbour's left side
to[6], origin[2] = left, right
rows = ops.NeighborExchangeV2(to, [0, 0, 2, 1], origin, [0, 0, 1, 2], "NCHW")
before, after = picture - 100 * rank + 100 * left, picture - 100 * rank + 100 * right
np.testing.assert_array_equal(
    rows(Tensor(picture)).asnumpy(), np.concatenate([before[..., -1:], picture, after[..., :2]], 3)
)
factors = np.arange(1 * 2 * 4 * 8, dtype=np.float64).reshape(1, 2, 4, 8)
got = ops.GradOperation()(lambda x: (rows(x) * Tensor(factors + rank)).sum())(Tensor(picture)).asnumpy()
wanted = (factors + rank)[..., 1:6].copy()
wanted[..., -1:] += (factors + right)[..., :1]
wanted[..., :2] += (factors + left)[..., 6:]
np.testing.assert_array_equal(got, wanted)

# --- errors: upstream's
expect(RuntimeError, "The group nope does not exist", lambda: ops.AllReduce("sum", "nope")(mine))
expect(ValueError, "must be divided by 'rank_size'", lambda: ops.ReduceScatter()(Tensor(np.ones(size + 1, np.float32))))
expect(ValueError, "'split_count' must be equal to 'rank_size'", lambda: ops.AlltoAll(size + 1, 0, 0)(mine))
expect(
    RuntimeError,
    "only support ReduceOp.SUM",
    lambda: ops.GradOperation()(lambda x: ops.ReduceScatter("max")(x).sum())(Tensor(np.ones((size,), np.float32))),
)
ops.Barrier()()
ms.communication.release()
print(checked)
