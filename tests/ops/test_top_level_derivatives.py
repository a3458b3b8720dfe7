"""`mindspore.jvp`, `vjp`, `jacrev`, `jacfwd` and `vmap` stand at top level too, as in MindSpore."""

from __future__ import annotations

import pytest

import mindspore_compat as ms
from mindspore_compat import ops


@pytest.mark.parametrize("name", ["jvp", "vjp", "jacrev", "jacfwd", "vmap"])
def test_the_name_is_that_of_ops(name: str) -> None:
    assert getattr(ms, name) is getattr(ops, name)
    assert name in ms.__all__
