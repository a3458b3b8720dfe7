"""Programs about Cells that compute in 16 bits (`Cell.to_float`, amp levels) and meet Tensors in 32: their own, a list's,
those they make.
"""

from __future__ import annotations

_CELLS = """
class Base(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mask = Tensor(np.array([0.0, -1e-3], np.float32))
        self.wide = Tensor(np.array([0.1, -1e-3], np.float64))
        self.pair = (Tensor(np.array([0.1, -1e-3], np.float32)), Tensor(np.array([3e-5, 0.1], np.float32)))
        self.ints, self.f32 = Tensor([1, 2]), ms.float32  # compiled code of these programs finds no global names
        self.mul, self.maximum, self.where, self.product = ops.Mul(), ops.Maximum(), ops.Select(), ops.MatMul()
        self.concat, self.ones, self.cast = ops.Concat(), ops.Ones(), ops.Cast()
        self.square = ops.Square()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
"""
#: what ``construct(self, x)`` does
_BODIES = {
    "plus": "return x + self.mask",
    "its Tensor first": "return self.mask - x",
    "in place": "y = x * 2\n        y += self.mask\n        return y",
    "a function": "return self.mul(x, self.mask)",
    "a method": "return x.add(self.mask)",
    "maximum": "return self.maximum(x, self.mask)",
    "where": "return self.where(x > 1, x, self.mask)",
    "a product": "return self.product(x.reshape((1, 2)), self.mask.reshape((2, 1)))",
    "concat": "return self.concat((x, self.mask))",
    "alone": "return self.mask * 3.0",
    "its Tensor": "return self.mask",
    "reshaped": "return self.mask.reshape((2, 1)), self.mask[0]",
    "a sum": "return self.mask.sum()",
    "float64": "return x * self.wide",
    "of a tuple": "return x * self.pair[1]",
    "made inside": "return x * (self.ones((2,), self.f32) / 3)",
    "cast inside": "return self.cast(x, self.f32) / 3",
    "cast and left": "return x.astype(self.f32)",
    "its Parameter": "return x * self.w + self.mask",
    "written": "self.mask[0] = 7.0\n        return x + self.mask",
    "integers": "return x * self.ints",
}


def _program(body: str, ends: str) -> str:
    return f"{_CELLS}\nclass Net(Base):\n    def construct(self, x):\n        {body}\n{ends}"


_CALLED = "net = Net().to_float(ms.float16)\nsay(net(x))\nsay(net.mask)"
_PYNATIVE = "\nms.set_context(mode=ms.PYNATIVE_MODE)"
PROGRAMS: dict[str, str] = {}
for _mode in ("PYNATIVE", "GRAPH"):
    _set = f"ms.set_context(mode=ms.{_mode}_MODE)\n"
    for _name, _body in _BODIES.items():
        PROGRAMS[f"halves, {_mode.lower()}: {_name}"] = _program(_body, _set + _CALLED)
    for _level in ("O2", "O3"):
        PROGRAMS[f"halves, {_mode.lower()}: {_level}"] = _program(
            _BODIES["its Parameter"], f"{_set}say(ms.amp.auto_mixed_precision(Net(), '{_level}')(x))"
        )
    PROGRAMS[f"halves, {_mode.lower()}: bfloat16"] = _program(
        _BODIES["its Parameter"], _set + "say(Net().to_float(ms.bfloat16)(x).astype(ms.float32))"
    )
    PROGRAMS[f"halves, {_mode.lower()}: gradients"] = _program(
        "return (x * self.w + x * self.mask).sum()",
        _set + "net = Net().to_float(ms.float16)\nsay(ops.grad(net, 0, net.trainable_params())(x))",
    )
    if _mode == "PYNATIVE":
        PROGRAMS["halves, pynative: recomputed"] = _program(
            "return self.square(x * self.w + self.mask)",
            _set + "net = Net().to_float(ms.float16)\nnet.recompute()\n"
            "say(ops.grad(lambda v: net(v).sum())(x), ops.grad(lambda v: net(v).sum(), None, net.trainable_params())(x))",
        )
    PROGRAMS[f"halves, {_mode.lower()}: a child in float32"] = _program(
        "return self.child(x) * self.mask",
        "class Child(Base):\n    def construct(self, x):\n        return x + self.mask\n"
        f"{_set}net = Net()\nnet.child = Child()\nnet.to_float(ms.float16)\nnet.child.to_float(ms.float32)\n"
        "say(net(x), net.child(x))",
    )
    PROGRAMS[f"halves, {_mode.lower()}: a Cell around"] = _program(
        "return x + self.mask",
        "class Around(nn.Cell):\n    def __init__(self, net):\n        super().__init__()\n        self.net = net\n"
        "        self.mask = net.mask\n    def construct(self, x):\n        return self.net(x) * self.mask\n"
        f"{_set}say(Around(Net().to_float(ms.float16))(x))\nsay(Around(Net()).to_float(ms.float16)(x))",
    )
    for _what, _body in (("input", "return x"), ("elements", "return x[0], self.w[1], self.w.reshape((2, 1))")):
        PROGRAMS[f"halves, {_mode.lower()}: its {_what}"] = _program(_body, _set + _CALLED)
PROGRAMS = {name: program + _PYNATIVE for name, program in PROGRAMS.items()}
WITH_MESSAGE: set[str] = set()
