"""Results and refusals of ``mindspore.numpy`` by dtype. Run by ours and by real MindSpore: ``FILE``."""

import json
import sys

import mindspore as ms
import mindspore.numpy as mnp
import numpy as np
from mindspore import Tensor

KINDS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32"]
ANGLES = "arccos arccosh arcsin arcsinh arctan arctanh cos cosh sin sinh tan tanh trunc fix".split()
WHOLE = KINDS[:9]
X = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))


def of(kind, *values):
    return Tensor(np.array(values or [1, 0, 1], kind))


def called(function, *args, **kwargs):
    return lambda: function(*args, **kwargs)


CALLS = {
    **{f"{name} {kind}": called(getattr(mnp, name), of(kind)) for name in ANGLES for kind in KINDS},
    **{f"arctan2 {a} {b}": called(mnp.arctan2, of(a), of(b)) for a in KINDS for b in KINDS},
    **{f"hypot {a} {b}": called(mnp.hypot, of(a), of(b)) for a in KINDS[5::5] for b in KINDS[5::5]},
    **{f"invert {kind}": called(mnp.invert, of(kind)) for kind in WHOLE[1:]},
    **{f"cumprod {kind}": called(mnp.cumprod, of(kind, 3, 100, 2)) for kind in ("int8", "uint8", "int16", "int64")},
    "cumprod of a list": lambda: mnp.cumprod([3, 2]),
    **{
        f"promote {a} {b}": called(lambda a, b: str(mnp.promote_types(a, b)), getattr(ms, a), getattr(ms, b))
        for a in WHOLE[1:] + KINDS[9:]
        for b in WHOLE[1:] + KINDS[9:]
    },
    **{f"result_type {kind}": called(lambda x: str(mnp.result_type(x, 3)), of(kind)) for kind in KINDS},
    "result_type ?": lambda: str(mnp.result_type("?", True, mnp.uint16)),
    **{
        f"arange {args}": called(mnp.arange, *args)
        for args in ((5, 1), (0, 5, -1), (0, 5, 0), (5, 1, -2), (0.5, 2), (-3,))
    },
    **{
        f"ops.arange {args}": called(ms.ops.arange, *args)
        for args in ((5, 1), (0, 5, -1), (0, 5, 0), (5, 1, -2), (3, 3))
    },
    **{f"randint {args}": called(mnp.randint, *args) for args in ((0,), (-3,), (5, 5), (5, 1), (1.2,), (1, 1.2))},
    "randint float": lambda: mnp.randint(3, dtype="float"),
    "randint float32": lambda: mnp.randint(3, dtype=ms.float32),
    "histogram ints": lambda: mnp.histogram([1, 2, 1], [0, 1, 2, 3]),
    "histogram floats": lambda: mnp.histogram([1, 2, 1], (0, 1, 2.5)),
    "histogram_bin_edges": lambda: mnp.histogram_bin_edges([1, 2, 1], [0, 1, 2]),
    "intersect1d 1": lambda: mnp.intersect1d([1, 2], [2], assume_unique=1),
    "intersect1d indices 1": lambda: mnp.intersect1d([1, 2], [2], return_indices=1),
    "setdiff1d 1": lambda: mnp.setdiff1d([1, 2], [2], assume_unique=1),
    "isin 1": lambda: mnp.isin([1, 2], [2], invert=1),
    "squeeze 2": lambda: mnp.squeeze(X, 1),
    "squeeze both": lambda: mnp.squeeze(X[:1], (0, 1)),
    "squeeze out": lambda: mnp.squeeze(X, 4),
    **{f"{name} of none": called(getattr(mnp, name), X[:0]) for name in ("max", "min", "ptp", "amax")},
    **{
        f"pad {mode} {sides} {odd}": called(mnp.pad, X, sides, mode, reflect_type=odd)
        for mode in ("constant", "edge", "linear_ramp", "maximum", "minimum", "mean", "reflect", "symmetric", "wrap")
        for sides in (1, (2, 1), ((1, 0), (5, 4)))
        for odd in (("even", "odd") if mode in ("reflect", "symmetric") else ("even",))
    },
    "pad constants": lambda: mnp.pad(X, 1, constant_values=((1, 2), (3, 4))),
    "pad ends": lambda: mnp.pad(X, 2, "linear_ramp", end_values=((1, 2), (3, 4))),
    "pad lengths": lambda: mnp.pad(X, 2, "mean", stat_length=((1, 2), (3, 9))),
    "pad ints": lambda: mnp.pad(X.astype(ms.int32), 2, "maximum"),
    "pad mode": lambda: mnp.pad(X, 1, "x"),
    **{
        f"refused {number}": call
        for number, call in enumerate(
            (
                lambda: mnp.array_split(X, 9, axis=5),
                lambda: mnp.bincount(X.astype(ms.int32)),
                lambda: mnp.cov(X.reshape(3, 2, 2)),
                lambda: mnp.diag(X.reshape(3, 2, 2)),
                lambda: mnp.diff(X, -1),
                lambda: mnp.dsplit(X, 2),
                lambda: mnp.hsplit(X[0], 2),
                lambda: mnp.linspace(0, 1, 0),
                lambda: mnp.logspace(0, 1, 0),
                lambda: mnp.multi_dot([X]),
                lambda: mnp.repeat(X, -1),
                lambda: mnp.rot90(X[0]),
                lambda: mnp.searchsorted(X, 1),
                lambda: mnp.tensordot(X, X, 1),
                lambda: mnp.transpose(X, (0, 0)),
                lambda: mnp.tril_indices_from(X[0]),
                lambda: mnp.where(X > 1),
                lambda: mnp.add(of("uint16"), of("int32")),
            )
        )
    },
}


def plain(value):
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, Tensor):
        return [str(value.dtype).split(".")[-1].lower(), value.asnumpy().astype("float64").tolist()]
    return value.lower().rsplit(".", maxsplit=1)[-1]


def main():
    found = {}
    for name, call in CALLS.items():
        try:
            found[name] = plain(call())
        except Exception as error:
            found[name] = {"refused": [kind.__name__ for kind in type(error).__mro__]}
    with open(sys.argv[1], "w") as file:
        json.dump(found, file)


main()
