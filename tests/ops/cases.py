"""Expressions that real MindSpore and mindspore_compat both evaluate; tests/golden/make_ops.py keeps the former's
results.

A line is an expression over `inputs()`; "g " in front also differentiates its sum by every float32 input that it names,
and "! " says that it must raise. `par(x)` is a Parameter with a copy of x, `after(op, n, ...)` the first n arguments
after the call. The module has to work without anything of this repository.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np


def inputs() -> dict[str, np.ndarray]:
    """Named arrays, the same in every process."""
    r = np.random.RandomState(7)

    def f(*shape: int) -> np.ndarray:
        return np.asarray(r.randn(*shape), np.float32)

    m = f(3, 3)
    return {
        "a": f(2, 3),
        "b": f(2, 3),
        "p": r.uniform(0.5, 2, (2, 3)).astype(np.float32),
        "u": r.uniform(-0.9, 0.9, (2, 3)).astype(np.float32),
        "c": f(2, 3, 4),
        "w": f(3, 4),
        "v": f(3),
        "v4": f(4),
        "s": f(),
        "x4": f(2, 4),
        "im": f(1, 2, 5, 5),
        "im4": f(2, 4, 4, 4),
        "k": f(3, 2, 3, 3),
        "kd": f(2, 1, 3, 3),
        "vol": f(1, 2, 4, 4, 4),
        "kv": f(2, 2, 2, 2, 2),
        "seq": f(2, 3, 6),
        "k1": f(2, 3, 3),
        "bm": f(2, 4, 3),
        "sq": m @ m.T + 3 * np.eye(3, dtype=np.float32),
        "m": m,
        "q": r.uniform(0.05, 0.95, (2, 3)).astype(np.float32),
        "y01": r.randint(0, 2, (2, 3)).astype(np.float32),
        "i": r.randint(0, 3, (2, 3)).astype(np.int32),
        "j": r.randint(1, 6, (2, 3)).astype(np.int32),
        "l": r.randint(-4, 5, (2, 3)).astype(np.int64),
        "ix": np.array([2, 0, 1], np.int32),
        "lab": np.array([2, 0], np.int32),
        "t": r.rand(2, 3) > 0.5,
        "t2": r.rand(2, 3) > 0.5,
        "h": f(2, 3).astype(np.float16),
        "d": r.randn(2, 3),
        "rep": np.array([3, 1, 3, 2, 1, 1], np.int32),
        "n0": np.array([0, 2, 0, 1], np.int32),
        "bx": np.array([[1, 1, 6, 7], [2, 3, 8, 9], [0, 0, 4, 4]], np.float32),
        "gt": np.array([[1, 2, 6, 6], [3, 3, 9, 8], [0, 1, 4, 5]], np.float32),
        "nan": np.array([[1, np.nan, np.inf], [-np.inf, 0, 2]], np.float32),
        "cx": (r.randn(2, 3) + 1j * r.randn(2, 3)).astype(np.complex64),
        "probs": np.exp(f(2, 3)) / 4,
        "logp": np.log(np.abs(f(2, 3)) + 0.1),
        "rgb": r.uniform(0, 1, (2, 4, 5, 3)).astype(np.float32),
        "sv": r.uniform(0.1, 0.9, 4).astype(np.float32),
        "sw": f(4),
        # where formulas have bounds, elements are equal or zero, and which one has a gradient
        "bounds": np.array([-6, -3, -2.5, -2, -1, -0.5, 0, 0.5, 1, 2, 2.5, 3, 6, 7], np.float32),
        "met": np.array([-6, -3, 2.5, 1, -1, 0.5, 0, 0.5, 1, -2, 2.5, 2, 6, 0], np.float32),
        "tied": np.array([[1, 2, 2, 0, 0], [3, 3, 1, -1, 3], [-2, -2, -2, -2, -2], [-1, 0, 2, -1, 2]], np.float32),
        "tied2": np.array([[1, 2, 0, 0, 1], [3, 1, 1, -1, 0], [-2, 1, -2, 2, 0], [-1, 0, 2, 1, 1]], np.float32),
    }


_NAME = re.compile(r"(?<![\w.'\"])[a-z]\w*")


def names_in(expression: str, known: dict[str, np.ndarray]) -> list[str]:
    """The inputs that an expression names, in order."""
    found = dict.fromkeys(name for name in _NAME.findall(expression) if name in known)
    return list(found)


def _flat(value: Any, tensor: type) -> list[np.ndarray]:
    if isinstance(value, tensor):
        array = value.asnumpy()
        return [np.array(array)]
    if isinstance(value, (tuple, list)):
        return [item for part in value for item in _flat(part, tensor)]
    if not isinstance(value, (bool, int, float)):  # a dtype: upstream prints Float32, torch torch.float32
        return [np.frombuffer(str(value).lower().replace("torch.", "").encode(), np.uint8)]
    return [
        np.array(value, np.bool_ if isinstance(value, bool) else np.int64 if isinstance(value, int) else np.float64)
    ]


def _after(operator: Callable[..., Any], count: int, *args: Any) -> Any:
    """The first ``count`` arguments as an operator that changes them in place leaves them."""
    operator(*args)
    return args[:count]


def _parts(x: Any) -> tuple:
    """A sparse tensor taken apart."""
    return (*((x.indptr,) if hasattr(x, "indptr") else ()), x.indices, x.values, x.shape)


def _square(x: Any) -> Any:
    return x * x


def _product(x: Any, y: Any) -> Any:
    return x * y


def _custom_body(x: Any, y: Any) -> Any:
    return x * y + 1


def _custom_bprop(x: Any, y: Any, out: Any, dout: Any) -> Any:
    return dout * y, dout * x


def _same_as_first(x: Any, y: Any) -> Any:
    return x


def _both(x: Any) -> Any:
    return x.sum(), x * 2


def _twice(x: Any) -> Any:
    return x * 2


def _square_graph(ms: ModuleType) -> Any:
    graph = ms.ops.MultitypeFuncGraph("square")

    @graph.register("Tensor")
    def _of_tensor(x: Any) -> Any:
        return x * x

    @graph.register("Number")
    def _of_number(x: Any) -> Any:
        return x + 1

    return graph


_FUNCTIONS = {
    "custom_body": _custom_body,
    "custom_bprop": _custom_bprop,
    "same_as_first": _same_as_first,
    "after": _after,
    "parts": _parts,
    "square": _square,
    "product": _product,
    "both": _both,
    "twice": _twice,
}


def scope_of(ms: ModuleType) -> dict[str, Any]:
    """The names that expressions use, beside inputs, under a MindSpore."""
    ops = ms.ops
    return {
        "ms": ms,
        "ops": ops,
        "P": ops.operations,
        "F": ops.functional,
        "C": ops.composite,
        "nn": ms.nn,
        "mnp": ms.numpy,
        "np": np,
        "Tensor": ms.Tensor,
        "par": lambda x: ms.Parameter(ms.Tensor(x.asnumpy()), name="par"),
        "square_graph": _square_graph(ms),
        "coo": lambda i, v, shape: ms.COOTensor(ms.Tensor(np.array(i, np.int32)), v, shape),
        "csr": lambda p, i, v, shape: ms.CSRTensor(*(ms.Tensor(np.array(n, np.int32)) for n in (p, i)), v, shape),
        **_FUNCTIONS,
    }


def evaluate(case: str, ms: ModuleType) -> dict[str, Any]:
    """{"out": arrays, "grad": arrays} of a case under a MindSpore, or {"error": name of the exception}."""
    kind, expression = (case[0], case[2:]) if case[:2] in ("g ", "! ") else ("", case)
    arrays = inputs()
    names = names_in(expression, arrays)
    scope = scope_of(ms)
    code = compile(expression, case, "eval")

    def run(*values: Any) -> Any:
        return eval(code, {**scope, **dict(zip(names, values))})

    tensors = [ms.Tensor(arrays[name]) for name in names]
    try:
        out = run(*tensors)
        result = {"out": _flat(out, ms.Tensor)}
        if kind == "g":
            result["grad"] = _gradients(ms, run, tensors, arrays, names)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]  # what a program may catch it as
        return {"error": type(error).__name__, "message": str(error), "kinds": kinds}
    return result


def written_through(case: str, ms: ModuleType) -> list[str]:
    """The inputs that change where the first element of a result is written to, under a MindSpore."""
    arrays = inputs()
    names = names_in(case, arrays)
    tensors = [ms.Tensor(arrays[name]) for name in names]

    def leaves(value: Any) -> list[Any]:
        if isinstance(value, ms.Tensor):
            return [value] if value.ndim and value.size else []
        return [item for part in value for item in leaves(part)] if isinstance(value, (tuple, list)) else []

    results = leaves(eval(compile(case, case, "eval"), {**scope_of(ms), **dict(zip(names, tensors))}))
    before = [tensor.asnumpy().copy() for tensor in tensors]
    for result in results:
        if not any(result is tensor for tensor in tensors):
            result[0] = not result.asnumpy().flat[0] if result.dtype == ms.bool_ else 77
    after = [tensor.asnumpy() for tensor in tensors]
    return [name for name, old, new in zip(names, before, after) if not np.array_equal(old, new, equal_nan=True)]


def _gradients(
    ms: ModuleType, run: Callable[..., Any], tensors: list, arrays: dict[str, np.ndarray], names: list[str]
) -> list[np.ndarray]:
    wanted = tuple(i for i, name in enumerate(names) if arrays[name].dtype == np.float32)

    def total(*values: Any) -> Any:
        def leaves(value: Any) -> list:
            if isinstance(value, ms.Tensor):
                return [value] if value.dtype == ms.float32 else []
            return [item for part in value for item in leaves(part)] if isinstance(value, (tuple, list)) else []

        out = 0
        for position, leaf in enumerate(leaves(run(*values))):
            weights = np.cos(np.arange(leaf.asnumpy().size, dtype=np.float32) + position).reshape(leaf.shape)
            out = out + (leaf * ms.Tensor(weights)).sum()
        return out

    found = ms.grad(total, grad_position=wanted)(*tensors)
    return _flat(found, ms.Tensor)


def cases() -> list[str]:
    """All cases, in a fixed order."""
    from pathlib import Path

    lines: list[str] = []
    for path in sorted(Path(__file__).parent.glob("cases_*.txt")):
        lines += [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return lines
