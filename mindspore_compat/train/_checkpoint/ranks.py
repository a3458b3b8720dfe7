"""Choice of the file in each ``rank_N`` folder."""

from __future__ import annotations

import glob
import logging
import os
import re
from collections.abc import Sequence

__all__ = ["rank_files", "chosen"]

_log = logging.getLogger("mindspore_compat")
# pattern of a suffix: the prefix added if missing, and the kind of names it may not end (rank
# numbers resemble a run's)
_SUFFIXES = (
    (re.compile(r"_?\d+-\d+_\d+"), "_", "rank"),
    (re.compile(r"-?\d+_\d+"), "-", None),
    (re.compile(r"_?\d+"), "_", None),
)


def _last_numbers(path: str) -> list[int]:
    """Return the last two numbers in a path: epoch and step."""
    return [int(number) for number in re.findall(r"\d+", path)][-2:]


def chosen(names: Sequence[str], suffix: str | None, format: str) -> str:
    """Return the chosen file of several: without a suffix that of the last epoch and step, else the one that ends with
    exactly that.

    Raises:
        ValueError: if the suffix fits several or none.
    """
    if suffix is None:
        return sorted(names, key=_last_numbers)[-1]
    kind = next((item for item in _SUFFIXES if item[0].fullmatch(suffix)), None)
    found: list[str] = []
    if kind is not None:
        _, start, refused = kind
        end = (suffix if suffix.startswith(start) else start + suffix) + f".{format}"
        found = [name for name in names if name.endswith(end) and not (refused and name.endswith(refused + end))]
    shortest = min((len(os.path.basename(name)) for name in found), default=0)
    found = [name for name in found if len(os.path.basename(name)) == shortest]
    if len(found) != 1:
        raise ValueError(
            f"The suffix {suffix!r} must fit one file, but of {list(names)} it fits {found or 'none'}. "
            "Pass as 'file_suffix' the longest end that all files have in common."
        )
    return found[0]


def rank_files(folder: str, format: str, suffix: str | None = None, last_by_name: bool = False) -> dict[int, str]:
    """Return {rank: file} of the folders ``rank_0``, ``rank_1``, ... in the order of the ranks; without a suffix, those
    without a file are skipped.

    Of several files the `chosen` one, or the last by name.

    Raises:
        ValueError: if a suffix fits no file of a folder, or several.
    """
    found: dict[int, str] = {}
    several: list[str] = []
    for path in glob.glob(os.path.join(glob.escape(folder), "rank_[0-9]*")):
        match = re.fullmatch(r"rank_(\d+)", os.path.basename(path))
        if not match or not os.path.isdir(path):
            _log.warning("%s is passed over: it is no folder rank_N.", path)
            continue
        names = sorted(glob.glob(os.path.join(glob.escape(path), f"*{glob.escape(suffix or '')}.{format}")))
        names = [name for name in names if os.path.isfile(name)]  # no folders, FIFOs or sockets
        if suffix is not None and not names:
            raise ValueError(
                f"The folder {path} must have a file that ends with '{suffix}.{format}', but has none. Check the "
                "'file_suffix'."
            )
        if names:
            found[int(match[1])] = names[-1] if len(names) == 1 or last_by_name else chosen(names, suffix, format)
        if len(names) > 1:
            several = several or [found[int(match[1])], *names]
    if suffix is not None and several:
        _log.warning(
            "The file_suffix %r fits several files, such as %s; %s is taken. Please check it.",
            suffix,
            several[1:],
            several[0],
        )
    return dict(sorted(found.items()))
