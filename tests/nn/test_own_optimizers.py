"""Optimizers that libraries derive from `nn.Optimizer` and from ours: what they read, call and set is upstream's."""

from __future__ import annotations

import copy
import json
import pickle
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from tests.support.oracle import run_oracle
from tests.support.processes import run_command

PROGRAM = Path(__file__).with_name("own_optimizers_program.py")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    done = run_command(str(PROGRAM), cwd=tmp_path_factory.mktemp("trained"))
    assert done.returncode == 0, done.stderr
    found: dict[str, list[float]] = json.loads(done.stdout.split("TRAINED ")[-1])
    return found


def test_both_modes_train_alike(trained: dict[str, list[float]]) -> None:
    for name in [name.removesuffix("-graph") for name in trained if name.endswith("-graph")]:
        np.testing.assert_allclose(trained[f"{name}-graph"], trained[f"{name}-pynative"], rtol=1e-6, err_msg=name)


@pytest.mark.oracle
def test_they_train_as_under_real_mindspore(trained: dict[str, list[float]]) -> None:
    real = run_oracle(
        "import sys; sys.path.insert(0, sys.argv[1])\nimport own_optimizers_program as p\ngive(p.main())",
        str(PROGRAM.parent),
    )
    assert real.keys() == trained.keys()
    for name in real:
        if name.startswith("Slower") and name.endswith("pynative"):
            continue  # real PyNative runs the subclass's construct twice where it calls an optimizer's own
        np.testing.assert_allclose(trained[name], real[name], rtol=1e-5, atol=1e-6, err_msg=name)


def optimizer(of: Any = nn.Momentum, **arguments: Any) -> Any:
    parameters = [Parameter(np.ones((2, 3), np.float32), name="w"), Parameter(np.ones(3, np.float32), name="b.beta")]
    return of(parameters, 0.1, **({"momentum": 0.9} if of is nn.Momentum else {}), **arguments)


def test_the_trained_parameters_and_the_own_ones_are_both_under_their_names() -> None:
    made = optimizer()
    assert [item.name for item in made._parameters] == ["w", "b.beta"] and made._parameters[0] is made.parameters[0]
    assert {"global_step", "learning_rate", "momentum"} <= set(made._parameters.keys())
    assert made._parameters["momentum"] is made.momentum and "momentum" in made._parameters
    clones = made._parameters.clone(prefix="more", init="zeros")
    assert [item.name for item in clones] == ["more.w", "more.b.beta"] and not clones[0].asnumpy().any()
    with pytest.raises(AttributeError, match="'ParameterTuple' object has no attribute 'nothing'"):
        made._parameters.nothing
    for copied in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert [item.name for item in copied._parameters] == ["w", "b.beta"]


def step(made: Any) -> np.ndarray:
    made((Tensor(np.zeros((2, 3), np.float32)), Tensor(np.zeros(3, np.float32))))
    return np.array([made.parameters[0].asnumpy()[0, 0], made.parameters[1].asnumpy()[0]])


def test_a_weight_decay_and_flags_that_are_set_take_effect() -> None:
    assert np.allclose(step(optimizer(weight_decay=0.5)), [1 - 0.1 * 0.5, 1])
    made = optimizer(weight_decay=0.5)
    made.weight_decay = Tensor(0.2, ms.float32)
    assert np.allclose(step(made), [1 - 0.1 * 0.2, 1])
    made = optimizer(weight_decay=0.5)
    made.decay_flags = (False, True)
    assert np.allclose(step(made), [1, 1 - 0.1 * 0.5])


@pytest.mark.parametrize(("of", "shape"), [(nn.Adam, ()), (nn.AdaMax, ()), (nn.AdamWeightDecay, (1,)), (nn.Lamb, (1,))])
def test_betas_are_tensors_and_take_effect_when_set(of: Any, shape: tuple[int, ...]) -> None:
    made, other = optimizer(of), optimizer(of, beta1=0.5)
    assert made.beta1.shape == made.beta2.shape == made.eps.shape == shape and made.beta1.dtype is ms.float32
    made.beta1 = other.beta1
    gradients = (Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones(3, np.float32)))
    for _ in range(3):
        made(gradients), other(gradients)
    assert np.array_equal(made.parameters[0].asnumpy(), other.parameters[0].asnumpy())


def test_a_target_changes_nothing() -> None:
    made = optimizer(nn.Adam)
    made._set_base_target("CPU")
    assert made._is_device is False


def test_maps_and_operators_are_there_and_can_be_replaced() -> None:
    made = optimizer()
    one = Tensor(np.ones(2, np.float32))
    for name in ("map_", "map_reverse", "hyper_map", "hyper_map_reverse"):
        assert [item.asnumpy().tolist() for item in getattr(made, name)(ops.add, (one, one), (one, one))] == [
            [2, 2]
        ] * 2
        setattr(made, name, ops.HyperMap())
    made.assignadd(made.global_step, made.global_step_increase_tensor)
    assert made.global_step.asnumpy().tolist() == [1]
    made.opt(made.parameters[1], made.moments[1], 0.1, Tensor(np.ones(3, np.float32)), 0.9)
    assert np.allclose(made.parameters[1].asnumpy(), 0.9)
    assert made.broadcast_params(True) == [tuple(made.parameters)]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_updates_of_releases_that_had_parameter_servers(mode: int) -> None:
    """MindSpore 1.x and 2.0 hand both flags to each update, and so do optimizers copied from there (SPADE, NFNet)."""
    update = ops.MultitypeFuncGraph("update")

    @update.register("Function", "Number", "Tensor", "Tensor", "Bool", "Bool")
    def _run(opt: Any, rate: float, weight: Any, gradient: Any, ps_parameter: bool, cache_enable: bool) -> Any:
        if ps_parameter and not cache_enable:
            return False
        return ops.depend(True, opt(weight, weight - rate * gradient))

    class Own(nn.Optimizer):
        def construct(self, gradients: Any) -> Any:
            run = ops.partial(update, ops.assign, 0.5)
            return self.map_(run, self.parameters, gradients, self.ps_parameters, self.cache_enable)

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        made = Own(0.5, [Parameter(Tensor(np.ones(2, np.float32)), name=name) for name in "ab"])
        assert made((Tensor(np.ones(2, np.float32)), Tensor(np.full(2, 2, np.float32)))) == (True, True)
    finally:
        ms.set_context(mode=before)
    assert [weight.asnumpy().tolist() for weight in made.parameters] == [[0.5, 0.5], [0, 0]]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("has_groups", [False, True], ids=["plain", "groups"])
def test_fused_momentum_of_1x(mode: int, has_groups: bool) -> None:
    """As in the model zoo's res2net and ISyNet."""

    class Own(nn.Optimizer):
        def __init__(self, parameters: Any, weight_decay: float) -> None:
            super().__init__(0.5, parameters, weight_decay, loss_scale=4.0)
            self.momentum = Tensor(0.5)
            self.moments = self.parameters.clone(prefix="moments", init="zeros")
            self.opt = ops.operations.FusedWeightScaleApplyMomentum()

        def construct(self, gradients: Any) -> Any:
            scale, rate, done = self.reciprocal_scale, self.get_lr(), ()
            for i, weight in enumerate(self.parameters):
                decay = self.weight_decay_tensor[i] if has_groups else self.weight_decay_tensor
                done += (self.opt(decay, scale, weight, self.moments[i], rate, gradients[i], self.momentum),)
            return done

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        results = []
        for make in (Own, lambda w, decay: nn.Momentum(w, 0.5, 0.5, weight_decay=decay, loss_scale=4.0)):
            weights = [Parameter(Tensor(np.ones(2, np.float32)), name=name) for name in "ab"]
            groups = [{"params": weights[:1], "weight_decay": 0.1}, {"params": weights[1:]}, {"order_params": weights}]
            made = make(groups if has_groups else weights, 0.2)
            for _ in range(3):
                made((Tensor(np.ones(2, np.float32)), Tensor(np.full(2, 2, np.float32))))
            results.append([weight.asnumpy() for weight in weights])
    finally:
        ms.set_context(mode=before)
    np.testing.assert_allclose(results[0], results[1], rtol=1e-6)


def test_a_number_is_assigned_to_a_parameter_where_upstream_compiles() -> None:
    class Count(nn.Cell):
        def __init__(self, start: Any, value: Any) -> None:
            super().__init__()
            self.count, self.value = Parameter(Tensor(start), name="count"), value

        def construct(self, x: Tensor) -> Tensor:
            self.count = self.value
            return x + self.count

    x, before = Tensor(np.float32(1)), ms.get_context("mode")
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        net = Count(np.int32(5), 0)
        assert net(x).asnumpy() == 1 and isinstance(net.count, Parameter) and net.count.dtype is ms.int32
        assert Count(np.float32(3), 1.5)(x).asnumpy() == 2.5
        with pytest.raises(ValueError):
            Count(np.array([5, 5], np.int32), 2)(x)
        with pytest.raises(TypeError):
            Count(np.int32(3), 1.5)(x)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        with pytest.raises(TypeError):
            Count(np.int32(5), 0)(x)
    finally:
        ms.set_context(mode=before)


def test_gradients_are_accumulated_by_a_subclass_with_its_own_construct() -> None:
    from mindspore_compat.boost.grad_accumulation import (
        GradientAccumulation,
        gradient_accumulation_op,
        gradient_clear_op,
    )

    class Own(GradientAccumulation):
        def construct(self, loss: Any, grads: Any) -> Any:
            add = ops.partial(gradient_accumulation_op, self._max_accumulation_step)
            self.hyper_map(add, self._grad_accumulation, grads)
            self._accumulation_step += 1
            if self._accumulation_step >= self._max_accumulation_step:
                self.optimizer(self._grad_accumulation)
                self.hyper_map(ops.partial(gradient_clear_op), self._grad_accumulation)
                self._accumulation_step = 0
            return loss

    before = ms.get_context("mode")
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        made = optimizer()
        own = Own(2, made)
        gradients = (Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones(3, np.float32)))
        seen = []
        for _ in range(4):
            own(Tensor(1.0), gradients)
            seen.append(float(made.parameters[0].asnumpy()[0, 0]))
    finally:
        ms.set_context(mode=before)
    assert np.allclose(seen, [1, 0.9, 0.9, 0.71])


@pytest.mark.parametrize("name", ["Adam", "ProximalAdagrad", "RMSProp", "Adagrad", "Adadelta", "AdaMax", "LazyAdam"])
def test_integers_are_no_parameters_to_train(name: str) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.count = ms.Parameter(ms.Tensor([1, 2]), name="count")

        def construct(self, x: Any) -> Any:
            return (x * self.count).sum()

    net = Net()
    step = nn.TrainOneStepCell(net, getattr(nn, name)(net.trainable_params(), 0.1))
    with pytest.raises((TypeError, RuntimeError), match="(?i)long|int64"):
        step(ms.Tensor([1.0, 1.0]))
    assert net.count.asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("counts", [False, True])
def test_a_schedule_that_stands_still_is_logged(counts: bool, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    class Own(nn.Optimizer):
        def construct(self, gradients: Any) -> Any:
            rate = self.get_lr()
            for parameter, gradient in zip(self.parameters, gradients):
                ops.assign_sub(parameter, rate * gradient)
            if counts:
                self.assignadd(self.global_step, self.global_step_increase_tensor)
            return rate

    ms.set_context(mode=mode)
    net = nn.Dense(3, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), Own([0.0, 0.1, 0.1, 0.1], net.trainable_params()))
    losses = [float(step(ops.ones((4, 3)), ops.ones((4, 1)))) for _ in range(4)]
    assert (len(set(losses)) > 1) is counts
    assert bool([record for record in caplog.records if record.levelname == "WARNING"]) is not counts


class _OwnAdam(nn.Adam):
    """As AdaHessian of mindflow: its own gradients, then upstream's last step."""

    def construct(self, gradients: Any) -> Any:
        gradients = self.scale_grad(self.decay_weight(self.flatten_gradients(gradients)))
        rates = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        self.beta1_power *= self.beta1
        self.beta2_power *= self.beta2
        return self._apply_adam(
            self._parameters, self.beta1_power, self.beta2_power, self.moment1, self.moment2, rates, gradients
        )


@pytest.mark.parametrize(
    ("keys", "first", "second"),
    [
        ({}, [0.8427302, 2.2999988], 2.9647872),
        ({"use_nesterov": True}, [0.72690153, 2.4595304], 2.9787304),
        ({"use_amsgrad": True}, [0.8427302, 2.2999988], 2.9647872),
        ({"use_amsgrad": True, "use_nesterov": True}, [0.8427302, 2.2999988], 2.9647872),
        ({"weight_decay": 0.1}, [0.7066211, 2.2984118], 2.8869517),
        ({"rate": 0.05}, [0.92136514, 2.1499994], 2.9647872),
    ],
)
def test_the_last_step_of_an_adam_of_ones_own(keys: dict[str, Any], first: list[float], second: float) -> None:
    """Three steps of real MindSpore 2.10."""
    params = [ms.Parameter(Tensor([1.0, 2.0], ms.float32), name="a"), ms.Parameter(Tensor([[3.0]]), name="b")]
    rate = keys.get("rate")
    groups: Any = params if rate is None else [{"params": params[:1], "lr": rate}, {"params": params[1:]}]
    optimizer = _OwnAdam(groups, 0.1, **{key: value for key, value in keys.items() if key != "rate"})
    for step in range(3):
        optimizer((Tensor([0.1 * step, -0.3], ms.float32), Tensor([[0.5 - step]], ms.float32)))
    np.testing.assert_allclose(params[0].asnumpy(), first, rtol=2e-7)
    np.testing.assert_allclose(params[1].asnumpy(), [[second]], rtol=2e-7)


KINDS = [
    nn.SGD,
    nn.Momentum,
    nn.Adam,
    nn.AdamWeightDecay,
    nn.RMSProp,
    nn.Adagrad,
    nn.AdaMax,
    nn.FTRL,
    nn.ASGD,
    nn.Rprop,
]
#: part of a step -> how a class overrides it; the stock optimizer's arguments and gradients that do the same
PARTS: dict[str, tuple[Any, dict[str, float], Any]] = {
    "get_lr": (lambda self: Tensor(0.5), {"learning_rate": 0.5}, lambda gradient: gradient),
    "get_weight_decay": (lambda self: Tensor(0.3), {"weight_decay": 0.3}, lambda gradient: gradient),
    "decay_weight": (
        lambda self, gradients: tuple(each * 2 for each in gradients),
        {"weight_decay": 0.0},
        lambda gradient: gradient * 2,
    ),
    "gradients_centralization": (
        lambda self, gradients: tuple(each + 1 for each in gradients),
        {"weight_decay": 0.0},
        lambda gradient: gradient + 1,
    ),
    "scale_grad": (
        lambda self, gradients: tuple(each * 3 for each in gradients),
        {"weight_decay": 0.0},
        lambda gradient: gradient * 3,
    ),
}


@pytest.mark.parametrize("of_class", [True, False])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_optimizers_step_by_the_methods_that_a_program_overrides(kind: Any, part: str, of_class: bool) -> None:
    def stepped(own: Any, gradient: Any, **more: float) -> Any:
        weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
        arguments = {"learning_rate": 0.1, "weight_decay": 0.1, **more}
        if kind is nn.Momentum:
            arguments["momentum"] = 0.9
        made = type("Own", (kind,), {part: own} if own and of_class else {})([weight], **arguments)
        if own and not of_class:
            setattr(made, part, types.MethodType(own, made))
        for _ in range(2):
            made((gradient,))
        return weight.asnumpy()

    own, same, changed = PARTS[part]
    gradient = Tensor([0.1, 0.2, -0.3])
    if kind is nn.AdamWeightDecay and not part.startswith("get_"):  # which upstream does not ask
        same, changed = {}, lambda gradient: gradient
    decay = 0.1 if part in ("get_weight_decay", "decay_weight") or not same else 0.0
    got = stepped(own, gradient, weight_decay=decay)
    np.testing.assert_allclose(got, stepped(None, changed(gradient), **{"weight_decay": decay, **same}), rtol=1e-5)
