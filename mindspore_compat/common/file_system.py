"""How files of checkpoints are opened. Upstream: ``mindspore.common.file_system``."""

from __future__ import annotations

__all__ = ["FileSystem"]


class FileSystem:
    """The functions that open files: ``create(path, *create_args)`` to append, ``open(path, *open_args)`` to read."""

    def __init__(self) -> None:
        self.create, self.create_args = open, ("ab",)
        self.open, self.open_args = open, ("rb",)
        self.backend = "basic"
