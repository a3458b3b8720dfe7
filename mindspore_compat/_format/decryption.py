"""Decryption of an encrypted checkpoint; `envelope` encrypts. Layout: docs/design/ckpt-format.md."""

from __future__ import annotations

import struct

from mindspore_compat._format.envelope import IV_BYTES, PAD_BYTES, TAG_BYTES, cipher_of, encryption_of
from mindspore_compat._format.wire import FormatError


def _decrypted_block(cipher: memoryview, key: bytes, mode: str, iv: bytes, tag: bytes | None, place: int) -> bytes:
    from cryptography.exceptions import InvalidTag

    decryptor = cipher_of(key, mode, iv, tag).decryptor()
    wrong = f"the encrypted block at byte {place} does not open with this key: the key is wrong or the file damaged"
    try:
        plain = decryptor.update(cipher) + decryptor.finalize()
    except (InvalidTag, ValueError):
        raise FormatError(wrong) from None
    if mode == "AES-GCM":
        return plain
    pad = plain[-1] if plain else 0
    if not 1 <= pad <= PAD_BYTES or plain[-pad:] != bytes([pad]) * pad:
        raise FormatError(wrong)
    return plain[:-pad]


def decrypt(data: memoryview, key: bytes, mode: str) -> bytearray:
    """Return the plain bytes of an encrypted file."""
    tag_bytes = TAG_BYTES if mode == "AES-GCM" else 0
    head = 4 + tag_bytes + 8 + IV_BYTES + 4
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
        if iv_bytes != IV_BYTES or cipher_bytes < 0 or block_bytes != 8 + IV_BYTES + cipher_bytes:
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
        iv = bytes(data[position + head - 4 - IV_BYTES : position + head - 4])
        plain += _decrypted_block(data[position + head : end], key, mode, iv, tag, position)
        position = end
    return plain
