"""Every covered operator, layer, Tensor member and numpy function is compared with real MindSpore or listed with a
reason.
"""

from __future__ import annotations

from tests.ops.differential import PAGE, computations, covered, exceptions, lacking, page, shares


def test_what_is_not_compared_is_listed_with_its_reason() -> None:
    missing = [
        f"{item.name} ({lacking(item)})" for item in computations() if lacking(item) and item.name not in exceptions()
    ]
    assert not missing, f"add cases to tests/ops or tests/nn, or a reason to differential_exceptions.csv: {missing}"


def test_what_is_listed_is_covered_and_not_compared() -> None:
    items = {item.name: item for item in covered().values()}
    stale = [
        name
        for name, (lacks, _) in exceptions().items()
        if name not in items or (lacks != "none" and lacking(items[name]) != lacks)
    ]
    assert not stale, f"take out of differential_exceptions.csv, or correct: {stale}"
    assert all(reason for _, reason in exceptions().values())


def test_at_least_95_percent_are_compared_forward_and_backward() -> None:
    assert min(shares()) >= 0.95


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.ops.differential --write"
