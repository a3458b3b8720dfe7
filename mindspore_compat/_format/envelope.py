"""What lies around the messages of a checkpoint: the CRC tail, or encryption. Layout: docs/design/ckpt-format.md.

The writer process loads this file by its path, without the package: nothing here may import from it at the top.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["MODES", "check_key", "crc_of", "crc_tail", "split_crc", "encrypt", "decrypt", "encryption_of"]

_CRC_MARK = b"crc_num"
_CRC_TAIL = len(_CRC_MARK) + 10

#: mode: (magic number of a block, allowed lengths of the key)
MODES: dict[str, tuple[int, tuple[int, ...]]] = {
    "AES-GCM": (0x7F3A5ED8, (16, 24, 32)),
    "AES-CBC": (0x7F3A5ED9, (16, 24, 32)),
    "SM4-CBC": (0x7F3A5EDA, (16,)),
}
BLOCK_BYTES = 64 << 20  # so much plain text is encrypted at a time
_IV_BYTES = _TAG_BYTES = _PAD_BYTES = 16
_NONCE_BYTES = 12  # of the 16 stored IV bytes GCM uses the first 12


# --- CRC --------------------------------------------------------------------------------------------------------------


def split_crc(data: memoryview) -> tuple[memoryview, int | None]:
    """(the messages, the CRC-32 stored behind them or None)."""
    if len(data) >= _CRC_TAIL and bytes(data[-_CRC_TAIL:-10]) == _CRC_MARK:
        return data[:-_CRC_TAIL], int.from_bytes(data[-10:], "big")
    return data, None


def crc_tail(crc: int) -> bytes:
    """What `split_crc` looks for."""
    return _CRC_MARK + crc.to_bytes(10, "big")


def crc_of(pieces: Iterable[Any]) -> Iterator[Any]:
    """The pieces, followed by the CRC tail over them."""
    crc = 0
    for piece in pieces:
        crc = zlib.crc32(piece, crc)
        yield piece
    yield crc_tail(crc)


# --- encryption -------------------------------------------------------------------------------------------------------


def check_key(key: bytes, mode: str) -> None:
    """ValueError unless the mode exists and takes keys of this length; ImportError without the package for it."""
    if mode not in MODES:
        raise ValueError(f"the encryption mode must be one of {list(MODES)}, but got {mode!r}")
    if len(key) not in MODES[mode][1]:
        raise ValueError(
            f"the key of {mode} must have {' or '.join(map(str, MODES[mode][1]))} bytes, but got {len(key)}"
        )
    _cipher(key, mode, bytes(_IV_BYTES))


def _cipher(key: bytes, mode: str, iv: bytes, tag: bytes | None = None) -> Any:
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
    iv = os.urandom(_IV_BYTES)
    encryptor = _cipher(key, mode, iv).encryptor()
    cipher = encryptor.update(plain)
    if mode == "AES-GCM":
        cipher += encryptor.finalize()
        tag = encryptor.tag
    else:
        pad = _PAD_BYTES - len(plain) % _PAD_BYTES
        cipher += encryptor.update(bytes([pad]) * pad) + encryptor.finalize()
        tag = b""
    yield (
        struct.pack("<I", MODES[mode][0])
        + tag
        + struct.pack("<ii", 8 + _IV_BYTES + len(cipher), _IV_BYTES)
        + iv
        + struct.pack("<i", len(cipher))
    )
    yield cipher


def encrypt(pieces: Iterable[Any], key: bytes, mode: str) -> Iterator[bytes]:
    """The bytes of an encrypted file: blocks of 64 MiB, each for itself."""
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
    """The mode by the first four bytes, or None if they are no encrypted file's."""
    magic = int.from_bytes(bytes(data[:4]), "little")
    return next((mode for mode, (number, _) in MODES.items() if number == magic), None)


def _decrypted_block(cipher: Any, key: bytes, mode: str, iv: bytes, tag: bytes | None, place: int) -> bytes:
    from cryptography.exceptions import InvalidTag

    from mindspore_compat._format.wire import FormatError

    decryptor = _cipher(key, mode, iv, tag).decryptor()
    wrong = f"the encrypted block at byte {place} does not open with this key: the key is wrong or the file damaged"
    try:
        plain = decryptor.update(cipher) + decryptor.finalize()
    except (InvalidTag, ValueError):
        raise FormatError(wrong) from None
    if mode == "AES-GCM":
        return plain
    pad = plain[-1] if plain else 0
    if not 1 <= pad <= _PAD_BYTES or plain[-pad:] != bytes([pad]) * pad:
        raise FormatError(wrong)
    return plain[:-pad]


def decrypt(data: memoryview, key: bytes, mode: str) -> bytearray:
    """The plain bytes of an encrypted file.

    Raises:
        FormatError: if it is none, or of another mode, or the key does not open it.
    """
    from mindspore_compat._format.wire import FormatError

    tag_bytes = _TAG_BYTES if mode == "AES-GCM" else 0
    head = 4 + tag_bytes + 8 + _IV_BYTES + 4
    plain, position = bytearray(), 0
    while position < len(data):
        found = encryption_of(data[position : position + 4])
        if found != mode:
            what = f"encrypted with {found}, not {mode}: pass dec_mode={found!r}" if found else "no encrypted block"
            raise FormatError(f"the data at byte {position} are {what}")
        if len(data) - position < head:
            raise FormatError(f"the data end inside the head of the encrypted block at byte {position}")
        tag = bytes(data[position + 4 : position + 4 + tag_bytes]) or None
        block_bytes, iv_bytes = struct.unpack_from("<ii", data, position + 4 + tag_bytes)
        (cipher_bytes,) = struct.unpack_from("<i", data, position + head - 4)
        if iv_bytes != _IV_BYTES or cipher_bytes < 0 or block_bytes != 8 + _IV_BYTES + cipher_bytes:
            raise FormatError(
                f"the lengths of the encrypted block at byte {position} contradict each other: "
                f"{block_bytes}, {iv_bytes}, {cipher_bytes}"
            )
        end = position + head + cipher_bytes
        if end > len(data):
            raise FormatError(
                f"the encrypted block at byte {position} claims {cipher_bytes} bytes, but only "
                f"{len(data) - position - head} are left"
            )
        iv = bytes(data[position + head - 4 - _IV_BYTES : position + head - 4])
        plain += _decrypted_block(data[position + head : end], key, mode, iv, tag, position)
        position = end
    return plain
