"""Bad arguments get the exception type that real MindSpore raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat import dataset, train  # noqa: F401
from mindspore_compat.train.data_sink import data_sink
from tests.train.errors_program import ERRORS, raised

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "train_errors.json").read_text())

#: what differs from MindSpore on purpose
DIFFERENT: dict[str, str | None] = {
    # upstream trips over the wrong object somewhere inside
    "train:dataset_none": "TypeError",
    "eval:dataset": "TypeError",
    "predict:shape": "RuntimeError",  # torch's
    "ReduceLROnPlateau:factor_int": "ValueError",
}


class _Names:
    """The package, and train's names beside it."""

    data_sink = staticmethod(data_sink)

    def __getattr__(self, name):
        return getattr(train, name) if hasattr(train, name) and not hasattr(ms, name) else getattr(ms, name)


@pytest.mark.parametrize("name", ERRORS)
def test_bad_arguments_raise_what_upstream_raises(name: str) -> None:
    ours = raised(_Names(), name)
    expected = DIFFERENT.get(name, GOLDEN[name] and GOLDEN[name][0])
    assert (ours and ours[0]) == expected, f"{ours} against {GOLDEN[name]}"
