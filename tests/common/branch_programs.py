"""Small random Cells with conditions, for MindSpore's compiler and ours (``test_compiled_branches.py``)."""

import random

LITERALS = "0|1.5|True|'s'|None|ms.Tensor([1.0])|ms.Tensor(1)|(x, 1)|(x, y)|[x]|[1]|()|{'a': x}|ms.float32|-1".split(
    "|"
)
EXPRESSIONS = (
    "x|y|i|self.p|x + y|x * 2|x - 1|-x|x.sum()|x > y|x[0]|ms.ops.relu(x)|self.d(x)|self.t|self.n|x.asnumpy()|"
    "x.shape[0]|x.astype(ms.float16)|x.max()|abs(x)|x + self.t|x / y"
).split("|")
CONDITIONS = (
    "x < 3|x.sum() > 0|not x[0]|x > y|self.p > 0|self.t > 0|self.n > 1|x.shape[0] > 0|ms.ops.ones_like(x) > 0|x is None|"
    "self.flag|s > 0|(x > 0).all()|x > 0 and self.n > 1|self.n > 5 and x > 0|int(x) > 0|i > 0|ms.Tensor([1.0]) > 0|c|"
    "x < self.n|x.ndim == 1 and x > 0|isinstance(a, ms.Tensor)|a is not None|x == self.t"
).split("|")
HEAD = """class N{number}(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = ms.Parameter(ms.Tensor([1.0]), name="p")
        self.t, self.n, self.flag = ms.Tensor([2.0]), 3, True
        self.d = nn.Dense(1, 1, weight_init="ones")

    def construct(self, x, y, i):
"""


def _value(choose):
    return choose.choice(LITERALS if choose.random() < 0.45 else [*EXPRESSIONS, "a", "b"])


def _block(choose, depth, margin, may_return):
    for _ in range(choose.randint(1, 2)):
        kind = choose.random()
        if kind < 0.5:
            yield f"{margin}{choose.choice('aab')} = {_value(choose)}"
        elif kind < 0.85 and depth:
            yield f"{margin}if {choose.choice(CONDITIONS)}:"
            yield from _block(choose, depth - 1, margin + "    ", True)
            if choose.random() < 0.6:
                yield f"{margin}else:"
                yield from _block(choose, depth - 1, margin + "    ", True)
        else:
            yield f"{margin}b = {_value(choose)} if {choose.choice(CONDITIONS)} else {_value(choose)}"
    if may_return and choose.random() < 0.35:
        yield f"{margin}return {_value(choose)}"


def programs(seed, count):
    """The source of classes ``N0``, ``N1``, … whose ``construct`` takes three Tensors of one element."""
    choose = random.Random(seed)
    found = []
    for number in range(count):
        first = [f"a = {choose.choice('x|y|x|0|None|self.t'.split('|'))}", f"b = {choose.choice('xy1')}"]
        lines = [f"        {line}" for line in (*first, "s = x.sum()", "c = x > y")]
        lines += _block(choose, 2, "        ", False)
        lines.append(f"        return {choose.choice('a|b|a, b|x|(a, x)'.split('|'))}")
        found.append(HEAD.format(number=number) + "\n".join(lines))
    return "\n\n\n".join(found) + "\n"
