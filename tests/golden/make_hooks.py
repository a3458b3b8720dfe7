"""Writes hooks.json with the hooks that real MindSpore calls: `ORACLE_PYTHON make_hooks.py`."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train"))

import mindspore
import mindspore.dataset
from hooks_program import NAMES, fields, recorded

(HERE / "hooks.json").write_text(
    json.dumps({**{name: recorded(mindspore, name) for name in NAMES}, "fields": fields(mindspore)}).replace(
        "]], ", "]],\n"
    )
    + "\n"
)
