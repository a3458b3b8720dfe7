"""Writes attributes.json: what real MindSpore's layers compute after one of their attributes was set, for
tests/nn/attribute_cases.py. Run with the oracle's Python.

[line, attribute, value, result], the attribute "" for the layer as it was made; what raises is left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.nn.attribute_cases import LAYERS, Under


def main() -> None:
    import mindspore

    under, rows = Under(mindspore), []
    for line in LAYERS:
        before = under.computed(line)
        if before is None:
            continue
        rows.append([line, "", None, before])
        for name, value in under.settings(line):
            found = under.computed(line, name, value)
            if found is not None:
                rows.append([line, name, value, found])
    text = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    Path(__file__).with_name("attributes.json").write_text(f"[{text}]\n")


if __name__ == "__main__":
    main()
