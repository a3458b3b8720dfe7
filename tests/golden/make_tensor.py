"""Writes tensor.json with what real MindSpore answers to tests/common/expressions.py: `ORACLE_PYTHON
make_tensor.py`.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))

import mindspore
from expressions import EXPRESSIONS, PROGRAMS, evaluate


def answer(source, is_program):
    """Its answer; an error of MindSpore's asynchronous execution must not show up in the next one."""
    found = evaluate(mindspore, source, is_program)
    for _ in range(3):
        evaluate(mindspore, "Tensor([1.]) + 1", False)
    return found


answers = {source: answer(source, False) for source in EXPRESSIONS}
programs = {name: answer(source, True) for name, source in PROGRAMS.items()}
(HERE / "tensor.json").write_text(json.dumps({"expressions": answers, "programs": programs}, indent=0) + "\n")
