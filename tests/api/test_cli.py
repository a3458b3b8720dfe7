"""The other commands of `mindspore-compat`."""

from __future__ import annotations

import re

import pytest

from mindspore_compat.cli import main


def test_env_names_versions_and_alias_state(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["env"]) == 0
    out = capsys.readouterr().out
    for key in ("mindspore_compat", "python", "torch", "numpy", "cuda", "import mindspore", "real MindSpore"):
        assert re.search(rf"^{key} +\S", out, re.MULTILINE), key
    assert "not taken over in this process" in out


def test_coverage_prints_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage"]) == 0
    assert re.search(r"of the 451 model-zoo projects find every name they use", capsys.readouterr().out)


def test_coverage_of_one_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "nn.Cell"]) == 0
    assert capsys.readouterr().out.startswith("mindspore.nn.Cell: full\n")


def test_coverage_of_a_name_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "mindspore.nn.NoSuchLayer"]) == 1
    assert capsys.readouterr().out == "mindspore.nn.NoSuchLayer: missing\n"


def test_run_without_a_script_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["run"])
    assert "give the script to run" in capsys.readouterr().err


def test_unknown_option_of_run_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--nonsense", "script.py"])
    assert "unrecognized arguments: --nonsense" in capsys.readouterr().err


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(command in out for command in ("run", "check", "coverage", "env"))
