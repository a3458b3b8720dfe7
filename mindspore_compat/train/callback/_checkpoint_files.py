"""The checkpoints in a folder: the existing files, those to delete, and free names."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from typing import Any

__all__ = ["CheckpointManager", "changed_at", "made_folder", "next_free_prefix"]

_log = logging.getLogger("mindspore_compat")


def changed_at(path: str) -> float:
    """Return the time of the file's last change; 0 for one that another process of the run has removed."""
    try:
        return os.path.getmtime(path)
    except FileNotFoundError:
        return 0.0


class CheckpointManager:
    """The files of one prefix in a folder."""

    def __init__(self, format: str = "ckpt") -> None:
        self._ckpoint_filelist: list[str] = []
        self._format = format

    @property
    def ckpoint_filelist(self) -> list[str]:
        return self._ckpoint_filelist

    @property
    def ckpoint_num(self) -> int:
        return len(self._ckpoint_filelist)

    def update_ckpoint_filelist(self, directory: str, prefix: str) -> None:
        """Find ``PREFIX-*`` without letters in the rest."""
        found = [os.path.join(directory, name) for name in os.listdir(directory) if self.is_of(name, prefix)]
        self._ckpoint_filelist = [path for path in found if os.path.isfile(path)]  # no folders, FIFOs, lost links

    def is_of(self, name: str, prefix: str) -> bool:
        """Return whether a file name is ``PREFIX-NUMBERS`` and of this format."""
        end = "." + self._format
        return (
            name.startswith(prefix + "-")
            and name.endswith(end)
            and not any(c.isalpha() for c in name[len(prefix) : -len(end)])
        )

    def remove_ckpoint_file(self, file_name: str) -> None:
        """Delete one, if it still exists; a failure is logged and does not end the training."""
        try:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(file_name, stat.S_IWRITE)
                os.remove(file_name)
            self._ckpoint_filelist.remove(file_name)
        except (OSError, ValueError) as error:
            _log.warning("failed to remove the older ckpt file %s: %s", file_name, error)

    def remove_oldest_ckpoint_file(self) -> None:
        """Delete the file that was changed first."""
        self.remove_ckpoint_file(min(self._ckpoint_filelist, key=changed_at))

    def keep_one_ckpoint_per_minutes(self, minutes: int, cur_time: float) -> None:
        """Keep the oldest of the files of the last ``minutes``."""
        for name in self.surplus_of_minutes(minutes, cur_time):
            self.remove_ckpoint_file(name)

    def surplus_of_minutes(self, minutes: int, cur_time: float) -> list[str]:
        """Return the files of the last ``minutes`` but the oldest."""
        recent = sorted(
            (name for name in self._ckpoint_filelist if cur_time - changed_at(name) < 60 * minutes),
            key=changed_at,
        )
        return recent[1:]


def next_free_prefix(directory: str, prefix: str, breakpoint_files: bool = False) -> str:
    """Return ``prefix``, or ``prefix_N`` if the folder has checkpoints of that prefix from another run."""
    number = 0
    for name in os.listdir(directory):
        is_breakpoint = name.endswith("_breakpoint.ckpt")
        if (
            is_breakpoint != breakpoint_files
            or not name.endswith((".ckpt", ".safetensors"))
            or not name.startswith(prefix)
        ):
            continue
        rest = name[len(prefix) :]
        if rest[:1].isalpha():
            continue
        dash = rest.find("-")
        if dash == 0:
            number = max(number, 1)
        elif dash > 0 and rest[1:dash].isdecimal():
            number = max(number, int(rest[1:dash]) + 1)
    return f"{prefix}_{number}" if number else prefix


def made_folder(directory: Any) -> str:
    """Return the real path of a folder, made if missing."""
    if directory is None:
        return os.getcwd()
    path = os.path.realpath(directory)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path
