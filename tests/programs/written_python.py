"""Programs by hand: Python that changes what a step computes, between the steps or in them. In PYNATIVE_MODE it is run
at each step.

Weights are changed by `assign`: after a `set_data` in PYNATIVE_MODE the optimizers of real MindSpore 2.10 do not update
them any more.
"""

import copy
import functools
import random

import mindspore as ms
import numpy as np
from kit import drawn, fill
from mindspore import Parameter, Tensor, nn, ops
from mindspore import dtype as mstype

COUNT = 0
activation = ops.sin
SCALES = [1.0, 0.5, 2.0, 1.5, 0.25, 3.0]
CONFIG = {"scale": 1.0}


class Base(nn.Cell):
    """Two layers on 3 features; what is special stands in a subclass."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(3, 4), nn.Dense(4, 2)

    def plain(self, x):
        return self.b(ops.sin(self.a(x)))

    def construct(self, x):
        return self.plain(x)


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x, *more):
        return ops.square(self.net(x, *more)).mean()


class OwnStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)
        self.network.set_grad()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs)
        return ops.depend(loss, self.optimizer(grads))


def functional(loss, opt):
    grad_fn = ms.value_and_grad(loss, None, opt.parameters)

    def step(*inputs):
        value, grads = grad_fn(*inputs)
        opt(grads)
        return value

    return step


def x_of(step, rows=3):
    return Tensor(drawn(f"x{step}", rows, 3, scale=1.0))


TRAINERS = {"one step": nn.TrainOneStepCell, "own": OwnStep, "functional": functional}


def trained(rec, make, change=None, inputs=None, steps=5, trainers=TRAINERS, wrap=Loss):
    """The same network under each way to train, with a change between the steps."""
    for kind in trainers:
        net = make()
        fill(net)
        opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = TRAINERS[kind](wrap(net), opt)
        net.set_train()
        for number in range(steps):
            if change and number:
                change(net, number)
            loss = step(*(inputs(number) if inputs else (x_of(number),)))
            rec.step(f"{kind} {number}", loss, [net], [opt])


def counter(rec):
    class Net(Base):
        count = 0

        def construct(self, x):
            self.count += 1
            return self.plain(x) * self.count

    trained(rec, Net)


def appended_list(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.seen = []

        def construct(self, x):
            self.seen.append(1.0)
            return self.plain(x) * len(self.seen)

    trained(rec, Net)


def counted_in_a_dict(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.stats = {"calls": 0}

        def construct(self, x):
            self.stats["calls"] += 1
            return self.plain(x) + 0.1 * self.stats["calls"]

    trained(rec, Net)


def global_counter(rec):
    class Net(Base):
        def construct(self, x):
            global COUNT
            COUNT += 1
            return self.plain(x) * (1.0 + 0.1 * COUNT)

    globals()["COUNT"] = 0
    trained(rec, Net)


def closure_counter(rec):
    calls = 0

    class Net(Base):
        def construct(self, x):
            nonlocal calls
            calls += 1
            return self.plain(x) * (1.0 + 0.1 * calls)

    trained(rec, Net)


def popped_list(rec):
    def make():
        left = list(SCALES)

        class Net(Base):
            def construct(self, x):
                return self.plain(x) * left.pop()

        return Net()

    trained(rec, make)


def python_random(rec):
    def make():
        source = random.Random(3)

        class Net(Base):
            def construct(self, x):
                return self.plain(x) * source.random()

        return Net()

    trained(rec, make)


def numpy_random(rec):
    def make():
        source = np.random.default_rng(3)

        class Net(Base):
            def construct(self, x):
                return self.plain(x) * float(source.random()) + Tensor(source.standard_normal(2).astype(np.float32))

        return Net()

    trained(rec, make)


def numpy_global_random(rec):
    class Net(Base):
        def construct(self, x):
            return self.plain(x) * float(np.random.rand())

    # not before: where layers draw their first weights from is a library's own business
    trained(rec, Net, inputs=lambda step: (step == 0 and np.random.seed(7), x_of(step))[1:])


def iterator(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.scales = iter(SCALES)

        def construct(self, x):
            return self.plain(x) * next(self.scales)

    trained(rec, Net)


def generator(rec):
    def make():
        def scales():
            value = 1.0
            while True:
                value *= 1.5
                yield value

        source = scales()

        class Net(Base):
            def construct(self, x):
                return self.plain(x) * next(source)

        return Net()

    trained(rec, make)


def class_attribute(rec):
    class Net(Base):
        scale = 1.0

        def construct(self, x):
            return self.plain(x) * self.scale

    trained(rec, Net, lambda net, step: setattr(Net, "scale", 1.0 + step))


def counted_property(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.box = [0]

        @property
        def scale(self):
            self.box[0] += 1
            return 1.0 / self.box[0]

        def construct(self, x):
            return self.plain(x) * self.scale

    trained(rec, Net)


def construct_of_the_class_replaced(rec):
    def make():
        class Net(Base):
            pass

        return Net()

    def change(net, step):
        type(net).construct = lambda self, x: self.plain(x) * step

    trained(rec, make, change)


def method_of_the_class_replaced(rec):
    def make():
        class Net(Base):
            def construct(self, x):
                return self.plain(x)

        return Net()

    def change(net, step):
        type(net).plain = lambda self, x: self.b(ops.cos(self.a(x))) * step

    trained(rec, make, change)


def method_of_the_instance_replaced(rec):
    def change(net, step):
        net.plain = lambda x: net.b(net.a(x)) * step

    trained(rec, Base, change)


def global_function_replaced(rec):
    class Net(Base):
        def construct(self, x):
            return activation(self.plain(x))

    globals()["activation"] = ops.sin
    trained(rec, Net, lambda net, step: globals().update(activation=(ops.cos, ops.sin, ops.sigmoid)[step % 3]))


def global_dict(rec):
    class Net(Base):
        def construct(self, x):
            return self.plain(x) * CONFIG["scale"]

    trained(rec, Net, lambda net, step: CONFIG.update(scale=1.0 + step))


def layer_replaced_by_its_like(rec):
    def change(net, step):
        if step == 2:
            net.b = fill(nn.Dense(4, 2, weight_init="ones"))

    trained(rec, Base, change)


def activation_attribute(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.act = nn.Sigmoid()

        def construct(self, x):
            return self.act(self.plain(x))

    trained(rec, Net, lambda net, step: setattr(net, "act", (nn.ReLU(), nn.Sigmoid(), nn.LeakyReLU())[step % 3]))


def cell_list_extended(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.more = nn.CellList([nn.Sigmoid()])

        def construct(self, x):
            h = self.plain(x)
            for cell in self.more:
                h = cell(h)
            return h

    trained(rec, Net, lambda net, step: net.more.append(nn.LeakyReLU() if step % 2 else nn.Sigmoid()))


def python_list_of_cells(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.order = [ops.sin, ops.cos]

        def construct(self, x):
            h = self.plain(x)
            for function in self.order:
                h = function(h)
            return h

    trained(rec, Net, lambda net, step: net.order.reverse())


def branch_on_a_value(rec):
    class Net(Base):
        def construct(self, x):
            h = self.plain(x)
            if h.sum() > 0:
                return h * 2.0
            return ops.cos(h)

    trained(rec, Net)


def loop_on_a_value(rec):
    class Net(Base):
        def construct(self, x):
            h = self.plain(x)
            while ops.abs(h).sum() > 1.0:
                h = h * 0.5
            return h

    trained(rec, Net)


def scaled_by_its_own_number(rec):
    class Net(Base):
        def construct(self, x):
            h = self.plain(x)
            return h / (1.0 + float(ops.stop_gradient(ops.abs(h)).max().asnumpy()))

    trained(rec, Net)


def number_by_item(rec):
    class Net(Base):
        def construct(self, x):
            h = self.plain(x)
            return h * (2.0 if h[0, 0].item() > 0 else 0.5)

    trained(rec, Net)


def exception_caught(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.calls = [0]

        def construct(self, x):
            self.calls[0] += 1
            try:
                return self.plain(x) * SCALES[self.calls[0] * 2]
            except IndexError:
                return self.plain(x)

    trained(rec, Net)


def exception_in_a_step(rec):
    class Net(Base):
        broken = False

        def construct(self, x):
            h = self.plain(x)
            if self.broken:
                raise KeyError("broken on purpose")
            return h

    for kind, trainer in TRAINERS.items():
        net = fill(Net())
        opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = trainer(Loss(net), opt)
        for number in range(6):
            net.broken = number in (2, 4)
            try:
                rec(f"{kind} {number}", step(x_of(number)))
            except KeyError:
                rec(f"{kind} {number}", "raised")
            rec.state(f"{kind} {number}", net)


def early_return(rec):
    class Net(Base):
        depth = 2

        def construct(self, x):
            h = self.plain(x)
            if self.depth == 1:
                return h
            h = h + ops.sin(h)
            if self.depth == 2:
                return h
            return h * h

    trained(rec, Net, lambda net, step: setattr(net, "depth", 1 + step % 3))


def mutable_default(rec):
    def make():
        class Net(Base):
            def construct(self, x, seen=[]):
                seen.append(1)
                return self.plain(x) * len(seen)

        return Net()

    trained(rec, make)


def inputs_vary_in_number(rec):
    class Net(Base):
        def construct(self, *inputs):
            h = self.plain(inputs[0])
            for each in inputs[1:]:
                h = h + ops.sin(self.plain(each))
            return h

    trained(rec, Net, inputs=lambda step: tuple(x_of(10 * step + i) for i in range(1 + step % 3)))


def python_numbers_as_inputs(rec):
    class Net(Base):
        def construct(self, x, scale, power):
            h = self.plain(x) * scale
            return h * h if power == 2 else h

    trained(rec, Net, inputs=lambda step: (x_of(step), 0.5 + 0.5 * step, 1 + step % 2))


def strings_as_inputs(rec):
    class Net(Base):
        def construct(self, x, kind):
            h = self.plain(x)
            return {"sin": ops.sin, "cos": ops.cos, "none": lambda v: v}[kind](h)

    trained(rec, Net, inputs=lambda step: (x_of(step), ("sin", "cos", "none")[step % 3]))


def none_or_a_tensor(rec):
    class Net(Base):
        def construct(self, x, mask):
            h = self.plain(x)
            return h if mask is None else h * mask

    trained(rec, Net, inputs=lambda step: (x_of(step), Tensor(drawn("mask", 3, 2)) if step % 2 else None))


def tuples_and_lists_as_inputs(rec):
    class Net(Base):
        def construct(self, x, parts):
            h = self.plain(x)
            for part in parts:
                h = h * part
            return h

    trained(rec, Net, inputs=lambda step: (x_of(step), tuple(0.5 + 0.25 * i for i in range(1 + step % 3))))


def rows_vary(rec):
    class Net(Base):
        def construct(self, x):
            h = self.plain(x)
            return h * 2.0 if x.shape[0] > 3 else h

    trained(rec, Net, inputs=lambda step: (x_of(step, 2 + step % 3),))


def dtypes_vary(rec):
    class Net(Base):
        def construct(self, x):
            if x.dtype == mstype.int32:
                x = x.astype(mstype.float32) * 0.5
            return self.plain(x)

    trained(
        rec,
        Net,
        inputs=lambda step: (x_of(step) if step % 2 else Tensor(np.arange(9, dtype=np.int32).reshape(3, 3) - step),),
    )


def training_flag(rec):
    class Net(Base):
        def construct(self, x):
            h = self.plain(x)
            return h * 2.0 if self.training else h

    trained(rec, Net, lambda net, step: net.set_train(step % 2 == 0))


def set_train_inside(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)
            self.calls = [0]

        def construct(self, x):
            self.calls[0] += 1
            self.norm.set_train(self.calls[0] % 2 == 0)
            return self.norm(self.plain(x))

    trained(rec, Net)


def requires_grad_toggled(rec):
    def change(net, step):
        net.a.weight.requires_grad = step % 2 == 0
        net.b.bias.requires_grad = step % 3 == 0

    trained(rec, Base, change)


def output_kept_detached(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.last = None

        def construct(self, x):
            h = self.plain(x)
            out = h if self.last is None else h + 0.5 * self.last
            self.last = ops.stop_gradient(h)
            return out

    trained(rec, Net)


def output_kept(rec):
    """What a step left in an attribute is a constant for the next."""

    class Net(Base):
        def __init__(self):
            super().__init__()
            self.last = []

        def construct(self, x):
            h = self.plain(x)
            out = h * self.last[-1] if self.last else h
            self.last.append(h)
            return out

    trained(rec, Net)


def cached_weight(rec):
    """Computed once from a Parameter: later steps see the old value, as a constant."""

    class Net(Base):
        def __init__(self):
            super().__init__()
            self.cache = {}

        def construct(self, x):
            if "w" not in self.cache:
                self.cache["w"] = ops.exp(self.b.bias)
            return self.plain(x) * self.cache["w"]

    trained(rec, Net)


def cached_function(rec):
    class Net(Base):
        def construct(self, x):
            return self.plain(x) * scale_of(x.shape[0])

    @functools.lru_cache
    def scale_of(rows):
        return 1.0 + rows / 10

    trained(rec, Net, inputs=lambda step: (x_of(step, 2 + step % 2),))


def parameter_replaced_by_value(rec):
    def change(net, step):
        ops.assign(net.a.weight, Tensor(drawn(f"new{step}", 4, 3)))

    trained(rec, Base, change)


def parameter_written_in_place(rec):
    def change(net, step):
        net.a.weight[step % 4] = 0.5
        net.b.bias[0] = 0.1

    trained(rec, Base, change)


def parameters_swapped(rec):
    def change(net, step):
        first, second = net.b.weight.asnumpy()
        ops.assign(net.b.weight, Tensor(np.stack([second, first])))

    trained(rec, Base, change)


def array_attribute(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.scales = np.ones(2, np.float32)

        def construct(self, x):
            return self.plain(x) * Tensor(self.scales)

    def change(net, step):
        net.scales[step % 2] *= 1.5

    trained(rec, Net, change)


def tensor_attribute_in_place(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.scales = Tensor(np.ones(2, np.float32))

        def construct(self, x):
            return self.plain(x) * self.scales

    def change(net, step):
        net.scales[step % 2] = 1.0 + step

    trained(rec, Net, change)


def tensor_attribute_replaced(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.scales = Tensor(np.ones(2, np.float32))

        def construct(self, x):
            return self.plain(x) * self.scales

    trained(rec, Net, lambda net, step: setattr(net, "scales", Tensor(drawn(f"scales{step}", 2))))


def rate_assigned(rec):
    for kind, trainer in TRAINERS.items():
        net = fill(Base())
        opt = nn.Adam(net.trainable_params(), 0.05)
        step = trainer(Loss(net), opt)
        for number in range(5):
            ops.assign(opt.learning_rate, Tensor(0.05 / (1 + number), mstype.float32))
            rec.step(f"{kind} {number}", step(x_of(number)), [net], [opt])


def forward_hook(rec):
    for kind, trainer in TRAINERS.items():
        net = fill(Base())
        opt = nn.SGD(net.trainable_params(), 0.1)
        step = trainer(Loss(net), opt)
        handle = None
        for number in range(6):
            if number == 2:
                handle = net.a.register_forward_hook(lambda cell, inputs, output: output * 2.0)
            if number == 4:
                handle.remove()
            rec.step(f"{kind} {number}", step(x_of(number)), [net], [opt])


def backward_hook_counts(rec):
    calls = []
    for kind, trainer in TRAINERS.items():
        net = fill(Base())
        opt = nn.SGD(net.trainable_params(), 0.1)
        net.a.register_backward_hook(lambda cell, grad_input, grad_output: calls.append(1))
        step = trainer(Loss(net), opt)
        for number in range(3):
            rec.step(f"{kind} {number}", step(x_of(number)), [net], [opt])
        rec(f"{kind} calls", len(calls))


def own_call(rec):
    class Net(Base):
        def __call__(self, *inputs):
            return super().__call__(*inputs) * 2.0

    trained(rec, Net)


def construct_of_a_parent(rec):
    class Middle(Base):
        factor = 1.0

        def construct(self, x):
            return super().construct(x) * self.factor

    class Net(Middle):
        def construct(self, x):
            return super().construct(x) + self.factor

    trained(rec, Net, lambda net, step: setattr(net, "factor", 1.0 + step))


def copied_network(rec):
    net = fill(Base())
    other = copy.deepcopy(net)
    for number in range(4):
        for kind, each in (("first", net), ("second", other)):
            opt = nn.SGD(each.trainable_params(), 0.1 * (number + 1))
            rec.step(f"{kind} {number}", nn.TrainOneStepCell(Loss(each), opt)(x_of(number)), [each], [opt])


def two_networks_in_turns(rec):
    first, second = fill(Base()), fill(Base())
    steps = [nn.TrainOneStepCell(Loss(net), nn.SGD(net.trainable_params(), 0.1)) for net in (first, second)]
    for number in range(6):
        rec(f"{number} loss", steps[number % 2](x_of(number)))
        rec.state(f"{number}", first, second)


def one_network_two_losses(rec):
    class Other(Loss):
        def construct(self, x):
            return ops.abs(self.net(x)).mean()

    net = fill(Base())
    opt = nn.Adam(net.trainable_params(), 0.01)
    steps = [nn.TrainOneStepCell(Loss(net), opt), nn.TrainOneStepCell(Other(net), opt), OwnStep(Loss(net), opt)]
    for number in range(6):
        rec.step(number, steps[number % 3](x_of(number)), [net], [opt])


def losses_kept_in_a_list(rec):
    class Keeping(Loss):
        def construct(self, x):
            loss = super().construct(x)
            KEPT.append(float(ops.stop_gradient(loss).asnumpy()))
            return loss

    KEPT = []
    trained(rec, Base, wrap=Keeping)
    rec("kept", KEPT)


def evaluation_between(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def construct(self, x):
            return self.norm(self.plain(x))

    def change(net, step):
        net.set_train(False)
        rec(f"evaluated {step}", net(x_of(99)))
        net.set_train(True)

    trained(rec, Net, change)


def forward_between(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def construct(self, x):
            return self.norm(self.plain(x))

    trained(rec, Net, lambda net, step: rec(f"forward {step}", net(x_of(step))))


def curriculum(rec):
    """Python decides by the last loss what the next step does."""

    class Net(Base):
        hard = False

        def construct(self, x):
            h = self.plain(x)
            return ops.sin(h * 3.0) if self.hard else h

    for kind, trainer in TRAINERS.items():
        net = fill(Net())
        opt = nn.SGD(net.trainable_params(), 0.3)
        step = trainer(Loss(net), opt)
        best = None
        for number in range(6):
            loss = float(step(x_of(number % 2)).asnumpy())
            net.hard = best is not None and loss < best
            best = loss if best is None else min(best, loss)
            rec.step(f"{kind} {number}", loss, [net])


def frozen_gradually(rec):
    """A new optimizer over fewer Parameters, half way."""
    net = fill(Base())
    for phase, weights in enumerate((net.trainable_params(), net.b.trainable_params())):
        opt = nn.Momentum(weights, 0.1, 0.9)
        step = nn.TrainOneStepCell(Loss(net), opt)
        for number in range(3):
            rec.step(f"{phase} {number}", step(x_of(number)), [net], [opt])


def weight_decay_by_hand(rec):
    class Decayed(Loss):
        def construct(self, x):
            loss = super().construct(x)
            for p in self.net.trainable_params():
                if "bias" not in p.name:
                    loss = loss + 0.01 * ops.square(p).sum()
            return loss

    trained(rec, Base, wrap=Decayed)


def moving_average_of_weights(rec):
    net = fill(Base())
    average = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(Loss(net), opt)
    for number in range(6):
        loss = step(x_of(number))
        for p in net.get_parameters():
            average[p.name] = 0.8 * average[p.name] + 0.2 * p.asnumpy()
        if number == 3:
            for p in net.get_parameters():
                ops.assign(p, Tensor(average[p.name]))
        rec.step(number, loss, [net], [opt])
        rec(f"{number} average", average)


def gradients_changed_by_python(rec):
    net = fill(Base())
    opt = nn.SGD(net.trainable_params(), 0.1)
    grad_fn = ms.value_and_grad(Loss(net), None, opt.parameters)
    for number in range(5):
        loss, grads = grad_fn(x_of(number))
        total = float(sum((g.asnumpy() ** 2).sum() for g in grads)) ** 0.5
        if total > 0.3:
            grads = tuple(g * (0.3 / total) for g in grads)
        if number % 2:
            grads = tuple(g if g.ndim > 1 else ops.zeros_like(g) for g in grads)
        opt(grads)
        rec.step(number, loss, [net], [opt])


def steps_of_a_script(rec):
    """Accumulated by Python lists, updated every third batch."""
    net = fill(Base())
    opt = nn.Adam(net.trainable_params(), 0.05)
    grad_fn = ms.value_and_grad(Loss(net), None, opt.parameters)
    kept = []
    for number in range(9):
        loss, grads = grad_fn(x_of(number))
        kept.append(grads)
        if len(kept) == 3:
            opt(tuple(sum(each[1:], each[0]) / 3.0 for each in zip(*kept)))
            kept.clear()
        rec.step(number, loss, [net], [opt])


def parameters_shared_later(rec):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Dense(3, 3), nn.Dense(3, 3)

        def construct(self, x):
            return self.b(ops.sin(self.a(x)))

    net = fill(Net())
    for phase in range(2):
        opt = nn.SGD(net.trainable_params(), 0.1)
        step = nn.TrainOneStepCell(Loss(net), opt)
        for number in range(3):
            rec.step(f"{phase} {number}", step(x_of(number)), [net])
        net.b.weight = net.a.weight


def buffers_by_python(rec):
    class Net(Base):
        def __init__(self):
            super().__init__()
            self.mean = Parameter(Tensor(np.zeros(2, np.float32)), name="mean", requires_grad=False)

        def construct(self, x):
            h = self.plain(x)
            if self.training:
                ops.assign(self.mean, self.mean * 0.9 + ops.stop_gradient(h).mean(0) * 0.1)
            return h - self.mean

    trained(rec, Net)
