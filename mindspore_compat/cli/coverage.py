"""``mindspore-compat coverage``: the coverage figures, or the state of some names."""

from __future__ import annotations

import argparse

from mindspore_compat._api import coverage, public
from mindspore_compat._api.check import state_of

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Print the figures, with names their states; ``--write`` derives the table from the code first."""
    parser = argparse.ArgumentParser(prog="mindspore-compat coverage")
    parser.add_argument("names", nargs="*", metavar="NAME", help="mindspore.nn.Cell, or a prefix such as mindspore.nn")
    parser.add_argument("--write", action="store_true", help="derive the table from the code, write it and its page")
    options = parser.parse_args(arguments)
    rows = coverage.read_table()
    if options.names:
        return _show_names(options.names)
    if options.write:
        before = {row.name: row.state for row in rows}
        rows = coverage.refreshed(rows)
        coverage.write_table(rows)
        page = coverage.page_path()
        if page.parent.is_dir():  # an installed package has no docs
            page.write_text(coverage.coverage_page(rows), encoding="utf-8")
            public.PAGE.write_text(public.page(), encoding="utf-8")
        for row in rows:
            if row.state in ("missing", "partial", "placeholder") and before[row.name] == "full":
                print(f"no longer full: {row.name} is {row.state}. {row.note}".rstrip())
    print("\n".join(coverage.summary(rows)))
    print("Waited for most by nearly complete projects: ", end="")
    print(", ".join(f"{name} ({count})" for name, count in coverage.next_names(rows)) or "nothing")
    return 0


def _show_names(names: list[str]) -> int:
    rows = coverage.read_table()
    exit_code = 0
    for name in names:
        name = name if name.startswith("mindspore.") else f"mindspore.{name}"
        below = [row for row in rows if row.name.startswith(name + ".")]
        _, state = state_of(name)
        print(f"{name}: {state.state}" + (f": {state.note}" * bool(state.note)))
        for row in below:
            print(f"  {row.name}: {row.state}" + (f": {row.note}" * bool(row.note)))
        exit_code |= state.state == "missing"
    return int(exit_code)
