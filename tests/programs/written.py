"""Which programs are written by hand. Their files import `mindspore`, so names are read from the source."""

from __future__ import annotations

import ast
import re
from pathlib import Path

__all__ = ["derivative_programs", "derivatives", "python_programs"]

HERE = Path(__file__).parent


def python_programs() -> list[str]:
    """What a worker takes, for each function of ``rec``."""
    path = HERE / "written_python.py"
    return [f"{path}:{name}" for name in re.findall(r"^def (\w+)\(rec\)", path.read_text(), re.MULTILINE)]


def derivatives() -> tuple[list[str], list[str]]:
    """(losses, ways to train) of written_derivatives.py."""
    tables: dict[str, list[str]] = {}
    for node in ast.parse((HERE / "written_derivatives.py").read_text()).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Dict):
            tables[node.targets[0].id] = [key.value for key in node.value.keys if isinstance(key, ast.Constant)]
    return tables["LOSSES"], tables["TRAINERS"]


def derivative_programs(every: int = 1) -> list[str]:
    """All pairs, or each loss under "one_step" and one pair in ``every`` of the others."""
    losses, trainers = derivatives()
    path = HERE / "written_derivatives.py"
    return [
        f"{path}:{loss}__{trainer}"
        for i, loss in enumerate(losses)
        for j, trainer in enumerate(trainers)
        if (i + j) % every == 0 or trainer == "one_step"
    ]
