"""The public members of real MindSpore's public classes: writes mindspore_compat/_api/members_2_10.csv.

GLOG_v=4 /opt/oracle/venv/bin/python tests/golden/make_members.py

A row says of classes with the same bases what they add to them. A base without a public name stands under its full
name, in a row of its own, ``is_public`` 0. Members are methods, properties and class attributes without a leading
underscore; what Python's own bases bring (`dict`, `enum.Enum`) is left out.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import warnings
from collections import defaultdict
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "mindspore_compat" / "_api"


def public_classes() -> dict[type, list[str]]:
    """{class of MindSpore: its public names}."""
    found = defaultdict(list)
    with (FOLDER / "public_2_10.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            try:
                owner = importlib.import_module(row["module"])
            except ImportError:
                continue  # a class: what it holds stands in its own row
            for name in row["names"].split():
                value = getattr(owner, name, None)
                if inspect.isclass(value) and value.__module__.partition(".")[0] == "mindspore":
                    found[value].append(f"{row['module']}.{name}")
    return found


def ours(cls: type) -> list[type]:
    return [base for base in cls.__bases__ if base.__module__.partition(".")[0] == "mindspore"]


def main() -> None:
    warnings.simplefilter("ignore")
    names = public_classes()
    every = {base for cls in names for base in cls.__mro__ if base.__module__.partition(".")[0] == "mindspore"}
    called = {cls: names[cls][0] if cls in names else f"{cls.__module__}.{cls.__qualname__}" for cls in every}
    rows: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for cls in every:
        added = " ".join(sorted(name for name in vars(cls) if not name.startswith("_")))
        bases = " ".join(called[base] for base in ours(cls))
        rows[int(cls in names), bases, added] += names.get(cls, [called[cls]])
    with (FOLDER / "members_2_10.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("classes", "is_public", "bases", "members"))
        for (is_public, bases, added), classes in sorted(rows.items(), key=lambda item: sorted(item[1])):
            writer.writerow((" ".join(sorted(classes)), is_public, bases, added))


if __name__ == "__main__":
    main()
