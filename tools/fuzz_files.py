"""Damage many files of each format and read them, in child processes with little memory; the counts of what came of it.

    python -m tools.fuzz_files [--format NAME ...] [--mutants 4000] [--seed 1] [--mib 256] [--keep FOLDER] [--list]

Exit code 1 if for any file a reader crashed, hung (5 s of the processor, 15 s of the clock), took more memory than the
file and 256 MiB, raised anything but its documented exceptions with a name of the file in them, wrote or read outside
of the folder, started a program, loaded a shared library, or unpickled a class.

A `Format` is a row of ``FORMATS`` in ``_fuzz_train.py``, ``_fuzz_data.py`` or ``_fuzz_sources.py``;
``_fuzz_mutations.py`` has what rows need to damage files.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import faulthandler
import json
import logging
import os
import re
import resource
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import _fuzz_mutations as mutations  # noqa: E402

__all__ = ["Format", "formats", "run"]

CPU_SECONDS, CLOCK_SECONDS = 5, 15
BATCH = 500


@dataclass(frozen=True)
class Format:
    """What is to be damaged and how it is read.

    Args:
        name: of the row.
        seeds: writes files without damage into a folder and returns their paths; a path may be a folder, of which any
            file is then damaged. Keep them small: hundreds of bytes, few files.
        read: takes a path (of the same name as the seed's, in another folder) and reads everything there, every byte of
            it. What it gives is compared if ``guarded`` says so.
        allowed: the exceptions that the reader documents.
        damage: what damages the bytes of a file, beside the general ways: functions of (bytes, random numbers) that
            give bytes.
        guarded: takes the path of a damaged file; whether it holds a CRC or tag over all, so that what is read must be
            as before the damage.
        names: takes the path; one of these texts must be in the message of the exception. Default: the name of the
            path, or of a file in it.
        seconds: of the processor that one file may take.
        computes: whether what it reads is a program that is run, which may ask for memory (and does not get it).
    """

    name: str
    seeds: Callable[[Path], list[Path]]
    read: Callable[[Path], Any]
    allowed: tuple[type[BaseException], ...] = (ValueError,)
    damage: tuple[Callable[[bytes, Any], bytes], ...] = ()
    guarded: Callable[[Path], bool] | None = None
    names: Callable[[Path], list[str]] | None = None
    seconds: float = CPU_SECONDS
    computes: bool = False


@dataclass
class Result:
    """Counts of one format."""

    mutants: int = 0
    accepted: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


def formats() -> dict[str, Format]:
    """{name: row} of all modules that there are."""
    modules = ("tools._fuzz_train", "tools._fuzz_data", "tools._fuzz_sources")
    rows = [row for module in modules if find_spec(module) for row in import_module(module).FORMATS]
    assert len({row.name for row in rows}) == len(rows), "two formats have the same name"
    return {row.name: row for row in rows}


# --- what a reader must not do ----------------------------------------------------------------------------------------

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "shutil.rmtree",
    "os.utime",
}
_EFFECTS = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "ctypes.dlopen",
    "pickle.find_class",
    "socket.connect",
    "socket.bind",
    "os.kill",
    "os.putenv",
    "webbrowser.open",
}
_READABLE = (
    sys.prefix,
    sys.base_prefix,
    str(ROOT),
    "/proc",
    "/sys",
    "/dev/null",
    "/dev/urandom",
    "/usr/lib",
    "/lib",
    "/usr/share",
    "/etc/ld.so.cache",
)


class Guard:
    """Notes what the process does while a file is read. An audit hook can not be taken away, so this belongs into a
    child.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._readable = os.path.realpath(folder), tuple(os.path.realpath(path) for path in _READABLE)
        self.is_on = False
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _is_within(self, path: Any, folders: tuple[str, ...]) -> bool:
        try:
            real = os.path.realpath(os.fsdecode(path))
        except (TypeError, ValueError):  # a descriptor, or no name at all
            return True
        return any(real == folder or real.startswith(folder + os.sep) for folder in folders)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        self.is_on = False
        try:
            if event in _EFFECTS:
                self.seen.append(f"{event}{arguments!r:.200}")
            elif event == "open":
                path, _, flags = arguments
                is_write = isinstance(flags, int) and bool(flags & _WRITES)
                if not self._is_within(
                    path, (self._folder, "/dev/null") if is_write else (self._folder, *self._readable)
                ):
                    self.seen.append(f"{'writes' if is_write else 'reads'} {path!r}")
            elif event in _CHANGES and not self._is_within(arguments[0], (self._folder,)):
                self.seen.append(f"{event}{arguments!r:.200}")
        finally:
            self.is_on = True


class Hang(BaseException):
    """Raised in the reader when the time is over."""


def _hang(number: int, frame: Any) -> None:
    raise Hang("no end")


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor's time: a paused process is no hang
    signal.setitimer(signal.ITIMER_REAL, CLOCK_SECONDS)  # for what waits
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


# --- one file ---------------------------------------------------------------------------------------------------------


def _files_of(path: Path) -> list[Path]:
    return sorted(item for item in path.rglob("*") if item.is_file()) if path.is_dir() else [path]


def _copy(seed: Path, folder: Path) -> Path:
    target = folder / seed.name
    if seed.is_dir():
        shutil.copytree(seed, target, symlinks=True)
    else:
        shutil.copyfile(seed, target)
    return target


def _special(file: Path, rng: np.random.Generator) -> str:
    """Something else in the place of a file."""
    kind = ("fifo", "socket", "link to itself", "link", "folder", "nothing", "empty")[rng.integers(7)]
    file.unlink()
    if kind == "fifo":
        os.mkfifo(file)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(file.parent)  # a socket's path is short
            try:
                server.bind(file.name[:100])
            finally:
                os.chdir(here)
    elif kind in ("link to itself", "link"):
        file.symlink_to(file.name if kind == "link to itself" else "/dev/null")
    elif kind == "folder":
        file.mkdir()
    elif kind == "empty":
        file.touch()
    return kind


def damaged(
    row: Format, seeds: list[Path], others: list[bytes], rng: np.random.Generator, folder: Path
) -> tuple[Path, Path, str]:
    """(the path to read, the seed, what was done) of one more file, in an empty folder."""
    seed = seeds[rng.integers(len(seeds))]
    path = _copy(seed, folder)
    files = _files_of(path)
    what = ""
    for _ in range(2 if rng.random() < 0.1 else 1):
        file = files[rng.integers(len(files))]
        if rng.random() < 0.01 or not file.is_file():
            what += f" {file.name}: {_special(file, rng) if file.is_file() and not file.is_symlink() else 'as it was'};"
            continue
        own = bool(row.damage) and rng.random() < 0.6
        ways: Any = row.damage if own else mutations.BYTES
        way = ways[rng.integers(len(ways))]
        data = file.read_bytes()
        try:
            file.write_bytes(way(data, rng) if own else way(data, rng, others))
        except Exception:  # of what an earlier damage left there
            file.write_bytes(mutations.flip(data, rng, others))
        what += f" {file.name}: {getattr(way, '__name__', way)};"
    return path, seed, what


def _names(row: Format, path: Path) -> list[str]:
    return (
        row.names(path)
        if row.names
        else [path.name, *(item.name for item in (path.rglob("*") if path.is_dir() else ()))]
    )


def _outcome(row: Format, path: Path, whole: Any, guard: Guard) -> str:
    """``accepted``, ``refused``, or what is wrong."""
    guard.seen.clear()
    found: Any = None
    try:
        with _limited(row.seconds):
            guard.is_on = True
            try:
                found = row.read(path)
            finally:
                guard.is_on = False
        outcome = "accepted"
    except row.allowed as error:
        if not row.computes and _is_of_memory(error):
            return f"takes more memory than it may: {type(error).__name__}: {error!s:.300} at {_place()}"
        named = any(name in str(error) for name in _names(row, path))
        outcome = "refused" if named else f"the message does not name the file: {type(error).__name__}: {error}"
    except Hang:
        outcome = "hangs at " + _place()
    except BaseException as error:
        outcome = f"raises {type(error).__name__}: {error!s:.300} at {_place()}"
    if guard.seen:
        return f"has effects: {'; '.join(guard.seen)}"
    if outcome == "accepted" and row.guarded and row.guarded(path) and not _equal(found, whole):
        return "values changed in spite of the CRC or tag"
    return outcome


_OF_MEMORY = re.compile(r"MemoryError|allocate memory|not enough memory|bad_alloc|Unable to allocate")


def _is_of_memory(error: BaseException | None) -> bool:
    """Whether the limit stands behind an exception that is fine by its type."""
    while error is not None:
        if isinstance(error, MemoryError) or _OF_MEMORY.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _place() -> str:
    frames = traceback.extract_tb(sys.exc_info()[2])
    return " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(frames[-6:]))


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except (ValueError, RuntimeError):  # arrays
        return repr(a) == repr(b)


# --- a child ----------------------------------------------------------------------------------------------------------


def _child(
    row: Format, seeds: list[Path], folder: Path, numbers: range, seed: int, mib: int, keep: str | None, answer: int
) -> None:
    """Read so many files; a line for each begun and each done goes into the pipe."""
    logging.getLogger("mindspore_compat").setLevel(logging.CRITICAL)
    faulthandler.disable()  # of pytest
    signal.signal(signal.SIGPROF, _hang)
    signal.signal(signal.SIGALRM, _hang)
    place = folder / "mutant"
    guard = Guard(place)
    others = [file.read_bytes() for path in seeds for file in _files_of(path)]
    wholes = {path: _whole(row, path, place) for path in seeds}  # also loads what is loaded at first use
    used = int(re.findall(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[0]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (used + sum(map(len, others)) + (mib << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        _emptied(place)
        path, source, what = damaged(row, seeds, others, rng, place)
        os.write(answer, json.dumps([number, what]).encode() + b"\n")
        outcome = _outcome(row, path, wholes[source], guard)
        if keep and outcome not in ("accepted", "refused"):
            shutil.copytree(place, Path(keep) / f"{row.name}-{seed}-{number}", symlinks=True, dirs_exist_ok=True)
        os.write(answer, json.dumps([number, what, outcome]).encode() + b"\n")


def _emptied(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()


def _whole(row: Format, seed: Path, place: Path) -> Any:
    """What a seed holds; a copy of it is read, since a reader may write beside it."""
    _emptied(place)
    try:
        return row.read(_copy(seed, place))
    except row.allowed:  # a seed may be one that is refused
        return None


def _lines(pipe: int, pid: int) -> Iterator[list[Any]]:
    """What a child tells; it is killed when it is silent for too long."""
    rest = b""
    while True:
        if not select.select([pipe], [], [], 2 * CLOCK_SECONDS + 60)[0]:
            os.kill(pid, signal.SIGKILL)
            return
        data = os.read(pipe, 1 << 16)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        yield from (json.loads(line) for line in lines)


def _batch(
    row: Format, seeds: list[Path], folder: Path, numbers: range, seed: int, mib: int, keep: str | None, result: Result
) -> int:
    """Run a child over these numbers; returns the first that is not done yet."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(read)
            _child(row, seeds, folder, numbers, seed, mib, keep, write)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    begun, next_one = None, numbers.start
    try:
        for line in _lines(read, pid):
            if len(line) == 2:
                begun = line
                continue
            begun, next_one = None, line[0] + 1
            _count(result, row, seed, line[0], line[1], line[2])
    finally:
        os.close(read)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if begun is not None:
        _count(result, row, seed, begun[0], begun[1], f"the process ended with {code}")
        return begun[0] + 1
    if code:
        raise RuntimeError(f"the child of {row.name} ended with {code} between two files")
    return next_one


def _count(result: Result, row: Format, seed: int, number: int, what: str, outcome: str) -> None:
    result.mutants += 1
    if outcome in ("accepted", "refused"):
        setattr(result, outcome, getattr(result, outcome) + 1)
    else:
        result.failures.append(f"{row.name}, seed {seed}, mutant {number} ({what.strip(' ;')}): {outcome}")


def run(row: Format, mutants: int, seed: int = 1, mib: int = 256, keep: str | None = None, first: int = 0) -> Result:
    """Read so many damaged files of a format."""
    result, start = Result(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz_") as name:
        (Path(name) / "seeds").mkdir()
        seeds = row.seeds(Path(name) / "seeds")
        assert seeds, f"{row.name} has no seeds"
        number, end = first, first + mutants
        while number < end:
            number = _batch(row, seeds, Path(name), range(number, min(number + BATCH, end)), seed, mib, keep, result)
    result.seconds = time.monotonic() - start
    return result


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--format", nargs="+", action="extend", metavar="NAME", help="default: all")
    parser.add_argument("--mutants", type=int, default=4000, help="files of each format")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--mib", type=int, default=256, help="memory beside the file")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the files that failed there")
    parser.add_argument("--list", action="store_true", help="the names of the formats")
    options = parser.parse_args()
    rows = formats()
    if options.list:
        print("\n".join(rows))
        return 0
    unknown = [name for name in options.format or () if name not in rows]
    if unknown:
        parser.error(f"there is no format {unknown[0]}; there are {', '.join(rows)}")
    failures = 0
    for name in options.format or rows:
        result = run(rows[name], options.mutants, options.seed, options.mib, options.keep, options.first)
        print(
            json.dumps(
                {
                    "format": name,
                    "mutants": result.mutants,
                    "accepted": result.accepted,
                    "refused": result.refused,
                    "failures": len(result.failures),
                    "seconds": round(result.seconds, 1),
                }
            ),
            flush=True,
        )
        kinds = collections.Counter(re.sub(r"[\d.]+", "#", text.partition("): ")[2])[:160] for text in result.failures)
        for kind, count in kinds.most_common(12):
            print(f"  {count:5} {kind}")
        print("".join(f"    {text}\n" for text in result.failures[:10]), end="", flush=True)
        failures += len(result.failures)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
