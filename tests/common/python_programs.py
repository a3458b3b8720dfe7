"""Plain Python in ``construct`` and in a helper that knows nothing of MindSpore; the tests call it in both modes."""

import mindspore_compat as ms
from mindspore_compat import nn


def longest(names):
    return max(names, key=len)


def fill(rows, value):
    rows[0] = value
    return rows


class Part(nn.Cell):
    scale = 1

    def construct(self, x):
        return x * self.scale


class Python(nn.Cell):
    def __init__(self):
        super().__init__()
        self.parts = nn.CellList([Part(), Part()])

    def construct(self, x):
        p, q = [1, 2], [10, 20]
        d = {"a": 1, "b": 2}
        keys = d.keys()
        d["c"] = 3
        r = range(3)
        self.parts[0].scale = 3
        nested = [[[[[[[[x]]]]]]]]
        twice = zip(p, q)
        return {
            "longest": longest(["a", "bcd", "ef"]),
            "nearest": min([-3, 1, 2], key=abs),
            "products": [a * b for a in p for b in q],
            "sum": sum(a + b for a in p for b in q),
            "nested": nested,
            "large": 2**70,
            "far": list(range(0, 2**40, 2**38)),
            "nothing": list(zip()),
            "keys": len(keys),
            "stop": r.stop,
            "once": (len(list(twice)), len(list(twice))),
            "text": f"{type(self).__name__} and {longest}",
            "scaled": self.parts[0](x),
            "rows": fill([1, 2], 5),
            "either": (not x) if x.size == 1 else None,
        }


def failing(rows, place):
    rows[place] = 1  # the failing line
    return rows


class Failing(nn.Cell):
    def construct(self, x):
        x[0] = 1.0
        return failing([], 3)  # the calling line


class Switching(nn.Cell):
    """Calls an inner Cell in a thread, and one that fails."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(x)


def items(x):
    for i in range(3):
        x[i] = 7.0
        yield x


class Generating(nn.Cell):
    def construct(self, x):
        return x, list(items(x))[-1]


@ms.jit
def jitted(x):
    y = x
    y[0] = 9.0
    return x, y


class MaxByPosition(nn.Cell):
    def construct(self, x):
        return x.max(1)
