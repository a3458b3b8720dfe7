"""The helper that asks a real MindSpore, and the one thing the front door takes from it: names and signatures."""

from __future__ import annotations

import pytest

from mindspore_compat._api.coverage import read_table
from tests.support.oracle import oracle_python, run_oracle
from tools.make_upstream import ask_mindspore

pytestmark = pytest.mark.oracle


def test_oracle_gives_values_and_takes_arguments() -> None:
    assert run_oracle("import sys, mindspore\ngive([mindspore.__version__, sys.argv[1:]])", "a") == ["2.10.0", ["a"]]


def test_failure_in_the_oracle_is_shown() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_oracle("1 / 0")


def test_kinds_and_signatures_of_the_table_are_the_real_ones() -> None:
    rows = [row for row in read_table() if row.kind != "gone"]
    facts = ask_mindspore(oracle_python() or "", [row.name for row in rows])
    wrong = [row.name for row in rows if facts.get(row.name, ["member", ""]) != [row.kind, row.signature]]
    assert not wrong
