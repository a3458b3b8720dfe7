"""Training steps on a CUDA device, or on the fake one: host waits, equality with the CPU, CUDA graphs, the loop.

It prints one JSON object, with an entry for each. On a real device torch itself counts waits as
errors (``torch.cuda.set_sync_debug_mode``); on the fake one they are listed with the line that waits.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from tests.support import fakecuda

IS_REAL = torch.cuda.is_available()
if not IS_REAL:
    fakecuda.install()

import mindspore_compat as ms  # noqa: E402
import mindspore_compat.dataset as ds  # noqa: E402
from mindspore_compat import Tensor, nn, ops  # noqa: E402
from mindspore_compat.nn.learning_rate_schedule import LearningRateSchedule  # noqa: E402

RANDOM = np.random.RandomState(0)
FEATURES, CLASSES, BATCH, STEPS = 8, 3, 16, 14
X = RANDOM.randn(STEPS, BATCH, FEATURES).astype(np.float32)
Y = RANDOM.randint(0, CLASSES, (STEPS, BATCH)).astype(np.int32)
OVERFLOWS = (0, 3, 4, 9)
GRAPH, PYNATIVE = ms.GRAPH_MODE, ms.PYNATIVE_MODE


class Joined(LearningRateSchedule):
    """A schedule as users write them: one after another, by a comparison of tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.warm, self.cosine, self.until = nn.WarmUpLR(0.05, 3), nn.CosineDecayLR(0.01, 0.05, 20), Tensor(3.0)

    def construct(self, global_step: Any) -> Any:
        is_warm = ops.cast(ops.cast(global_step, ms.float32) < self.until, ms.float32)
        return is_warm * self.warm(global_step) + (1 - is_warm) * self.cosine(global_step)


RATES: dict[str, Callable[[], Any]] = {
    "constant": lambda: 0.01,
    "listed": lambda: [0.002 * step for step in range(1, 40)],
    "scheduled": lambda: nn.CosineDecayLR(0.01, 0.05, 20),
    "own schedule": Joined,
}
SCHEDULES: dict[str, Callable[[], Any]] = {
    "exponential": lambda: nn.ExponentialDecayLR(0.1, 0.9, 4, True),
    "natural": lambda: nn.NaturalExpDecayLR(0.1, 0.9, 4, True),
    "inverse": lambda: nn.InverseDecayLR(0.1, 0.5, 4),
    "cosine": lambda: nn.CosineDecayLR(0.01, 0.1, 5),
    "polynomial": lambda: nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5),
    "cycles": lambda: nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0, True),
    "warm up": lambda: nn.WarmUpLR(0.1, 3),
}
OPTIMIZERS: dict[str, Callable[[Any, Any], Any]] = {
    "Momentum": lambda p, r: nn.Momentum(p, r, 0.9),
    "Momentum, Nesterov": lambda p, r: nn.Momentum(p, r, 0.9, weight_decay=0.01, use_nesterov=True),
    "Adam": nn.Adam,
    "Adam, AMSGrad": lambda p, r: nn.Adam(p, r, use_amsgrad=True, use_nesterov=True),
    "AdamWeightDecay": lambda p, r: nn.AdamWeightDecay(p, r, weight_decay=0.01),
    "Lamb": lambda p, r: nn.Lamb(p, r, weight_decay=0.01),
    "SGD": nn.SGD,
    "SGD, momentum": lambda p, r: nn.SGD(p, r, momentum=0.9, dampening=0.1),
    "SGD, Nesterov": lambda p, r: nn.SGD(p, r, momentum=0.9, nesterov=True),
    "RMSProp": lambda p, r: nn.RMSProp(p, r, momentum=0.5, centered=True),
    "Adagrad": lambda p, r: nn.Adagrad(p, learning_rate=r),
    "Adadelta": nn.Adadelta,
    "AdaMax": nn.AdaMax,
    "AdaFactor": lambda p, r: nn.AdaFactor(p, r, relative_step=False),
    "ASGD": lambda p, r: nn.ASGD(p, r, t0=5.0),
    "Rprop": nn.Rprop,
    "LazyAdam": nn.LazyAdam,
    "ProximalAdagrad": lambda p, r: nn.ProximalAdagrad(p, learning_rate=r, l1=1e-3, l2=1e-3),
    "LARS": lambda p, r: nn.LARS(nn.Momentum(p, r, 0.9, weight_decay=0.01)),
}
SCALES: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "fixed": lambda: ms.FixedLossScaleManager(1024.0, True),
    "dynamic": lambda: ms.DynamicLossScaleManager(1024, 2, 3),
}


def network(dropout: bool = False) -> nn.Cell:
    weights = np.random.RandomState(1)
    layers = [nn.Dense(FEATURES, 16, has_bias=False), nn.BatchNorm1d(16), nn.Tanh(), nn.Dense(16, CLASSES)]
    net = nn.SequentialCell(*layers[:3], *([nn.Dropout(p=0.1)] if dropout else []), layers[3])
    for parameter in net.trainable_params():
        parameter.set_data(Tensor(weights.randn(*parameter.shape).astype(np.float32)))
    return net


def cross_entropy() -> nn.Cell:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


# --- waits ------------------------------------------------------------------------------------------------------------


class Watching(ms.Callback):
    """Collects the host waits of the steps from ``first`` to ``last``."""

    def __init__(self, first: int = 9, last: int = 14) -> None:
        self.first, self.last, self.found, self.stack = first, last, [], contextlib.ExitStack()

    def step_end(self, run_context: Any) -> None:
        step = run_context.original_args().cur_step_num
        if step == self.first:
            self.stack.enter_context(watched(self.found))
        elif step == self.last:
            self.stack.close()


@contextlib.contextmanager
def watched(found: list[str]) -> Iterator[None]:
    if IS_REAL:
        torch.cuda.set_sync_debug_mode("error")
        try:
            yield
        finally:
            torch.cuda.set_sync_debug_mode("default")
        return
    with fakecuda.recorded() as traffic:
        yield
    found.extend(f"{event.kind} {event.operator} {' < '.join(event.stack[:3])}" for event in traffic.waits)


class Rows(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 5 * BATCH

    def __getitem__(self, place: int) -> Any:
        return X[place % STEPS, 0], int(Y[place % STEPS, 0])


def batches(kind: str) -> Any:
    rows = (X[:5].reshape(-1, FEATURES), Y[:5].reshape(-1))
    if kind == "DataLoader":
        return torch.utils.data.DataLoader(Rows(), batch_size=BATCH)
    return ds.NumpySlicesDataset(rows, shuffle=False).batch(BATCH)


def _waits_of(mode: int, optimizer: str, rate: str, scale: str, data: str) -> list[str]:
    ms.set_context(mode=mode, device_target="GPU")
    net = network(dropout=True)
    manager = SCALES[scale]()
    options = {} if manager is None else {"loss_scale_manager": manager, "amp_level": "O0"}
    model = ms.Model(net, cross_entropy(), OPTIMIZERS[optimizer](net.trainable_params(), RATES[rate]()), **options)
    watching = Watching()
    model.train(3, batches(data), callbacks=watching, dataset_sink_mode=False)
    return watching.found


def _torch_waits() -> list[str]:
    ms.set_context(mode=PYNATIVE, device_target="GPU")
    net = torch.nn.Sequential(torch.nn.Linear(FEATURES, 16), torch.nn.ReLU(), torch.nn.Linear(16, CLASSES)).cuda()
    watching = Watching()
    model = ms.Model(net, torch.nn.CrossEntropyLoss(), torch.optim.AdamW(net.parameters(), 0.01))
    model.train(3, batches("DataLoader"), callbacks=watching)
    return watching.found


def _late_waits() -> list[str]:
    """The network and its optimizer are there before the device is chosen."""
    ms.set_context(mode=PYNATIVE, device_target="CPU")
    net = network()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    ms.set_context(device_target="GPU")
    watching = Watching()
    ms.Model(net, cross_entropy(), optimizer).train(3, batches("Dataset"), callbacks=watching, dataset_sink_mode=False)
    assert net[0].weight.is_cuda
    return watching.found


def waits() -> dict[str, list[str]]:
    found = {}
    for mode, optimizer, rate, scale in itertools.product((PYNATIVE, GRAPH), OPTIMIZERS, RATES, SCALES):
        if optimizer == "Adam" or (rate == "scheduled" and scale == "dynamic"):  # one with all, all with one
            name = f"{'GRAPH' if mode == GRAPH else 'PYNATIVE'}, {optimizer}, {rate}, {scale}"
            found[name] = _waits_of(mode, optimizer, rate, scale, "Dataset")
    found["PYNATIVE, Momentum, constant, none, DataLoader"] = _waits_of(
        PYNATIVE, "Momentum", "constant", "none", "DataLoader"
    )
    found["made before the device was chosen"] = _late_waits()
    found["torch network, AdamW, DataLoader"] = _torch_waits()
    return found


# --- equality with the CPU --------------------------------------------------------------------------------------------


def trained(target: str, mode: int, optimizer: Any, rate: Any, scale: str, grouped: bool) -> list[np.ndarray]:
    """Losses, and the state after 14 steps, of which four overflow where there is a loss scale."""
    ms.set_context(mode=mode, device_target=target)
    net = network()
    parameters: Any = net.trainable_params()
    if grouped:
        others = [item for item in parameters if "gamma" not in item.name]
        bias = {"params": [item for item in parameters if "gamma" in item.name], "lr": rate(), "weight_decay": 0.01}
        parameters = [bias, {"params": others}, {"order_params": parameters}]
    made = optimizer(parameters, rate())
    loss = nn.WithLossCell(net, cross_entropy())
    manager = SCALES[scale]()
    step: Any = nn.TrainOneStepCell(loss, made)
    if manager is not None:
        step = nn.TrainOneStepWithLossScaleCell(loss, made, manager.get_update_cell())
    step.set_train()
    losses = []
    for number, (x, y) in enumerate(zip(X, Y)):
        overflows = manager is not None and number in OVERFLOWS
        if overflows:
            x = x.copy()
            x[0, 0] = np.inf
        outputs = step(Tensor(x), Tensor(y))
        losses.append(float((outputs if manager is None else outputs[0]).asnumpy()))
        if overflows:  # running averages are no weights: they take what comes
            for parameter in net.get_parameters():
                if "moving" in parameter.name:
                    parameter[:] = 1.0  # where it is: what was captured goes on
    return [np.array(losses)] + [parameter.asnumpy() for parameter in (*step.get_parameters(), *made.get_parameters())]


def difference(some: list[np.ndarray], others: list[np.ndarray]) -> float:
    def one(a: Any, b: Any) -> float:
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return float("inf")
        a, b = np.nan_to_num(a.astype(np.float64)), np.nan_to_num(b.astype(np.float64))
        return float(np.max(np.abs(a - b) / (1 + np.abs(a)))) if a.size else 0.0

    return max(map(one, some, others))


def equal() -> dict[str, Any]:
    lines: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mindspore_compat").addHandler(handler)
    logging.getLogger("mindspore_compat").setLevel(logging.INFO)
    found: dict[str, Any] = {}
    cases = [
        (optimizer, rate, scale, grouped)
        for optimizer, rate, scale, grouped in itertools.product(OPTIMIZERS, RATES, SCALES, (False, True))
        if optimizer == "Adam" or (rate == "scheduled" and scale == "dynamic")  # one with all, all with one
    ]
    rates = {**RATES, **SCHEDULES}
    cases += [("Momentum", rate, "none", False) for rate in (*RATES, *SCHEDULES)]
    for optimizer, rate, scale, grouped in cases:
        expected = trained("CPU", PYNATIVE, OPTIMIZERS[optimizer], rates[rate], scale, grouped)
        for mode in (PYNATIVE, GRAPH):
            lines.clear()
            name = f"{'GRAPH' if mode == GRAPH else 'PYNATIVE'}, {optimizer}, {rate}, {scale}, {grouped}"
            got = trained("GPU", mode, OPTIMIZERS[optimizer], rates[rate], scale, grouped)
            found[name] = {
                "difference": difference(expected, got),
                "graphs": sum("as one CUDA graph" in line for line in lines),
            }
    return found


# --- the loop ---------------------------------------------------------------------------------------------------------


class Losses(ms.Callback):
    def __init__(self) -> None:
        self.kept: list[Any] = []

    def step_end(self, run_context: Any) -> None:
        self.kept.append(run_context.original_args().net_outputs)


class Failing:
    """Batches of which that numbered ``bad`` cannot be read."""

    def __init__(self, bad: int) -> None:
        self.bad = bad

    def __getitem__(self, number: int) -> Any:
        if number == self.bad:
            raise ValueError("bad batch")
        return X[number], Y[number]

    def __len__(self) -> int:
        return 5


def steps_before_a_bad_batch(bad: int) -> int:
    net, losses = network(), Losses()
    model = ms.Model(net, cross_entropy(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    with contextlib.suppress(RuntimeError):
        data = ds.GeneratorDataset(Failing(bad), ["x", "y"], shuffle=False)
        model.train(1, data, callbacks=losses, dataset_sink_mode=False)
    return len(losses.kept)


def loop() -> dict[str, Any]:
    """What of the loop can be seen on the fake device only."""
    ms.set_context(mode=PYNATIVE, device_target="GPU")
    found: dict[str, Any] = {}
    for per_print in (1, 5, 0):
        net, watching = network(), Watching(first=5, last=10)
        model = ms.Model(net, cross_entropy(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
        model.train(2, batches("Dataset"), callbacks=[ms.LossMonitor(per_print), watching], dataset_sink_mode=False)
        found[f"LossMonitor({per_print})"] = len(watching.found)
    net = network()
    net.trainable_params()[0].set_data(Tensor(np.full((16, FEATURES), np.nan, np.float32)))
    model, monitor = ms.Model(net, cross_entropy(), nn.Momentum(net.trainable_params(), 0.01, 0.9)), ms.LossMonitor(100)
    try:
        model.train(1, batches("Dataset"), callbacks=monitor, dataset_sink_mode=False)
    except ValueError as error:
        found["nan"] = str(error)
    monitor._losses.send(torch.full((), float("nan"), device="cuda"), (1, 2))
    monitor._losses.send(torch.full((), float("nan"), device="cuda"), (1, 3))
    with contextlib.suppress(ValueError):
        monitor._check_arrived(wait=True)
    found["left of the run"] = len(list(monitor._losses.arrived(wait=True)))
    found["steps before a bad batch"] = [steps_before_a_bad_batch(bad) for bad in (0, 1, 3)]
    with fakecuda.recorded() as traffic:
        net = network()
        model = ms.Model(net, cross_entropy(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
        model.train(1, batches("Dataset"), dataset_sink_mode=False)
    kinds = [event.kind for event in traffic]
    found["batches"] = {kind: kinds.count(kind) for kind in ("h2d", "h2d_nb", "record_stream", "wait_event")}
    ms.set_context(mode=GRAPH)
    net, losses = network(), Losses()
    model = ms.Model(net, cross_entropy(), nn.Adam(net.trainable_params(), 0.01))
    model.train(4, batches("Dataset"), callbacks=losses, dataset_sink_mode=True)
    found["sinks"] = len(losses.kept)
    net, losses = network(), Losses()
    model = ms.Model(net, cross_entropy(), nn.Adam(net.trainable_params(), 0.01))
    model.train(4, batches("Dataset"), callbacks=losses, dataset_sink_mode=False)
    found["losses stay"] = len({float(loss.asnumpy()) for loss in losses.kept})
    return found


# --- graphs -----------------------------------------------------------------------------------------------------------


class Said(logging.Handler):
    """What the log said since it was last asked."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        logger = logging.getLogger("mindspore_compat")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        if "CUDA graph" in record.getMessage():
            self.lines.append(record.getMessage())

    def taken(self) -> list[str]:
        lines, self.lines = self.lines, []
        return lines


class Plain(nn.Cell):
    """``change`` is applied to what the first layer gives."""

    def __init__(self, change: Callable[[Any], Any]) -> None:
        super().__init__()
        self.first, self.last, self.change = nn.Dense(FEATURES, 16), nn.Dense(16, CLASSES), change

    def construct(self, x: Any) -> Any:
        return self.last(self.change(ops.tanh(self.first(x))))


class OwnOptimizer(nn.Optimizer):
    """Python counts its steps."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(0.01, parameters)
        self.calls: list[int] = []

    def construct(self, gradients: Any) -> bool:
        self.calls.append(1)
        for parameter, gradient in zip(self.parameters, gradients):
            ops.assign_sub(parameter, gradient * (0.01 / len(self.calls)))
        return True


class Returning(nn.TrainOneStepCell):
    """Gives its input and what a Parameter is now as well."""

    def construct(self, *inputs: Any) -> Any:
        loss = super().construct(*inputs)
        return loss, inputs[0][:1], self.weights[1].value().copy()


def _steps_of(target: str, net: nn.Cell, make: Any, shapes: Any = None, step_class: Any = nn.TrainOneStepCell) -> Any:
    weights = np.random.RandomState(1)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(weights.randn(*parameter.shape).astype(np.float32)))
    optimizer = make(net.trainable_params())
    step = step_class(nn.WithLossCell(net, cross_entropy()), optimizer).set_train()
    results = []
    for number, (x, y) in enumerate(zip(X, Y)):
        size = BATCH if shapes is None else shapes[number % len(shapes)]
        results.append(step(Tensor(x[:size]), Tensor(y[:size])))
        if number == 10 and shapes is None:  # other memory, which what was captured does not survive
            net.last.weight.set_data(Tensor(np.ones((CLASSES, 16), np.float32)))
    flat = torch.utils._pytree.tree_leaves(results)
    return [item.asnumpy() for item in (*flat, *step.get_parameters())]


def graphs() -> dict[str, Any]:
    said, found = Said(), {}

    def momentum(parameters: Any) -> Any:
        return nn.Momentum(parameters, 0.01, 0.9)

    def once(x: Any) -> Any:
        return x * 2

    number_on_host = torch.tensor(0.5)
    cases: dict[str, Any] = {
        "plain": (once, momentum),
        "shapes": (once, momentum, (16, 8)),
        "own optimizer": (once, OwnOptimizer),
        "returns its inputs": (once, momentum, None, Returning),
        "branch on a value": (lambda x: x * 2 if (x * x).sum() >= 0 else x, momentum),
        "a number on the host": (lambda x: x * number_on_host, momentum),
        "sizes of values": (lambda x: x + ops.nonzero(x > 0)[:1, 0], momentum),
    }
    for name, (change, make, *rest) in cases.items():
        results = []
        for target, mode in (("CPU", PYNATIVE), ("GPU", GRAPH)):
            ms.set_context(mode=mode, device_target=target)
            said.taken()
            results.append(_steps_of(target, Plain(change), make, *rest))
        found[name] = {"difference": difference(*results), "said": said.taken()}
    ms.set_context(mode=GRAPH, device_target="GPU")
    if not IS_REAL:  # inductor has no kernels for a fake device: its place is taken by the function itself
        compiled, torch.compile = torch.compile, lambda function, **options: function
        ms.set_context(jit_level="O1")
        fused = _steps_of("GPU", Plain(once), lambda p: nn.Adam(p, 0.01))
        ms.set_context(jit_level="O0")
        torch.compile = compiled
        said_of_fused = said.taken()
        ms.set_context(mode=PYNATIVE, device_target="CPU")
        expected = _steps_of("CPU", Plain(once), lambda p: nn.Adam(p, 0.01))
        ms.set_context(mode=GRAPH, device_target="GPU")
        found["O1"] = {"difference": difference(expected, fused), "said": said_of_fused}
    drawn = []
    for _ in range(2):
        ms.set_seed(5)
        torch.cuda.manual_seed_all(5)
        net = Plain(nn.Dropout(p=0.5))
        drawn.append(_steps_of("GPU", net, lambda p: nn.Momentum(p, 1e-9, 0.0)))
    found["dropout"] = {
        "repeats": difference(*drawn),
        "losses": len({float(loss) for loss in drawn[0][:STEPS]}),
        "said": said.taken(),
    }
    return found


if __name__ == "__main__":
    parts = [waits, equal, graphs, *([] if IS_REAL else [loop])]
    print(json.dumps({part.__name__: part() for part in parts}))
