"""Encryption of MindRecord files, which this package does not support. MindSpore: ``mindspore.mindrecord.config``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import UnsupportedError

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]


def set_enc_key(enc_key: str | None) -> None:
    """Accept None, which means no encryption. Raises: UnsupportedError for a key."""
    _need(enc_key, None)


def set_enc_mode(enc_mode: Any = "AES-GCM") -> None:
    """Accept the default mode, which has no effect without a key. Raises: UnsupportedError for another."""
    _need(enc_mode, "AES-GCM")


def set_dec_mode(dec_mode: Any = "AES-GCM") -> None:
    """Accept None and the default mode, which have no effect without a key. Raises: UnsupportedError for another."""
    _need(dec_mode, None, "AES-GCM")


def _need(value: Any, *accepted: Any) -> None:
    if value not in accepted:
        raise UnsupportedError("Encrypted MindRecord files are not supported; encrypt the files as a whole, outside.")
