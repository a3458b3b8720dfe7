"""Programs with tuples and lists of unknown length (`mutable` with ``dynamic_len``) in compiled code."""

from __future__ import annotations

#: what is done with x, a sequence of what stands after the colon, and what is said of it
_STEPS = """
x: [1, 2]|(1, 2)|[Tensor([1]), Tensor([2])]|[(1, 2), (3, 4)]|[]
len(x): [1, 2]|(Tensor([1]), Tensor([2]))
x[0]: [1, 2]|[Tensor([1]), Tensor([2])]
x[-1]: (3, 4)
x[1:3]: (1, 2, 3, 2)
x + (4, 5): (1, 2, 3)
x + (4.0, 5): (1, 2, 3)
x + (4.0, 5.0): (1, 2, 3)
x * 2: (1, 2)
x.count(2): [1, 2, 3, 2]
x.index(2): (1, 2, 3, 2)
2 in x: (1, 2)
x == (1, 2): (1, 2)|(1, 3)
x < (1, 3): (1, 2)
max(x): (1, 2)
sum(x): (1, 2)
sorted(x): (3, 1, 2)
tuple(x): [1, 2]
ops.addn(x): (x0, x0)
ops.concat(x): (x0, x0)
ops.reshape(x0, x): (1, 2)
x0[x[1]]: (0, 1)
x.append(3): [1, 2]|[Tensor([1]), Tensor([2])]|[]
x.append(3.0): [1, 2]
x.append(Tensor([3])): [Tensor([1]), Tensor([2])]
x.append(Tensor([3, 4])): [Tensor([1]), Tensor([2])]
x.append(Tensor([3.0])): [Tensor([1]), Tensor([2])]
x.append((5, 6)): [(1, 2), (3, 4)]
x.insert(0, 5): [1, 2]
x.pop(): [1, 2]
x.reverse(): [1, 2]
x.extend([3]): [1, 2]
x[0] = 5: [1, 2]
x[-2] = 5: [1, 2]
x[0] = 5.0: [1, 2]
x[2] = 5: [1, 2]
x[-3] = 5: [1, 2]
x[0] = Tensor([5]): [Tensor([1]), Tensor([2])]
x[0] = (5, 6, 7): [(1, 2), (3, 4)]
"""
_REFUSED = (
    "(1, Tensor([1]), 2.0)",
    "(1, 2.0)",
    "(1, True)",
    "(Tensor([1, 2]), Tensor([1, 2, 3]))",
    "(Tensor([1]), Tensor([1.0]))",
    "((1, 2, 3), (1, 2))",
    "((1, 2), (1, 2.0))",
    "[{'a': 1}, {'a': 2}]",
    "Tensor([1, 2])",
    "3",
)
_CONSTANTS = ("x", "x[0]", "len(x)", "x[0] + 1", "x[len(x) - 1]", "3 + 4")


def _in_jit(lines: str, given: str = "", arguments: str = "") -> str:
    """A function under `jit`; around it one that has what it uses, since upstream looks globals up elsewhere."""
    return (
        f"from mindspore import jit, mutable\ndef asked(mutable, ops, Tensor, x0):\n  @jit\n  def f({arguments}):\n"
        f"{lines}\n  return f({given})\n"
        "for item in asked(mutable, ops, Tensor, x):\n"
        "    say(item if isinstance(item, (Tensor, bool, int)) else list(item))"
    )


def _step(step: str, value: str) -> str:
    found = "x" if step.endswith(")") and step.startswith("x.") and not step.startswith(("x.c", "x.i")) else ""
    if " = " in step or found or step.startswith("x.insert"):
        return _in_jit(f"    x = mutable({value}, True)\n    {step}\n    return x, len(x)")
    return _in_jit(f"    x = mutable({value}, True)\n    return ({step},)")


PROGRAMS = {
    **{
        f"unknown length, {step} of {value}": _step(step, value)
        for step, _, values in (line.rpartition(": ") for line in _STEPS.strip().split("\n"))
        for value in values.split("|")
    },
    **{f"unknown length of {value}": _in_jit(f"    return (mutable({value}, True),)") for value in _REFUSED},
    **{
        f"unknown length of {value}, given": _in_jit("    return (x,)", f"mutable({value}, True)", "x")
        for value in _REFUSED
    },
    **{
        f"isconstant({asked}), {how}": _in_jit(f"    return (ops.isconstant({asked}),)", given.replace("x", "x0"), "x")
        for asked in _CONSTANTS
        for how, given in (
            ("plain", "[1, 2]"),
            ("plain Tensors", "[x, x]"),
            ("unknown length", "mutable([1, 2], True)"),
            ("unknown length of Tensors", "mutable((x, x), True)"),
        )
    },
    **{
        f"{levels} levels of {kind}, {how}": _in_jit(f"    return ({returned},)", f"nested({levels})", "x").replace(
            "def asked",
            f"def nested(levels):\n  return {ends[0]}nested(levels - 1){ends[1]} if levels else 1\ndef asked",
            1,
        )
        for kind, ends in (("list", "[]"), ("tuple", ("(", ",)")), ("dict", ("{'a': ", "}")))
        for levels in (4, 5, 6, 7)
        for how, returned in (("given back", "x"), ("the first given back", "x[0]"), ("not given back", "1"))
        if kind != "dict" or how != "the first given back"
    },
    "unknown length in PYNATIVE_MODE": "l = [1, 2]\nx = ms.mutable(l, True)\nx.append(3.5)\nx[0] = 'a'\nx.extend([5])\n"
    "x.reverse()\nsay(x.pop(), list(x), l, x == ['a', 2, 3.5], isinstance(x, list), str(x), ops.isconstant(x))",
}
WITH_MESSAGE: set[str] = set()
