"""Public members of MindSpore 2.10's public classes, and their presence here."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .placeholders import STUB_MARK
from .resolve import ABSENT, is_set_on_instances, resolve

_TABLE = Path(__file__).with_name("members_2_10.csv")
_ABSENT = Path(__file__).with_name("members_absent.csv")


class LeftOut(NamedTuple):
    """Row of `members_absent.csv`: patterns as in `fnmatch`, several with spaces between, and the reason."""

    classes: str
    members: str
    reason: str

    def covers(self, cls: str, member: str) -> bool:
        """Return whether the row matches that member of that class (without the leading ``mindspore.``)."""
        return any(fnmatchcase(member, pattern) for pattern in self.members.split()) and any(
            fnmatchcase(cls, pattern) for pattern in self.classes.split()
        )


@cache
def public_members() -> dict[str, frozenset[str]]:
    """Return {public class: its public members, inherited ones included}."""
    bases: dict[str, list[str]] = {}
    added: dict[str, list[str]] = {}
    public = []
    with _TABLE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for name in row["classes"].split():
                bases[name], added[name] = row["bases"].split(), row["members"].split()
                if row["is_public"] == "1":
                    public.append(name)

    @cache
    def members(name: str) -> frozenset[str]:
        return frozenset(added[name]).union(*(members(base) for base in bases[name]))

    return {name: members(name) for name in sorted(public)}


@cache
def left_out() -> tuple[LeftOut, ...]:
    """Return the exceptions with their reasons."""
    with _ABSENT.open(newline="", encoding="utf-8") as file:
        return tuple(LeftOut(**row) for row in csv.DictReader(file))


def reason_of(cls: str, member: str) -> str:
    """Return the reason why the member is left out, ``""`` without one."""
    name = cls.removeprefix("mindspore.")
    return next((row.reason for row in left_out() if row.covers(name, member)), "")


def absent_members() -> Iterator[tuple[str, str]]:
    """Yield (class, member) for each member that is not here, of the classes that are here."""
    for name, members in public_members().items():
        found = resolve(name)
        if _is_here(found):
            yield from ((name, member) for member in sorted(members) if not _has(found, member))


def member_figures() -> tuple[int, int]:
    """Return (number of members of the classes that are here, number of those members that are here)."""
    total = sum(len(members) for name, members in public_members().items() if _is_here(resolve(name)))
    return total, total - sum(1 for _ in absent_members())


def _is_here(found: object) -> bool:
    return found is not ABSENT and STUB_MARK not in getattr(found, "__dict__", {})


def _has(cls: object, member: str) -> bool:
    if hasattr(cls, member) or not isinstance(cls, type):
        return hasattr(cls, member)
    # An enum's ``value`` is there of its members only.
    return any(member in vars(base) for base in cls.__mro__) or is_set_on_instances(cls, member)
