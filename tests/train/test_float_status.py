"""The overflow status of Ascend, by which loss-scale steps of MindSpore 1.x left out an update."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.ops import functional as F
from mindspore_compat.ops import operations as P
from tests.gpu.waits import waits_within
from tests.support import fakecuda
from tests.train.custom_cells_program import NpuStatusStep

MODES = [pytest.param(ms.PYNATIVE_MODE, id="pynative"), pytest.param(ms.GRAPH_MODE, id="graph")]


class ClearsFirst(nn.Cell):
    """The step of 1.0's PanGu and GPT: nothing depends on the status."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.alloc_status, self.get_status = P.NPUAllocFloatStatus(), P.NPUGetFloatStatus()
        self.clear_before_grad, self.reduce_sum = P.NPUClearFloatStatus(), P.ReduceSum(keep_dims=False)

    def construct(self, x, y):
        init = self.alloc_status()
        self.clear_before_grad(init)
        grads = self.grad(self.network, self.weights)(x, y, Tensor(1024.0, ms.float32))
        self.get_status(init)
        overflow = self.reduce_sum(init, (0,)) >= 1
        if not overflow:
            self.optimizer(grads)
        return overflow


def _network():
    ms.set_seed(3)
    return nn.WithLossCell(nn.Dense(3, 2), nn.MSELoss())


def _batches(bad):
    data = np.random.default_rng(0)
    for step in range(6):
        x = data.standard_normal((4, 3)).astype(np.float32)
        yield Tensor(np.full_like(x, np.inf) if step == bad else x), Tensor(np.zeros((4, 2), np.float32))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bad", [0, 3, 5])
def test_steps_of_1x_leave_out_an_update_after_an_overflow(mode, bad):
    ms.set_context(mode=mode)
    manager = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 1000)
    network = _network()
    step = NpuStatusStep(network, nn.Momentum(network.trainable_params(), 0.1, 0.9), manager)
    step.set_train()
    for number, batch in enumerate(_batches(bad)):
        before = [item.asnumpy().copy() for item in network.trainable_params()]
        _, overflow, scale = step(*batch)
        after = [item.asnumpy() for item in network.trainable_params()]
        assert bool(overflow) == (number == bad)
        assert all(map(np.array_equal, before, after)) == (number == bad)
        assert float(scale) == (2.0**10 if number < bad else 2.0**9)


@pytest.mark.parametrize("mode", MODES)
def test_a_status_on_which_nothing_depends_covers_gradients(mode):
    ms.set_context(mode=mode)
    network = _network()
    step = ClearsFirst(network, nn.Momentum(network.trainable_params(), 0.1, 0.9))
    step.set_train()
    assert [bool(step(*batch)) for batch in _batches(3)] == [False, False, False, True, False, False]


def test_a_status_covers_what_depend_is_given_until_it_is_cleared():
    status = P.NPUAllocFloatStatus()()
    assert float(P.NPUGetFloatStatus()(status).sum()) == 0
    P.NPUClearFloatStatus()(status)
    for value, expected in (([1.0, 2.0], 0), ([1.0, np.nan], 8), ([1.0], 8)):
        status = F.depend(status, (Tensor(1), [Tensor(np.array(value, np.float16))]))
        assert float(P.NPUGetFloatStatus()(status).sum()) == expected
        assert float(status.sum()) == expected
    P.NPUClearFloatStatus()(status)
    assert float(P.NPUGetFloatStatus()(status).sum()) == 0


@pytest.mark.skipif(not fakecuda.installed(), reason="the fake device is not installed (--device cuda)")
def test_a_status_is_kept_without_a_wait():
    network = _network()
    weights = ms.ParameterTuple(network.trainable_params())
    grad = ops.GradOperation(get_by_list=True)(network, weights)
    status, batch = P.NPUAllocFloatStatus()(), next(_batches(0))
    with fakecuda.recorded() as traffic:
        P.NPUClearFloatStatus()(status)
        grads = grad(*batch)
        status = F.depend(status, grads)
        P.NPUGetFloatStatus()(status)
    assert not waits_within(traffic)
    assert float(status.sum()) == 8


@pytest.mark.parametrize("mode", MODES)
def test_the_status_after_replayed_steps_is_that_of_the_last(mode):
    ms.set_context(mode=mode)
    network = _network()
    step = ClearsFirst(network, nn.Momentum(network.trainable_params(), 0.1, 0.9))
    step.set_train()
    for batch in [*_batches(5), *_batches(7), *_batches(7)]:
        found = bool(step(*batch))
        assert bool(P.NPUGetFloatStatus()(P.NPUAllocFloatStatus()()).sum() > 0) == found
