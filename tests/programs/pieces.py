"""The dimensions of a random program, as source text. What real MindSpore cannot do is found out by running it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "CHANGES",
    "CONSTANT_RATE_ONLY",
    "DERIVATIVES",
    "GROUPS",
    "LINEAR",
    "LOSSES",
    "MODELS",
    "NETS",
    "NORMED",
    "NOT_IN_MODEL",
    "NO_DERIVATIVE",
    "OPTIMIZERS",
    "PRECISIONS",
    "RARE",
    "RATES",
    "SLOW",
    "SMOOTH",
    "STEPS",
    "Change",
    "Derivative",
    "Step",
]

# name: lines of __init__ / lines of construct, which make h (rows, 4) of x (rows, 6)
NETS: dict[str, tuple[str, str]] = {
    "dense": ("self.a = nn.Dense(6, 5)\nself.b = nn.Dense(5, 4)", "h = self.b(ops.sin(self.a(x)))"),
    "dense_relu": (
        "self.a = nn.Dense(6, 8, activation='relu')\nself.b = nn.Dense(8, 4, has_bias=False)",
        "h = self.b(self.a(x))",
    ),
    "matmul": (
        "self.w = Parameter(tensor('w', 6, 4), name='w')\nself.bias = Parameter(tensor('bias', 4), name='bias')",
        "h = ops.matmul(ops.sigmoid(x), self.w) + self.bias",
    ),
    "residual": ("self.a = nn.Dense(6, 6)\nself.b = nn.Dense(6, 4)", "h = self.b(x + ops.sin(self.a(x)))"),
    "tied": ("self.a = nn.Dense(6, 6)\nself.b = nn.Dense(6, 4)", "h = self.b(ops.sin(self.a(ops.sin(self.a(x)))))"),
    "gelu": (
        "self.a = nn.Dense(6, 5)\nself.b = nn.Dense(5, 4)\nself.act = nn.GELU()",
        "h = self.b(self.act(self.a(x)))",
    ),
    "softplus": ("self.a = nn.Dense(6, 5)\nself.b = nn.Dense(5, 4)", "h = self.b(ops.log(1.0 + ops.exp(self.a(x))))"),
    "bn": (
        "self.a = nn.Dense(6, 5, has_bias=False)\nself.n = nn.BatchNorm1d(5)\nself.b = nn.Dense(5, 4)",
        "h = self.b(ops.sin(self.n(self.a(x))))",
    ),
    "bn2d": (
        "self.c = nn.Conv2d(1, 3, 2)\nself.n = nn.BatchNorm2d(3, momentum=0.8)\nself.b = nn.Dense(18, 4)",
        "h = self.n(self.c(x.reshape(-1, 1, 2, 3)))\nh = self.b(ops.sin(h).reshape(-1, 18))",
    ),
    "conv": (
        "self.c = nn.Conv2d(1, 3, 2, pad_mode='valid', has_bias=True)\nself.b = nn.Dense(6, 4)",
        "h = self.b(ops.sin(self.c(x.reshape((-1, 1, 2, 3)))).view(-1, 6))",
    ),
    "conv1d": (
        "self.c = nn.Conv1d(2, 4, 2, pad_mode='pad', padding=1)\nself.b = nn.Dense(16, 4)",
        "h = self.b(ops.relu(self.c(x.reshape(-1, 2, 3))).reshape(-1, 16))",
    ),
    "depthwise": (
        "self.c = nn.Conv2d(2, 4, 1, group=2)\nself.flat = nn.Flatten()\nself.b = nn.Dense(12, 4)",
        "h = self.b(self.flat(ops.sigmoid(self.c(x.reshape(-1, 2, 1, 3)))))",
    ),
    "transposed": (
        "self.c = nn.Conv2dTranspose(1, 2, 2, pad_mode='valid')\nself.b = nn.Dense(24, 4)",
        "h = self.b(ops.sin(self.c(x.reshape(-1, 1, 2, 3))).reshape(-1, 24))",
    ),
    "pool": (
        "self.c = nn.Conv2d(1, 4, 3)\nself.p = nn.AvgPool2d(2, 1)\nself.m = nn.MaxPool2d(2, 1)\nself.b = nn.Dense(16, "
        "4)",
        "c = self.c(x.reshape(-1, 1, 2, 3))\nh = self.b(ops.concat((self.p(c), self.m(c)), 1).reshape(-1, 16))",
    ),
    "layernorm": (
        "self.a = nn.Dense(6, 5)\nself.n = nn.LayerNorm((5,))\nself.b = nn.Dense(5, 4)",
        "h = self.b(self.n(self.a(x)))",
    ),
    "groupnorm": (
        "self.a = nn.Dense(6, 8)\nself.n = nn.GroupNorm(2, 4)\nself.b = nn.Dense(8, 4)",
        "h = self.b(ops.sin(self.n(self.a(x).reshape(-1, 4, 2, 1))).reshape(-1, 8))",
    ),
    "embedding": (
        "self.e = nn.Embedding(5, 3)\nself.b = nn.Dense(9, 4)",
        "ids = ops.cast(ops.clip_by_value(ops.abs(x) * 2.0, 0.0, 4.0), mstype.int32)\n"
        "h = self.b(ops.concat((self.e(ids).mean(1), x), 1))",
    ),
    "lstm": (
        "self.r = nn.LSTM(3, 4, batch_first=True)\nself.b = nn.Dense(4, 4)",
        "o, _ = self.r(x.reshape(-1, 2, 3))\nh = self.b(o[:, -1])",
    ),
    "gru": ("self.r = nn.GRU(3, 4, batch_first=True)", "o, s = self.r(x.reshape(-1, 2, 3))\nh = o.mean(1)"),
    "rnn_cell": (
        "self.r = nn.RNNCell(3, 4)",
        "h = ops.zeros((x.shape[0], 4), mstype.float32)\nfor i in range(2):\n    h = self.r(x[:, 3 * i:3 * i + 3], h)",
    ),
    "attention": (
        "self.q = nn.Dense(3, 4)\nself.k = nn.Dense(3, 4, has_bias=False)\nself.v = nn.Dense(3, 4)",
        "t = x.reshape(-1, 2, 3)\nscores = ops.softmax(ops.matmul(self.q(t), self.k(t).swapaxes(1, 2)) * 0.5, -1)\n"
        "h = ops.matmul(scores, self.v(t)).sum(1)",
    ),
    "multihead": (
        "self.a = nn.Dense(3, 4)\nself.m = nn.MultiheadAttention(4, 2, has_bias=False, batch_first=True)",
        "t = self.a(x.reshape(-1, 2, 3))\no, _ = self.m(t, t, t)\nh = o.mean(1)",
    ),
    "sequential": (
        "self.s = nn.SequentialCell([nn.Dense(6, 5), nn.Sigmoid(), nn.Dropout(p=0.0), nn.Dense(5, 4)])",
        "h = self.s(x)",
    ),
    "cell_list": (
        "self.cells_ = nn.CellList([nn.Dense(6, 6) for _ in range(3)])\nself.b = nn.Dense(6, 4)",
        "h = x\nfor cell in self.cells_:\n    h = ops.sin(cell(h)) + h\nh = self.b(h)",
    ),
    "prelu": (
        "self.a = nn.Dense(6, 5)\nself.p = nn.PReLU(5)\nself.b = nn.Dense(5, 4)",
        "h = self.b(self.p(self.a(x)))",
    ),
    "parallel": (
        "self.a = nn.Dense(3, 4)\nself.b = nn.Dense(3, 4)",
        "u, v = ops.split(x, 3, 1)\nh = ops.maximum(self.a(u), self.b(v)) + ops.sin(self.a(v))",
    ),
    "nested": ("self.block = Block()\nself.b = nn.Dense(6, 4)", "h = self.b(self.block(self.block(x)))"),
    "bprop": (
        "self.a = nn.Dense(6, 5)\nself.scaled = Declared()\nself.b = nn.Dense(5, 4)",
        "h = self.b(self.scaled(self.a(x)))",
    ),
    "recompute": ("self.block = Block()\nself.block.recompute()\nself.b = nn.Dense(6, 4)", "h = self.b(self.block(x))"),
    "scan": (
        "self.w = Parameter(tensor('w', 6, 6), name='w')\nself.b = nn.Dense(6, 4)",
        "h = x\nfor i in range(3):\n    h = ops.sin(ops.matmul(h, self.w)) * 0.8\nh = self.b(h)",
    ),
}
SMOOTH = (
    "dense",
    "matmul",
    "residual",
    "tied",
    "softplus",
    "sequential",
    "cell_list",
    "attention",
    "parallel",
    "nested",
    "scan",
    "bprop",
    "recompute",
    "conv",
)
NORMED = ("bn", "bn2d", "groupnorm")
# with a gradient that is nearly nothing somewhere, the others would compare rounding
LINEAR = ("sgd", "sgd_momentum", "sgd_nesterov", "momentum", "momentum_decay", "weight_decay_cell")

# name: (criterion, kind of labels)
LOSSES: dict[str, tuple[str, str]] = {
    "mse": ("nn.MSELoss()", "float"),
    "mse_sum": ("nn.MSELoss(reduction='sum')", "float"),
    "l1": ("nn.L1Loss()", "float"),
    "smooth_l1": ("nn.SmoothL1Loss(beta=0.5, reduction='mean')", "float"),
    "huber": ("nn.HuberLoss(delta=0.7)", "float"),
    "rmse": ("nn.RMSELoss()", "float"),
    "mae": ("nn.MAELoss()", "float"),
    "bce": ("nn.BCEWithLogitsLoss()", "binary"),
    "softmax_sparse": ("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", "index"),
    "softmax_dense": ("nn.SoftmaxCrossEntropyWithLogits(reduction='mean')", "onehot"),
    "cross_entropy": ("nn.CrossEntropyLoss()", "index"),
    "smoothed": ("nn.CrossEntropyLoss(label_smoothing=0.1)", "index"),
    "own": ("OwnLoss()", "float"),
    "own_base": ("OwnBase()", "float"),
    "kl": ("Divergence()", "probability"),
    "unreduced": ("nn.MSELoss(reduction='none')", "float"),
}

# name: constructor, with P and LR
OPTIMIZERS: dict[str, str] = {
    "sgd": "nn.SGD(P, LR)",
    "sgd_momentum": "nn.SGD(P, LR, momentum=0.9, dampening=0.1, weight_decay=0.01)",
    "sgd_nesterov": "nn.SGD(P, LR, momentum=0.9, nesterov=True)",
    "momentum": "nn.Momentum(P, LR, 0.9)",
    "momentum_decay": "nn.Momentum(P, LR, 0.9, weight_decay=0.02)",
    "adam": "nn.Adam(P, LR)",
    "adam_decay": "nn.Adam(P, LR, weight_decay=0.01)",
    "amsgrad": "nn.Adam(P, LR, use_amsgrad=True)",
    "adam_nesterov": "nn.Adam(P, LR, beta1=0.8, use_nesterov=True)",
    "adam_weight_decay": "nn.AdamWeightDecay(P, LR, weight_decay=0.05)",
    "rmsprop": "nn.RMSProp(P, LR, momentum=0.5)",
    "rmsprop_centered": "nn.RMSProp(P, LR, centered=True)",
    "adagrad": "nn.Adagrad(P, learning_rate=LR)",
    "adadelta": "nn.Adadelta(P, learning_rate=LR)",
    "ftrl": "nn.FTRL(P, learning_rate=LR)",
    "proximal_adagrad": "nn.ProximalAdagrad(P, learning_rate=LR)",
    "lazy_adam": "nn.LazyAdam(P, LR)",
    "rprop": "nn.Rprop(P, LR)",
    "asgd": "nn.ASGD(P, LR)",
    "adamax": "nn.AdaMax(P, LR)",
    "own": "OwnOptimizer(P, LR)",
    "weight_decay_cell": "nn.Momentum(P, LR, 0.9, weight_decay=Decaying())",
}
CONSTANT_RATE_ONLY = {"ftrl", "proximal_adagrad", "own"}

RATES: dict[str, str] = {
    "constant": "0.05",
    "list": "[0.05, 0.02, 0.08, 0.01, 0.04, 0.03]",
    "tensor": "Tensor([0.02, 0.06, 0.01, 0.05, 0.03, 0.02], mstype.float32)",
    "scalar_tensor": "Tensor(0.05, mstype.float32)",
    "exponential": "nn.ExponentialDecayLR(0.06, 0.5, 2, is_stair=True)",
    "cosine": "nn.CosineDecayLR(0.01, 0.06, 4)",
    "polynomial": "nn.PolynomialDecayLR(0.06, 0.01, 4, 0.5)",
    "warmup": "nn.WarmUpLR(0.06, 3)",
    "inverse": "nn.InverseDecayLR(0.05, 0.5, 2)",
    "natural": "nn.NaturalExpDecayLR(0.05, 0.5, 2, True)",
    "own": "OwnRate()",
    "generated": "nn.piecewise_constant_lr([2, 4, 7], [0.06, 0.03, 0.01])",
}

# name: what stands for P; `weights` is the list of those to train
GROUPS: dict[str, str] = {
    "all": "weights",
    "filtered": "list(filter(lambda p: p.requires_grad, net.get_parameters()))",
    "rates": "[{'params': weights[:1], 'lr': 0.01}, {'params': weights[1:]}]",
    "decays": "[{'params': weights[:1], 'weight_decay': 0.05}, {'params': weights[1:], 'lr': 0.03}]",
    "ordered": "[{'params': weights[1:], 'weight_decay': 0.01}, {'params': weights[:1]}, {'order_params': weights}]",
    "centralized": "[{'params': [p for p in weights if p.ndim > 1], 'grad_centralization': True}, {'params': [p for p "
    "in weights if p.ndim < 2]}]",
    "scheduled": "[{'params': weights[:1], 'lr': nn.CosineDecayLR(0.01, 0.06, 4)}, {'params': weights[1:]}]",
}

# name: what is done with the network (real's CPU has no bfloat16 matrix product)
PRECISIONS: dict[str, str] = {
    "float32": "",
    "to_float16": "net.to_float(mstype.float16)",
    "amp_O2": "amp.auto_mixed_precision(net, 'O2')",
    "amp_O3": "amp.auto_mixed_precision(net, 'O3')",
    "amp_auto": "net = amp.auto_mixed_precision(net, 'auto')",
}


@dataclass(frozen=True)
class Derivative:
    """Lines that make ``extra`` inside of a loss. ``S.`` is ``self.`` in a Cell and nothing in a function; helpers are
    functions of x.
    """

    lines: str
    helpers: tuple[str, ...] = ()


_ENERGY = "def energy(SELF_x):\n    return (S.net(x) * S.net(x)).sum() * 0.5"
_SLOPE = "def slope(SELF_x):\n    return ms.grad(S.energy)(x).sum()"
_CURVE = "def curve(SELF_x):\n    return ms.grad(S.slope)(x).sum()"
_OUTPUT = "def output(SELF_x):\n    return S.net(x)"
_OPERATION = "def operated(SELF_x):\n    return grad_all(S.net)(x)[0].sum()"

DERIVATIVES: dict[str, Derivative] = {
    "first": Derivative("g = ms.grad(S.energy)(x)\nextra = (g * g).mean()", (_ENERGY,)),
    "operation": Derivative("g = grad_all(S.net)(x)[0]\nextra = (g * g).mean()"),
    "second": Derivative("g = ms.grad(S.slope)(x)\nextra = (g * g).mean()", (_ENERGY, _SLOPE)),
    "second_operation": Derivative("g = grad_all(S.operated)(x)[0]\nextra = (g * g).mean()", (_OPERATION,)),
    "third": Derivative("g = ms.grad(S.curve)(x)\nextra = (g * g).mean() * 0.1", (_ENERGY, _SLOPE, _CURVE)),
    "penalty": Derivative(
        "mixed = x * 0.7 + ops.stop_gradient(x) * 0.3\ng = ms.grad(S.energy)(mixed)\n"
        "extra = ops.square(ops.sqrt((g * g).sum(1) + 1e-3) - 1.0).mean()",
        (_ENERGY,),
    ),
    "with_value": Derivative("v, g = ms.value_and_grad(S.energy)(x)\nextra = 0.1 * v + (g * g).mean()", (_ENERGY,)),
    "by_weights": Derivative("g = ms.grad(S.energy, None, S.inner)(x)\nextra = 0.1 * (g[0] * g[0]).mean()", (_ENERGY,)),
    "inner_step": Derivative(
        "g = ms.grad(S.adapted, 1)(x, S.fast)\nextra = S.adapted(x, S.fast - 0.1 * g)",
        ("def adapted(SELF_x, w):\n    return ops.square(ops.matmul(ops.sin(S.net(x)), w)).mean()",),
    ),
    "jvp": Derivative(
        "o, t = ms.jvp(S.output, x, ops.ones_like(x))\nextra = (t * t).mean() + 0.1 * o.mean()", (_OUTPUT,)
    ),
    "vjp": Derivative("o, f = ms.vjp(S.output, x)\nt = f(ops.ones_like(o))[0]\nextra = (t * t).mean()", (_OUTPUT,)),
    "jacrev": Derivative("j = ms.jacrev(S.energy)(x)\nextra = (j * j).mean()", (_ENERGY,)),
    "jacfwd": Derivative("j = ms.jacfwd(S.energy)(x)\nextra = (j * j).mean()", (_ENERGY,)),
    "hessian": Derivative(
        "j = ms.jacfwd(S.sloped)(x)\nextra = (j * j).mean() * 0.1",
        (_ENERGY, "def sloped(SELF_x):\n    return ms.grad(S.energy)(x)"),
    ),
    "stopped": Derivative(
        "g = ops.stop_gradient(ms.grad(S.energy)(x))\nextra = (g * g * x).mean() + ops.square(h - ops.stop_gradient(h) "
        "* 0.9).mean()",
        (_ENERGY,),
    ),
}


@dataclass(frozen=True)
class Change:
    """Lines of __init__ and of construct after h is made, lines before each step but the first, and lines of the
    module.
    """

    init: str = ""
    construct: str = ""
    change: str = "pass"
    module: str = ""


CHANGES: dict[str, Change] = {
    "none": Change(),
    "number": Change("self.scale = 1.0", "h = h * self.scale", "net.scale = 1.0 + 0.25 * step"),
    "flag": Change(
        "self.flag = True", "if self.flag:\n    h = h + 0.1\nelse:\n    h = h * 0.5", "net.flag = step % 2 == 0"
    ),
    "string": Change(
        "self.kind = 'sine'",
        "if self.kind == 'sine':\n    h = ops.sin(h)\nelse:\n    h = ops.cos(h)",
        "net.kind = 'cosine' if step > 2 else 'sine'",
    ),
    "counter": Change("self.count = 0", "self.count = self.count + 1\nh = h * (1.0 + 0.1 * self.count)"),
    "train_toggle": Change("", "if self.training:\n    h = h * 2.0", "net.set_train(step % 2 == 0)"),
    "rate": Change(change="ops.assign(opt.learning_rate, Tensor(0.01 * (step + 1), mstype.float32))"),
    "written": Change(change="ops.assign(weights[0], Tensor(weights[0].asnumpy() * 0.9))"),
    "assign": Change(change="ops.assign(weights[-1], weights[-1] * 0.8)"),
    "slice": Change(change="weights[0][0] = 0.1 * step"),
    "buffer": Change(
        "self.buf = Parameter(tensor('buf', 4), name='buf', requires_grad=False)",
        "self.buf = self.buf * 0.5 + ops.stop_gradient(h).mean(0) * 0.5\nh = h + self.buf",
    ),
    "assigned_buffer": Change(
        "self.buf = Parameter(tensor('buf', 4), name='buf', requires_grad=False)",
        "h = h + self.buf\nh = ops.depend(h, ops.assign_add(self.buf, Tensor([0.1, 0.2, 0.3, 0.4], mstype.float32)))",
    ),
    "step_count": Change(
        "self.seen = Parameter(Tensor(0, mstype.int32), name='seen', requires_grad=False)",
        "h = ops.depend(h, ops.assign_add(self.seen, Tensor(1, mstype.int32)))\nh = h * (1.0 + 0.1 * "
        "self.seen.astype(mstype.float32))",
    ),
    "tensor": Change("self.shift = tensor('shift0', 4)", "h = h + self.shift", "net.shift = tensor(f'shift{step}', 4)"),
    "layer_replaced": Change(
        "self.tail = nn.Sigmoid()", "h = self.tail(h)", "if step == 2:\n    net.tail = nn.LeakyReLU()"
    ),
    "layer_inserted": Change(
        "self.tail = nn.SequentialCell([nn.Sigmoid()])",
        "h = self.tail(h)",
        "if step == 2:\n    net.tail.append(nn.LeakyReLU())",
    ),
    "trainable": Change(change="weights[0].requires_grad = step % 2 == 0"),
    "rows": Change(change="rows = 4 + step % 3"),
    "list": Change(
        "", "for factor in FACTORS:\n    h = h * factor", "FACTORS.append(1.0 + 0.1 * step)", "FACTORS = [1.5]"
    ),
    "dict": Change("", "h = h * CONFIG['scale']", "CONFIG['scale'] = 1.0 + 0.2 * step", "CONFIG = {'scale': 1.0}"),
    "global": Change("", "h = h * SCALE", "globals()['SCALE'] = 1.0 + 0.2 * step", "SCALE = 1.0"),
    "own_list": Change(
        "self.factors = [1.5]",
        "for factor in self.factors:\n    h = h * factor",
        "net.factors.append(1.0 + 0.1 * step)",
    ),
    "own_dict": Change(
        "self.config = {'scale': 1.5}", "h = h * self.config['scale']", "net.config['scale'] = 1.0 + 0.2 * step"
    ),
    "own_tuple": Change(
        "self.factors = (1.5, 0.5)",
        "h = h * self.factors[0] + self.factors[1]",
        "net.factors = (1.0 + 0.1 * step, 0.1)",
    ),
    "method": Change(
        "",
        "h = self.tail(h)",
        "Net.tail = other_tail if step > 1 else Net.tail",
        "def other_tail(self, h):\n    return h * 0.5 + 1.0\n",
    ),
    "bound_method": Change(
        "", "h = self.tail(h)", "net.tail = other_tail", "def other_tail(h):\n    return h * 0.5 + 1.0\n"
    ),
    "function": Change(
        "",
        "h = tail(h)",
        "globals()['tail'] = other_tail",
        "def tail(h):\n    return h * 2.0\n\n\ndef other_tail(h):\n    return h * 0.5 + 1.0\n",
    ),
    "object": Change(
        "", "h = h * CONF.scale", "CONF.scale = 1.0 + 0.2 * step", "class Conf:\n    scale = 1.0\n\n\nCONF = Conf()"
    ),
    "eval_between": Change(
        change="net.set_train(False)\nrec(f'{step} eval', net(Tensor(batch(9)[0])))\nnet.set_train(True)"
    ),
    "forward_between": Change(change="rec(f'{step} forward', net(Tensor(batch(9)[0])))"),
    "loss_between": Change(change="rec(f'{step} before', loss_cell(Tensor(x_of(step)), Tensor(y_of(step))))"),
    "restored": Change(
        change="if step == 1:\n    saved = {p.name: Parameter(Tensor(p.asnumpy()), name=p.name) for p in "
        "net.get_parameters()}\n"
        "if step == 3:\n    ms.load_param_into_net(net, saved)"
    ),
    "frozen_layer": Change(change="for p in net.trainable_params()[:1]:\n    p.requires_grad = False"),
    "names_swapped": Change(change="value = weights[0].asnumpy()\nops.assign(weights[0], Tensor(value[::-1].copy()))"),
    "cast": Change("", "h = h.astype(mstype.float32)", "dtype = np.float64 if step % 2 else np.float32"),
    "labels_kept": Change("self.last = None", "if self.last is not None:\n    h = h + 0.1\n", "net.last = step"),
    "activation": Change("self.act = ops.sin", "h = self.act(h)", "net.act = ops.sigmoid if step % 2 else ops.sin"),
}
# what cannot be done from a callback's side as simply
NOT_IN_MODEL = {"rows", "loss_between", "cast"}


@dataclass(frozen=True)
class Step:
    """How a step is written: lines of the module, lines that make ``train`` out of net, criterion, loss_cell, opt,
    weights; ``loss = …``.
    """

    setup: str
    call: str = "loss = train(x, y)"
    module: str = ""
    functional: bool = False  # it differentiates forward_fn(x, y), not loss_cell


def _cell(body: str, init: str = "", operation: str = "ops.GradOperation(get_by_list=True)") -> str:
    """A training Cell of one's own."""

    def indented(text: str) -> str:
        return "".join(f"        {line}\n" for line in text.splitlines())

    return (
        "class Step(nn.Cell):\n    def __init__(self, network, optimizer):\n        "
        "super().__init__(auto_prefix=False)\n"
        "        self.network = network\n        self.network.set_grad()\n        self.optimizer = optimizer\n"
        "        self.weights = optimizer.parameters\n"
        f"        self.grad = {operation}\n{indented(init)}\n    def construct(self, x, y):\n{indented(body)}"
    )


_OWN = "train = Step(loss_cell, opt)\ntrain.set_train()"
_CLIP = """clip_one = ops.MultitypeFuncGraph("clip_one")


@clip_one.register("Number", "Number", "Tensor")
def _clip_one(kind, limit, grad):
    if kind == 0:
        return ops.clip_by_value(grad, ops.cast(ops.tuple_to_array((-limit,)), grad.dtype), ops.cast(ops.tuple_to_array((limit,)), grad.dtype))
    return nn.ClipByNorm()(grad, ops.cast(ops.tuple_to_array((limit,)), grad.dtype))
"""
_SUM = """add_into = ops.MultitypeFuncGraph("add_into")


@add_into.register("Tensor", "Tensor")
def _add_into(total, grad):
    return ops.depend(True, ops.assign_add(total, grad))


set_zero = ops.MultitypeFuncGraph("set_zero")


@set_zero.register("Tensor")
def _set_zero(total):
    return ops.depend(True, ops.assign(total, ops.zeros_like(total)))
"""
_EMA = """def averaged(average, weight):
    return ops.assign(average, average * 0.9 + weight * 0.1)
"""
_FUNCTIONAL = "grad_fn = ms.value_and_grad(forward_fn, None, opt.parameters)\n"

STEPS: dict[str, Step] = {
    "one_step": Step("train = nn.TrainOneStepCell(loss_cell, opt)\ntrain.set_train()"),
    "one_step_sens": Step("train = nn.TrainOneStepCell(loss_cell, opt, sens=2.0)\ntrain.set_train()"),
    "own": Step(
        _OWN,
        module=_cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, "
            "y)\nself.optimizer(grads)\nreturn loss"
        ),
    ),
    "own_gradient_first": Step(
        _OWN,
        module=_cell(
            "grads = self.grad(self.network, self.weights)(x, y)\nloss = self.network(x, y)\n"
            "return ops.depend(loss, self.optimizer(grads))"
        ),
    ),
    "own_depend": Step(
        _OWN,
        module=_cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, y)\n"
            "return ops.depend(loss, self.optimizer(grads))"
        ),
    ),
    "own_sens": Step(
        _OWN,
        module=_cell(
            "loss = self.network(x, y)\nsens = ops.fill(loss.dtype, loss.shape, 0.5)\n"
            "grads = self.grad(self.network, self.weights)(x, y, sens)\nself.optimizer(grads)\nreturn loss",
            operation="ops.GradOperation(get_by_list=True, sens_param=True)",
        ),
    ),
    "own_all": Step(
        _OWN,
        call="loss, inputs = train(x, y)\nrec(f'{step} inputs', inputs)",
        module=_cell(
            "loss = self.network(x, y)\ninputs, grads = self.grad(self.network, self.weights)(x, y)\n"
            "loss = ops.depend(loss, self.optimizer(grads))\nreturn loss, inputs[0]",
            operation="ops.GradOperation(get_all=True, get_by_list=True)",
        ),
    ),
    "own_value_and_grad": Step(
        _OWN,
        module=_cell(
            "loss, grads = self.grad_fn(x, y)\nself.optimizer(grads)\nreturn loss",
            "self.grad_fn = ms.value_and_grad(network, None, optimizer.parameters)",
        ),
    ),
    "own_twice": Step(
        _OWN,
        module=_cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, y)\n"
            "loss = ops.depend(loss, self.optimizer(grads))\n"
            "more = self.grad(self.network, self.weights)(x * 0.5, y)\nreturn ops.depend(loss, self.optimizer(more))"
        ),
    ),
    "global_norm": Step(
        _OWN,
        module=_cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, y)\n"
            "grads = ops.clip_by_global_norm(grads, 0.5)\nself.optimizer(grads)\nreturn loss"
        ),
    ),
    "clip_by_value": Step(
        _OWN,
        module=_CLIP
        + "\n\n"
        + _cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, y)\n"
            "grads = self.hyper_map(ops.partial(clip_one, 0, 0.05), grads)\nself.optimizer(grads)\nreturn loss",
            "self.hyper_map = ops.HyperMap()",
        ),
    ),
    "clip_by_norm": Step(
        _OWN,
        module=_CLIP
        + "\n\n"
        + _cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, y)\n"
            "grads = self.hyper_map(ops.partial(clip_one, 1, 0.2), grads)\nself.optimizer(grads)\nreturn loss",
            "self.hyper_map = ops.HyperMap()",
        ),
    ),
    "subclass": Step(
        "train = Step(loss_cell, opt)\ntrain.set_train()",
        module=(
            "class Step(nn.TrainOneStepCell):\n    def construct(self, x, y):\n        loss = self.network(x, y)\n"
            "        grads = self.grad(self.network, self.weights)(x, y, ops.ones_like(loss) * self.sens)\n"
            "        grads = self.grad_reducer(grads)\n        return ops.depend(loss, self.optimizer(grads))\n"
        ),
    ),
    "functional": Step(
        _FUNCTIONAL + "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n    return loss",
        functional=True,
    ),
    "functional_cell": Step(
        "grad_fn = ms.value_and_grad(loss_cell, None, opt.parameters)\n"
        "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n    return loss"
    ),
    "functional_aux": Step(
        "grad_fn = ms.value_and_grad(forward_aux, None, opt.parameters, has_aux=True)\n"
        "def train(x, y):\n    (loss, h), grads = grad_fn(x, y)\n    opt(grads)\n    return loss, h",
        call="loss, h = train(x, y)\nrec(f'{step} aux', h)",
        functional=True,
    ),
    "functional_jit": Step(
        _FUNCTIONAL + "@ms.jit\ndef train(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n    return loss",
        functional=True,
    ),
    "functional_jit_grad": Step(
        "grad_fn = ms.jit(ms.value_and_grad(forward_fn, None, opt.parameters))\n"
        "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n    return loss",
        functional=True,
    ),
    "grad": Step(
        "grad_fn = ms.grad(forward_fn, None, opt.parameters)\ndef train(x, y):\n    grads = grad_fn(x, y)\n    "
        "opt(grads)\n    return forward_fn(x, y)",
        functional=True,
    ),
    "grad_both": Step(
        "grad_fn = ms.value_and_grad(forward_fn, 0, opt.parameters)\n"
        "def train(x, y):\n    loss, (of_x, grads) = grad_fn(x, y)\n    opt(grads)\n    return loss, of_x",
        call="loss, of_x = train(x, y)\nrec(f'{step} of x', of_x)",
        functional=True,
    ),
    "operation": Step(
        "grad_fn = ops.GradOperation(get_by_list=True)(loss_cell, opt.parameters)\n"
        "def train(x, y):\n    loss = loss_cell(x, y)\n    opt(grad_fn(x, y))\n    return loss"
    ),
    "fixed_scale": Step(
        "train = nn.TrainOneStepWithLossScaleCell(loss_cell, opt, "
        "nn.FixedLossScaleUpdateCell(16.0))\ntrain.set_train()",
        call="loss, over, scale = train(x, y)\nrec(f'{step} scale', (over, scale))",
    ),
    "dynamic_scale": Step(
        "train = nn.TrainOneStepWithLossScaleCell(loss_cell, opt, nn.DynamicLossScaleUpdateCell(64.0, 2, "
        "2))\ntrain.set_train()",
        call="loss, over, scale = train(x, y)\nrec(f'{step} scale', (over, scale))",
    ),
    "tensor_scale": Step(
        "train = nn.TrainOneStepWithLossScaleCell(loss_cell, opt, Tensor(8.0, mstype.float32))\ntrain.set_train()",
        call="loss, over, scale = train(x, y)\nrec(f'{step} scale', (over, scale))",
    ),
    "static_scaler": Step(
        "scaler = amp.StaticLossScaler(scale_value=32)\n"
        "def scaled_fn(x, y):\n    return scaler.scale(forward_fn(x, y))\n"
        "grad_fn = ms.value_and_grad(scaled_fn, None, opt.parameters)\n"
        "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    grads = scaler.unscale(grads)\n"
        "    if amp.all_finite(grads):\n        opt(grads)\n    return scaler.unscale(loss)",
        functional=True,
    ),
    "dynamic_scaler": Step(
        "scaler = amp.DynamicLossScaler(scale_value=64, scale_factor=2, scale_window=2)\n"
        "def scaled_fn(x, y):\n    return scaler.scale(forward_fn(x, y))\n"
        "grad_fn = ms.value_and_grad(scaled_fn, None, opt.parameters)\n"
        "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    finite = amp.all_finite(grads)\n    grads = "
        "scaler.unscale(grads)\n"
        "    opt(grads)\n    scaler.adjust(finite)\n    return scaler.unscale(loss)",
        call="loss = train(x, y)\nrec(f'{step} scale', scaler.scale_value)",
        functional=True,
    ),
    "accumulated": Step(
        _OWN,
        module=_SUM
        + "\n\n"
        + _cell(
            "loss = self.network(x, y)\ngrads = self.grad(self.network, self.weights)(x, y)\n"
            "loss = ops.depend(loss, self.hyper_map(add_into, self.total, grads))\n"
            "loss = ops.depend(loss, ops.assign_add(self.seen, Tensor(1, mstype.int32)))\n"
            "if self.seen % 2 == 0:\n    loss = ops.depend(loss, self.optimizer(self.total))\n"
            "    loss = ops.depend(loss, self.hyper_map(set_zero, self.total))\nreturn loss",
            "self.hyper_map = ops.HyperMap()\nself.total = self.weights.clone(prefix='total', init='zeros')\n"
            "self.seen = Parameter(Tensor(0, mstype.int32), name='accumulated', requires_grad=False)",
        ),
        call="loss = train(x, y)\nrec(f'{step} total', [p for p in train.total])",
    ),
    "accumulated_function": Step(
        _FUNCTIONAL + "total = opt.parameters.clone(prefix='total', init='zeros')\nhyper_map = ops.HyperMap()\n"
        "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    hyper_map(add_into, total, grads)\n    if step % 2 == "
        "1:\n        opt(total)\n"
        "        hyper_map(set_zero, total)\n    return loss",
        module=_SUM,
        functional=True,
    ),
    "average": Step(
        "average = opt.parameters.clone(prefix='average', init='same')\n"
        + _FUNCTIONAL
        + "def train(x, y):\n    loss, grads = grad_fn(x, y)\n    opt(grads)\n    for a, w in zip(average, "
        "opt.parameters):\n"
        "        averaged(a, w)\n    return loss",
        call="loss = train(x, y)\nrec(f'{step} average', [p for p in average])",
        module=_EMA,
        functional=True,
    ),
    "two_optimizers": Step(
        "half = len(weights) // 2 or 1\nopt_2 = nn.Adam(weights[half:] or weights, 0.01)\nopt_1 = "
        "nn.SGD(weights[:half], 0.05)\n"
        "first = nn.TrainOneStepCell(loss_cell, opt_1)\nsecond = nn.TrainOneStepCell(loss_cell, opt_2)\n"
        "first.set_train()\nsecond.set_train()\n"
        "def train(x, y):\n    return first(x, y) + second(x, y)"
    ),
    "adversaries": Step(
        "judge = fill(Judge())\nopt_2 = nn.Adam(judge.trainable_params(), 0.01)\n"
        "train = Adversaries(GeneratorLoss(net, judge), JudgeLoss(net, judge), opt, opt_2)\ntrain.set_train()",
        call="loss, other = train(x, y)\nrec(f'{step} judge', other)\nrec.state(f'{step} judge', judge)",
        module="""class Judge(nn.Cell):
    def __init__(self):
        super().__init__()
        self.judge = nn.Dense(4, 1)

    def construct(self, h):
        return ops.sin(self.judge(h))


class GeneratorLoss(nn.Cell):
    def __init__(self, net, judge):
        super().__init__(auto_prefix=False)
        self.net, self.judge = net, judge

    def construct(self, x):
        return -self.judge(self.net(x)).mean()


class JudgeLoss(nn.Cell):
    def __init__(self, net, judge):
        super().__init__(auto_prefix=False)
        self.net, self.judge = net, judge

    def construct(self, x, y):
        return (self.judge(ops.stop_gradient(self.net(x))) - self.judge(y)).mean()


class Adversaries(nn.Cell):
    def __init__(self, net_g, net_d, opt_g, opt_d):
        super().__init__(auto_prefix=False)
        self.net_g, self.net_d, self.opt_g, self.opt_d = net_g, net_d, opt_g, opt_d
        self.wg, self.wd = opt_g.parameters, opt_d.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, x, y):
        loss_d = self.net_d(x, y)
        grads = self.grad(self.net_d, self.wd)(x, y)
        loss_d = ops.depend(loss_d, self.opt_d(grads))
        loss_g = self.net_g(x)
        grads = self.grad(self.net_g, self.wg)(x)
        loss_g = ops.depend(loss_g, self.opt_g(grads))
        return loss_g, loss_d
""",
    ),
    "build_train": Step("train = amp.build_train_network(net, opt, criterion, level='O0')\ntrain.set_train()"),
    "with_loss": Step("train = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), opt)\ntrain.set_train()"),
    "forward_value_and_grad": Step(
        "step_fn = nn.ForwardValueAndGrad(loss_cell, opt.parameters, get_by_list=True)\nstep_fn.set_train()\n"
        "def train(x, y):\n    loss, grads = step_fn(x, y)\n    opt(grads)\n    return loss"
    ),
    "grad_accumulation_cell": Step(
        "train = nn.TrainOneStepCell(nn.GradAccumulationCell(loss_cell, 2), opt)\ntrain.set_train()"
    ),
    "model": Step(""),
    "model_network": Step(""),
    "model_fixed_scale": Step(""),
    "model_epochs": Step(""),
}
MODELS = {
    "model": "ms.Model(net, criterion, opt)",
    "model_network": "ms.Model(loss_cell, optimizer=opt)",
    "model_epochs": "ms.Model(net, criterion, opt)",
    "model_fixed_scale": "ms.Model(net, criterion, opt, loss_scale_manager=ms.FixedLossScaleManager(16.0, False))",
}
SLOW = {"jacrev", "jacfwd", "hessian"}  # real compiles them, up to a minute each
RARE = {"fixed_scale", "dynamic_scale", "tensor_scale"}  # real needs a device for them
NO_DERIVATIVE = {"with_loss", "build_train", "model", "model_epochs", "model_fixed_scale", "adversaries"}
