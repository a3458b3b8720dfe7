"""Write docs/map.md: every file of the package with the first sentence of its docstring, so that the map is the tree.

python -m tools.make_map [--check]
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

__all__ = ["first_sentence", "page"]

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "mindspore_compat"
PAGE = ROOT / "docs" / "map.md"
_HEAD = """# Map of the package

Every file with what it says of itself; written by `python -m tools.make_map`. [architecture.md](architecture.md) says
what the rooms are for and who may import whom.

"""


def first_sentence(path: Path) -> str:
    """What a module says of itself, in one line; empty if it says nothing."""
    text = " ".join((ast.get_docstring(ast.parse(path.read_text())) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[a-z`)])\. (?=[A-Z])", text)[0].rstrip(".")


def page() -> str:
    """The text of docs/map.md."""
    lines = []
    for folder in sorted({path.parent for path in PACKAGE.rglob("*.py")}):
        name = folder.relative_to(ROOT).as_posix()
        own = folder / "__init__.py"
        lines += [f"## {name}/", "", f"{first_sentence(own) if own.exists() else ''}", ""]
        files = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
        lines += [f"- `{path.name}`: {first_sentence(path)}" for path in files]
        lines += [""] if files else []
    return _HEAD + "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the page is that of the tree")
    if not parser.parse_args().check:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        sys.exit("docs/map.md is not that of the tree: run python -m tools.make_map")


if __name__ == "__main__":
    main()
