"""Sources of the API reference: one page an area, from the coverage table's names that are there.

    python -m tools.make_reference [FOLDER]      # default: docs/reference/generated

`docs/conf.py` calls it before Sphinx reads its sources, so that no list of names is kept by hand. An object with
several spellings stands once, under the shortest one in the package that defines it, with its docstring.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from mindspore_compat._api.coverage import Row, read_table
from mindspore_compat._api.errors import PACKAGE, UPSTREAM
from mindspore_compat._api.resolve import ABSENT, resolve

__all__ = ["Entry", "entries", "write"]

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "generated"
#: packages with a page of their own; other names stand on the page of `mindspore` itself
AREAS = """
boost communication compression compression.quant context dataset dataset.audio dataset.text dataset.transforms
dataset.vision amp mindrecord nn nn.probability nn.transformer numpy ops parallel profiler train
""".split()
KINDS = {"class": "Classes", "function": "Functions", "data": "Constants and other objects"}

Entry = tuple[str, str]  # name without "mindspore.", directive: class, function or data


def _is_public(row: Row) -> bool:
    """Whether scripts are meant to write it: no private part, no member, and there."""
    return row.state in ("full", "partial") and "._" not in row.name and row.kind not in ("module", "member")


def _directive(value: Any) -> str:
    if inspect.isclass(value):
        return "class"
    return "function" if callable(value) and hasattr(value, "__name__") else "data"


def _page_of(name: str) -> str:
    """The longest area that the name lies in; "mindspore" if none."""
    folder = name.rpartition(".")[0]
    found = [area for area in AREAS if folder == area or folder.startswith(area + ".")]
    return max(found, key=len, default=UPSTREAM)


def _best(names: list[str], module: str) -> str:
    """Of an object's spellings the shortest in the package that defines it: train.Model, not Model."""
    own = [name for name in names if (module + ".").startswith(f"{PACKAGE}.{_page_of(name)}.")]
    return min(own or names, key=lambda text: (text.count("."), len(text), text))


def entries() -> dict[str, list[Entry]]:
    """{area: its names, sorted}; each object once."""
    spellings: dict[int, list[str]] = defaultdict(list)
    values: dict[int, Any] = {}
    for row in filter(_is_public, read_table()):
        value = resolve(row.name)
        parent = resolve(row.name.rpartition(".")[0])
        if value is ABSENT or inspect.ismodule(value) or not inspect.ismodule(parent):
            continue
        is_plain = isinstance(value, (int, float, str, tuple, type(None)))
        key = hash(row.name) if is_plain else id(value)  # equal numbers and strings are not one object
        spellings[key].append(row.name.removeprefix(UPSTREAM + "."))
        values[key] = value
    pages: dict[str, list[Entry]] = defaultdict(list)
    for key, names in spellings.items():
        name = _best(names, getattr(values[key], "__module__", None) or "")
        pages[_page_of(name)].append((name, _directive(values[key])))
    return {area: sorted(found) for area, found in sorted(pages.items())}


def _page(area: str, found: list[Entry]) -> str:
    title = area if area == UPSTREAM else f"{UPSTREAM}.{area}"
    lines = [title, "=" * len(title), ""]
    for kind, heading in KINDS.items():
        names = [name for name, directive in found if directive == kind]
        if not names:
            continue
        lines += [heading, "-" * len(heading), ""]
        for name in names:
            lines.append(f".. auto{kind}:: {PACKAGE}.{name}")
            lines += {"class": ["   :members:", ""], "function": [""], "data": ["   :no-value:", ""]}[kind]
    return "\n".join(lines)


def write(folder: Path = FOLDER) -> list[str]:
    """Write a page for each area into ``folder``; the areas are returned. Pages that do not change are left alone, so
    that Sphinx does not read them again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = {f"{area}.rst": _page(area, found) for area, found in entries().items()}
    for old in folder.glob("*.rst"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return [name.removesuffix(".rst") for name in pages]


if __name__ == "__main__":
    print(*write(*map(Path, sys.argv[1:2])), sep="\n")
