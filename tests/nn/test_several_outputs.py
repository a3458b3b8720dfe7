"""Training steps of networks with several outputs: their sum is differentiated; the weights are real MindSpore's."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

START = np.array([[1, 2], [3, 4]], np.float32)


def outputs(kind, y):
    return {
        "tuple": lambda: ((y**2).sum(), y.sum(), y),
        "integers": lambda: ((y**2).sum(), ops.argmax(y, 1)),
        "list": lambda: [(y**2).sum(), y.sum()],
        "dict": lambda: {"a": (y**2).sum(), "b": y.sum()},
        "nested": lambda: ((y**2).sum(), (y.sum(), 3), None),
    }[kind]()


WEIGHTS = {
    "tuple": START,
    "integers": [[1.2, 1.8], [3.2, 3.8]],
    "list": [[1.1, 1.9], [3.1, 3.9]],
    "dict": [[1.1, 1.9], [3.1, 3.9]],
    "nested": [[1.1, 1.9], [3.1, 3.9]],
}


class Net(nn.Cell):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.dense = nn.Dense(2, 2, Tensor(START), "zeros")

    def construct(self, x):
        return outputs(self.kind, self.dense(x))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_the_sum_is_differentiated(kind, mode):
    ms.set_context(mode=mode)
    try:
        net = Net(kind)
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1)).set_train()
        given = step(Tensor([[1.0, -1.0]]))
        assert type(given) is type(outputs(kind, Tensor([[1.0, -1.0]])))
        np.testing.assert_allclose(net.dense.weight.asnumpy(), WEIGHTS[kind], 1e-6)
        for _ in range(3):  # replayed in GRAPH_MODE
            step(Tensor([[1.0, -1.0]]))
        with pytest.raises(AttributeError, match="'sens'"):
            nn.TrainOneStepCell(net, step.optimizer, sens=2.0)(Tensor([[1.0, -1.0]]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_replays_go_where_eager_steps_go():
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        net = Net("integers")
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.05)).set_train()
        losses = [step(Tensor([[1.0, number]]))[0].asnumpy() for number in (-1.0, 0.5, 2.0, -3.0, 1.0, 0.0)]
        found.append([*losses, net.dense.weight.asnumpy().sum()])
    np.testing.assert_allclose(found[0], found[1], 1e-5)
