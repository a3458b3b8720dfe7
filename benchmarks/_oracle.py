"""Where real MindSpore is."""

from __future__ import annotations

import os
from pathlib import Path


def oracle_python() -> str | None:
    """The interpreter of a venv with real MindSpore, if there is one."""
    venv = Path(__file__).resolve().parent.parent / ".venv-oracle/bin/python"
    paths = (os.environ.get("MINDSPORE_ORACLE_PYTHON"), str(venv), "/opt/oracle/venv/bin/python")
    return next((path for path in paths if path and os.path.exists(path)), None)
