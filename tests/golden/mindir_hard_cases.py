"""The hard half of MINDIR: training mode, assignments, derivatives, train steps, control flow, open sizes, indexing,
recurrent layers.

``C``: {name: (what makes the Cell, runs: tuples of arrays, shapes of the exported inputs or None for those of the first
run, in training mode)}. In plain MindSpore: make_mindir_hard.py runs it under the real one,
tests/train/export/test_hard.py under ours.
"""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

R = np.random.RandomState(0)


def f(*shape):
    return R.randn(*shape).astype(np.float32)


M34, M54, V4 = (f(3, 4), f(5, 4), f(4))
IMG, IMG2 = (f(2, 4, 6, 6), f(5, 4, 6, 6))
SEQ, SEQ2 = (f(2, 5, 8), f(3, 7, 8))
LAB, LAB5 = (np.array([0, 1, 3], np.int32), np.array([0, 1, 3, 2, 1], np.int32))
C: dict = {}


def case(name, runs, dyn=None, train=False):
    """runs: list of tuples of arrays; dyn: shapes list (None: static by the first run)"""

    def deco(make):
        C[name] = (make, runs, dyn, train)
        return make

    return deco


class BnNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 3, 3)
        self.bn = nn.BatchNorm2d(3, momentum=0.8)
        self.fc = nn.Dense(3, 2)

    def construct(self, x):
        return self.fc(ops.relu(self.bn(self.conv(x))).mean((2, 3)))


case("bn_train", [(IMG,)], train=True)(BnNet)

case("bn1d_train", [(M34,)], train=True)(lambda: nn.BatchNorm1d(4))

case("bn3d_train", [(f(2, 4, 3, 3, 3),)], train=True)(lambda: nn.BatchNorm3d(4))


class Assign(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")
        self.n = Parameter(Tensor(0, ms.int32), name="n", requires_grad=False)

    def construct(self, x):
        y = x * self.w
        ops.assign(self.w, self.w + x)
        ops.assign_add(self.n, Tensor(1, ms.int32))
        z = x * self.w
        ops.assign_sub(self.w, x * 0.5)
        return (y, z, self.w * 2, self.n + 1)


case("assign", [(M34,), (M34 * 2,)])(Assign)


class Aug(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")

    def construct(self, x):
        self.w += x
        self.w = self.w * 2
        return self.w + 1


case("assign_aug", [(M34,)])(Aug)


class SetItem(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")

    def construct(self, x):
        self.w[1] = x[0]
        return self.w * x


case("assign_setitem", [(M34,)])(SetItem)


class ScatterP(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")
        self.u = ops.ScatterUpdate()

    def construct(self, x, i):
        self.u(self.w, i, x[:2])
        return self.w * x


case("assign_scatter", [(M34, np.array([2, 0], np.int32))])(ScatterP)


class OnlyAssign(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")

    def construct(self, x):
        return ops.assign(self.w, x)


case("assign_only", [(M34,)])(OnlyAssign)


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(4, 6)
        self.b = nn.Dense(6, 4)

    def construct(self, x):
        return self.b(ops.tanh(self.a(x)))


class GradNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Mlp()
        self.g = ops.GradOperation()

    def construct(self, x):
        return self.g(self.net)(x)


case("grad_input", [(M34,)])(GradNet)


class GradW(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Mlp()
        self.w = ms.ParameterTuple(self.net.trainable_params())
        self.g = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        return self.g(self.net, self.w)(x)


case("grad_weights", [(M34,)])(GradW)


class VGrad(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Mlp()
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.g = ops.value_and_grad(self.fwd, None, self.net.trainable_params())

    def fwd(self, x, y):
        return self.loss(self.net(x), y)

    def construct(self, x, y):
        return self.g(x, y)


case("value_and_grad", [(M34, LAB)])(VGrad)


def step(opt, **kw):

    def make():
        net = Mlp()
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        return nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt(net.trainable_params())).set_train()

    return make


case("step_sgd", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.SGD(p, 0.1)))

case("step_momentum", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.Momentum(p, 0.1, 0.9)))

case("step_adam", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.Adam(p, 0.1)))

case("step_adamw", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.1)))

case("step_rmsprop", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.RMSProp(p, 0.1)))

case("step_list_lr", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.Momentum(p, [0.1, 0.05, 0.01], 0.9)))

case("step_cosine", [(M34, LAB)] * 3, train=True)(step(lambda p: nn.Momentum(p, nn.CosineDecayLR(0.01, 0.1, 4), 0.9)))


def convstep():
    net = nn.SequentialCell(
        nn.Conv2d(4, 3, 3, has_bias=True),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Dense(27, 4),
    )
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()


case("step_conv_bn", [(IMG, LAB[:2])] * 3, train=True)(convstep)


def lossscale():
    net = Mlp()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return nn.TrainOneStepWithLossScaleCell(
        nn.WithLossCell(net, loss),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
        scale_sense=nn.FixedLossScaleUpdateCell(128.0),
    ).set_train()


case("step_lossscale", [(M34, LAB)] * 2, train=True)(lossscale)


class If(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y + 1


case("if", [(abs(M34),), (-abs(M34),)])(If)


class IfReturn(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(4, 2)

    def construct(self, x):
        if x.mean() > 0:
            return self.a(x)
        return self.a(-x) * 3


case("if_return", [(abs(M34),), (-abs(M34),)])(IfReturn)


class Elif(nn.Cell):
    def construct(self, x, n):
        if n < 1:
            y = x
        elif n < 2:
            y = x * 10
        else:
            y = x * 100
        return y


case("elif", [(M34, np.array(i, np.int32)) for i in range(4)])(Elif)


class Tern(nn.Cell):
    def construct(self, x, n):
        return x * 2 if n > 0 and x.sum() > 0 else -x


case(
    "ternary",
    [(abs(M34), np.array(1, np.int32)), (abs(M34), np.array(-1, np.int32)), (-abs(M34), np.array(1, np.int32))],
)(Tern)


class While(nn.Cell):
    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            x = x * 2 + 1
            i = i + 1
        return x


case("while", [(M34, np.array(i, np.int32)) for i in (3, 0, 7)])(While)


class WhileIf(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 4)

    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        t = x.sum()
        while i < n:
            if x.sum() > 0:
                x = self.fc(x)
            else:
                x = x + 1
            t = t + x.sum()
            i += 1
        return (x, t)


case("while_if", [(M34, np.array(i, np.int32)) for i in (3, 0, 7)])(WhileIf)


class WhileAssign(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")

    def construct(self, x, n):
        i = Tensor(0, ms.int32)
        while i < n:
            self.w = self.w * 2 + x
            i = i + 1
        return self.w + x


case("while_assign", [(M34, np.array(i, np.int32)) for i in (3, 0)])(WhileAssign)


class IfAssign(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")

    def construct(self, x):
        if x.sum() > 0:
            ops.assign(self.w, x)
        else:
            ops.assign_add(self.w, x)
        return self.w * 2


case("if_assign", [(abs(M34),), (-abs(M34),)])(IfAssign)


class Break(nn.Cell):
    def construct(self, x):
        for i in range(5):
            x = x * 2
            if x.sum() > 20:
                break
        return x


case("for_break", [(abs(M34),), (-abs(M34),)])(Break)


class LogicPy(nn.Cell):
    def construct(self, x):
        y = x
        if not (x.sum() > 0 or x.max() < -1):
            y = x - 5
        return y


case("not_or", [(abs(M34),), (-abs(M34),), (-abs(M34) - 2,)])(LogicPy)


def _cond(st):
    return st[1] < 3


def _body(st):
    return [st[0] * 2 + 1, st[1] + 1]


class WLOp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ops.WhileLoop()

    def construct(self, x, n):
        return self.w(_cond, _body, [x, n])


case("op_whileloop", [(M34, np.array(0, np.int32)), (M34, np.array(5, np.int32))])(WLOp)


def _acc(i, v):
    return v * 2 + i


class FiOp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ops.ForiLoop()

    def construct(self, x):
        return self.w(0, 4, _acc, x)


case("op_foriloop", [(M34,)])(FiOp)


def _scan(c, e):
    return (c + e, c * e)


class ScOp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ops.Scan()

    def construct(self, x):
        return self.w(_scan, x[0], x, 3, True)


case("op_scan", [(M34,)])(ScOp)


class GradIf(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = If()
        self.g = ops.GradOperation()

    def construct(self, x):
        return self.g(self.n)(x)


case("grad_if", [(abs(M34),), (-abs(M34),)])(GradIf)


class GradWhile(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = While()
        self.g = ops.GradOperation()

    def construct(self, x, n):
        return self.g(self.n)(x, n)


case("grad_while", [(abs(M34), np.array(3, np.int32)), (-abs(M34), np.array(0, np.int32))])(GradWhile)


class IntOf(nn.Cell):
    def construct(self, x, n):
        return x * int(n)


case("int_of", [(M34, np.array(3, np.int32)), (M34, np.array(5, np.int32))])(IntOf)


class ItemOf(nn.Cell):
    def construct(self, x, n):
        return x * n.item()


case("item_of", [(M34, np.array(3, np.int32)), (M34, np.array(5, np.int32))])(ItemOf)


class AsNumpyOf(nn.Cell):
    def construct(self, x):
        return x * Tensor(x.asnumpy().max())


case("asnumpy_of", [(M34,), (M34 * 2,)])(AsNumpyOf)


class ForTensor(nn.Cell):
    def construct(self, x):
        t = x[0] * 0
        for r in x:
            t = t * 2 + r
        return t


case("for_rows", [(M34,)])(ForTensor)


class RangeOf(nn.Cell):
    def construct(self, x, n):
        for i in range(n):
            x = x + i
        return x


case("range_of", [(M34, np.array(3, np.int32))])(RangeOf)


class Lists(nn.Cell):
    def construct(self, x):
        rows = []
        for i in range(3):
            rows.append(x * i)
        return (ops.stack(rows), {"a": x, "b": x + 1}["b"])


case("lists", [(M34,)])(Lists)
