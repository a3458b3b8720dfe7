"""Damaged and hostile checkpoint files, and what loading them comes to. Used by test_ckpt_fuzz.py and tools/fuzz_checkpoints.py."""

from __future__ import annotations

import collections
import re
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from mindspore_compat import load_checkpoint, save_checkpoint
from tests.support.upstream import GOLDEN

__all__ = ["run"]

Rng = np.random.Generator
KEY = bytes(range(1, 17))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _truncate(data: bytearray, rng: Rng, _: list[bytes]) -> bytes:
    return bytes(data[:rng.integers(0, len(data) + 1)])


def _flip(data: bytearray, rng: Rng, _: list[bytes]) -> bytes:
    for _step in range(rng.integers(1, 5)):
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    return bytes(data)


def _splice(data: bytearray, rng: Rng, others: list[bytes]) -> bytes:
    other = others[rng.integers(len(others))]
    a, b = rng.integers(0, len(data) + 1), rng.integers(0, len(other) + 1)
    return bytes(data[:a]) + other[b:]


def _hostile_number(data: bytearray, rng: Rng, _: list[bytes]) -> bytes:
    value = [2**31 - 1, 2**31, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 0, len(data)][rng.integers(10)]
    place = rng.integers(len(data))
    return bytes(data[:place]) + _varint(value) + bytes(data[place + rng.integers(0, 4):])


def _hostile_dims(data: bytearray, rng: Rng, _: list[bytes]) -> bytes:
    dims = b"".join(b"\x08" + _varint(1 << int(rng.integers(0, 64)) if rng.random() < 0.5 else int(rng.integers(0, 5))) for _ in range(rng.integers(0, 80)))
    kind = [b"Float32", b"Bool", b"Int4", b"str", b"HiFloat8", b"Float7", b""][rng.integers(7)]
    tensor = dims + b"\x12" + _varint(len(kind)) + kind + b"\x1a\x08" + b"\0" * 8
    value = b"\x0a\x01w" + (b"\x12" if rng.random() < 0.7 else b"\x1a") + _varint(len(tensor)) + tensor
    return b"\x0a" + _varint(len(value)) + value + bytes(data)


def _many_small(data: bytearray, rng: Rng, _: list[bytes]) -> bytes:
    return [b"\x0a\x00", b"\x10\x00", b"\x12\x00", b"\x0a\x03\x0a\x01w", b"\x1a\x00"][rng.integers(5)] * int(rng.integers(1, 2000)) + bytes(data)


def _replaced(data: bytearray, rng: Rng, _: list[bytes]) -> bytes:
    place, count = rng.integers(len(data)), rng.integers(1, 40)
    data[place:place + count] = rng.bytes(int(rng.integers(0, 40)))
    return bytes(data)


MUTATIONS: list[Callable[[bytearray, Rng, list[bytes]], bytes]] = [_truncate, _flip, _splice, _hostile_number, _hostile_dims, _many_small, _replaced]


def _sources(tmp_path: Path) -> list[tuple[str, bytes, dict]]:
    """(end of the name, bytes, options of load_checkpoint)."""
    plain = [p.read_bytes() for p in sorted((GOLDEN / "ckpt").glob("*.ckpt")) if p.stat().st_size and not p.name.startswith("enc_")]
    found: list[tuple[str, bytes, dict]] = [("ckpt", data, {}) for data in plain]
    save_checkpoint({"w": np.arange(300, dtype=np.float32), "v": np.ones((3, 4), np.int8), "t": "text"}, str(tmp_path / "crc.ckpt"), crc_check=True)
    found += [("ckpt", (tmp_path / "crc.ckpt").read_bytes(), {"crc_check": True})] * 8
    for mode in ("AES-GCM", "AES-CBC", "SM4-CBC"):
        data = (GOLDEN / f"ckpt/enc_{mode}_128.ckpt").read_bytes()
        found += [("ckpt", data, {"dec_key": KEY, "dec_mode": mode})] * 4 + [("ckpt", data, {"dec_key": bytes(16), "dec_mode": mode})]
    found += [("safetensors", p.read_bytes(), {"format": "safetensors", "crc_check": p.stem == "crc"})
              for p in sorted((GOLDEN / "safetensors").glob("*.safetensors"))] * 2
    return found


def _hang(*_: object) -> None:
    raise TimeoutError("the file keeps load_checkpoint busy")


def _read(path: Path, options: dict) -> list[tuple[str, object]]:
    """Everything in the file, every byte of it."""
    return [(name, value if isinstance(value, str) else [part.tobytes() for part in value] if isinstance(value, list)
             else value.detach().as_subclass(torch.Tensor).reshape(-1).view(torch.uint8).numpy().tobytes()) for name, value in load_checkpoint(str(path), **options).items()]


def _whole(path: Path, data: bytes, options: dict) -> list[tuple[str, object]] | None:
    path.write_bytes(data)
    try:
        return _read(path, options)
    except ValueError:
        return None


def _outcome(path: Path, data: bytes, options: dict, whole: list | None) -> str:
    """What loading the file comes to.

    Raises:
        AssertionError: if it is not what it should be; and whatever else loading raises.
    """
    path.write_bytes(data)
    try:
        found = _read(path, options)
    except ValueError as error:
        assert type(error) is ValueError and (path.name in str(error) or "is empty after filter" in str(error)), error
        return "refused, with the byte" if re.search(r"byte \d+", str(error)) else "refused"
    if found == whole:
        return "read as it was"
    is_checked = options.get("crc_check") and path.suffix == ".ckpt" and data[-17:-10] == b"crc_num"
    assert not is_checked and options.get("dec_mode") != "AES-GCM", "values changed in spite of the CRC or the tag"
    return "read otherwise (nothing in the file says that it is damaged)"


def run(rounds: int, seed: int, folder: Path, seconds: int = 20) -> collections.Counter[str]:
    """{outcome: how often} of so many damaged files.

    Raises:
        AssertionError: for anything but a ValueError that names the file, or values that are right as far as the file can tell.
    """
    rng = np.random.default_rng(seed)
    sources = _sources(folder)
    wholes = [_whole(folder / f"whole.{end}", data, options) for end, data, options in sources]
    everything = [data for _, data, _ in sources]
    counts: collections.Counter[str] = collections.Counter()
    before = signal.signal(signal.SIGPROF, _hang)
    try:
        for number in range(rounds):
            source = int(rng.integers(len(sources)))
            end, data, options = sources[source]
            mutation = MUTATIONS[rng.integers(len(MUTATIONS))]
            path = folder / f"{mutation.__name__}.{end}"
            mutated = mutation(bytearray(data), rng, everything)
            signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor's time: a paused process is no hang
            try:
                counts[_outcome(path, mutated, options, wholes[source])] += 1
            except BaseException as error:
                raise AssertionError(f"seed {seed}, file {number} ({mutation.__name__} of {options or end}): {type(error).__name__}: {error}") from error
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
    finally:
        signal.signal(signal.SIGPROF, before)
    return counts
