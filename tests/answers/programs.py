"""Small programs whose answers real MindSpore gave (tests/golden/make_answers.py): what hooks are handed, what
derivatives look like, which arguments are refused.

Each is executed with `BEGINNING` in front and says what it found with ``say``; errors count by their type and, where the
program is in `WITH_MESSAGE`, by their message.
"""

from __future__ import annotations

import linecache
import re
import tempfile
from pathlib import Path
from typing import Any

from tests.answers import containers, derivatives, halves, hooks, refusals

__all__ = ["PROGRAMS", "answer"]

PROGRAMS: dict[str, str] = {
    **hooks.PROGRAMS,
    **derivatives.PROGRAMS,
    **refusals.PROGRAMS,
    **halves.PROGRAMS,
    **containers.PROGRAMS,
}
WITH_MESSAGE = (
    hooks.WITH_MESSAGE
    | derivatives.WITH_MESSAGE
    | refusals.WITH_MESSAGE
    | halves.WITH_MESSAGE
    | containers.WITH_MESSAGE
)

BEGINNING = """
import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
w = Parameter(Tensor([5.0, 6.0]), name="w")
"""


def shown(value: Any) -> Any:
    """A value as JSON has it."""
    if hasattr(value, "asnumpy"):
        array = value.asnumpy()
        return {"tensor": str(array.dtype), "shape": list(array.shape), "values": array.ravel().tolist()}
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(shown, value)]
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    return type(value).__name__


def answer(name: str) -> list[Any]:
    """What the program says, in order; run where ``import mindspore`` gives what is asked."""
    said: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:  # upstream's compiler reads the functions' source
        file = Path(folder) / "program.py"
        file.write_text(BEGINNING + PROGRAMS[name])
        # it also asks functions for their module
        space = {"__name__": "__main__", "say": lambda *values: said.append([shown(value) for value in values])}
        linecache.clearcache()
        _run(name, file, space, said)
    return said


def _run(name: str, file: Path, space: dict[str, Any], said: list[Any]) -> None:
    try:
        exec(compile(file.read_text(), str(file), "exec", dont_inherit=True), space)
    except Exception as error:
        message = re.sub(r"\s+", " ", str(error).split("\n")[0]).strip() if name in WITH_MESSAGE else ""
        # ours may be of torch's type, too
        said.append([next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"), message])
