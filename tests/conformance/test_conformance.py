"""The harness of upstream's tests, on mirrors made here; and its page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import examples, report
from tests.conformance.suites import REPOS

ROOT = Path(__file__).parents[2]

PROGRAM = """
import numpy as np
import pytest
import mindspore as ms
from mindspore import Tensor
from mindspore._inner import something


def test_adds():
    assert (Tensor([1.0]) + 1).asnumpy() == 2


def test_wrong():
    assert (Tensor([1.0]) + 1).asnumpy() == 3


def test_inside():
    something.of_upstream()


@pytest.mark.parametrize("value", [1, 2])
def test_each(value):
    assert value == 1


def test_dies():
    import os
    os._exit(7)


def test_after_it():
    assert ms.__name__.startswith("mindspore")
"""


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    for place in REPOS.values():
        tree, git = tmp_path / "tree", tmp_path / "mirror" / place
        file = tree / "tests/ut/python/metrics/test_sample.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        (tree / "tests/vm_impl").mkdir(exist_ok=True)
        (tree / "tests/vm_impl/__init__.py").write_text("")
        file.write_text(PROGRAM)
        git.parent.mkdir(parents=True, exist_ok=True)
        identity = ["-c", "user.name=x", "-c", "user.email=x@y"]
        for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "x", "--allow-empty"]):
            subprocess.run(["git", "--git-dir", str(git), "--work-tree", str(tree), *command], check=True)
    return tmp_path / "mirror"


def test_a_run_of_a_file(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "tests.conformance.run", "--suite", "metrics", "--out", str(out), "-j", "1"]
    told = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "MIRROR": str(mirror)}, capture_output=True, text=True, timeout=300
    )
    assert told.returncode == 0, told.stderr
    rows = {row["nodeid"].partition("::")[2]: row for row in json.loads(out.read_text())["tests"]}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "test_adds": "passed",
        "test_wrong": "failed",
        "test_inside": "failed",
        "test_each[1]": "passed",
        "test_each[2]": "failed",
        "test_dies": "error",
        "test_after_it": "passed",
    }  # of the newest version: the others hold unchanged copies
    assert report.INSIDE.search(rows["test_inside"]["message"]) and "exit 7" in rows["test_dies"]["message"]


def test_without_mirrors_it_says_what_it_needs() -> None:
    command = [sys.executable, "-m", "tests.conformance.run", "--list"]
    told = subprocess.run(command, cwd=ROOT, env={**os.environ, "MIRROR": ""}, capture_output=True, text=True)
    assert told.returncode == 1 and "set MIRROR to a folder" in told.stderr


def test_a_miss_fails_here_and_passes_there() -> None:
    entry = {
        "passed": ["test_a"],
        "failed": {"test_b": "x", "test_c[1]": "y", "test_d": "z", "test_e": "w"},
        "real": {"test_b": "failed", "test_c[1]": "passed", "test_e[0]": "passed"},
    }
    assert report.misses(entry, []) == {"test_c[1]": "y", "test_e": "w"}  # nothing of its file was collected here
    assert report.misses(entry, ["test_d"]).keys() == {"test_c[1]", "test_d", "test_e"}


def test_the_page_is_that_of_the_results() -> None:
    assert report.PAGE.read_text() == report.page(report.read(report.STORED), report.read(report.BASELINE))


def test_the_code_of_examples() -> None:
    text = "A sum.\n\n    Examples:\n        >>> x = 1\n        >>> x + 1\n        2\n        >>> print(x)\n        1\n"
    assert examples.statements(text) == "x = 1\n_show(x + 1)\nprint(x)\n"
    assert examples.statements("No example.") == ""


def test_outputs_of_examples() -> None:
    assert examples.alike("[1.00001  2.0] torch.float32", "[ 1.0 2.0] Float32")
    assert not examples.alike("1.1", "1.0") and not examples.alike("[1, 2]", "[1]")
    assert examples.alike("[nan inf]", "[ nan inf]") and not examples.alike("nan", "1.0")
    assert examples.outcome("1\n@END", "2\n@END") == "prints otherwise"
    assert examples.outcome("@EXC ValueError 3 a", "@END") == "fails here"
    assert examples.outcome("@EXC ValueError 3 a", "@EXC ValueError 3 b") == "both fail alike"
    assert examples.outcome("@END", "@EXC ValueError 3 b") == "ends here alone"
