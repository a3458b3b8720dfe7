"""Encryption of MindRecord files, which is not done here. Upstream: ``mindspore.mindrecord.config``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import UnsupportedError

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]


def set_enc_key(enc_key: str | None) -> None:
    """Accept None, which means no encryption. Raises: ValueError for what is no key; UnsupportedError for a key."""
    if enc_key is None:
        return
    if not isinstance(enc_key, str):
        raise ValueError(f"The input enc_key is not str, but {type(enc_key)}.")
    if len(enc_key) not in (16, 24, 32):
        raise ValueError(f"The length of input enc_key is not 16, 24, 32, but {len(enc_key)}.")
    raise UnsupportedError("Encrypted MindRecord files are not supported; encrypt the files as a whole, outside.")


def set_enc_mode(enc_mode: Any = "AES-GCM") -> None:
    """Accept the default mode, which has no effect without a key. Raises: ValueError for another."""
    _check_mode(enc_mode, "enc_mode")


def set_dec_mode(dec_mode: Any = "AES-GCM") -> None:
    """Accept None and the default mode, which have no effect without a key. Raises: ValueError for another."""
    if dec_mode is not None:
        _check_mode(dec_mode, "dec_mode")


def _check_mode(mode: Any, name: str) -> None:
    if callable(mode):
        raise UnsupportedError("Encrypted MindRecord files are not supported; encrypt the files as a whole, outside.")
    if mode != "AES-GCM":
        raise ValueError(f"The input {name} is invalid: 'AES-GCM' expected, but got {mode!r}.")
