"""Lines of a text file by number. MindSpore: ``mindspore.dataset.utils.LineReader``."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat.dataset.core.validator_helpers import check_value, type_check

__all__ = ["LineReader"]


class LineReader:
    """Text file with lines read by number (from 1) without reading those before. A line with invalid UTF-8 raises
    RuntimeError.
    """

    def __init__(self, filename: str) -> None:
        type_check(filename, str, "filename")
        self.filename = os.path.realpath(filename)
        if not os.path.isfile(self.filename):
            raise RuntimeError(f"The input file [{filename}] does not exist or is not a regular file.")
        self.offsets: list[int] = []
        offset = 0
        with open(self.filename, "rb") as stream:
            for line in stream:
                self.offsets.append(offset)
                offset += len(line)
        self._stream: Any = None

    def readline(self, line: int) -> str:
        """Return line `line` without its end. Raises: TypeError, ValueError outside [1, number of lines]."""
        type_check(line, int, "line")
        check_value(line, (1, len(self.offsets)), "line")
        if self._stream is None:
            self._stream = open(self.filename, "rb")  # noqa: SIM115
        self._stream.seek(self.offsets[line - 1])
        try:
            return self._stream.readline().decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise RuntimeError(f"Line {line} of {self.filename} is no UTF-8 text: {error}") from error

    def __getitem__(self, line: int) -> str:
        return self.readline(line)

    def __len__(self) -> int:
        return len(self.offsets)

    def len(self) -> int:
        """Return number of lines."""
        return len(self.offsets)

    def close(self) -> None:
        """Close the file; the next read opens it again."""
        stream, self._stream = getattr(self, "_stream", None), None
        if stream is not None:
            stream.close()

    def __del__(self) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stream": None}
