"""The table of runs of public repositories."""

from __future__ import annotations

import json

from tests.programs.repositories import __main__ as repositories
from tests.programs.repositories.__main__ import difference, drivers, kit, page, reason_of

drivers.load()
RESULTS = json.loads(repositories.RESULTS.read_text())


def test_the_page_is_that_of_the_results() -> None:
    assert repositories.PAGE.read_text() == page(RESULTS), "run python -m tests.programs.repositories --write"


def test_each_run_is_recorded_once() -> None:
    assert set(RESULTS) == set(kit.RUNS) and len(kit.RUNS) == len({run.driver for run in kit.RUNS.values()})
    assert all(entry["commit"] and "ours" in entry for entry in RESULTS.values())


def test_what_real_mindspore_ends_ends_here() -> None:
    assert not [
        name for name, entry in RESULTS.items() if entry.get("real", {}).get("ended") and not entry["ours"]["ended"]
    ]


def test_the_reason_is_the_exception_of_a_traceback() -> None:
    errors = (
        "Traceback (most recent call last):\n  File\nRuntimeError: \n----\n- Kernel select failed:\n----\nNo X on CPU\n"
    )
    assert reason_of(errors) == "RuntimeError: Kernel select failed: No X on CPU" and reason_of("") == ""


def test_losses_are_compared_relative_to_the_larger_of_one_and_real() -> None:
    assert (
        difference([1.0, 20.0], [1.0, 10.0, 3.0]) == 1.0 and difference([0.1], [0.2]) == 0.1 and difference([], []) == 0
    )
