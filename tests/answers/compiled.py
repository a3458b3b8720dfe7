"""Lists, tuples, dicts and numbers in compiled code, where Python means something else or upstream refuses."""

from __future__ import annotations

__all__ = ["PROGRAMS", "WITH_MESSAGE"]

#: what a function under `jit` gives back; a and b are inputs, c is a constant
_EXPRESSIONS = """
range(3)
[range(2, 8, 3), b]
range(3)[1:] + (4,), isinstance(range(3), tuple), str(range(3))
list(range(2)), sum(range(4)), max(range(3)), 2 in range(3)
range(a)
range(Tensor(3))
range(True)
[i for i in range(b)]
{'a': 1, 'b': 2}.keys()
{'a': 1, 'b': 2}.values(), {'a': 1}.items()
{'a': 1}.keys() + ('c',), {'a': 1}.values()[0], {'a': 1}.items()[0]
'a' in {'a': 1}.keys(), len({'a': 1}.items()), sorted({'b': 1, 'a': 2}.keys())
{'a': 1}.has_key('a'), {'a': 1}.has_key('b')
{a: 1}.values()
{(a, 1): 1}.values()
{c: 1}.values()
{[1]: 2}.values()
{'a': 1}.fromkeys(123, 1).keys()
{'a': 1}.fromkeys(Tensor([1, 2]), 1).values()
{'a': 1}.fromkeys(['u', 'v'], 1).values()
[Tensor([1, 2]), c, 3].count(c)
[Tensor([1, 3]), c, 3].index(c)
[1, 2, 3].index(Tensor(1))
[1, 2, 3].count(Tensor(1))
[Tensor(1), 2].count(1)
(Tensor(2), 2).count(Tensor(2)), (Tensor(2), 2).index(Tensor(2))
[c, 2, 3].index(3)
[1, 2, a, 3].index(a), [1, 2, a, 3].count(a)
[a, 2].count(3), [b, a].count(a)
[d, 2, 3].count(3)
[d, d].index(d)
[3, 1, 2].pop(4)
[3, 1, 2].pop('a')
[3, 1, 2].pop(a)
[].pop()
max(((Tensor(10), Tensor(30)),))
max([[a, 2 * a], [a / 2, 3 * a]])
min([[1, a], 3])
max([a, 2 * a]), max([[1, 2], [2, 3]]), min(1, 2, 0)
max([1, 2], key=lambda v: -v)
max([], default=3)
[x + y for x in [1, 2] for y in [3, 4]]
sum([x + y for x in [1, 2] for y in [3, 4]])
[x for x in [1, 2, 3] if x > 1 if x < 3]
99999999999999999999999
[9223372036854775808]
9223372036854775807, -9223372036854775807
9223372036854775807 + 1
3037000500 * 3037000500
a + 99999999999999999999999
float(99999999999999999999999)
"""
#: lines before ``return``, and what is given back
_LINES = (
    ("l = [3, 1, 2]; m = l.pop(5)", "l, m"),
    ("l = [3, 1, 2]; l.insert(a, 5)", "l"),
    ("l = [3, 1, 2]; l.insert(1, a)", "l"),
    ("k = {'a': 1}; m = k.keys(); k['b'] = 2", "m, k.keys()"),
    ("n = 99999999999999999999999", "5"),
    ("n = 1\n    for _ in range(25):\n        n = n * 10", "n"),
    ("n = 0\n    for i in range(a):\n        n += i", "n"),
    ("n = 0\n    for i in range(int(a)):\n        n += i", "n"),
    ("n = []\n    for k in {'a': 1}.keys():\n        n.append(k)", "n"),
    ("n = []\n    for k, v in {'a': 1}.items():\n        n.append(v)", "n"),
)
#: what is done with s, a tuple of unknown length
_UNKNOWN = """
enumerate(s)
zip(s, s)
map(lambda v: v + 1, s)
[v for _, v in enumerate(s)]
sum([v for v, _ in zip(s, s)])
mutable(s)
(1.0,) + s
(1, 2.0) + s
s + (1.0,)
mutable((Tensor([1]),), True) + (Tensor([1, 2]),)
(Tensor([1, 2]),) + mutable((Tensor([1]),), True)
mutable([(1, 2, 3)], True) + [(1, 2)]
mutable()
mutable((1, 2), True, 3)
"""


def _in_jit(lines: str, given: str) -> str:
    """A function under `jit`; around it one that has what it uses, since upstream looks globals up elsewhere."""
    return (
        "from mindspore import jit, mutable\n"
        "def asked(mutable, ops, Tensor):\n"
        "  @jit\n"
        "  def f(a, b, d, s):\n"
        f"    c = Tensor([1, 2])\n    {lines or 'pass'}\n    return {given}\n"
        "  return f(Tensor(3), 2, Tensor([1, 2]), mutable((1, 2, 3), True))\n"
        "found = asked(mutable, ops, Tensor)\n"
        "say(type(found) is range, found)"
    )


#: what a Cell has as ``self.t``, and the statements of its method
_ATTRIBUTES = (
    ("Tensor([1, 2])", "self.t[0] = x"),
    ("Tensor([1, 2])", "self.t[0] += x"),
    ("Tensor([1, 2])", "self.t[0], self.t[1] = x, x + 1"),
    ("Tensor([1, 2])", "for i in range(2):\n            self.t[i] = self.t[i] * x"),
    ("Tensor([1, 2])", "y = self.t\n        self.t[0] = x\n        x = y"),
    ("Tensor([1, 2])", "y = self.t\n        y[0] = x"),
    ("Tensor([1, 2])", "self.t[0] = x\n        x = [self.t + i for i in range(2)]"),
    ("Tensor([1, 2])", "self.t[0] = x\n        x = self.read()"),
    ("Tensor([1, 2])", "if x > 3:\n            self.t[0] = x\n        else:\n            self.t[1] = x"),
    ("Parameter(Tensor([1, 2]), name='t')", "self.t[0] = x"),
    ("[1, 2]", "self.t[0] = x"),
    ("[1, 2]", "self.t[0] += 7"),
    ("[[1, 2], 3]", "self.t[0][1] = x"),
    ("[Tensor([1, 2]), 3]", "self.t[0][1] = x"),
    ("{'a': 1}", "self.t['b'] = x"),
    ("{'a': [1, 2]}", "self.t['a'][0] = x"),
    ("(1, 2)", "self.t[0] = 7"),
    ("3", "self.u[0] = x"),
    ("3", "self.u[0][1] += x"),
    ("3", "self.u += x"),
)
_CELL = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.t = {held}

    def read(self):
        return self.t + 0

    def construct(self, x):
        {lines}
        return x, self.t

def open(value):
    return ["dict", *[[*item] for item in value.items()]] if isinstance(value, dict) else value

net = Net()
ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.{level})
try:
    for x in (5, 2):
        found, held = net(Tensor(x))
        say(found, open(held), open(net.t))
finally:
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_syntax_level=ms.LAX)
"""
#: what a Cell that compiled code makes is made of
_MADE_OF = ("3", "x.shape", "x * 1 if False else 4", "self.t")
_MAKER = """
class Made(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def construct(self, x):
        return x

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.t, self.p, self.kind = Tensor([1.0]), Parameter(Tensor([2.0]), name="p"), Made

    def construct(self, x):
        return self.kind({value})(x)

ms.set_context(mode=ms.GRAPH_MODE)
try:
    say(Net()(x))
finally:
    ms.set_context(mode=ms.PYNATIVE_MODE)
"""


PROGRAMS = {
    **{
        f"elements of a Cell's attribute {held}, {lines}": _CELL.format(held=held, lines=lines, level="LAX")
        for held, lines in _ATTRIBUTES
    },
    **{
        f"elements of a Cell's attribute {held}, strict": _CELL.format(held=held, lines=lines, level="STRICT")
        for held, lines in (
            *_ATTRIBUTES[::9],
            ("[1, 2]", "self.t[0] = x"),
            ("{'a': 1}", "self.t['b'] = x"),
            ("[[1], 2]", "self.t[0].append(3)"),
        )
    },
    **{f"a Cell of {value} in a Cell": _MAKER.format(value=value) for value in _MADE_OF},
    **{f"compiled, {given}": _in_jit("", given) for given in _EXPRESSIONS.strip().split("\n")},
    **{f"compiled, {lines}, {given}": _in_jit(lines, given) for lines, given in _LINES},
    **{f"compiled, unknown length, {given}": _in_jit("", given) for given in _UNKNOWN.strip().split("\n")},
}
WITH_MESSAGE: set[str] = set()
