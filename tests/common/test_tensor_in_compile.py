"""Operators and methods of Tensor in functions that torch.compile traces: what they give there is what they give
eagerly, or they are refused.

``COMPILE_ALL=1`` runs all methods and expressions, and every form of each method; by default some of them (they take a
minute and a half).
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, context, nn
from tests.common.expressions import EXPRESSIONS, names
from tests.support.processes import run_python
from tests.support.versions import COMPILES

pytestmark = [
    pytest.mark.skipif(not COMPILES, reason="torch.compile of Tensors needs torch 2.13"),
    pytest.mark.filterwarnings("ignore"),
]
ALL = bool(os.environ.get("COMPILE_ALL"))
NAMES = ("i", "f", "h", "b", "u", "i8", "s", "d", "f2", "i32", "x")


def shown(value: Any) -> Any:
    """Type, dtype, shape and values, comparable."""
    if isinstance(value, torch.Tensor):
        return (
            type(value).__name__,
            str(value.dtype),
            tuple(value.shape),
            str(np.round(value.detach().to(torch.complex128).numpy(), 5).tolist()),
        )
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [shown(item) for item in value]
    if isinstance(value, np.ndarray):
        return "ndarray", str(value.dtype), str(np.round(value, 5).tolist())
    return ("int" if type(value).__name__ == "Size" else type(value).__name__), repr(value)


def outcome(function: Any, given: list[Any]) -> Any:
    """(what it gives, the arguments after it), or the exception."""
    try:
        return shown(function(*given)), shown(given)
    except Exception as error:
        return error


def functions_of_expressions() -> Iterator[tuple[str, Any, list[str]]]:
    for source in EXPRESSIONS[:: 1 if ALL else 6]:
        used = [name for name in NAMES if re.search(rf"\b{name}\b", source)]
        if used and "Parameter" not in source and "str(" not in source and "repr(" not in source:
            space = dict(names(ms))
            exec(f"def run({', '.join(used)}): return ({source})", space)
            yield source, space["run"], used


def in_place(x: Any) -> Any:
    y = x
    y += 1
    y *= 2
    return x, y


def torchs_in_place(x: Any) -> Any:
    x.add_(1)
    return x


def test_expressions() -> None:
    same = refused = 0
    for source, function, used in functions_of_expressions():
        expected = outcome(function, [names(ms)[name] for name in used])
        found = outcome(torch.compile(function, backend="eager", fullgraph=True), [names(ms)[name] for name in used])
        if isinstance(found, Exception):
            refused += not isinstance(expected, Exception)
        else:
            assert str(found) == str(expected), source
            same += 1
    assert same > (130 if ALL else 15) and refused <= same / 2


@pytest.mark.parametrize(
    "function",
    [
        in_place,
        torchs_in_place,
        lambda x: ~(x > 0),
        lambda x: 1 - x,
        lambda x: 2**x,
        lambda x: 7 // x,
        lambda x: x // 2,
        lambda x: x % 2,
        lambda x: 5 % x,
        lambda x: x[::-1],
        lambda x: x[:, ::-2],
        lambda x: x[None, ..., 0],
        lambda x: [row * 2 for row in x],
        lambda x: (x.shape, x.size, x.ndim, x.T),
        lambda x: x.astype(ms.int32) + Tensor(1.5),
        lambda x: -x,
        lambda x: abs(x),
        lambda x: 3 < x,
        lambda x: 3 >= x,
        lambda x: (x == None, x != "a"),  # noqa: E711
        lambda x: (x > 0) & (x < 3),
        lambda x: (x > 0) ^ (x < 3),
        lambda x: x @ x.T,
        lambda x: x.max(axis=1),
        lambda x: x.repeat(2, 1),
        lambda x: x.sum(axis=1).expand_dims(0).transpose(1, 0),
        lambda x: x.astype(ms.int32) / 2,
        lambda x: x.view(-1).std(),
        lambda x: x.max(1),
    ],
)
def test_operators(function: Any) -> None:
    def given() -> list[Any]:
        return [Tensor(np.arange(1, 7, dtype=np.float32).reshape(2, 3))]

    expected = outcome(function, given())
    assert not isinstance(expected, Exception)
    assert str(outcome(torch.compile(function, backend="aot_eager", fullgraph=True), given())) == str(expected)


def test_a_first_use_without_a_cell(tmp_path: Any) -> None:
    """Nothing of the package is traced before the operator: Dynamo sees a Tensor first."""
    code = (
        "import torch, mindspore_compat as ms\nassert 'torch._dynamo' not in __import__('sys').modules\n"
        "print(torch.compile(lambda a: ~a, backend='eager', fullgraph=True)(ms.Tensor([1, 0])))"
    )
    run = run_python("-c", code, cwd=tmp_path, fresh=True)
    assert run.stdout.strip() == "[False  True]", run.stderr
    assert Tensor.__torch_function__ is torch._C._disabled_torch_function_impl


class MaxByPosition(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x.max(1)


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_methods_that_mean_something_else_where_upstream_compiles(mode: int) -> None:
    context.set_context(mode=mode)
    try:
        cell, x = MaxByPosition(), Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
        compiled = torch.compile(cell, backend="eager", fullgraph=True)
        assert shown(compiled(x)) == shown(cell(x))
        traced = torch.compile(cell.construct, backend="eager", fullgraph=True)  # all of it counts as graph mode
        assert shown(traced(x)) == shown(cell(x) if mode == context.GRAPH_MODE else cell.construct(x))
    finally:
        context.set_context(mode=context.PYNATIVE_MODE)


RANDOM = re.compile(
    "random|normal|uniform|bernoulli|multinomial|cauchy|exponential|geometric|dropout|rand|empty|new_empty|share|storage|resize_|data_ptr|cuda|xpu|ipu|npu|hpu|pin_memory|module_load|grad_fn|apply|map_|register|retain|backward|names|align|refine|rename|set_$|sparse|^to_|q_|int_repr|dequantize|deepcopy|reinforce|record_stream|is_shared|set_dtype|asnumpy|numpy|tolist|item|get_bytes|hooks|flush|coalesc|crow|ccol|indices$|values$|is_set_to|lu$|qr|svd|eig|lstsq|geqrf|ormqr|cholesky|symeig|data_sync|init|has_|param_info|log_normal|type$"
)
ARGUMENTS: list[tuple[Any, ...]] = [
    (),
    (1,),
    (0, 1),
    ("x",),
    (1, "x"),
    ("i", 0),
    ((3, 2),),
    (0.5,),
    (0, "i"),
    ("x", "x"),
    ("mask", 2.0),
    (ms.float16,),
    (0, "i", "x"),
    ("i", "x"),
    (0.0, 1.0),
]


def methods() -> Iterator[tuple[str, tuple[Any, ...]]]:
    for name in sorted(dir(Tensor))[:: 1 if ALL else 10]:
        if name.startswith("_") or RANDOM.search(name) or not callable(getattr(Tensor, name)):
            continue
        found = 0
        for arguments in ARGUMENTS:
            if not isinstance(outcome(_calling(name), [_value(), *map(_argument, arguments)]), Exception):
                yield name, arguments
                found += 1
                if found == (99 if ALL else 1):
                    break


def _value() -> Any:
    return Tensor(np.array([[0.5, 2, 0.3], [1, 0.9, 3]], np.float32))


def _argument(value: Any) -> Any:
    return (
        {"x": _value() * 2, "i": Tensor(np.array([[1, 0, 1], [0, 1, 1]], np.int32)), "mask": _value() > 1}[value]
        if isinstance(value, str)
        else value
    )


def _calling(name: str) -> Any:
    space: dict[str, Any] = {}
    exec(f"def run(x, *args): return x.{name}(*args)", space)
    return space["run"]


def test_methods_of_the_table() -> None:
    refused, same = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, arguments in methods():
            expected = outcome(_calling(name), [_value(), *map(_argument, arguments)])
            found = outcome(
                torch.compile(_calling(name), backend="eager", fullgraph=True), [_value(), *map(_argument, arguments)]
            )
            if isinstance(found, Exception):
                refused.append(name)
            else:
                assert str(found) == str(expected), (name, arguments)
                same += 1
    assert same > (250 if ALL else 15) and len(refused) <= same / 2, refused
