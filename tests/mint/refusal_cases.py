"""Calls of ``mint`` whose arguments do not fit: expressions in the names that `names` gives for a `mindspore`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

__all__ = ["CASES", "names", "raised"]

_TWO = """add sub mul div pow maximum minimum eq ne lt gt le ge logical_and logical_or logical_xor remainder fmod
    floor_divide bitwise_and matmul dot mm bmm outer cross cdist xlogy""".split()
_SHAPES = ["(2,3),(4,3)", "(2,3),(2,4)", "(3,),(4,)", "(2,3,4),(2,5,6)", "(2,3),(3,)", "(),(2,)", "(2,2,3,4),(2,4,5)"]
_ALONG = """sum mean prod max min argmax argmin cumsum cumprod cummax cummin F.softmax F.log_softmax sort all std var
    median logsumexp unbind unsqueeze flip norm count_nonzero""".split()
_AXES = ["5", "-4", "'a'", "1.5", "(0,0)", "(0,7)"]
_ALONE = """mint.cat((T(2,3),T(2,4)),0)
mint.cat((T(2,3),T(2)),0)
mint.cat((T(2,3),T(2,3)),5)
mint.cat(())
mint.stack((T(2,3),T(2,4)))
mint.stack((T(2,3),T(2,3)),7)
mint.reshape(T(2,3),(4,2))
mint.reshape(T(2,3),(-1,-1))
mint.permute(T(2,3),(0,0))
mint.permute(T(2,3),(0,1,2))
mint.transpose(T(2,3),0,5)
mint.broadcast_to(T(2,3),(4,3))
mint.tile(T(2,3),(-1,2))
mint.narrow(T(2,3),0,1,5)
mint.gather(T(2,3),5,I(2,3))
mint.gather(T(2,3),0,I(2))
mint.gather(T(2,3),0,T(2,3))
mint.index_select(T(2,3),5,I(2))
mint.index_select(T(2,3),0,I(2,2))
mint.scatter(T(2,3),0,I(2,3,4),T(2,3))
mint.masked_select(T(2,3),B(4))
mint.masked_select(T(2,3),T(2,3))
mint.where(B(2,3),T(4,3),T(2,3))
mint.addmm(T(2,2),T(2,3),T(4,2))
F.linear(T(2,3),T(4,5))
F.linear(T(2,3),T(4,3),T(5))
F.conv2d(T(1,3,8,8),T(4,2,3,3))
F.conv2d(T(8,8),T(4,2,3,3))
F.conv2d(T(1,3,8,8),T(4,3,3,3),groups=2)
F.avg_pool2d(T(1,1,2,2),5)
F.layer_norm(T(2,3),(4,))
F.group_norm(T(2,3,4,4),2)
F.batch_norm(T(2,3,4,4),T(2),T(2))
F.nll_loss(T(2,3),I(4))
F.mse_loss(T(2,3),T(4,3))
F.binary_cross_entropy(T(2,3),T(4,3))
F.binary_cross_entropy_with_logits(T(2,3),T(4,3))
F.kl_div(T(2,3),T(4,3))
F.pad(T(2,3),(1,1,1))
F.pad(T(2,3),(1,1),mode="x")
F.pad(T(2,3),(5,5),mode="reflect")
F.interpolate(T(2,3),size=4)
F.interpolate(T(1,2,3,3),size=(4,4),mode="x")
F.softplus("a")
mint.topk(T(2,3),9)
mint.topk(T(2,3),1,5)
mint.kthvalue(T(2,3),9)
mint.split(T(2,3),(1,5))
mint.split(T(2,3),1,7)
mint.split(T(2,3),0)
mint.chunk(T(2,3),0)
mint.chunk(T(2,3),2,9)
mint.roll(T(2,3),(1,2),(0,))
mint.trace(T(2,3,4))
mint.tril(T(3))
mint.triu(T(3))
mint.diag(T(3,3,3))
mint.inverse(T(2,3))
mint.linalg.inv(T(3))
mint.meshgrid(T(2,2),T(2))
mint.arange(5,1,1)
mint.linspace(0,1,-2)
mint.zeros((-1,2))
mint.ones((2,"a"))
mint.full((2,-2),1)
mint.eye(-1)
mint.randn(-2)
mint.multinomial(T(2,3,4),2)
mint.clamp(T(2,3))
mint.clamp(T(2,3),"a")
mint.searchsorted(T(2,3),T(4,3))
F.unfold(T(2,3),2)
F.fold(T(2,3,4),(4,4),(2,2))
F.grid_sample(T(1,2,3,3),T(1,3,3,3))
F.glu(T(2,3))
F.prelu(T(2,3),T(5))
mint.nn.Linear(3,4)(T(2,5))
mint.nn.Conv2d(3,4,3)(T(2,5,8,8))
mint.nn.BatchNorm2d(3)(T(2,5,8,8))
mint.nn.BatchNorm2d(3)(T(2,3))
mint.nn.LayerNorm((4,))(T(2,3))
mint.nn.MSELoss()(T(2,5),T(3,5))
mint.nn.MSELoss("x")(T(2,5),T(2,5))
mint.abs("a")
mint.add(T(2),"a")
mint.abs(3)
mint.sum([1,2])
mint.logical_not("a")
mint.bitwise_and(T(2),T(2))
mint.bitwise_not(T(2))""".splitlines()


def _along(name: str, axis: str) -> str:
    return f"{name if '.' in name else f'mint.{name}'}(T(2,3),dim={axis})"


def _pair(name: str, shapes: str) -> str:
    first, second = shapes[1:-1].split("),(")
    return f"mint.{name}(T({first}),T({second}))"


CASES = [
    *itertools.starmap(_pair, itertools.product(_TWO, _SHAPES)),
    *itertools.starmap(_along, itertools.product(_ALONG, _AXES)),
    *_ALONE,
]


def names(ms: Any) -> dict[str, Any]:
    """``T`` of floats, ``I`` of int64, ``B`` of bools, each by its shape; ``mint`` and its ``F``."""
    random = np.random.RandomState(0)
    return {
        "mint": ms.mint,
        "F": ms.mint.nn.functional,
        "T": lambda *shape: ms.Tensor(np.asarray(random.rand(*shape), np.float32)),
        "I": lambda *shape: ms.Tensor(random.randint(0, 2, shape).astype(np.int64)),
        "B": lambda *shape: ms.Tensor(np.ones(shape, bool)),
    }


def raised(ms: Any, case: str) -> Exception | None:
    """What the call raises, until its result has been read."""
    try:
        result = eval(case, names(ms))
        for part in result if isinstance(result, (tuple, list)) else [result]:
            part.asnumpy()
    except Exception as error:
        return error
    return None
