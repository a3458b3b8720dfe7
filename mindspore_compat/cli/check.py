"""``mindspore-compat check``: MindSpore names that files use and this package does not cover."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from mindspore_compat._api.check import Use, find_uses, python_files, state_of, written_before_2_0
from mindspore_compat._api.public import changed_meaning
from mindspore_compat._api.releases import notes, written_for
from mindspore_compat._api.resolve import FULL, MISSING, PLACEHOLDER

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Print the uses that are not covered; 1 if there are any, or files that are not Python 3, 2 for a missing file."""
    parser = argparse.ArgumentParser(prog="mindspore-compat check")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--all", action="store_true", help="list covered names too")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    options = parser.parse_args(arguments)
    uses: list[Use] = []
    unreadable: list[str] = []
    for path in options.paths:
        if not path.exists():
            print(f"mindspore-compat check: no such file or folder: '{path}'", file=sys.stderr)
            return 2
        for file in python_files(path):
            try:
                uses += find_uses(file)
            except (SyntaxError, ValueError) as error:
                unreadable.append(f"{file}:{getattr(error, 'lineno', None) or 1}: not Python 3: {error}")
    states = {use.name: state_of(use.name) for use in uses}
    counts = Counter(state.state for _, state in states.values())
    found = [
        {"path": use.path, "line": use.line, "name": states[use.name][0], **states[use.name][1]._asdict()}
        for use in uses
        if options.all or states[use.name][1].state != FULL
    ]
    meanings = changed_meaning() | notes()
    found += [
        {"path": use.path, "line": use.line, "name": use.name, "state": "other meaning", "note": meanings[use.name]}
        for use in uses
        if use.name in meanings and states[use.name][1].state == FULL
    ]
    found.sort(key=lambda use: (use["path"], use["line"], use["name"]))
    if options.json:
        print(json.dumps({"uses": found, "names": dict(counts), "unreadable": unreadable}, indent=1))
    else:
        for use in found:
            note = f": {use['note']}" if use["note"] else ""
            print(f"{use['path']}:{use['line']}: {use['name']} {use['state']}{note}")
        print("\n".join(unreadable), end="\n" * bool(unreadable))
        span = written_for({use.name for use in uses})
        if span is not None:
            is_old = written_before_2_0(uses) is not None
            hint = f" Run it with --release {span[1]}: the calls above had another meaning." if is_old else ""
            print(f"Its names are those of MindSpore {span[0]} to {span[1]}.{hint}")
        print(f"{len(states)} MindSpore names: " + (", ".join(f"{n} {s}" for s, n in sorted(counts.items())) or "none"))
    return 1 if counts[MISSING] or counts[PLACEHOLDER] or unreadable else 0
