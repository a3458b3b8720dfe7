"""What operators and layers draw with a seed, on `mindspore`: real MindSpore, or this package under its name.

    PYTHON tests/ops/drawing_program.py MODE FILE

Writes {case: numbers of each of some calls}. In PYNATIVE_MODE two calls are all that real MindSpore repeats: from the
third on its threads take turns as they happen to.
"""

import json
import sys

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_context(mode=int(sys.argv[1]))
CALLS = 5 if int(sys.argv[1]) == ms.GRAPH_MODE else 2


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


class Net(nn.Cell):
    """One of the ways to draw, under a sum that is differentiated by a weight."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.weight = Parameter(ones(12), name="weight")
        self.first, self.second, self.channels = nn.Dropout(p=0.3), nn.Dropout(keep_prob=0.6), nn.Dropout2d(p=0.4)
        self.operator = ops.Dropout(0.7, 3, 9)
        self.normal, self.real, self.integer = ops.StandardNormal(1, 2), ops.UniformReal(0, 4), ops.UniformInt(5, 0)

    def construct(self, x):
        y = x
        if self.kind == "one":
            y = self.first(x)
        elif self.kind == "two":
            y = self.first(x) * self.second(x + 1)
        elif self.kind == "one twice":
            y = self.first(x) * self.first(x + 1)
        elif self.kind == "half":
            y = self.first(x.astype(ms.float16)).astype(ms.float32)
        elif self.kind == "channels":
            y = self.channels(x.reshape(6, 2, 1, 1)).reshape(12)
        elif self.kind == "operator":
            y = self.operator(x)[0]
        elif self.kind == "function":
            y = ops.dropout(x, 0.3) * ops.dropout(x, 0.4, seed=5)
        elif self.kind == "normal":
            y = x * ops.standard_normal((12,)) + self.normal((12,))
        elif self.kind == "real":
            y = x * ops.uniform((12,), Tensor(0.0, ms.float32), Tensor(2.0, ms.float32)) + self.real((12,))
        elif self.kind == "integer":
            y = x * self.integer((12,), Tensor(3, ms.int32), Tensor(90, ms.int32)).astype(ms.float32)
        elif self.kind == "shorthand":
            y = x * ops.randn(12) + ops.rand(12)
        elif self.kind == "around":
            y = x * ops.normal((12,), 0.5, 2.0)
        elif self.kind == "laplace":
            y = x * ops.standard_laplace((12,))
        elif self.kind == "shuffle":
            y = x * ops.shuffle(Tensor(np.arange(12, dtype=np.float32)))
        return (y * self.weight).sum()


class Recurrent(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def construct(self, x):
        output, _ = self.layer(x)
        return output.sum()


def gradients(net, x):
    net.set_train()
    function = ops.value_and_grad(net, None, net.trainable_params())
    return [function(x)[1][0].asnumpy().ravel()[:24].tolist() for _ in range(CALLS)]


def found():
    for kind in (
        "one,two,one twice,half,channels,operator,function,normal,real,integer,shorthand,around,laplace,shuffle"
    ).split(","):
        yield kind, gradients(Net(kind), ones(12))
    for cls in (nn.LSTM, nn.GRU):
        layer = cls(3, 4, 3, dropout=0.4, bidirectional=cls is nn.LSTM, batch_first=cls is nn.GRU)
        yield cls.__name__, gradients(Recurrent(layer), ones(2, 5, 3))
    recomputed = Net("two")
    recomputed.first.recompute()
    recomputed.second.recompute()
    yield "recomputed", gradients(recomputed, ones(12))
    step = nn.TrainOneStepCell(Net("one"), nn.SGD([Parameter(ones(1), name="other")], 0.0)).set_train()
    yield "step", [step(ones(12)).asnumpy().tolist() for _ in range(CALLS)]


def outside():
    """Functions that Python calls for itself, which take other seeds at each call."""
    for _ in range(2):
        yield mnp.rand(3), mnp.randn(3), mnp.randint(0, 100, 5)
        yield ops.randint(3, 50, (4,)), ops.randint_like(Tensor([1, 2, 3]), 0, 10), ops.rand_like(ones(2))
        yield ops.randn_like(ones(2)), ops.laplace((3,), Tensor(1.0), Tensor(2.0)), ops.randperm(6)
        yield (ops.uniform((3,), Tensor(0, ms.int32), Tensor(9, ms.int32), dtype=ms.int32),)
        yield ops.normal((2,), Tensor([[0.0], [10.0]]), Tensor(1.0)), ops.rand(2, 3, dtype=ms.float16)
        yield ops.multinomial(Tensor([0.1, 0.2, 0.3, 0.4]), 8), ops.multinomial(Tensor([[0.1, 0.2], [1, 0.5]]), 8)
        yield ops.multinomial(Tensor([0.1, 0.2, 0.3, 0.4]), 3, False), ops.randn(3, seed=5)
        yield ops.random_categorical(Tensor([[0.1, 0.2, 0.3]]), 6, 3), ops.shuffle(Tensor(np.arange(10)))


ms.set_seed(7)
cases = dict(found())
cases["outside"] = [[item.asnumpy().tolist() for item in items] for items in outside()]
with open(sys.argv[2], "w") as file:
    json.dump(cases, file)
