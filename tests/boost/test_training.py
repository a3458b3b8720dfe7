"""Freezing, groups of optimizers and training steps of ``mindspore.boost``, against real MindSpore where it runs them."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, boost, nn
from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.nn.optim.optimizer import opt_init_args_register
from tests.support.oracle import run_both

PROGRAM = """
import json
import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, boost, nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.flatten = nn.Conv2d(16, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.Flatten()
        self.one, self.first, self.last = nn.Conv2d(4, 4, 1, group=4), nn.Dense(64, 5), nn.Dense(5, 2)

    def construct(self, x):
        return self.last(self.first(self.flatten(self.one(self.norm(self.conv(x))))))

def made():
    net = Net()
    random = np.random.RandomState(0)
    for item in net.get_parameters():
        item.set_data(Tensor(random.rand(*item.shape).astype("float32")))
    return net

def shown(value):
    if isinstance(value, Parameter):
        return value.name
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, (list, tuple)) else repr(value)

def bare(opt):
    return opt.opt if isinstance(opt, nn.LARS) else opt

found = {}
net = made()
params = net.trainable_params()
groups = [{"params": params[:2], "weight_decay": 0.1}, {"params": params[2:]}, {"order_params": params}]
optimizers = {
    "momentum": lambda given: nn.Momentum(given, 0.1, 0.9, loss_scale=2.0),
    "listed": lambda given: nn.SGD(given, [0.1, 0.2, 0.3, 0.4], momentum=0.5),
    "tensor": lambda given: nn.RMSProp(given, Tensor([0.1, 0.2])),
    "schedule": lambda given: nn.Lamb(given, nn.ExponentialDecayLR(0.1, 0.9, 4)),
    "lars": lambda given: nn.LARS(nn.Momentum(given, 0.1, 0.9), coefficient=0.1),
    "lazy": lambda given: nn.LazyAdam(given, 0.1, beta1=0.8),
}
for name, make in optimizers.items():
    opt = make([dict(item) for item in groups])
    inner = bare(opt)
    found["args " + name] = [
        sorted(key for key in opt.init_args), shown(inner.init_params), repr(inner.init_learning_rate),
        sorted(repr(value) for key, value in inner.init_args.items() if key != "kwargs"),
    ]
    process = boost.OptimizerProcess(opt)
    process.add_grad_centralization(net)
    found["groups " + name] = shown(process.origin_params)
    if name != "lazy":
        new = process.generate_new_optimizer()
        found["new " + name] = [
            type(new).__name__, list(bare(new).group_grad_centralization), [p.name for p in new.parameters]
        ]
freeze = boost.GradientFreeze(3, 1, 0.5, 40)
found["split"] = [shown(freeze.split_parameters_groups(net, count)) for count in (1, 2, 3)]
np.random.seed(3)
found["sequences"] = [freeze.generate_freeze_index_sequence(*given) for given in
    [(1, 0, 0.5, 20), (4, 0, 0.7, 50), (3, 0, 0.5, 7), (4, 1, 0.7, 50), (3, 1, 0.2, 33)]]
for name, make in optimizers.items():
    if name == "lazy":
        continue
    net = made()
    strategy = [0, 1, 0, 1, 1, 0]
    opt = boost.FreezeOpt(make(net.trainable_params()), [tuple(net.trainable_params()), tuple(net.trainable_params()[-2:])], strategy)
    inner = [bare(item) for item in opt.opts]
    found["freeze " + name] = [
        [type(item).__name__ for item in opt.opts],
        [sorted(p.name for p in item.get_parameters() if "boost" in p.name and "rate" not in p.name and "step" not in p.name) for item in inner],
        [[p.name for p in item.parameters] for item in inner],
        [np.asarray(item.get_lr().asnumpy(), "float64").round(5).tolist() for item in inner],
    ]
momentum = nn.Momentum(net.trainable_params(), 0.1, 0.9)
boost.AutoBoost._instance = None
x, y = Tensor(np.ones((2, 16, 4, 4), "float32")), Tensor(np.zeros((2, 2), "float32"))
net = made()
loss = nn.WithLossCell(net, nn.MSELoss())
plain = boost.BoostTrainOneStepCell(loss, nn.SGD(net.trainable_params(), 1e-7), sens=2.0)
found["losses"] = [float(plain(x, y)) for _ in range(3)]
net = made()
loss = nn.WithLossCell(net, nn.MSELoss())
opt = boost.FreezeOpt(nn.SGD(net.trainable_params(), 1e-7), [tuple(net.trainable_params()), tuple(net.trainable_params()[-2:])], [0, 1])
cells = boost.freeze_cell(False, loss, opt, 1.0, ms.ops.GradOperation(get_by_list=True, sens_param=True), False)
found["frozen"] = [float(cells[turn](x, y)) for turn in (1, 0, 1)] + [float(net.first.weight.asnumpy().sum())]
give(found)
"""


@pytest.mark.oracle
def test_answers_are_those_of_real_mindspore() -> None:
    ours, theirs = run_both(PROGRAM)
    for key in theirs:
        if key in ("losses", "frozen"):
            np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-5, err_msg=key)
        else:
            assert ours[key] == theirs[key], key


@pytest.fixture(autouse=True)
def _configured_anew() -> Iterator[None]:
    boost.AutoBoost._instance = None
    yield
    boost.AutoBoost._instance = None


def _training() -> tuple[Any, Any, Tensor, Tensor]:
    net = nn.SequentialCell(nn.Dense(3, 4, "ones"), nn.Dense(4, 1, "ones"))
    random = np.random.RandomState(0)
    x, y = Tensor(random.rand(5, 3).astype("float32")), Tensor(random.rand(5, 1).astype("float32"))
    return net, nn.WithLossCell(net, nn.MSELoss()), x, y


def _values(net: Any) -> np.ndarray:
    return np.concatenate([item.asnumpy().ravel() for item in net.trainable_params()])


def test_steps_train_the_group_whose_turn_it_is() -> None:
    net, loss, x, y = _training()
    first, last = net.trainable_params()[:2], net.trainable_params()[2:]
    opt = boost.FreezeOpt(nn.SGD(net.trainable_params(), 0.01), [(*first, *last), tuple(last)], [1, 0, 1])
    step = boost.BoostTrainOneStepCell(loss, opt)
    changed = []
    for _ in range(4):
        before = [[item.asnumpy().copy() for item in part] for part in (first, last)]
        assert step(x, y).asnumpy().shape == ()
        changed.append(
            [
                any((old != new.asnumpy()).any() for old, new in zip(olds, part))
                for olds, part in zip(before, (first, last))
            ]
        )
    assert changed == [[False, True], [True, True], [False, True], [False, True]]
    assert int(step.step) == 1


@pytest.mark.parametrize("scaled", [False, True])
def test_gradients_are_accumulated_as_configured(scaled: bool) -> None:
    boost.AutoBoost(
        "O0",
        {
            "boost": {"mode": "manual", "grad_accumulation": True},
            "common": {"device_number": 2},
            "grad_accumulation": {"grad_accumulation_step": 2},
        },
    )
    net, loss, x, y = _training()
    expected_net = copy.deepcopy(net)
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = (
        boost.BoostTrainOneStepWithLossScaleCell(loss, optimizer, Tensor(8.0))
        if scaled
        else boost.BoostTrainOneStepCell(loss, optimizer)
    )
    expected = nn.TrainOneStepCell(
        nn.WithLossCell(expected_net, nn.MSELoss()), nn.Momentum(expected_net.trainable_params(), 0.01, 0.9)
    )
    start = _values(net)
    step(x, y)
    assert (_values(net) == start).all()
    step(x, y)
    expected(x, y)
    np.testing.assert_allclose(_values(net), _values(expected_net), rtol=1e-6)


def test_without_methods_steps_are_those_of_nn() -> None:
    net, loss, x, y = _training()
    other = copy.deepcopy(net)
    ours = boost.BoostTrainOneStepWithLossScaleCell(
        loss, nn.Adam(net.trainable_params()), nn.DynamicLossScaleUpdateCell(2.0**10, 2, 3)
    )
    theirs = nn.TrainOneStepWithLossScaleCell(
        nn.WithLossCell(other, nn.MSELoss()),
        nn.Adam(other.trainable_params()),
        nn.DynamicLossScaleUpdateCell(2.0**10, 2, 3),
    )
    for _ in range(5):
        for got, expected in zip(ours(x, y), theirs(x, y), strict=True):
            assert got.asnumpy() == expected.asnumpy()
    assert (_values(net) == _values(other)).all()


class _Grouped(nn.Cell):
    def __init__(self, manager: Any) -> None:
        super().__init__()
        self.manager, self.first, self.last = manager, nn.Dense(3, 4, "ones"), nn.Dense(4, 1, "ones")
        self.seen: list[Any] = []

    def construct(self, x: Any) -> Any:
        x = self.first(self.manager(x, 0, 1))
        return self.manager(self.last(self.manager(x, 1, 2)), 2, 3)


def test_groups_have_their_own_loss_scales() -> None:
    boost.AutoBoost("O0", {"boost": {"mode": "manual", "loss_scale_group": True}})
    plain, plain_loss, x, y = _training()
    manager = boost.GroupLossScaleManager([64.0, 4.0], [])
    net = _Grouped(manager)
    weights = net.trainable_params()
    for item, other in zip(weights, plain.trainable_params(), strict=True):
        item.set_data(other)
    with pytest.raises(RuntimeError, match="no scales are set"):
        net(x)
    manager.loss_scale_groups = [weights[:2], weights[2:]]
    loss = nn.WithLossCell(net, nn.MSELoss())
    step = boost.BoostTrainOneStepWithLossScaleCell(loss, nn.SGD(net.trainable_params(), 0.01), manager)
    scaled = step.grad_no_sens(loss, step.weights)(x, y)
    unscaled = step.grad_no_sens(plain_loss, tuple(plain.trainable_params()))(x, y)
    for position, (got, expected) in enumerate(zip(scaled, unscaled, strict=True)):
        np.testing.assert_allclose(got.asnumpy(), expected.asnumpy() * (64 if position < 2 else 4), rtol=1e-5)
    expected_step = nn.TrainOneStepCell(plain_loss, nn.SGD(plain.trainable_params(), 0.01))
    for count in range(1, 4):
        _, overflow, scale = step(x, y)
        expected_step(x, y)
        assert int(overflow) == 0
        np.testing.assert_allclose(float(scale), 64 * 2 ** (count / 1000), rtol=1e-6)
    np.testing.assert_allclose(_values(net), _values(plain), rtol=1e-5)
    before = _values(net)
    manager.dynamic_loss_scale[1].set_data(Tensor(float("inf")))
    assert int(step(x, y)[1]) == 1
    assert (_values(net) == before).all()
    np.testing.assert_allclose(float(manager.dynamic_loss_scale[2]), 4 * 2 ** (4 / 1000), rtol=1e-6)


def test_a_level_chooses_methods_once() -> None:
    chosen = boost.AutoBoost("O1", {"boost": {"mode": "auto"}, "grad_freeze": {"param_groups": 2, "total_steps": 5}})
    assert boost.AutoBoost("O0") is chosen
    assert [name for name, on in chosen.boost_config.items() if on] == ["less_bn", "grad_freeze"]
    net, _, x, _ = _training()
    network, optimizer = chosen.network_auto_process_train(net, nn.SGD(net.trainable_params(), 0.1))
    assert isinstance(network, boost.LessBN)
    assert isinstance(optimizer, boost.FreezeOpt)
    assert len(optimizer.opts) == 2
    assert network(x).shape == (5, 1)
    assert isinstance(chosen.network_auto_process_eval(nn.Dense(3, 2)), boost.LessBN)


def test_what_is_not_supported_says_so() -> None:
    chosen = boost.AutoBoost("O0", {"boost": {"mode": "enable_all"}})
    net, loss, _, _ = _training()
    with pytest.raises(UnsupportedError):
        chosen.network_auto_process_train(net, nn.SGD(net.trainable_params(), 0.1))
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    optimizer.dim_reduce = True
    with pytest.raises(UnsupportedError):
        boost.BoostTrainOneStepCell(loss, optimizer)
    with pytest.raises(TypeError):
        boost.BoostTrainOneStepWithLossScaleCell(loss, nn.SGD(net.trainable_params(), 0.1), Tensor(1.0))
    with pytest.raises(AttributeError):
        boost.OptimizerProcess(nn.AdamWeightDecay(net.trainable_params()))


def test_optimizers_keep_their_arguments_and_signatures() -> None:
    weights = [Parameter(Tensor([1.0]), name="a")]
    assert next(iter(inspect.signature(nn.Momentum).parameters)) == "params"
    assert next(iter(inspect.signature(nn.Momentum.__init__).parameters)) == "self"
    made = nn.Adam(weights, 0.5, eps=1e-3)
    for each in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert each.init_learning_rate == 0.5
        assert each.init_args["eps"] == 1e-3
        assert each.init_params["params"][0] is each.parameters[0]

    class Mine(nn.Momentum):
        @opt_init_args_register
        def __init__(self, params: Any, learning_rate: Any, other: int = 3) -> None:
            super().__init__(params, learning_rate, 0.9)

    assert boost.OptimizerProcess(nn.LARS(Mine(weights, 0.1))).generate_new_optimizer().opt.init_learning_rate == 0.1
