"""Optimizers that change only rows which were looked up (``EmbeddingLookup`` with ``sparse``): the losses are real
MindSpore's, which takes them in GRAPH_MODE alone. An id that a batch has twice counts as on its GPU and Ascend, which sum
the gradients of each row.
"""

import copy

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

BATCHES = [[[1, 2], [3, 5]], [[2, 4], [3, 0]], [[6, 1], [2, 3]], [[1, 2], [3, 5]], [[0, 5], [2, 6]]]
TABLE = np.random.RandomState(0).randn(8, 4).astype(np.float32)
WEIGHT = np.random.RandomState(1).randn(1, 4).astype(np.float32)
OPTIMIZERS = {
    "lazy": (lambda weights: nn.LazyAdam(weights, 0.1), [33.08495, 12.18535, 24.80643, 14.4191, 18.06036]),
    "lazy, nesterov, decay": (
        lambda weights: nn.LazyAdam(weights, 0.1, use_nesterov=True, weight_decay=0.1),
        [33.08495, 10.28361, 18.98401, 9.47024, 11.81499],
    ),
    "adam": (lambda weights: nn.Adam(weights, 0.1), [33.08495, 12.18535, 23.7328, 11.55148, 15.64265]),
    "adam, decay": (
        lambda weights: nn.Adam(weights, 0.1, weight_decay=0.1),
        [33.08495, 12.18535, 23.73595, 11.54871, 15.5371],
    ),
    "adam, lazy": (
        lambda weights: nn.Adam(weights, 0.1, use_lazy=True),
        [33.08495, 12.18535, 24.80643, 14.4191, 18.06036],
    ),
    "ftrl": (
        lambda weights: nn.FTRL(weights, learning_rate=0.1, l1=1e-3, l2=1e-3),
        [33.08495, 10.09156, 24.12027, 18.76836, 23.37875],
    ),
    "ftrl, decay": (
        lambda weights: nn.FTRL(weights, learning_rate=0.1, weight_decay=0.1),
        [33.08495, 9.90761, 24.38225, 18.4471, 23.01019],
    ),
}
KEEPING = {
    **{name: make for name, (make, _) in OPTIMIZERS.items() if not name.startswith("adam") or "lazy" in name},
    "proximal": lambda weights: nn.ProximalAdagrad(weights, learning_rate=0.1, l1=1e-3),
}


class Net(nn.Cell):
    def __init__(self, target="CPU", sparse=True):
        super().__init__()
        self.table = nn.EmbeddingLookup(8, 4, Tensor(TABLE), target, sparse=sparse)
        self.dense = nn.Dense(4, 1, Tensor(WEIGHT), "zeros")

    def construct(self, ids):
        return (self.dense(self.table(ids)) ** 2).sum()


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"], autouse=True)
def _mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def steps(net, optimizer, batches=BATCHES):
    step = nn.TrainOneStepCell(net, optimizer).set_train()
    return [float(step(Tensor(ids, ms.int32)).asnumpy()) for ids in batches]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_losses_are_real_mindspores(name):
    make, expected = OPTIMIZERS[name]
    net = Net()
    np.testing.assert_allclose(steps(net, make(net.trainable_params())), expected, 1e-4)


@pytest.mark.parametrize("target", ["CPU", "DEVICE"])
@pytest.mark.parametrize("name", KEEPING)
def test_other_rows_stay(name, target):
    net = Net(target)
    optimizer = KEEPING[name](net.trainable_params())
    steps(net, optimizer, [[[1, 1]], [[2, -1 if target == "DEVICE" else 9]]] * 3)
    seen = [1, 2, 7] if target == "DEVICE" else [1, 2]
    changed = (net.table.embedding_table.asnumpy() != TABLE).any(1)
    assert np.flatnonzero(changed).tolist() == seen


def test_without_sparse_all_rows_take_the_step():
    net = Net("DEVICE", sparse=False)
    steps(net, nn.FTRL(net.trainable_params(), learning_rate=0.1))
    assert not net.table.embedding_table.asnumpy()[7].any()


def test_primitives_alike():
    class Looking(Net):
        def construct(self, ids):
            rows = ops.SparseGatherV2()(self.table.embedding_table, ids, 0)
            return (self.dense(rows) ** 2).sum()

    class LookingHere(Net):
        def construct(self, ids):
            return (self.dense(ops.EmbeddingLookup()(self.table.embedding_table, ids, 0)) ** 2).sum()

    for kind in (Looking, LookingHere):
        net = kind()
        losses = steps(net, nn.LazyAdam(net.trainable_params(), 0.1))
        np.testing.assert_allclose(losses, OPTIMIZERS["lazy"][1], 1e-4)


def test_an_id_that_comes_twice_is_summed_and_decays_twice():
    net = Net()
    net.dense.weight.requires_grad = False
    optimizer = nn.LazyAdam([net.table.embedding_table], 0.1, weight_decay=0.5)
    steps(net, optimizer, [[[3, 3, 1]]])
    counts = np.array([0, 1, 0, 2, 0, 0, 0, 0])[:, None]
    gradient = counts * (2 * (TABLE @ WEIGHT.T) * WEIGHT + 0.5 * TABLE)
    np.testing.assert_allclose(optimizer.moment1[0].asnumpy(), 0.1 * gradient, 1e-5)
    np.testing.assert_allclose(optimizer.moment2[0].asnumpy(), 0.001 * gradient**2, 1e-4)


def test_a_step_without_a_lookup_is_dense():
    class Whole(nn.Cell):
        def __init__(self, table):
            super().__init__()
            self.table = table

        def construct(self):
            return self.table.embedding_table[:1].sum()

    net = Net()
    optimizer = nn.LazyAdam([net.table.embedding_table], 0.1)
    steps(net, optimizer, [[[1, 2]]])
    before = net.table.embedding_table.asnumpy().copy()
    optimizer((ms.grad(Whole(net.table), None, optimizer.parameters)()[0],))
    changed = (net.table.embedding_table.asnumpy() != before).any(1)
    assert np.flatnonzero(changed).tolist() == [0, 1, 2]  # 1 and 2 by their momentum


def test_two_networks_share_the_tables_and_have_an_optimizer_each():
    """As Wide & Deep is trained: two gradients, then two steps."""

    class Both(nn.Cell):
        def __init__(self):
            super().__init__()
            self.wide, self.deep = Net(), Net()
            for prefix, part in (("wide.", self.wide), ("deep.", self.deep)):
                part.update_parameters_name(prefix)

        def construct(self, ids):
            return self.wide(ids) + self.deep(ids)

    net = Both()
    wide, deep = (ms.ParameterTuple(part.trainable_params()) for part in (net.wide, net.deep))
    by_ftrl, by_lazy = nn.FTRL(wide, learning_rate=0.1, l1=1e-3, l2=1e-3), nn.LazyAdam(deep, 0.1)
    of_wide, of_deep = ms.grad(net, None, wide), ms.grad(net, None, deep)
    losses = []
    for ids in BATCHES:
        ids = Tensor(ids, ms.int32)
        losses.append([float(part(ids).asnumpy()) for part in (net.wide, net.deep)])
        found = of_wide(ids), of_deep(ids)
        by_ftrl(found[0])
        by_lazy(found[1])
    expected = list(zip(OPTIMIZERS["ftrl"][1], OPTIMIZERS["lazy"][1], strict=True))
    np.testing.assert_allclose(losses, expected, 1e-4)


def test_gradients_of_several_forwards_change_all_their_rows():
    net = Net()
    optimizer = nn.LazyAdam([net.table.embedding_table], 0.1)
    gradient = ms.grad(net, None, optimizer.parameters)
    sums = [sum(items) for items in zip(*[gradient(Tensor([ids], ms.int32)) for ids in ([1, 2], [3, 4])], strict=True)]
    optimizer(tuple(sums))
    changed = (net.table.embedding_table.asnumpy() != TABLE).any(1)
    assert np.flatnonzero(changed).tolist() == [1, 2, 3, 4]


def test_what_no_gradient_was_taken_of_is_no_lookup():
    net = Net()
    optimizer = nn.LazyAdam(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(net, optimizer).set_train()
    for ids in ([[1, 2]], [[2, 3]]):
        step(Tensor(ids, ms.int32))
        net(Tensor([[5, 6]], ms.int32))
    changed = (net.table.embedding_table.asnumpy() != TABLE).any(1)
    assert np.flatnonzero(changed).tolist() == [1, 2, 3]
    other = copy.deepcopy(net)
    assert isinstance(other.table.embedding_table, Parameter)
    assert other(Tensor([[5]], ms.int32)) == net(Tensor([[5]], ms.int32))
