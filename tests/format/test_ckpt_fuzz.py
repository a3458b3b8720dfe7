"""Damaged and hostile files: a ValueError that names the file and the place, or the right values; never a crash, a hang or a flood of memory.

``MINDSPORE_COMPAT_FUZZ=100000`` for a long run.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat import load_checkpoint, save_checkpoint
from tests.support.upstream import GOLDEN

ROUNDS = int(os.environ.get("MINDSPORE_COMPAT_FUZZ", "600"))
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
    for _ in range(rng.integers(1, 5)):
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
    data[place:place + count] = rng.bytes(rng.integers(0, 40))
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


def _safe_values(found: dict) -> list[tuple[str, object]]:
    return [(name, value if isinstance(value, str) else value.asnumpy().tobytes()) for name, value in found.items()]


def test_damaged_files_are_refused_or_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("ERROR", "mindspore_compat")
    rng = np.random.default_rng(int(os.environ.get("MINDSPORE_COMPAT_FUZZ_SEED", "1")))
    sources = _sources(tmp_path)
    whole = _safe_values(load_checkpoint(str(tmp_path / "crc.ckpt"), crc_check=True))
    everything = [data for _, data, _ in sources]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGALRM, _hang)
    refused = 0
    try:
        for number in range(ROUNDS):
            end, data, options = sources[rng.integers(len(sources))]
            mutation = MUTATIONS[rng.integers(len(MUTATIONS))]
            path = tmp_path / f"{mutation.__name__}.{end}"
            path.write_bytes(mutation(bytearray(data), rng, everything))
            signal.alarm(20)
            try:
                found = load_checkpoint(str(path), **options)
            except ValueError as error:
                refused += 1
                assert path.name in str(error) or "empty" in str(error), (number, str(error))
            else:
                if options.get("crc_check") and end == "ckpt" and b"crc_num" in path.read_bytes()[-17:] and path.read_bytes() not in everything:
                    assert _safe_values(found) == whole, (number, mutation.__name__)
                assert all(isinstance(value, (str, list, torch.Tensor)) for value in found.values())
            finally:
                signal.alarm(0)
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert refused > ROUNDS // 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # KiB
