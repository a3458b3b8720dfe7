"""Writes hooks.json with the hooks that real MindSpore calls: `ORACLE_PYTHON make_hooks.py`."""
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train"))

import mindspore  # noqa: E402
import mindspore.dataset  # noqa: E402, F401
from hooks_program import NAMES, recorded  # noqa: E402

(HERE / "hooks.json").write_text(json.dumps({name: recorded(mindspore, name) for name in NAMES}).replace("]], ", "]],\n") + "\n")
