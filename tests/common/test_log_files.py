"""The log in files, as the environment variables of real MindSpore ask for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindspore_compat import log
from tests.support.processes import run_python

#: the module alone: importing the package takes two seconds
PROGRAM = (
    f"import importlib.util\nspec = importlib.util.spec_from_file_location('log', {log.__file__!r})\n"
    "log = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(log)\n"
)
LINES = "log.warning('one')\nlog.error('two')\nlog.info('three')\n"


def test_a_log_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOG_logtostderr", "0")
    monkeypatch.setenv("GLOG_log_dir", str(tmp_path / "here"))
    monkeypatch.setenv("GLOG_stderrthreshold", "3")
    done = run_python("-c", f"{PROGRAM}{LINES}print(log.get_log_config())", cwd=tmp_path, fresh=True)
    assert done.returncode == 0 and "two" in done.stderr and "one" not in done.stderr
    (file,) = (tmp_path / "here" / "rank_0" / "logs").iterdir()
    one, two = file.read_text().splitlines()
    assert file.name.startswith("mindspore.log.") and one.startswith("[WARNING] ME(") and one.endswith("] one")
    assert two.startswith("[ERROR] ME(")
    assert f"'GLOG_log_dir': '{file.parent}', 'logger_maxBytes': 52428800, 'logger_backupCount': 30" in done.stdout


def test_files_turn_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("GLOG_logtostderr", "0"), ("GLOG_log_dir", str(tmp_path)), ("RANK_ID", "3")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("logger_maxBytes", "300")
    monkeypatch.setenv("logger_backupCount", "2")
    assert run_python("-c", PROGRAM + LINES * 5, cwd=tmp_path, fresh=True).returncode == 0
    files = list((tmp_path / "rank_3" / "logs").iterdir())
    assert len(files) == 3 and all(file.stat().st_size <= 300 for file in files)


def test_files_without_a_folder_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOG_logtostderr", "0")
    done = run_python("-c", PROGRAM + LINES, cwd=tmp_path, fresh=True)
    assert done.returncode != 0 and "ValueError: When GLOG_logtostderr is set to 0" in done.stderr
