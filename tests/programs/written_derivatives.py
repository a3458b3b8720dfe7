"""Programs by hand: derivatives inside of a loss, to the third order, under every way to train, with closed forms.

The network is f(x) = w² x³ of one weight, at x = 0.5; the weight's gradient is what one step of SGD takes away. A
program is one loss and one way to train; it records the gradients of two steps, and what the formula says.
"""

import kit  # noqa: F401
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, amp, nn, ops
from mindspore import dataset as ds

RATE, START, X = 0.0625, 1.25, 0.5
grad_all = ops.GradOperation(get_all=True)
grad_sens = ops.GradOperation(sens_param=True)


def tensor(value):
    return Tensor(np.array([value], np.float32))


class Power(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(tensor(START), name="w")

    def construct(self, x):
        return self.w * self.w * x * x * x


class Declared(nn.Cell):
    """x³ with a derivative of 5 x²."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (dout * 5.0 * x * x,)


class ByOutput(nn.Cell):
    """x³ with a derivative of twice the output."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (dout * 2.0 * out,)


class Outer(nn.Cell):
    """w² times a Cell."""

    def __init__(self, inner):
        super().__init__()
        self.w = Parameter(tensor(START), name="w")
        self.inner = inner

    def construct(self, x):
        return self.w * self.w * self.inner(x)


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x


def recomputed():
    net = Outer(Cube())
    net.inner.recompute()
    return net


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def slope(self, x):
        return ms.grad(self.net)(x)

    def curve(self, x):
        return ms.grad(self.slope)(x)

    def energy(self, x):
        return self.net(x).sum()


class Value(Loss):
    def construct(self, x):
        return self.net(x).sum()


class First(Loss):
    def construct(self, x):
        return ms.grad(self.net)(x).sum()


class FirstSquared(Loss):
    def construct(self, x):
        return ops.square(ms.grad(self.net)(x)).sum()


class FirstOperation(Loss):
    def construct(self, x):
        return grad_all(self.net)(x)[0].sum()


class FirstSens(Loss):
    def construct(self, x):
        return grad_sens(self.net)(x, ops.ones_like(x) * 3.0).sum()


class Second(Loss):
    def construct(self, x):
        return ms.grad(self.slope)(x).sum()


class SecondSquared(Loss):
    def construct(self, x):
        return ops.square(ms.grad(self.slope)(x)).sum()


class Third(Loss):
    def construct(self, x):
        return ms.grad(self.curve)(x).sum()


class WithValue(Loss):
    def construct(self, x):
        value, slope = ms.value_and_grad(self.net)(x)
        return (value * slope).sum()


class ByWeights(Loss):
    def __init__(self, net):
        super().__init__(net)
        self.weights = ms.ParameterTuple(net.trainable_params())

    def construct(self, x):
        grads = ms.grad(self.net, None, self.weights)(x)
        return ops.square(grads[0]).sum()


class Stopped(Loss):
    def construct(self, x):
        return (ops.stop_gradient(ms.grad(self.net)(x)) * self.net(x)).sum()


class Residual(Loss):
    """A physics-informed loss: f'' + f' + f."""

    def construct(self, x):
        return ops.square(ms.grad(self.slope)(x) + self.slope(x) + self.net(x)).sum()


class Jvp(Loss):
    def construct(self, x):
        return ms.jvp(self.net, x, ops.ones_like(x) * 2.0)[1].sum()


class JvpOutput(Loss):
    def construct(self, x):
        return ms.jvp(self.net, x, ops.ones_like(x) * 2.0)[0].sum()


class JvpOfSlope(Loss):
    def construct(self, x):
        return ms.jvp(self.slope, x, ops.ones_like(x))[1].sum()


class Vjp(Loss):
    def construct(self, x):
        out, back = ms.vjp(self.net, x)
        return back(ops.ones_like(out) * 2.0)[0].sum()


class Jacrev(Loss):
    def construct(self, x):
        return ms.jacrev(self.net)(x).sum()


class Jacfwd(Loss):
    def construct(self, x):
        return ms.jacfwd(self.net)(x).sum()


class Hessian(Loss):
    def construct(self, x):
        return ms.jacfwd(self.slope)(x).sum()


class Inner(Loss):
    """One step of gradient descent on a copy of the weight, differentiated through."""

    def fast(self, x, w):
        return (w * w * x * x * x).sum()

    def construct(self, x):
        w = self.net.w
        return self.fast(x, w - 0.5 * ms.grad(self.fast, 1)(x, w))


class InnerFirstOrder(Inner):
    def construct(self, x):
        w = self.net.w
        return self.fast(x, w - ops.stop_gradient(0.5 * ms.grad(self.fast, 1)(x, w)))


class Slope(nn.Cell):
    """The derivative as a Cell of its own."""

    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net
        self.grad = ops.GradOperation()

    def construct(self, x):
        return self.grad(self.net)(x)


class CellOfCell(Loss):
    def __init__(self, net):
        super().__init__(net)
        self.curve_ = Slope(Slope(net))

    def construct(self, x):
        return self.curve_(x).sum()


# name: (loss, network, d loss / d w as a function of w and x)
LOSSES = {
    "value": (Value, Power, lambda w, x: 2 * w * x**3),
    "first": (First, Power, lambda w, x: 6 * w * x**2),
    "first_squared": (FirstSquared, Power, lambda w, x: 36 * w**3 * x**4),
    "first_operation": (FirstOperation, Power, lambda w, x: 6 * w * x**2),
    "first_sens": (FirstSens, Power, lambda w, x: 18 * w * x**2),
    "second": (Second, Power, lambda w, x: 12 * w * x),
    "second_squared": (SecondSquared, Power, lambda w, x: 144 * w**3 * x**2),
    "third": (Third, Power, lambda w, x: 12 * w),
    "with_value": (WithValue, Power, lambda w, x: 12 * w**3 * x**5),
    "by_weights": (ByWeights, Power, lambda w, x: 8 * w * x**6),
    "stopped": (Stopped, Power, lambda w, x: 6 * w**3 * x**5),
    "residual": (Residual, Power, lambda w, x: 4 * w**3 * (6 * x + 3 * x**2 + x**3) ** 2),
    "jvp": (Jvp, Power, lambda w, x: 12 * w * x**2),
    "jvp_output": (JvpOutput, Power, lambda w, x: 2 * w * x**3),
    "jvp_of_slope": (JvpOfSlope, Power, lambda w, x: 12 * w * x),
    "vjp": (Vjp, Power, lambda w, x: 12 * w * x**2),
    "jacrev": (Jacrev, Power, lambda w, x: 6 * w * x**2),
    "jacfwd": (Jacfwd, Power, lambda w, x: 6 * w * x**2),
    "hessian": (Hessian, Power, lambda w, x: 12 * w * x),
    "inner": (Inner, Power, lambda w, x: 2 * w * x**3 * (1 - x**3) ** 2),
    "inner_first_order": (InnerFirstOrder, Power, lambda w, x: 2 * w * x**3 * (1 - x**3)),
    "cell_of_cell": (CellOfCell, Power, lambda w, x: 12 * w * x),
    "declared": (First, lambda: Outer(Declared()), lambda w, x: 10 * w * x**2),
    "declared_second": (Second, lambda: Outer(Declared()), lambda w, x: 20 * w * x),
    "by_output": (First, lambda: Outer(ByOutput()), lambda w, x: 4 * w * x**3),
    "by_output_second": (Second, lambda: Outer(ByOutput()), lambda w, x: 8 * w * x**3),
    "recomputed": (Value, recomputed, lambda w, x: 2 * w * x**3),
    "recomputed_first": (First, recomputed, lambda w, x: 6 * w * x**2),
}


class Own(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)
        self.network.set_grad()

    def construct(self, x):
        grads = self.grad(self.network, self.weights)(x)
        return self.optimizer(grads)


class Kept(Own):
    def construct(self, x):
        loss = self.network(x)
        grads = self.grad(self.network, self.weights)(x)
        return ops.depend(loss, self.optimizer(grads))


class Accumulating(Own):
    """Two gradients into a Parameter, then their sum is taken."""

    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)
        self.total = Parameter(tensor(0.0), name="total", requires_grad=False)

    def construct(self, x):
        loss = self.network(x)
        loss = ops.depend(loss, ops.assign(self.total, ops.zeros_like(self.total)))
        first = self.grad(self.network, self.weights)(x)
        loss = ops.depend(loss, ops.assign_add(self.total, 0.25 * first[0]))
        second = self.grad(self.network, self.weights)(x)
        loss = ops.depend(loss, ops.assign_add(self.total, 0.75 * second[0]))
        return ops.depend(loss, self.optimizer((self.total,)))


class Subclass(nn.TrainOneStepCell):
    def construct(self, x):
        loss = self.network(x)
        grads = self.grad(self.network, self.weights)(x, ops.ones_like(loss) * self.sens)
        return ops.depend(loss, self.optimizer(grads))


def one_step(loss, opt):
    return nn.TrainOneStepCell(loss, opt)


def functional(loss, opt):
    grad_fn = ms.value_and_grad(loss, None, opt.parameters)
    return lambda x: opt(grad_fn(x)[1])


def operation(loss, opt):
    grad_fn = ops.GradOperation(get_by_list=True)(loss, opt.parameters)
    return lambda x: opt(grad_fn(x))


def kept_at_top(loss, opt):
    loss.set_grad()
    grad_fn = ops.GradOperation(get_by_list=True)(loss, opt.parameters)

    def step(x):
        loss(x)
        opt(grad_fn(x))

    return step


def of_a_function(loss, opt):
    def forward(x):
        return loss(x) * 1.0

    grad_fn = ms.grad(forward, None, opt.parameters)
    return lambda x: opt(grad_fn(x))


def jitted(loss, opt):
    def forward(x):
        return loss(x) * 1.0

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)

    @ms.jit
    def step(x):
        value, grads = grad_fn(x)
        opt(grads)
        return value

    return step


def scaled(loss, opt):
    scaler = amp.StaticLossScaler(scale_value=64)

    def forward(x):
        return scaler.scale(loss(x))

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    return lambda x: opt(scaler.unscale(grad_fn(x)[1]))


def forward_value_and_grad(loss, opt):
    cell = nn.ForwardValueAndGrad(loss, opt.parameters, get_by_list=True)
    return lambda x: opt(cell(x)[1])


def model(loss, opt):
    trainer = ms.Model(loss, optimizer=opt)
    return lambda x: trainer.train(
        1, ds.GeneratorDataset([(x.asnumpy(),)], ["x"], shuffle=False), dataset_sink_mode=False
    )


def model_scaled(loss, opt):
    trainer = ms.Model(loss, optimizer=opt, loss_scale_manager=ms.FixedLossScaleManager(16.0, False))
    return lambda x: trainer.train(
        1, ds.GeneratorDataset([(x.asnumpy(),)], ["x"], shuffle=False), dataset_sink_mode=False
    )


TRAINERS = {
    "one_step": one_step,
    "sens": lambda loss, opt: nn.TrainOneStepCell(loss, opt, sens=4.0),
    "own": Own,
    "kept": Kept,
    "accumulating": Accumulating,
    "subclass": Subclass,
    "functional": functional,
    "operation": operation,
    "kept_at_top": kept_at_top,
    "of_a_function": of_a_function,
    "jitted": jitted,
    "scaled": scaled,
    "forward_value_and_grad": forward_value_and_grad,
    "model": model,
    "model_scaled": model_scaled,
}


def trained(rec, loss, trainer):
    """Two steps; the gradient of each, as the weight shows it, and as the formula says."""
    make, network, formula = LOSSES[loss]
    net = network()
    scale = {"model_scaled": 16.0}.get(trainer, 1.0)  # what the optimizer takes out again
    opt = nn.SGD(net.trainable_params(), RATE, loss_scale=scale)
    step = TRAINERS[trainer](make(net), opt)
    for number in range(2):
        before = float(net.w.asnumpy()[0])
        step(tensor(X))
        rec(f"{number} gradient", (before - float(net.w.asnumpy()[0])) / RATE)
        rec(f"{number} formula", formula(before, X) * (4.0 if trainer == "sens" else 1.0))


def __getattr__(name):
    loss, separator, trainer = name.partition("__")
    if separator and loss in LOSSES and trainer in TRAINERS:
        return lambda rec: trained(rec, loss, trainer)
    raise AttributeError(name)
