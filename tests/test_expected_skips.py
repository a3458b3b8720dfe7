"""CI fails for tests that are skipped without a reason in the list."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import expected_skips, unexpected_skips
from tests.support.processes import run_python

LIST = Path(__file__).parent / "expected_skips.txt"


def test_what_is_expected_may_be_skipped_as_often_as_the_list_says() -> None:
    expected = expected_skips("# why\n2 no CUDA\n\n1 ^the page$\n")
    assert unexpected_skips(["no CUDA device", "no CUDA device", "the page"], expected) == []
    assert unexpected_skips(["no CUDA device"] * 3, expected) == ["3 x no CUDA, 2 expected"]
    assert unexpected_skips(["the page is gone"] * 2, expected) == ["2 x the page is gone"]
    assert unexpected_skips(["no CUDA device"] * 999, expected_skips("any no CUDA")) == []


def test_the_list_reads() -> None:
    assert all(count > 0 for count, _ in expected_skips(LIST.read_text()))


def test_a_run_with_an_unexpected_skip_fails(tmp_path: Path) -> None:
    (tmp_path / "test_skips.py").write_text("import pytest\n\n\ndef test_it():\n    pytest.skip('just so')\n")
    (tmp_path / "conftest.py").write_text("from tests.conftest import *  # noqa\n")
    known = tmp_path / "known.txt"
    known.write_text("1 another")
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(tmp_path)]
    found = run_python("-m", "pytest", *options, str(tmp_path), "--known-skips", str(known), cwd=tmp_path)
    assert found.returncode == 1 and "just so" in found.stdout, found.stdout + found.stderr
