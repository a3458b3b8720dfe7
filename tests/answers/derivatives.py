"""Programs about the form of derivatives and the arguments of who takes them."""

from __future__ import annotations

_FUNCTIONS = """
def f1(a):
    return a * a
def f2(a, b):
    return a * b
def fw(a):
    return a * w
def both(a, b):
    return a * b, a
def times(a, n):
    return a * n
"""
_SAID = (
    *(f"ms.grad(f2, {pos})(x, y)" for pos in ("0", "(0,)", "(1,)", "(0, 1)")),
    *(f"ms.value_and_grad(f2, {pos})(x, y)" for pos in ("0", "(0,)", "(1,)", "(0, 1)")),
    *(f"ms.grad(fw, {pos}, {ws})(x)" for pos in ("0", "(0,)", "None") for ws in ("w", "[w]", "ParameterTuple([w])")),
    *(f"ms.value_and_grad(fw, {pos}, {ws})(x)" for pos in ("0", "(0,)", "None") for ws in ("w", "[w]")),
    "ms.grad(both, (0,), None, True)(x, y)",
    "ms.grad(f2, (0,), None, False, True)(x, y)",
    "ms.grad(f2, (0, 1), None, False, True)(x, y)",
    "ms.grad(fw, (0,), [w], False, True)(x)",
    "ms.grad(nn.ReLU(), (0,))(x)",
    "ms.grad(times, (0, 1))(x, 2)",
    "ms.grad(times, (0, 1))(x, None)",
    "ms.grad(f2, (0, 1))(x, b=y)",
    "ms.grad(f2, 0)(a=x, b=y)",
    "ops.GradOperation(get_all=True)(f2)(x, b=y)",
    "ops.GradOperation()(f2)(a=x, b=y)",
    "ops.GradOperation(get_all=True)(f1)(x)",
    "ops.GradOperation(get_all=True)(times)(x, 2)",
    "ms.jacfwd(f2, (0,))(x, y)",
    "ms.jacrev(f2, (0,))(x, y)",
    "ms.jacrev(f2, (0, 1))(x, y)",
    "ms.jacfwd(f2, 1)(x, y)",
    "ops.vjp(f1, x)[1](x)",
    "ops.vjp(both, x, y)[1](x, y)",
    "ops.jvp(f1, x, y)",
    "ops.jvp(f2, (x, y), (x, y))",
    "ops.jvp(f2, [x, y], [x, y])",
)
_REFUSED = (
    *(f"ms.grad(f2, {pos})(x, y)" for pos in ("[0]", "-1", "5", "(5,)", "(0, 0)", "1.0", "'a'", "(0, 1.0)")),
    *(f"ms.jacrev(f2, {pos})(x, y)" for pos in ("[0]", "-1", "5", "(0, 0)", "1.0", "None")),
    "ms.grad(f1, None, None)",
    "ms.grad(f1, 0, None, 1)",
    "ms.grad(f1, 0, None, False, 1)",
    "ms.grad(f1, 0, None, True)(x)",
    "ops.vjp(f1, 1)[1](1)",
    "ops.vjp(f1, x)[1](1)",
    "ops.vjp(f1, 1.0)",
    "ops.vjp(f1, np.ones(2, np.float32))",
    "ops.jvp(f1, 1, 1)",
    "ops.jvp(f1, x, 1)",
    "ops.jvp(f1, x, None)",
    "ops.jvp(f1, x, (x, x))",
    "ops.jvp(f2, (x, y), x)",
)
PROGRAMS = {source: f"{_FUNCTIONS}say({source})" for source in (*_SAID, *_REFUSED)}
WITH_MESSAGE = {source for source in _REFUSED if "1.0)" not in source or "(0," not in source}
_OWN = """
class Own(ms._Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b + a
    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        say(grad, a, b, ctx.needs_input_grad[0])
        return {}
"""
for _returned in ("grad * b, grad * 7", "grad, None", "grad", "grad, 3", "grad, grad, grad"):
    PROGRAMS[f"backward of a function returns {_returned}"] = (
        _OWN.format(_returned) + "say(ms.grad(lambda a, b: Own.apply(a, b), (0, 1))(x, y))"
    )
PROGRAMS["backward of a function with a number"] = (
    _OWN.replace("b = ctx.saved_tensors", "= ctx.saved_tensors")
    .replace("a, b)\n        return a * b", "a)\n        return a * b")
    .replace("a, =", "(a,) =")
    .replace("grad, a, b,", "grad, a,")
    .format("grad, grad")
    + "say(ms.grad(lambda a: Own.apply(a, 2.0))(x))"
)
PROGRAMS["no_grad by its older name"] = (
    "def f(a):\n    with ms._no_grad():\n        b = a * a\n    return a + b\nsay(ms.grad(f)(x))"
)
PROGRAMS |= {
    source: f"{_FUNCTIONS}say({source})"
    for source in (
        "ops.GradOperation(get_all=True)(lambda n: x * n)(2)",
        "ops.GradOperation()(lambda: x)()",
        "ops.GradOperation(get_all=True, get_by_list=True)(lambda n: w * n, [w])(2)",
    )
}
