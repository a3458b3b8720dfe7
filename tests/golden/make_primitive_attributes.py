"""Writes primitive_attributes.json: what real MindSpore's operators compute after one of their attributes was set, for
tests/ops/primitive_attributes.py. Run with the oracle's Python.

[line, how, attribute, value, result]; what raises is left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.ops.primitive_attributes import LINES, Under


def main() -> None:
    import mindspore

    under, rows = Under(mindspore), []
    for line in LINES:
        rows.append([line, "", "", None, under.computed(line)])
        rows += [
            [line, how, name, value, under.computed(line, how, name, value)]
            for name, value in under.settings(line)
            for how in ("set", "added")
        ]
    text = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows if row[-1] is not None)
    Path(__file__).with_name("primitive_attributes.json").write_text(f"[{text}]\n")


if __name__ == "__main__":
    main()
