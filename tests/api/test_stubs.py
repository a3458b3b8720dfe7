"""What a language server or type checker finds without running anything: every public name that tables make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat import Tensor, nn, numpy, ops
from mindspore_compat.ops import _tensor_methods, operations
from tools import make_stubs


def test_stubs_say_what_the_code_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert make_stubs.main(["--check"]) == 0, f"run python -m tools.make_stubs: {capsys.readouterr().out}"


def test_a_changed_signature_makes_a_stub_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_tensor_methods.METHODS, "logsumexp", lambda input, other: None)
    assert make_stubs.main(["--check"]) == 1


@pytest.mark.slow
def test_mypy_finds_every_public_name(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    members = [name for name in dir(Tensor) if not name.startswith("_") and name in vars(Tensor)]
    assert set(_tensor_methods.METHODS) <= set(members)
    of = {"ops": ops, "operations": operations, "nn": nn, "numpy": numpy}
    lines = ["from mindspore_compat import Tensor, nn, numpy, ops", "from mindspore_compat.ops import operations"]
    lines += [f"{owner}.{name}" for owner, module in of.items() for name in make_stubs._public_names(module)]
    lines += [f"Tensor.{name}" for name in _tensor_methods.METHODS]
    lines += ["ops.no_such_name", "operations.NoSuchName", "nn.NoSuchName", "numpy.no_such_name"]
    program = tmp_path / "program.py"
    program.write_text("\n".join(lines))
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--config-file", "setup.cfg", str(program)]
    found = subprocess.run(command, cwd=Path(mindspore_compat.__file__).parents[1], capture_output=True, text=True)
    missing = [line for line in found.stdout.splitlines() if "has no attribute" in line]
    assert len(missing) == 4 and all("such" in line.lower() for line in missing), found.stdout + found.stderr
