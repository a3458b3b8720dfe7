"""Sphinx: `make docs`, or `sphinx-build docs build/docs` with the extra `docs` installed. Needs no network."""

from __future__ import annotations

import configparser
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.make_reference import write  # noqa: E402

write()

_metadata = configparser.ConfigParser(interpolation=None)
_metadata.read(ROOT / "setup.cfg", encoding="utf-8")
project = "mindspore_compat"
author = "mindspore_compat maintainers"
project_copyright = author
release = version = _metadata["metadata"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "contents"
html_theme = "furo"  # light and dark; tables scroll inside of themselves; nothing is loaded from other hosts
html_title = f"mindspore_compat {version}"
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_show_sourcelink = False
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

default_role = "code"  # docstrings write `name` for code
add_module_names = False
autodoc_typehints = "none"  # signatures are MindSpore's; types stand in the text
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
napoleon_numpy_docstring = False
myst_heading_anchors = 2
# links out of docs/ are for those who read the files in the repository
suppress_warnings = ["myst.xref_missing"]

_CODE = re.compile(r"(``.*?``|`.*?`)")


def _escaped(line: str) -> str:
    """``|x|`` and a single ``*`` are mathematics in our docstrings, markup in Sphinx."""
    parts = _CODE.split(line)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"(?<!\*)\*(?!\*)", r"\\*", parts[place].replace("|", r"\|"))
    return "".join(parts)


def _docstring(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Name docstrings of torch's methods and of a constant's type instead of copying them."""
    member, text = name.rpartition(".")[2], inspect.getdoc(value)
    for owner in (torch.Tensor, torch.nn.Module) if what in ("method", "property", "attribute") and text else ():
        if text == inspect.getdoc(getattr(owner, member, None)):
            lines[:] = [f"As ``torch.{'nn.' if owner is torch.nn.Module else ''}{owner.__name__}.{member}``."]
    if what == "data" and inspect.getdoc(value) == inspect.getdoc(type(value)):
        lines[:] = [f"Of type ``{type(value).__name__}``."]
    lines[:] = [_escaped(line) for line in lines]


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _docstring, priority=400)  # before napoleon
