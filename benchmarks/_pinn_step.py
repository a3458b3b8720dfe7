"""A physics-informed network of many small layers, as SciAI has: ``python _pinn_step.py MODE LEVEL STEPS``
prints milliseconds per step and the last loss. The loss has the first derivative by time and the second by place.
"""

import sys
import time

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

R = np.random.default_rng(0)
WIDTH, DEPTH, ROWS = 64, 4, 64


def normal(*shape, scale=1.0):
    return Tensor((R.standard_normal(shape) * scale).astype(np.float32))


class Fourier(nn.Cell):
    """Features of two frequencies in place and one in time, through the same layers."""

    def __init__(self):
        super().__init__()
        places = [Parameter(normal(1, WIDTH // 2, scale=s), f"w{s}", requires_grad=False) for s in (1, 10)]
        self.places = ParameterTuple(places)
        self.times = Parameter(normal(1, WIDTH // 2), "t", requires_grad=False)
        weights = [normal(WIDTH, WIDTH, scale=WIDTH**-0.5) for _ in range(DEPTH)]
        self.hidden = nn.CellList([nn.Dense(WIDTH, WIDTH, weight, "zeros") for weight in weights])
        self.last = nn.Dense(2 * WIDTH, 1, normal(1, 2 * WIDTH, scale=WIDTH**-0.5), "zeros")
        self.tanh, self.cat, self.sin, self.cos, self.mm = nn.Tanh(), ops.Concat(1), ops.Sin(), ops.Cos(), ops.MatMul()

    def construct(self, x, t):
        ht = self.mm(t, self.times)
        ht = self.cat((self.sin(ht), self.cos(ht)))
        outs = ()
        for w in self.places:
            h = self.mm(x, w)
            h = self.cat((self.sin(h), self.cos(h)))
            for layer in self.hidden:
                h, ht = self.tanh(layer(h)), self.tanh(layer(ht))
            outs = (*outs, h * ht)
        return self.last(self.cat(outs))


class Derivative(nn.Cell):
    def __init__(self, net, place):
        super().__init__()
        self.net, self.place = net, place
        self.grad, self.ones = ops.GradOperation(get_all=True, sens_param=True), ops.OnesLike()

    def construct(self, x, t):
        return self.grad(self.net)(x, t, self.ones(self.net(x, t)))[self.place]


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net, self.u_t, self.u_xx = net, Derivative(net, 1), Derivative(Derivative(net, 0), 0)

    def construct(self, x, t, x_edge, t_edge, u_edge):
        inside = self.u_t(x, t) - 0.01 * self.u_xx(x, t)
        edge = self.net(x_edge, t_edge) - u_edge
        squares = [ops.reduce_mean(ops.square(item.astype(ms.float32))) for item in (inside, edge)]
        return squares[0] + squares[1]


def main(mode, level, steps):
    ms.set_context(mode=int(mode))
    net = Fourier()
    loss = ms.amp.auto_mixed_precision(Loss(net), level)
    step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 1e-3), 1.0 if level == "O0" else 1024.0)
    step.set_train()
    data = [Tensor(R.random((ROWS, 1)).astype(np.float32)) for _ in range(5)]
    for _ in range(4):
        float(step(*data).asnumpy())
    start = time.perf_counter()
    for _ in range(int(steps)):
        last = step(*data)
    last = float(last.asnumpy())
    print(f"RESULT {(time.perf_counter() - start) / int(steps) * 1e3:.2f} {last:.5f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
