"""The examples of the documentation run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.processes import run_python

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    "torch.md",
    "differences.md",
    "distributed.md",
    "export.md",
    "glossary.md",
    "migration.md",
    "performance.md",
    "../SECURITY.md",
    *(f"design/{name}.md" for name in ("amp", "ckpt-format", "dataset", "differentiation", "export", "loop")),
    *(f"design/{name}.md" for name in ("random", "replay", "summary", "tensor")),
]


EXAMPLES = {
    f"{page}-{number}": code
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S), 1)
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    done = run_python("-W", "error::DeprecationWarning", "-c", EXAMPLES[name], cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


def test_differences_are_few_and_counted() -> None:
    text = (ROOT / "docs/differences.md").read_text()
    stated = re.search(r"lists (\d+) differences", text)
    assert stated and int(stated[1]) == len(re.findall(r"^\| (?!You write|---)", text, re.M)) <= 60
