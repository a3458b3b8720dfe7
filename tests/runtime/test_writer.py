"""The background writer: order, bounds, errors with their paths, and every way that a process can end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat._runtime.writer import BackgroundWriter, _room, _Snapshot
from tests.support.processes import run_python


@pytest.fixture
def writer() -> Iterator[BackgroundWriter]:
    result = BackgroundWriter()
    yield result
    try:
        result.close()
    except (OSError, RuntimeError):
        pass


def _tensor(value: int, size: int = 1000) -> torch.Tensor:
    return torch.full((size,), value, dtype=torch.uint8)


def _stop(writer: BackgroundWriter) -> int:
    """Halt the writer process, so that what it has to do stays undone; returns its id."""
    assert writer._process is not None
    os.kill(writer._process.pid, signal.SIGSTOP)
    return writer._process.pid


def test_what_was_there_at_the_call_is_written(writer: BackgroundWriter, tmp_path: Path) -> None:
    data = _tensor(7)
    writer.submit(str(tmp_path / "a"), [b"head", data, b"", _tensor(0, 0), np.arange(3, dtype=np.uint8).data], 0o400)
    data.fill_(8)
    writer.flush()
    assert (tmp_path / "a").read_bytes() == b"head" + b"\7" * 1000 + b"\0\1\2"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o400


@pytest.mark.parametrize("threads", [1, 2])
def test_every_byte_is_copied_however_many_threads_help(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    pieces = [
        torch.randint(0, 256, (size,), dtype=torch.uint8)
        for size in (3_000_001, 0, 20_000_000, 17, 1 << 20, (1 << 20) + 1)
    ]
    snapshot = _Snapshot(_room(pieces))
    table, rows = snapshot.fill(pieces)
    places = np.frombuffer(snapshot._map, np.int64, 2 * rows, table).reshape(-1, 2)
    assert [length for _, length in places] == [len(piece) for piece in pieces] and not (places[:, 0] % 64).any()
    for (start, length), piece in zip(places, pieces):
        assert torch.equal(snapshot._bytes[start : start + length], piece)


def test_many_jobs_are_written_in_order_with_two_snapshots(writer: BackgroundWriter, tmp_path: Path) -> None:
    seen = set()
    for number in range(12):
        writer.submit(str(tmp_path / "same"), [_tensor(number)])
        seen |= {id(snapshot) for _, snapshot in writer._jobs.values()} | {id(item) for item in writer._idle}
        assert len(writer._jobs) + len(writer._idle) <= 2
    writer.flush()
    assert (tmp_path / "same").read_bytes() == b"\x0b" * 1000
    assert len(seen) <= 2


def test_growing_and_shrinking_states_fit(writer: BackgroundWriter, tmp_path: Path) -> None:
    for number, size in enumerate((10, 1_000_000, 5, 3_000_000, 0)):
        writer.submit(str(tmp_path / str(number)), [_tensor(number, size)])
    writer.close()
    assert [(tmp_path / str(n)).stat().st_size for n in range(5)] == [10, 1_000_000, 5, 3_000_000, 0]


def test_crc_encryption_and_obsolete_files(writer: BackgroundWriter, tmp_path: Path) -> None:
    from mindspore_compat._format import envelope
    from mindspore_compat._format.decryption import decrypt

    (tmp_path / "old").touch(mode=0o400)
    writer.submit(
        str(tmp_path / "a"), [b"abc", _tensor(1)], crc=True, obsolete=[str(tmp_path / "old"), str(tmp_path / "never")]
    )
    writer.submit(str(tmp_path / "b"), [b"abc", _tensor(1)], key=bytes(16), enc_mode="AES-CBC")
    writer.flush()
    messages, _ = envelope.split_crc(memoryview((tmp_path / "a").read_bytes()))
    assert (
        bytes(messages) == b"abc" + b"\1" * 1000
        and b"".join(envelope.crc_of([messages])) == (tmp_path / "a").read_bytes()
    )
    assert decrypt(memoryview((tmp_path / "b").read_bytes()), bytes(16), "AES-CBC") == messages
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("surface", ["submit", "flush", "close"])
def test_an_error_is_raised_by_the_next_call_with_its_path_and_the_writer_goes_on(
    surface: str, writer: BackgroundWriter, tmp_path: Path
) -> None:
    bad, good = str(tmp_path / "gone" / "a"), str(tmp_path / "b")
    writer.submit(bad, [_tensor(1)])
    writer.wait_for(bad)
    with pytest.raises(FileNotFoundError, match="gone/a"):
        writer.submit(good, [_tensor(2)]) if surface == "submit" else getattr(writer, surface)()
    writer.submit(good, [_tensor(2)])
    writer.flush()
    assert os.listdir(tmp_path) == ["b"]


def test_a_dead_writer_is_noticed_and_named_and_replaced(writer: BackgroundWriter, tmp_path: Path) -> None:
    writer.submit(str(tmp_path / "a"), [_tensor(1)])
    writer.flush()
    pid = _stop(writer)
    writer.submit(str(tmp_path / "b"), [_tensor(2)])
    writer.submit(str(tmp_path / "c"), [_tensor(3)])
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=r"killed by signal 9 before it reported .*/b, .*/c: not written"):
        writer.submit(str(tmp_path / "d"), [_tensor(4)])
    writer.submit(str(tmp_path / "d"), [_tensor(4)])
    writer.flush()
    assert sorted(os.listdir(tmp_path)) == ["a", "d"]


def test_a_third_job_waits(writer: BackgroundWriter, tmp_path: Path) -> None:
    writer.submit(str(tmp_path / "a"), [_tensor(1)])
    writer.flush()
    pid = _stop(writer)
    subprocess.Popen([sys.executable, "-c", f"import os, signal, time; time.sleep(1); os.kill({pid}, signal.SIGCONT)"])
    for name in "bc":
        writer.submit(str(tmp_path / name), [_tensor(2)])
    assert not (tmp_path / "b").exists()
    writer.submit(str(tmp_path / "d"), [_tensor(2)])
    assert (tmp_path / "b").exists()
    writer.flush()


def test_signals_to_the_whole_group_do_not_stop_it(writer: BackgroundWriter, tmp_path: Path) -> None:
    writer.submit(str(tmp_path / "a"), [_tensor(1)])
    writer.flush()
    assert writer._process is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(writer._process.pid, number)
    writer.submit(str(tmp_path / "b"), [_tensor(1)])
    writer.flush()
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_forked_child_leaves_it_to_the_parent(tmp_path: Path) -> None:
    program = (
        "import os, sys\nimport torch\nfrom mindspore_compat._runtime.writer import background_writer\n"
        "w = background_writer()\nw.submit(sys.argv[1] + '/a', [torch.ones(9, dtype=torch.uint8)])\n"
        "child = os.fork()\n"
        "if child == 0:\n    w.submit(sys.argv[1] + '/child', [b'x']); w.close(); os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "w.submit(sys.argv[1] + '/b', [b'y'])\n"
    )
    done = run_python("-c", program, str(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "child"]


PROGRAM = """
import sys, time
import torch
from mindspore_compat._runtime.writer import background_writer
for number in range(3):
    background_writer().submit(f"{sys.argv[1]}/{number}.ckpt", [torch.full((20_000_000,), number, dtype=torch.uint8)])
print("accepted", flush=True)
%s
"""


@pytest.mark.parametrize(("ending", "code"), [("", 0), ("raise SystemExit(3)", 3), ("1 / 0", 1)])
def test_a_script_without_a_main_guard_waits_for_what_it_accepted(ending: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROGRAM % ending)
    done = run_python("script.py", str(tmp_path), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert sorted(p.name for p in tmp_path.glob("*.ckpt")) == ["0.ckpt", "1.ckpt", "2.ckpt"]


def _files_of(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir() if item.name != "script.py")


def test_a_program_from_a_pipe_has_its_writer_too(tmp_path: Path) -> None:
    """As in a notebook, there is no file that a child could import."""
    done = subprocess.run(
        [sys.executable, "-", str(tmp_path)],
        input=PROGRAM % "",
        text=True,
        capture_output=True,
        cwd=tmp_path,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert _files_of(tmp_path) == ["0.ckpt", "1.ckpt", "2.ckpt"]


def test_an_interrupt_from_the_terminal_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROGRAM % "time.sleep(60)")
    # a shell's background job ignores SIGINT, and hands that on to its children
    trainer = subprocess.Popen(
        [sys.executable, "script.py", str(tmp_path)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert trainer.stdout is not None and trainer.stdout.readline() == b"accepted\n"
    os.killpg(trainer.pid, signal.SIGINT)
    _, error = trainer.communicate(timeout=60)
    assert b"KeyboardInterrupt" in error and trainer.returncode != 0
    assert _files_of(tmp_path) == ["0.ckpt", "1.ckpt", "2.ckpt"]


RANKS = """
import os, sys
import torch
from mindspore_compat import Tensor, save_checkpoint
from mindspore_compat._runtime.writer import background_writer
rank = os.environ["RANK"]
for number in range(3):
    save_checkpoint({"w": Tensor(torch.full((100_000,), float(rank)))}, f"{sys.argv[1]}/r{rank}-{number}.ckpt", async_save=True)
open(f"{sys.argv[1]}/pid{rank}", "w").write(str(background_writer()._process.pid))
"""


@pytest.mark.multi_process
def test_torchrun_has_a_writer_for_each_rank_and_leaves_none(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(RANKS)
    done = run_python(
        "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "script.py", str(tmp_path), cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert _files_of(tmp_path) == [
        "pid0",
        "pid1",
        *(f"r{rank}-{number}.ckpt" for rank in range(2) for number in range(3)),
    ]
    pids = {int((tmp_path / f"pid{rank}").read_text()) for rank in range(2)}
    assert len(pids) == 2 and not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.skipif(not os.path.isdir("/sys/kernel"), reason="needs a folder in which nobody may make files")
def test_a_folder_that_takes_no_files_is_an_error_with_the_path(writer: BackgroundWriter) -> None:
    writer.submit("/sys/kernel/a.ckpt", [_tensor(1)])
    with pytest.raises(OSError, match="'/sys/kernel/a.ckpt'"):
        writer.flush()


def test_a_killed_trainer_loses_nothing_that_it_handed_over(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROGRAM % "time.sleep(60)")
    trainer = subprocess.Popen(
        [sys.executable, "script.py", str(tmp_path)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert trainer.stdout is not None and trainer.stdout.readline() == b"accepted\n"
    trainer.kill()
    trainer.wait()
    trainer.stdout.close()
    end = time.monotonic() + 30
    while len(list(tmp_path.glob("*.ckpt"))) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    assert [(tmp_path / f"{n}.ckpt").stat().st_size for n in range(3)] == [20_000_000] * 3


def test_errors_at_the_end_are_logged(tmp_path: Path) -> None:
    program = (
        "import sys, torch\nfrom mindspore_compat._runtime.writer import background_writer\n"
        "background_writer().submit(sys.argv[1] + '/gone/a.ckpt', [b'x'])\n"
    )
    done = run_python("-c", program, str(tmp_path), cwd=tmp_path)
    assert "a checkpoint was not written" in done.stderr and "gone/a.ckpt" in done.stderr
