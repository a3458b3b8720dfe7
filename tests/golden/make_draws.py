"""Writes draws.json: what real MindSpore's operators and layers draw with a seed (tests/ops/drawing_program.py), by
mode.

    .venv-oracle/bin/python tests/golden/make_draws.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

if __name__ == "__main__":
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("0", "1"):
            target = Path(folder) / "draws.json"
            subprocess.run([sys.executable, ROOT / "tests/ops/drawing_program.py", mode, target], check=True)
            found[mode] = json.loads(target.read_text(), parse_float=lambda text: float(f"{float(text):.7g}"))
    Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "tests/golden/draws.json").write_text(json.dumps(found))
