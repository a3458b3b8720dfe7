"""Files are whole or not there, and nothing of killed processes stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindspore_compat._runtime import files
from mindspore_compat._runtime.files import remove_stale, write_atomically


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_cleaned", set())


def _failing() -> Iterator[bytes]:
    yield b"half"
    raise RuntimeError("the source broke")


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_atomically(str(path), [b"old"], 0o400)
    with pytest.raises(RuntimeError, match="the source broke"):
        write_atomically(str(path), _failing())
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["a"]


def test_errors_of_the_system_name_the_path_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "gone" / "a")
    with pytest.raises(FileNotFoundError) as caught:
        write_atomically(path, [b"x"])
    assert caught.value.filename == path

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=rf"No space left on device: '{tmp_path}/b'"):
        write_atomically(str(tmp_path / "b"), [b"x"])
    assert os.listdir(tmp_path) == []


def test_a_killed_process_leaves_a_temporary_file_that_the_next_save_removes(tmp_path: Path) -> None:
    program = (
        "import importlib.util, os, signal, sys\n"
        f"spec = importlib.util.spec_from_file_location('files', {files.__file__!r})\n"
        "files = importlib.util.module_from_spec(spec); spec.loader.exec_module(files)\n"
        "def pieces():\n    yield b'half'\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.write_atomically(sys.argv[1], pieces())\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.ckpt")], check=False)
    assert done.returncode == -signal.SIGKILL
    left = os.listdir(tmp_path)
    assert len(left) == 1 and left[0].endswith(".tmp")
    write_atomically(str(tmp_path / "b.ckpt"), [b"whole"])
    assert os.listdir(tmp_path) == ["b.ckpt"]


def test_a_temporary_file_in_use_and_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "my.tmp").touch()
    (tmp_path / ".notes.tmp").touch()
    file, path = files._locked_temporary(str(tmp_path), "a.ckpt")
    with file:
        assert remove_stale(str(tmp_path)) == []
    assert remove_stale(str(tmp_path)) == [os.path.basename(path)]
    assert sorted(os.listdir(tmp_path)) == [".notes.tmp", "my.tmp"]


def test_a_long_name_fits(tmp_path: Path) -> None:
    name = "n" * 250
    write_atomically(str(tmp_path / name), [b"x"])
    assert os.listdir(tmp_path) == [name]
