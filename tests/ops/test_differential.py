"""Every covered operator, layer, Tensor member and numpy function is compared with real MindSpore or listed with a
reason.
"""

from __future__ import annotations

from tests.ops.differential import PAGE, computations, covered, exceptions, lacking, operators, page, shares

#: nothing to compute: classes to derive from, names that raise or print, upstream's compiler
_UNNAMED = set(
    """
    IsConstant PrimitiveWithCheck Pull env_get hastype is_tensor_bool_cond linearize
    tensordump
    """.split()
)


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


def test_every_operator_is_named_by_a_test() -> None:
    kinds = operators()
    unnamed = sorted(name for name, kind in kinds.items() if not kind)
    assert not set(unnamed) - _UNNAMED, f"compare them in tests/ops/cases_9_*.txt, or test them: {unnamed}"
    assert not _UNNAMED - {*unnamed}, "take those out of _UNNAMED that a test names now"
    assert sum(kind == "compared" for kind in kinds.values()) >= 0.8 * len(kinds)
