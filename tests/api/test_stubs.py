"""What a language server or type checker finds without running anything: every public name that tables make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mindspore_compat.ops import _tensor_methods
from tools import make_stubs

ROOT = Path(__file__).parents[2]
#: in a process of its own: modules that other tests import become names of their packages
NAMES = """
from tools.make_stubs import _package, _public_names
from mindspore_compat.ops._tensor_methods import METHODS
for package in ("ops", "ops.operations", "nn", "numpy"):
    print(*[f"{package}.{name}" for name in _public_names(_package(package))], f"{package}.no_such_name", sep="\\n")
print(*[f"Tensor.{name}" for name in METHODS], sep="\\n")
"""


def run(*arguments: str) -> str:
    found = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
    return found.stdout + found.stderr


def test_stubs_say_what_the_code_says() -> None:
    assert run("-m", "tools.make_stubs", "--check") == "", "run python -m tools.make_stubs"


def test_a_changed_signature_makes_a_stub_stale(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(_tensor_methods.METHODS, "logsumexp", lambda input, other: None)
    assert make_stubs.main(["--check"]) == 1
    assert "stale: mindspore_compat/common/_installed_methods.pyi" in capsys.readouterr().out


@pytest.mark.slow
def test_mypy_finds_every_public_name(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    names = run("-c", NAMES)
    assert len(names.split()) > 1700, names
    program = tmp_path / "program.py"
    program.write_text("import mindspore_compat.numpy as numpy\nfrom mindspore_compat import Tensor, nn, ops\n" + names)
    found = run("-m", "mypy", "--follow-imports=silent", "--config-file", "setup.cfg", str(program))
    missing = [line for line in found.splitlines() if "has no attribute" in line]
    assert len(missing) == 4 and all("no_such_name" in line for line in missing), found
