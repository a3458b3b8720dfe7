"""The coverage table says what the code does, in both directions, and its page is the current one."""

from __future__ import annotations

import csv

import pytest

from mindspore_compat._api import coverage, public
from mindspore_compat._api.coverage import Row
from mindspore_compat._api.placeholders import describe_partial, placeholder
from mindspore_compat._api.resolve import ABSENT, argument_differences, resolve

ROWS = coverage.read_table()
STALE = "run `make coverage` and commit the result"


@pytest.fixture(scope="module")
def refreshed() -> list[Row]:
    return coverage.refreshed(ROWS)


def test_no_name_marked_missing_resolves() -> None:
    there = [row.name for row in ROWS if row.state == "missing" and resolve(row.name) is not ABSENT]
    assert not there, f"{STALE}: these are there now: {there}"


def test_every_other_name_resolves() -> None:
    absent = [row.name for row in ROWS if row.state != "missing" and resolve(row.name) is ABSENT]
    assert not absent, f"{STALE}, if losing these is meant: {absent}"


def test_every_state_is_what_the_code_says(refreshed: list[Row]) -> None:
    wrong = [
        f"{old.name}: {old.state} {old.note} -> {new.state} {new.note}"
        for old, new in zip(ROWS, refreshed, strict=True)
        if old != new
    ]
    assert not wrong, f"{STALE}: {wrong}"


def test_page_is_current() -> None:
    page = coverage.page_path()
    assert page.read_text(encoding="utf-8") == coverage.coverage_page(ROWS), STALE


def test_page_of_public_names_is_current() -> None:
    assert public.PAGE.read_text(encoding="utf-8") == public.page(), STALE


def test_every_partial_and_placeholder_has_a_reason() -> None:
    assert [row.name for row in ROWS if row.state in ("partial", "placeholder") and not row.note] == []


def test_names_are_sorted_and_unique() -> None:
    names = [row.name for row in ROWS]
    assert names == sorted(set(names))


def test_project_counts_agree_with_the_usage_table() -> None:
    with coverage.USAGE.open(newline="", encoding="utf-8") as file:
        used = {row["name"]: len(row["projects"].split()) for row in csv.DictReader(file)}
    assert {row.name: row.projects for row in ROWS if row.projects} == used


def row(state: str = "missing", note: str = "", kind: str = "class") -> Row:
    return Row("mindspore.x", kind, 1, "", state, note)


@pytest.mark.parametrize(
    ("old", "found", "expected"),
    [
        (row(), ("full", ""), ("full", "")),
        (row("partial", "no sparse input"), ("full", ""), ("partial", "no sparse input")),
        (row("partial", "arguments: lacks axis"), ("full", ""), ("full", "")),
        (row("partial", "no sparse input"), ("missing", ""), ("missing", "no sparse input")),
        (row("full"), ("partial", "arguments: lacks x"), ("partial", "arguments: lacks x")),
        (row("missing", "", kind="gone"), ("missing", ""), ("missing", "not in MindSpore 2.10")),
        (row("missing", "not in MindSpore 2.10", kind="gone"), ("full", ""), ("full", "")),
        (row("full", "no MindSpore has it"), ("full", ""), ("full", "no MindSpore has it")),
        (row("full", "as torch has it"), ("partial", "torch's own: …"), ("full", "as torch has it")),
    ],
)
def test_refreshing_keeps_what_a_person_wrote(old: Row, found: tuple[str, str], expected: tuple[str, str]) -> None:
    new = coverage._with_state(old, coverage.State(*found))
    assert (new.state, new.note) == expected


def test_marks_in_the_code_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import mindspore_compat

    half = describe_partial("CPU only")(type("Half", (), {}))
    monkeypatch.setattr(mindspore_compat, "Half", half, raising=False)
    monkeypatch.setattr(mindspore_compat, "Stub", placeholder("mindspore.Stub", "needs Ascend."), raising=False)
    assert coverage.derive("mindspore.Half", "") == ("partial", "CPU only")
    assert coverage.derive("mindspore.Stub", "") == ("placeholder", "needs Ascend.")


@pytest.mark.parametrize(
    ("ours", "upstream", "difference"),
    [
        (lambda x, axis=0: 0, "(x, axis=0)", ""),
        (lambda x, axis=0, extra=None: 0, "(x, axis=0)", ""),
        (lambda x: 0, "(x, axis=0)", "lacks axis"),
        (lambda x, axis=1: 0, "(x, axis=0)", "default of axis is 1, MindSpore's 0"),
        (lambda axis, x: 0, "(x, axis)", "order is axis, x; MindSpore's x, axis"),
        (lambda x, **kw: 0, "(x, axis=0)", ""),
        (lambda *args, **kw: 0, "(x, axis=0)", None),
        (lambda x: 0, "", None),
        (lambda x, dtype=None: 0, "(x, dtype=...)", ""),
        (3, "(x)", None),
    ],
)
def test_argument_differences(ours: object, upstream: str, difference: str | None) -> None:
    assert argument_differences(ours, upstream) == difference


def test_instance_attributes_resolve_by_the_methods_that_set_them() -> None:
    assert resolve("mindspore.nn.Cell.cls_name") is not ABSENT
    assert resolve("mindspore.nn.Cell.no_such_attribute") is ABSENT
