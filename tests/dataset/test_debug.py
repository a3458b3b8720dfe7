"""Hooks of debug mode print what real MindSpore's print, row by row and in its order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import debug
from mindspore_compat.dataset import vision as V

PROGRAM = """
import contextlib, io
import mindspore.dataset as ds, numpy as np
import mindspore.dataset.debug as debug
from mindspore.dataset import transforms as T, vision as V

class Mine(debug.DebugHook):
    def compute(self, *args):
        print("mine", [np.asarray(column).shape for column in args[0]])

def rows():
    for value in range(2):
        yield np.full((4, 4, 3), value, np.uint8), np.int32(3)

def same(x):
    return x

def printed(operations, columns):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        data = ds.GeneratorDataset(rows, ["a", "b"], shuffle=False).map(operations, input_columns=columns)
        for row in data.create_tuple_iterator(output_numpy=True, num_epochs=1):
            print("row", [np.asarray(column).shape for column in row])
    return text.getvalue()

found = []
ds.config.set_debug_mode(True)
found.append(printed([V.Resize((2, 2)), same], ["a"]))
found.append(printed([V.ToPIL(), V.Resize((2, 2)), V.ToTensor()], ["a"]))
found.append(printed(lambda x, y: (x, y), ["a", "b"]))
found.append(printed([T.Compose([V.Resize((2, 2)), V.HWC2CHW()])], ["a"]))
found.append(printed([lambda x: [1, 2]], ["a"]))
ds.config.set_debug_mode(True, debug_hook_list=[Mine(), debug.PrintDataHook()])
found.append(printed([same], ["b"]))
ds.config.set_debug_mode(True, debug_hook_list=[])
found.append(printed([same, Mine(), same], ["b"]))
ds.config.set_debug_mode(False)
give(found)
"""


@pytest.mark.oracle
def test_hooks_print_as_real_mindspores() -> None:
    from tests.support.oracle import run_both

    ours, real = run_both(PROGRAM)
    assert ours == real


@pytest.fixture
def debugging() -> Iterator[None]:
    ds.config.set_debug_mode(True)
    yield
    ds.config.set_debug_mode(False)


def test_shapes_are_printed_around_each_operation(debugging: None, capsys: pytest.CaptureFixture[str]) -> None:
    data = ds.NumpySlicesDataset(np.zeros((2, 4, 4, 3), np.uint8), ["image"], shuffle=False)
    assert [row[0].shape for row in data.map([V.Resize((2, 2)), V.HWC2CHW()])] == [(3, 2, 2)] * 2
    around = [("INPUT", "Resize", (4, 4, 3)), ("OUTPUT", "Resize", (2, 2, 3)), ("OUTPUT", "HWC2CHW", (3, 2, 2))]
    lines = [
        line
        for side, name, shape in around
        for line in (
            f"[Dataset debugger] Print the [{side}] of the operation [{name}].",
            f"Column 0. The dtype is [uint8]. The shape is [{shape}].",
        )
    ]
    assert capsys.readouterr().out.splitlines() == lines * 2


def test_hooks_are_checked() -> None:
    with pytest.raises(TypeError):
        ds.config.set_debug_mode(True, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ds.config.set_debug_mode(True, [print])
    with pytest.raises(TypeError, match="abstract"):
        debug.DebugHook()  # type: ignore[abstract]
    assert not ds.config.get_debug_mode()
