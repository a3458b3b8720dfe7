"""`mindspore-compat check` finds the MindSpore names that a file uses, by reading it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindspore_compat._api.check import find_uses, state_of
from mindspore_compat._api.public import changed_meaning
from mindspore_compat._api.resolve import ABSENT, resolve
from mindspore_compat.cli import main


def uses(tmp_path: Path, source: str) -> str:
    """``"1:mindspore.nn 2:mindspore.nn.Cell"``, every ``mindspore`` shortened to ``ms``."""
    file = tmp_path / "case.py"
    file.write_text(source, encoding="utf-8")
    return " ".join(f"{use.line}:{use.name.replace('mindspore', 'ms', 1)}" for use in find_uses(file))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import mindspore.nn as nn\nnn.Cell", "1:ms.nn 2:ms.nn.Cell"),
        ("import mindspore.nn\nmindspore.nn.Cell", "1:ms.nn 2:ms.nn.Cell"),
        ("from mindspore import ops as P\nP.operations.Add()", "1:ms.ops 2:ms.ops.operations.Add"),
        ("from mindspore.ops import operations as P\nP.Add()", "1:ms.ops.operations 2:ms.ops.operations.Add"),
        ("from .mindspore import nn\nnn.Cell", ""),
        ("from mymindspore import nn\nnn.Cell", ""),
        ("import mindspore as ms\nnn = ms.nn\nnn.Cell", "1:ms 2:ms.nn 3:ms.nn.Cell"),
        ("from mindspore import nn\nnn = 3\nnn.Cell", "1:ms.nn"),
        ("from mindspore import nn\ndef f(nn):\n    nn.Cell", "1:ms.nn"),
        ("from mindspore import nn\n[nn.x for nn in ()]\nnn.Cell", "1:ms.nn 3:ms.nn.Cell"),
        ("from mindspore import nn\nclass A:\n    nn = 1\n    def f(self):\n        nn.Cell", "1:ms.nn 5:ms.nn.Cell"),
        ("def f():\n    import mindspore.nn as nn\n    nn.Cell\nnn.Dense", "2:ms.nn 3:ms.nn.Cell"),
        ("from mindspore import nn\nclass A(nn.Cell): pass", "1:ms.nn 2:ms.nn.Cell"),
        ("from mindspore import nn\n@nn.d\ndef g(a: nn.A = nn.B): pass", "1:ms.nn 2:ms.nn.d 3:ms.nn.A 3:ms.nn.B"),
        (
            "from mindspore.common.initializer import *\nNormal(len(x))",
            "1:ms.common.initializer 2:ms.common.initializer.Normal",
        ),
    ],
)
def test_aliases_and_scopes_are_followed(tmp_path: Path, source: str, expected: str) -> None:
    assert uses(tmp_path, source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import mindspore as ms\nx = ms.Tensor(1)\nx.delete_()", "3:ms.Tensor.delete_"),
        ("from mindspore import Tensor\ndef f(x: Tensor):\n    x.delete_(), x.own", "3:ms.Tensor.delete_"),
        ("from mindspore import nn\nd = nn.Dense(2, 3)\nd.global_cells, d.weight", "3:ms.nn.Cell.global_cells"),
        (
            "from mindspore import nn\nclass A(nn.Cell):\n  def f(self):\n    self.d = nn.ReLU()\n    self.d.global_cells\n"
            "    self.cell_init_args\n    self.own",
            "5:ms.nn.Cell.global_cells 6:ms.nn.Cell.cell_init_args",
        ),
        ("import mindspore as ms\nx = ms.Tensor(1)\nx = other()\nx.delete_()", ""),
    ],
)
def test_members_of_objects_whose_class_is_known(tmp_path: Path, source: str, expected: str) -> None:
    found = [use for use in uses(tmp_path, source).split() if use.count(".") > 1 and use.rpartition(".")[2].islower()]
    members = [use for use in found if use.partition(":")[2].startswith(("ms.Tensor.", "ms.nn.Cell."))]
    assert " ".join(members) == expected


def test_a_changed_meaning_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "case.py"
    file.write_text("from mindspore import ops\nops.max(1)\n", encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert "case.py:2: mindspore.ops.max other meaning: (values, indices)" in capsys.readouterr().out


def test_every_changed_meaning_is_of_a_name_that_is_there() -> None:
    assert [name for name in changed_meaning() if resolve(name) is ABSENT] == []


def test_attribute_of_an_object_is_not_taken_for_a_name_of_mindspore() -> None:
    assert state_of("mindspore.float32.itemsize") == ("mindspore.float32", ("full", ""))


def test_missing_module_explains_what_lies_below_it() -> None:
    assert state_of("mindspore.nosuch.Deeper")[1].state == "missing"


def test_report_gives_file_line_name_and_fails_on_a_missing_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "net.py"
    file.write_text("import mindspore.nn as nn\n\nnn.Cell\nnn.NoSuchLayer()\n")
    assert main(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"{file}:4: mindspore.nn.NoSuchLayer missing"
    assert out[-1] == "3 MindSpore names: 2 full, 1 missing"


def test_covered_file_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.py"
    file.write_text("import mindspore.nn as nn\nnn.Cell\n")
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out == "2 MindSpore names: 2 full\n"


def test_json_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.py"
    file.write_text("import mindspore.nosuch\n")
    assert main(["check", "--json", str(file)]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["uses"] == [
        {"path": str(file), "line": 1, "name": "mindspore.nosuch", "state": "missing", "note": ""}
    ]
    assert report["names"] == {"missing": 1}


def test_file_that_is_no_python_is_reported_and_the_rest_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.py").write_text("print 'x'\n")
    (tmp_path / "new.py").write_text("import mindspore\n")
    assert main(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{tmp_path / 'old.py'}:1: not Python 3" in out
    assert "1 MindSpore names: 1 full" in out


def test_path_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "nosuch")]) == 2
    assert "no such file or folder" in capsys.readouterr().err


def test_files_that_would_end_or_stop_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import os

    (tmp_path / "deep.py").write_text("x = " + "-" * 200_000 + "1\n")
    (tmp_path / "chain.py").write_text("x = " + "a." * 3000 + "b\n")
    (tmp_path / "new.py").write_text("import mindspore\n")
    os.mkfifo(tmp_path / "pipe.py")
    assert main(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert (
        f"{tmp_path / 'deep.py'}:1: not Python 3: nested too deeply" in out
        and f"{tmp_path / 'chain.py'}:1: not Python 3: nested" in out
    )
    assert "1 MindSpore names: 1 full" in out


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from mindspore.ops import operations as P\nP.ControlDepend", "1.0 to 1.1."),
        ("from mindspore import ops\nfrom mindspore.ops import operations as P\nP.TensorAdd, ops.max", "1.9 to 2.10."),
        ("from mindspore import mint, ops\nops.flash_attention_score", "2.3 to 2.10."),
        ("from mindspore import nn\nnn.Dense", None),
        ("from mindspore import mint\nfrom mindspore.ops import operations as P\nmint.abs, P.ControlDepend", None),
    ],
)
def test_the_release_that_names_are_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, expected: str | None
) -> None:
    file = tmp_path / "case.py"
    file.write_text(source, encoding="utf-8")
    main(["check", str(file)])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Its names")]
    assert [expected in line for line in lines] == ([] if expected is None else [True])


def test_an_old_meaning_asks_for_the_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "case.py"
    file.write_text("from mindspore import ops\nops.pack\nops.max(1)\n", encoding="utf-8")
    main(["check", str(file)])
    assert "--release 1.9" in capsys.readouterr().out
