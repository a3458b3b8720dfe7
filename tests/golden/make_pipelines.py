"""Writes pipelines.json: what real MindSpore serializes the pipelines of tests/dataset/serialized_cases.py to. Run with
the oracle's Python.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "dataset"))
from serialized_cases import prepare, serialized


def main() -> None:
    import mindspore

    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        os.chdir(folder)
        found = serialized(mindspore)
        os.chdir("/")
    lines = ",\n".join(f"{json.dumps(case)}: {json.dumps(item, sort_keys=True)}" for case, item in found.items())
    Path(__file__).with_name("pipelines.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
