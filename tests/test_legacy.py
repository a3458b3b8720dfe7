"""Every file of `_legacy` names its borrowers."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "mindspore_compat" / "_legacy"
FILES = sorted(path for path in ROOT.rglob("*.py") if path.name != "__init__.py")
BORROWERS = """
    golden-stick graphlearning mindarmour MindAudio MindCV mindediting mindformers MindNLP mindocr mindone mindpose
    mindrlhf mindscience mindyolo reinforcement vllm-mindspore xai zoo
""".split()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_names_the_project_and_the_file_that_imports_it(path: Path) -> None:
    first = (ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0]
    assert any(re.search(rf"\b{name}\b", first, re.IGNORECASE) for name in BORROWERS), "name a borrower"
    assert re.search(r"`[\w./-]+`", first), "name the file that imports it"


def test_there_are_files() -> None:
    assert FILES
