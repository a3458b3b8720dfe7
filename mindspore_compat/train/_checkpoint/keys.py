"""Shared checks of saving and loading: formats and keys."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.validate import check_isinstance
from mindspore_compat._format import envelope

__all__ = ["FORMATS", "check_key"]

FORMATS = ("ckpt", "safetensors")


def check_key(owner: str, prefix: str, key: Any, mode: Any, format: str) -> None:
    """Raise ValueError unless the pair ``enc_key``, ``enc_mode`` (or ``dec_``) fits together and with the format."""
    check_isinstance(key, f"{prefix}_key", (type(None), bytes), owner)
    check_isinstance(mode, f"{prefix}_mode", str, owner)
    if format == "safetensors" and (key is not None or mode != "AES-GCM"):
        raise ValueError(
            f"For '{owner}', the format 'safetensors' has no encryption: leave '{prefix}_key' and '{prefix}_mode' out, "
            "or use format='ckpt'."
        )
    if key is not None:
        try:
            envelope.check_key(key, mode)
        except ValueError as error:
            raise ValueError(f"For '{owner}', in '{prefix}_key' and '{prefix}_mode', {error}.") from None
