"""Shared checks of saving and loading: formats and keys."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.validate import check_isinstance
from mindspore_compat._format import envelope

FORMATS = ("ckpt", "safetensors")


def check_key(owner: str, prefix: str, key: Any, mode: Any, format: str) -> None:
    """Raise ValueError unless the pair ``enc_key``, ``enc_mode`` (or ``dec_``) fits together and with the format."""
    if format == "safetensors" and (key is not None or mode != "AES-GCM"):
        raise ValueError(f"For '{owner}', the format 'safetensors' takes no '{prefix}_key' and '{prefix}_mode'.")
    if key is not None:
        check_isinstance(key, f"{prefix}_key", bytes, owner)
        try:
            envelope.check_key(key, mode)
        except ValueError as error:
            raise ValueError(f"For '{owner}', in '{prefix}_key' and '{prefix}_mode', {error}.") from None
