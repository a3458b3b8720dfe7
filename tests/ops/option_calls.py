"""Functions called with one more argument, of a wrong type or value, for each of their options. tests/golden/make_json.py option_calls
notes what real MindSpore makes of them; the module has to work without anything of this repository.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

try:
    from tests.ops.cases import inputs, names_in, scope_of
except ImportError:  # beside real MindSpore
    from cases import inputs, names_in, scope_of

_TABLES = "1_elementwise 2_reduction 3_array 4_nn 8_more 9_functions".split()
_WRONG: dict[type, tuple[Any, ...]] = {
    bool: (1, "a", None),
    float: ("a", None),
    int: (1.5, "a", None),
    str: ("nope", 1),
}
_ARRAYS = inputs()


def expressions() -> dict[str, str]:
    """The first plain call of each function in the tables of expressions, by the function's name."""
    found: dict[str, str] = {}
    for table in _TABLES:
        for line in (Path(__file__).parent / f"cases_{table}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("ops.") and line[4:5].islower():
                call = ast.parse(line, mode="eval").body
                if (
                    isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Attribute)
                    and ast.unparse(call.func.value) == "ops"
                ):
                    found.setdefault(call.func.attr, line)
    return found


def with_wrong_options(expression: str, function: Any) -> list[str]:
    """The call with each option that it leaves out, of each wrong value. Options are known by their defaults."""
    made = []
    given = {keyword.arg for keyword in ast.parse(expression, mode="eval").body.keywords}  # type: ignore[attr-defined]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    for parameter in parameters:
        if parameter.name not in given:
            for value in _WRONG.get(type(parameter.default), ()):
                call = ast.parse(expression, mode="eval").body
                call.keywords.append(ast.keyword(parameter.name, ast.Constant(value)))  # type: ignore[attr-defined]
                made.append(ast.unparse(call))
    return made


def refusal(expression: str, ms: ModuleType) -> Exception | None:
    """What the expression raises; its results are computed."""
    tensors = {name: ms.Tensor(_ARRAYS[name]) for name in names_in(expression, _ARRAYS)}
    try:
        _compute(eval(expression, {**scope_of(ms), **tensors}))
    except Exception as error:
        return error
    return None


def _compute(result: Any) -> None:
    if isinstance(result, (tuple, list)):
        for item in result:
            _compute(item)
    elif hasattr(result, "asnumpy"):
        result.asnumpy()
