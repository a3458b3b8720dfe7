"""Calls whose arguments do not fit: expressions in the names that `names` gives. Those of refused_calls.txt, functions of
two tensors with shapes that do not go together, functions along an axis that is not there.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CASES", "raised"]

_SHAPES = ["(2,3),(4,3)", "(2,3),(2,4)", "(3,),(4,)", "(2,3,4),(2,5,6)", "(2,3),(3,)", "(),(2,)", "(2,2,3,4),(2,4,5)"]
_AXES = ["5", "-4", "'a'", "1.5", "(0,0)", "(0,7)"]
_MINT_OF_TWO = """add sub mul div pow maximum minimum eq ne lt gt le ge logical_and logical_or logical_xor remainder fmod
    floor_divide bitwise_and matmul dot mm bmm outer cross cdist xlogy""".split()
_MINT_ALONG = """sum mean prod max min argmax argmin cumsum cumprod cummax cummin nn.functional.softmax
    nn.functional.log_softmax sort all std var median logsumexp unbind unsqueeze flip norm count_nonzero""".split()
_OPS_OF_TWO = """add sub mul div pow maximum minimum atan2 equal ne less greater le ge logical_and logical_or logical_xor
    fmod floor_div bitwise_and matmul bmm outer cross cdist hypot logaddexp xlogy xdivy mm mv inner kron dist
    cosine_similarity lcm gcd heaviside copysign nextafter batch_dot vecdot ger floor_mod dot isclose l1_loss mse_loss
    smooth_l1_loss huber_loss kl_div binary_cross_entropy soft_margin_loss hinge_embedding_loss
    multilabel_margin_loss""".split()
_METHODS_OF_TWO = """add sub mul div pow maximum minimum atan2 equal ne less greater le ge logical_and logical_or
    logical_xor fmod bitwise_and matmul bmm outer cross hypot logaddexp xlogy xdivy inner lcm gcd heaviside copysign
    nextafter ger floor_mod dot isclose""".split()


def _of_two(form: str, name: str, shapes: str) -> str:
    first, second = shapes[1:-1].split("),(")
    return form.format(name, f"T({first})", f"T({second})")


CASES = list(
    dict.fromkeys(
        [
            *(_of_two("mint.{}({}, {})", *case) for case in itertools.product(_MINT_OF_TWO, _SHAPES)),
            *(f"mint.{name}(T(2,3), dim={axis})" for name, axis in itertools.product(_MINT_ALONG, _AXES)),
            *(_of_two("ops.{}({}, {})", *case) for case in itertools.product(_OPS_OF_TWO, _SHAPES)),
            *(_of_two("{1}.{0}({2})", *case) for case in itertools.product(_METHODS_OF_TWO, _SHAPES)),
            *Path(__file__).with_name("refused_calls.txt").read_text().splitlines(),
        ]
    )
)


def names(ms: Any) -> dict[str, Any]:
    """``T`` of floats, ``Z`` of zeros in float32, ``I`` of int64, ``I32`` of int32, ``B`` of bools, each by its shape."""
    random = np.random.RandomState(0)
    return {
        "ms": ms,
        "ops": ms.ops,
        "nn": ms.nn,
        "mint": ms.mint,
        "F": ms.mint.nn.functional,
        "Tensor": ms.Tensor,
        "T": lambda *shape: ms.Tensor(np.asarray(random.rand(*shape), np.float32)),
        "Z": lambda *shape: ms.Tensor(np.zeros(shape, np.float32)),
        "I": lambda *shape: ms.Tensor(random.randint(0, 2, shape).astype(np.int64)),
        "I32": lambda *shape: ms.Tensor(random.randint(0, 2, shape).astype(np.int32)),
        "B": lambda *shape: ms.Tensor(np.ones(shape, bool)),
    }


def raised(ms: Any, case: str) -> Exception | None:
    """What the call raises, until its result has been read."""
    try:
        result = eval(case, names(ms))
        for part in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(part, ms.Tensor):
                part.asnumpy()
    except Exception as error:
        return error
    return None
