"""Coverage table `upstream.csv`: reader, states derived from the code, summary, and `docs/coverage.md`."""

from __future__ import annotations

import csv
import dataclasses
import functools
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from .errors import COVERAGE_PAGE
from .resolve import FULL, MISSING, PARTIAL, PLACEHOLDER, State, derive, resolve

TABLE = Path(__file__).with_name("upstream.csv")
USAGE = Path(__file__).with_name("usage.csv")
NUM_ZOO_PROJECTS = 451  # usage.csv numbers the projects of MindSpore's model zoo first
USABLE = (FULL, PARTIAL)
OLD_ONLY = "gone"
OLD_NOTE = "not in MindSpore 2.10"
_DERIVED_NOTES = ("arguments: ", "torch's own: ", "same object as ", OLD_NOTE)


@dataclasses.dataclass(frozen=True)
class Row:
    """One MindSpore name. `kind` ``gone``: MindSpore 2.10 does not have it, old scripts do."""

    name: str
    kind: str
    projects: int
    signature: str
    state: str
    note: str

    @property
    def area(self) -> str:
        """Second part of the name, ``mindspore`` for a top-level name."""
        parts = self.name.split(".")
        return parts[1] if len(parts) > 2 else "mindspore"


def read_table(path: Path = TABLE) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return [Row(**{**row, "projects": int(row["projects"])}) for row in csv.DictReader(file)]  # type: ignore[arg-type]


def write_table(rows: Iterable[Row], path: Path = TABLE) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in dataclasses.fields(Row)])
        writer.writerows(dataclasses.astuple(row) for row in rows)


def refreshed(rows: Sequence[Row]) -> list[Row]:
    """Return `rows` with the present state of the code."""
    derived = [_with_state(row, derive(row.name, row.signature)) for row in rows]
    return _spread_partial(derived)


def _with_state(row: Row, found: State) -> Row:
    by_hand = "" if row.note.startswith(_DERIVED_NOTES) else row.note
    if found.state == MISSING:
        # a hand-written note may stay: it says why, or what to use instead
        return dataclasses.replace(row, state=MISSING, note=by_hand or (OLD_NOTE if row.kind == OLD_ONLY else ""))
    if found.state == FULL and by_hand and row.state == PARTIAL:
        return dataclasses.replace(row, note=by_hand)
    if found.note.startswith("torch's own: ") and by_hand.startswith("as torch"):
        return dataclasses.replace(row, state=FULL, note=by_hand)
    return dataclasses.replace(row, state=found.state, note=found.note or (by_hand if row.state == found.state else ""))


def _spread_partial(rows: list[Row]) -> list[Row]:
    """Mark all spellings of a partial object as partial."""
    partial: dict[int, Row] = {}
    for row in rows:
        if row.state == PARTIAL and row.kind in ("class", "function"):
            partial.setdefault(id(resolve(row.name)), row)
    result = []
    for row in rows:
        source = partial.get(id(resolve(row.name))) if row.state == FULL else None
        result.append(
            dataclasses.replace(row, state=PARTIAL, note=f"same object as {source.name}, see there") if source else row
        )
    return result


@functools.cache
def _used_names() -> dict[int, list[str]]:
    """Return project number -> names it uses."""
    names: dict[int, list[str]] = {}
    with USAGE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for project in row["projects"].split():
                names.setdefault(int(project), []).append(row["name"])
    return names


def _lacking(rows: Sequence[Row], *, count_old: bool) -> list[list[str]]:
    usable = {row.name for row in rows if row.state in USABLE or (row.kind == OLD_ONLY and not count_old)}
    return [[n for n in _used_names()[project] if n not in usable] for project in range(NUM_ZOO_PROJECTS)]


def complete_projects(rows: Sequence[Row], *, count_old: bool = True) -> int:
    """Return the number of zoo projects with every name they use; `count_old` False ignores names gone in 2.10."""
    return sum(not lacking for lacking in _lacking(rows, count_old=count_old))


def next_names(rows: Sequence[Row], count: int = 10) -> list[tuple[str, int]]:
    """Return the absent names that most projects with at most three absent names wait for."""
    waits = Counter(name for lacking in _lacking(rows, count_old=True) if len(lacking) <= 3 for name in lacking)
    return sorted(waits.items(), key=lambda item: (-item[1], item[0]))[:count]


def summary(rows: Sequence[Row]) -> list[str]:
    """Return the figures, one sentence each."""
    states = Counter(row.state for row in rows)
    uses = sum(row.projects for row in rows)
    met = sum(row.projects for row in rows if row.state in USABLE)
    return [
        f"{len(rows)} names: " + ", ".join(f"{states[s]} {s}" for s in (FULL, PARTIAL, PLACEHOLDER, MISSING)) + ".",
        f"Weighted by the projects that use them: {met / uses:.1%} full or partial.",
        f"{complete_projects(rows)} of the {NUM_ZOO_PROJECTS} model-zoo projects find every name they use "
        f"({complete_projects(rows, count_old=False)} not counting names that MindSpore 2.10 itself lacks).",
    ]


def coverage_page(rows: Sequence[Row]) -> str:
    """Return the text of docs/coverage.md."""
    lines = [
        "# Coverage",
        "",
        "GENERATED by `make coverage` from `mindspore_compat/_api/upstream.csv`; do not edit.",
        "",
        "Use this page to look up a name that projects use. `mindspore-compat coverage NAME` prints one name.",
        "",
        "- **full**: with MindSpore's arguments. **partial**: the note has the difference.",
        "- **placeholder**: can be imported, raises `UnsupportedError` when called. **missing**: cannot be imported.",
        "- A number is how many of 516 counted projects (451 of them from MindSpore's model zoo) use that spelling.",
        "",
        *summary(rows),
        "",
        "| area | full | partial | placeholder | missing | projects' uses met |",
        "|---|---|---|---|---|---|",
    ]
    areas: dict[str, list[Row]] = {}
    for row in rows:
        areas.setdefault(row.area, []).append(row)
    for area, members in sorted(areas.items()):
        states = Counter(row.state for row in members)
        uses = sum(row.projects for row in members)
        met = sum(row.projects for row in members if row.state in USABLE)
        share = f"{met / uses:.0%}" if uses else "–"
        counts = " | ".join(str(states[state]) for state in (FULL, PARTIAL, PLACEHOLDER, MISSING))
        lines.append(f"| [{area}](#{area.lower()}) | {counts} | {share} |")
    for area, members in sorted(areas.items()):
        lines += ["", f"## {area}", *_area_section(members)]
    return "\n".join(lines) + "\n"


def _area_section(rows: list[Row]) -> list[str]:
    lines = []
    full = [row.name.removeprefix("mindspore.") for row in rows if row.state == FULL]
    if full:
        lines += ["", f"Full ({len(full)}): " + ", ".join(f"`{name}`" for name in full)]
    rest = sorted(
        (row for row in rows if row.state != FULL or row.note), key=lambda row: (row.state, -row.projects, row.name)
    )
    if rest:
        lines += ["", "| name | state | projects | note |", "|---|---|---|---|"]
        lines += [f"| `{row.name}` | {row.state} | {row.projects} | {_escape(row.note)} |" for row in rest]
    return lines


def _escape(note: str) -> str:
    return note.replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def page_path() -> Path:
    """Return docs/coverage.md of the checkout this package runs from."""
    return Path(__file__).parents[2] / COVERAGE_PAGE
