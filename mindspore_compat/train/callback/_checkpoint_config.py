"""Content, frequency and number of `ModelCheckpoint`'s files. MindSpore: ``mindspore.train.CheckpointConfig``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import warn_once
from mindspore_compat._api.validate import (
    check_non_negative_int,
    check_one_of,
    check_str_in,
)
from mindspore_compat.train._checkpoint.keys import FORMATS, check_key

__all__ = ["CheckpointConfig"]

_INFO = ("epoch_num", "step_num")


class CheckpointConfig:
    """Content, frequency and number of `ModelCheckpoint`'s files.

    Args:
        save_checkpoint_steps: steps from one checkpoint to the next; goes before ``save_checkpoint_seconds``.
        save_checkpoint_seconds: seconds from one checkpoint to the next.
        keep_checkpoint_max: the number of files to keep, the oldest go; goes before ``keep_checkpoint_per_n_minutes``.
        keep_checkpoint_per_n_minutes: one file for each such span.
        saved_network: a network to save instead of the trained one (Cell or torch module).
        append_info: of "epoch_num", "step_num" and at most one dict of numbers, strings or Tensors.
        integrated_save: without effect in one process.
        async_save, enc_key, enc_mode, crc_check, format: as for `save_checkpoint`; the format "safetensors" takes none
            of the others.
        remove_redundancy: in data parallel training each process saves its share of the parameters only.
        exception_save: also save when training ends by an exception.

    Raises:
        TypeError, ValueError: for wrong types or values, or if all four policies are None or 0.

    Examples:
        >>> config = ms.train.CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=3)
        >>> print(config.save_checkpoint_steps, config.keep_checkpoint_max)
        100 3
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: Any = False,
        saved_network: Any = None,
        append_info: list | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        owner = "CheckpointConfig"
        policies = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        _check_policies(owner, policies, kwargs)
        self.exception_save = exception_save
        self._save_checkpoint_steps = save_checkpoint_steps
        self._save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self._keep_checkpoint_max = keep_checkpoint_max
        self._keep_checkpoint_per_n_minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        if not keep_checkpoint_max and not keep_checkpoint_per_n_minutes:
            self._keep_checkpoint_max = 1
        self._integrated_save = integrated_save
        self._async_save = async_save
        self._saved_network = saved_network
        self._append_dict = _append_dict(append_info or [])
        self._format = check_str_in(format, "format", FORMATS, owner)
        check_key(owner, "enc", enc_key, enc_mode, format)
        self._enc_key, self._enc_mode = enc_key, enc_mode
        self._crc_check = crc_check
        self.remove_redundancy = remove_redundancy
        self._map_param_inc = kwargs.get("incremental", False)
        self.enable_redundance = kwargs.get("enable_redundance", False)
        if crc_check and enc_key is not None:
            raise ValueError(f"For '{owner}', no reader opens a file with 'crc_check' and 'enc_key': leave one out.")
        if format == "safetensors" and (crc_check or exception_save or self._map_param_inc):
            raise ValueError(
                f"For '{owner}', the format 'safetensors' takes no 'crc_check', 'exception_save', 'incremental'."
            )

    save_checkpoint_steps = property(lambda self: self._save_checkpoint_steps, doc="Steps between checkpoints.")
    save_checkpoint_seconds = property(lambda self: self._save_checkpoint_seconds, doc="Seconds between checkpoints.")
    keep_checkpoint_max = property(lambda self: self._keep_checkpoint_max, doc="How many files to keep.")
    keep_checkpoint_per_n_minutes = property(
        lambda self: self._keep_checkpoint_per_n_minutes, doc="One file for each such span."
    )
    integrated_save = property(lambda self: self._integrated_save, doc="Whether slices are merged.")
    async_save = property(lambda self: self._async_save, doc="Whether, or how, saving is asynchronous.")
    saved_network = property(lambda self: self._saved_network, doc="The network to save.")
    enc_key = property(lambda self: self._enc_key, doc="The key of encryption.")
    enc_mode = property(lambda self: self._enc_mode, doc="The mode of encryption.")
    crc_check = property(lambda self: self._crc_check, doc="Whether a CRC is appended.")
    format = property(lambda self: self._format, doc='"ckpt" or "safetensors".')
    append_dict = property(lambda self: self._append_dict, doc="What is saved beside the parameters.")
    map_param_inc = property(lambda self: self._map_param_inc, doc="Whether map parameters are saved incrementally.")

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the policies as a dict."""
        return {
            name: getattr(self, name)
            for name in (
                "save_checkpoint_steps",
                "save_checkpoint_seconds",
                "keep_checkpoint_max",
                "keep_checkpoint_per_n_minutes",
                "saved_network",
            )
        }


def _append_dict(append_info: list[Any]) -> dict[str, Any] | None:
    """Return {name: value} of ``append_info``: MindSpore's names first, then the entries of the dict."""
    result: dict[str, Any] = {name: 0 for name in _INFO if name in append_info}
    for item in append_info:
        if isinstance(item, dict):
            result.update(item)
        else:
            check_one_of(item, "append_info", _INFO, "CheckpointConfig")
    return result or None


def _check_policies(owner: str, policies: dict[str, Any], kwargs: dict[str, Any]) -> None:
    for name, value in policies.items():
        if value is not None:
            check_non_negative_int(value, name, owner)
    if not any(policies.values()):
        raise ValueError(f"For '{owner}', one of {', '.join(policies)} must be above 0.")
    unknown = set(kwargs) - {"incremental", "map_param_inc", "enable_redundance"}  # 2.x's names; no effect
    if unknown:
        names = ", ".join(sorted(unknown))
        warn_once(f"{owner} {names}", f"For '{owner}', there are no arguments {names}: they have no effect.")
