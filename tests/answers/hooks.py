"""Programs about hooks of Cells and Tensors."""

from __future__ import annotations

_CELLS = """
class One(nn.Cell):
    def __init__(self, name="w"):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name=name)
    def construct(self, x):
        return x * self.w
class Two(One):
    def construct(self, x, y):
        return x * y * self.w
class Pair(One):
    def construct(self, x, y):
        return x * self.w, y * x
class Numbers(nn.Cell):
    def construct(self, x, n, y=None):
        return x * n if y is None else x * n * y
class OneOfOne(nn.Cell):
    def construct(self, x):
        return (x * 2,)
class Unused(nn.Cell):
    def construct(self, x, y):
        return x * 2
class Same(nn.Cell):
    def construct(self, x):
        return x
class Own(nn.Cell):
    def construct(self, x):
        return x * 2
    def bprop(self, x, out, dout):
        return (dout * 5,)
class Chain(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = One("a"), One("b"), One("c")
    def construct(self, x):
        return self.c(self.b(self.a(x)))
class Around(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def construct(self, *inputs):
        found = self.inner(*inputs)
        return sum(found) if isinstance(found, tuple) else found + found
def hook(name, answer=None):
    def call(cell, *gradients):
        say(name, *gradients)
        return answer(*gradients) if callable(answer) else answer
    return call
T = lambda *values: Tensor(list(values))
"""
#: what a hook returns
_RETURNED = {
    "nothing": "None",
    "a Tensor": "T(7.0, 8.0)",
    "one": "(T(7.0, 8.0),)",
    "two": "(T(7.0, 8.0), T(9.0, 10.0))",
    "three": "(T(1.0, 1.0),) * 3",
    "a list": "[T(7.0, 8.0)]",
    "a number": "5",
    "a string": "'a'",
    "None twice": "(None, None)",
}
_INPUTS = {"One": "x", "Two": "x, y", "Pair": "x, y"}

PROGRAMS: dict[str, str] = {}
for _cell, _inputs in _INPUTS.items():
    for _what, _returned in _RETURNED.items():
        for _kind in ("backward", "backward_pre"):
            PROGRAMS[f"a {_kind} hook of {_cell} returns {_what}"] = (
                f"{_CELLS}net = Around({_cell}())\nnet.inner.register_{_kind}_hook(hook('h', {_returned}))\n"
                f"say(ops.GradOperation(get_all=True)(net)({_inputs}))"
            )
    PROGRAMS[f"only the weights of {_cell} are asked for"] = (
        f"{_CELLS}net = Around({_cell}())\nnet.inner.register_backward_hook(hook('h', (T(7.0, 8.0),)))\n"
        f"say(ops.GradOperation(get_by_list=True)(net, ParameterTuple(net.trainable_params()))({_inputs}))"
    )
WITH_MESSAGE = set(PROGRAMS)
for _asked in ("a", "b", "c", "ac"):
    for _get_all in (False, True):
        for _kept in (False, True):
            PROGRAMS[f"a chain, weights {_asked}, inputs {_get_all}, set_grad {_kept}"] = (
                f"{_CELLS}net = Chain()\n"
                "for name in 'abc': getattr(net, name).register_backward_hook(hook(name))\n"
                + ("net.set_grad()\nnet(x)\n" if _kept else "")
                + f"weights = ParameterTuple([getattr(net, name).w for name in '{_asked}'])\n"
                f"say(ops.GradOperation(get_all={_get_all}, get_by_list=True)(net, weights)(x))"
            )
_BOTH = "net.register_backward_pre_hook(hook('pre'))\nnet.register_backward_hook(hook('after'))\n"
for _name, _net, _call in (
    ("a number as input", "Numbers()", "ops.GradOperation(get_all=True)(net)(x, 2)"),
    ("a number between inputs", "Numbers()", "ops.GradOperation(get_all=True)(net)(x, 2, y)"),
    ("an input by keyword", "Numbers()", "ms.grad(lambda a, b: net(a, 2, y=b), (0, 1))(x, y)"),
    ("all inputs by keyword", "Numbers()", "ms.grad(lambda a, b: net(x=a, n=2, y=b), (0, 1))(x, y)"),
    ("a tuple of one as output", "OneOfOne()", "ms.grad(lambda a: net(a)[0])(x)"),
    ("an input without influence", "Unused()", "ops.GradOperation(get_all=True)(net)(x, y)"),
    ("the input is the output", "Same()", "ms.grad(lambda a: net(a) * 3)(x)"),
    ("one output of two is used", "Pair()", "ms.grad(lambda a, b: net(a, b)[0], (0, 1))(x, y)"),
    ("only the first input is asked for", "Two()", "ops.GradOperation()(net)(x, y)"),
    ("a bprop of its own", "Own()", "ms.grad(net)(x)"),
    ("the second derivative", "Same()", "ms.grad(lambda a: ms.grad(lambda b: (net(b) ** 3).sum())(a).sum())(x)"),
    ("called twice", "One()", "ms.grad(lambda a: net(net(a)).sum())(x)"),
):
    PROGRAMS["hooks and " + _name] = f"{_CELLS}net = {_net}\n{_BOTH}say({_call})"
PROGRAMS["several hooks"] = (
    _CELLS
    + """
net = One()
handles = [net.register_backward_hook(hook("1", lambda gi, go: (gi[0] * 2,)))]
handles.append(net.register_backward_hook(hook("2", lambda gi, go: gi[0] * 3)))
handles.append(net.register_backward_pre_hook(hook("p1", lambda go: go[0] * 5)))
handles.append(net.register_backward_pre_hook(hook("p2", lambda go: (go[0] * 7,))))
for handle in handles:
    say(ms.grad(net)(x))
    handle.remove()
    handle.remove()
say(ms.grad(net)(x))
"""
)
PROGRAMS["forward hooks in order"] = (
    _CELLS
    + """
net = Same()
net.register_forward_hook(hook("f1"))
net.register_forward_hook(hook("first", lambda args, keywords, out: out * 2), with_kwargs=True, prepend=True)
net.register_forward_pre_hook(lambda cell, args: (args[0] * 2,))
net.register_forward_pre_hook(lambda cell, args: args[0] + 1, prepend=True)
say(net(x))
"""
)
PROGRAMS["a forward hook is called although the Cell fails"] = (
    _CELLS
    + """
class Fails(nn.Cell):
    def construct(self, x):
        raise ValueError("inside")
net = Fails()
net.register_forward_hook(hook("always"), always_call=True)
net.register_forward_hook(hook("never"))
net(x)
"""
)
PROGRAMS["a Cell with bprop calls no forward hook"] = (
    _CELLS + "net = Own()\nnet.register_forward_hook(hook('f'))\nnet.register_forward_pre_hook(hook('p'))\nsay(net(x))"
)
for _dtype in ("float16", "bfloat16"):
    for _kind in ("forward_pre_hook", "forward_hook", "backward_pre_hook", "backward_hook"):
        PROGRAMS[f"a {_kind} of a Cell in {_dtype}"] = (
            f"{_CELLS}net = Around(One().to_float(ms.{_dtype}))\nnet.inner.register_{_kind}(\n"
            "    lambda cell, *found: say([str(t.dtype).split('.')[-1].lower() for g in found for t in\n"
            "        (g if isinstance(g, tuple) else (g,))]))\nsay(ms.grad(net)(x).shape)"
        )
for _returned in ("x", "(x,)", "3", "[x]"):
    PROGRAMS[f"a forward pre hook with keywords returns {_returned}"] = (
        f"{_CELLS}net = One()\nnet.register_forward_pre_hook(lambda c, a, k: {_returned}, with_kwargs=True)\nsay(net(x))"
    )
_REGISTER = ("backward_hook", "backward_pre_hook", "forward_hook", "forward_pre_hook")
_REFUSED = {
    f"{kind} gets {what}": f"{_CELLS}net = One()\nnet.register_{kind}({value})"
    for kind in _REGISTER
    for what, value in (("a string", "'a'"), ("None", "None"), ("a function of jit", "ms.jit(lambda *a: None)"))
}
_REFUSED["hook of a Tensor gets a string"] = "x.register_hook('a')"
_REFUSED["hook of a Parameter without gradient"] = "Parameter(x, requires_grad=False).register_hook(lambda g: g)"
for _returned in ("None", "x", "(x,)", "3"):
    _REFUSED[f"hook of a Tensor returns {_returned}"] = (
        f"def f(a):\n    b = a * 2\n    b.register_hook(lambda g: {_returned})\n    return b * 3\nsay(ms.grad(f)(y))"
    )
PROGRAMS.update(_REFUSED)
WITH_MESSAGE |= {name for name in _REFUSED if "jit" not in name}
PROGRAMS["hooks of a Tensor"] = """
def f(a):
    b = a * 2
    handles = [b.register_hook(lambda g: g * 2), b.register_hook(lambda g: g + 1), b.register_hook(lambda g: g * 0)]
    handles[2].remove()
    handles[2].remove()
    say(len(b.hooks()))
    return b * 3
say(ms.grad(f)(x))
"""
PROGRAMS["hooks of an input"] = """
handle = x.register_hook(lambda g: g * 10)
say(len(x.hooks()), ms.grad(lambda a: a * a)(x))
handle.remove()
say(len(x.hooks()), ms.grad(lambda a: a * a)(x))
"""
PROGRAMS["hooks of a Parameter"] = """
handle = w.register_hook(lambda g: g * 10)
say(ms.grad(lambda a: a * w, None, [w])(x))
handle.remove()
say(ms.grad(lambda a: a * w, None, [w])(x))
"""
PROGRAMS["hooks of a Parameter without influence"] = """
v = Parameter(Tensor([1.0, 2.0]), name="v")
w.register_hook(lambda g: say("w", g))
v.register_hook(lambda g: say("v", g))
def f(a):
    b = a * v
    return a * w * w
say(ms.grad(f, None, [w, v])(x))
"""
