"""Envelope of a checkpoint's messages: the CRC tail, or encryption (`decryption` removes it). Layout:
docs/design/ckpt-format.md.

The writer process loads this file by its path, without the package: nothing here may import from it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

_CRC_MARK = b"crc_num"
_CRC_TAIL = len(_CRC_MARK) + 10

#: mode: (magic number of a block, allowed lengths of the key)
MODES: dict[str, tuple[int, tuple[int, ...]]] = {
    "AES-GCM": (0x7F3A5ED8, (16, 24, 32)),
    "AES-CBC": (0x7F3A5ED9, (16, 24, 32)),
    "SM4-CBC": (0x7F3A5EDA, (16,)),
}
BLOCK_BYTES = 64 << 20  # of plain text are encrypted at a time
IV_BYTES = TAG_BYTES = PAD_BYTES = 16
_NONCE_BYTES = 12  # of the 16 stored IV bytes GCM uses the first 12


# --- CRC --------------------------------------------------------------------------------------------------------------


def split_crc(data: memoryview) -> tuple[memoryview, int | None]:
    """Return (the messages, the CRC-32 stored behind them or None)."""
    if len(data) >= _CRC_TAIL and bytes(data[-_CRC_TAIL:-10]) == _CRC_MARK:
        return data[:-_CRC_TAIL], int.from_bytes(data[-10:], "big")
    return data, None


def crc_tail(crc: int) -> bytes:
    """Return the tail that `split_crc` looks for."""
    return _CRC_MARK + crc.to_bytes(10, "big")


def crc_of(pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield the pieces, followed by the CRC tail over them."""
    crc = 0
    for piece in pieces:
        crc = zlib.crc32(piece, crc)
        yield piece
    yield crc_tail(crc)


# --- encryption -------------------------------------------------------------------------------------------------------


def check_key(key: bytes, mode: str) -> None:
    """Raise ValueError unless the mode exists and takes keys of this length; ImportError without the package for it."""
    if mode not in MODES:
        raise ValueError(f"the encryption mode must be one of {list(MODES)}, but got {mode!r}")
    if len(key) not in MODES[mode][1]:
        raise ValueError(
            f"the key of {mode} must have {' or '.join(map(str, MODES[mode][1]))} bytes, but got {len(key)}"
        )
    cipher_of(key, mode, bytes(IV_BYTES))


def cipher_of(key: bytes, mode: str, iv: bytes, tag: bytes | None = None) -> Any:
    """Return the cipher of a block; ImportError without the package for it."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise ImportError(
            "Encrypted checkpoints need the package cryptography: pip install mindspore_compat[crypto]"
        ) from error
    if mode == "AES-GCM":
        return Cipher(algorithms.AES(key), modes.GCM(iv[:_NONCE_BYTES], tag))
    return Cipher((algorithms.SM4 if mode == "SM4-CBC" else algorithms.AES)(key), modes.CBC(iv))


def _encrypted_block(plain: Any, key: bytes, mode: str) -> Iterator[bytes]:
    iv = os.urandom(IV_BYTES)
    encryptor = cipher_of(key, mode, iv).encryptor()
    cipher = encryptor.update(plain)
    if mode == "AES-GCM":
        cipher += encryptor.finalize()
        tag = encryptor.tag
    else:
        pad = PAD_BYTES - len(plain) % PAD_BYTES
        cipher += encryptor.update(bytes([pad]) * pad) + encryptor.finalize()
        tag = b""
    yield (
        struct.pack("<I", MODES[mode][0])
        + tag
        + struct.pack("<ii", 8 + IV_BYTES + len(cipher), IV_BYTES)
        + iv
        + struct.pack("<i", len(cipher))
    )
    yield cipher


def encrypt(pieces: Iterable[Any], key: bytes, mode: str) -> Iterator[bytes]:
    """Yield the bytes of an encrypted file: blocks of 64 MiB, each for itself."""
    block = bytearray()
    for piece in pieces:
        view = memoryview(piece)
        while len(view):
            room = BLOCK_BYTES - len(block)
            block += view[:room]
            view = view[room:]
            if len(block) == BLOCK_BYTES:
                yield from _encrypted_block(block, key, mode)
                block = bytearray()
    if block:
        yield from _encrypted_block(block, key, mode)


def encryption_of(data: Any) -> str | None:
    """Return the mode by the first four bytes, or None if they are no encrypted file's."""
    magic = int.from_bytes(bytes(data[:4]), "little")
    return next((mode for mode, (number, _) in MODES.items() if number == magic), None)
