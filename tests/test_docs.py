"""The examples of the documentation run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def _examples() -> list[tuple[str, str]]:
    return [
        (f"{page}-{number}", code)
        for page in PAGES
        for number, code in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S), 1)
    ]


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in _examples()])
def test_an_example_runs(code: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_there_are_examples() -> None:
    assert len(_examples()) >= 3


def test_differences_are_few_and_counted() -> None:
    text = (ROOT / "docs/differences.md").read_text()
    stated = re.search(r"lists (\d+) differences", text)
    assert stated and int(stated[1]) == len(re.findall(r"^\| (?!You write|---)", text, re.M)) <= 60
