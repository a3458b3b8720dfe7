"""``ops.communication`` on two processes, and its arguments."""

from __future__ import annotations

from pathlib import Path

from mindspore_compat import mint, ops
from mindspore_compat.ops import communication
from tests.support.ranks import run_ranks


def test_two_processes() -> None:
    assert run_ranks(Path(__file__).with_name("communication_program.py"), 2) == ["OK\n", "OK\n"]


def test_ops_shows_all_but_gather_and_scatter() -> None:
    for name in communication.__all__:
        if name not in ("gather", "scatter"):
            assert getattr(ops, name) is getattr(communication, name)
    assert ops.gather is not communication.gather
    assert ops.P2POp is mint.distributed.P2POp
