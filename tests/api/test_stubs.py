"""What a language server or type checker finds without running anything: every public name that tables make."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import run_python

ROOT = Path(__file__).parents[2]
#: in a process of its own: modules that other tests import become names of their packages
NAMES = """
from tools.make_stubs import _package, _public_names
from mindspore_compat._ops.declare import METHODS
for package in ("ops", "ops.operations", "nn", "numpy"):
    print(*[f"{package}.{name}" for name in _public_names(_package(package))], f"{package}.no_such_name", sep="\\n")
print(*[f"Tensor.{name}" for name in METHODS], sep="\\n")
"""


def run(*arguments: str) -> str:
    found = run_python(*arguments, cwd=ROOT)
    return found.stdout + found.stderr


@pytest.mark.slow
def test_mypy_finds_every_public_name(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    run("-m", "tools.make_stubs")
    assert run("-m", "tools.make_stubs") == ""  # all are there and say what the code says
    names = run("-c", NAMES)
    assert len(names.split()) > 1700, names
    program = tmp_path / "program.py"
    program.write_text("import mindspore_compat.numpy as numpy\nfrom mindspore_compat import Tensor, nn, ops\n" + names)
    found = run("-m", "mypy", "--follow-imports=silent", "--config-file", "setup.cfg", str(program))
    missing = [line for line in found.splitlines() if "has no attribute" in line]
    assert len(missing) == 4 and all("no_such_name" in line for line in missing), found
