"""Writes axis_calls.json: what real MindSpore raises for the calls of tests/ops/axis_calls.py, ValueError or TypeError.
Run with the oracle's Python.

Calls that it refuses otherwise (no kernel, an overload that has no such argument) are left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ops"))
from axis_calls import calls, refusal


def main() -> None:
    import mindspore

    found = {}
    for call in calls():
        error = refusal(call, mindspore)
        if isinstance(error, (ValueError, TypeError)) and not str(error).startswith("Failed calling"):
            found[call] = "ValueError" if isinstance(error, ValueError) else "TypeError"
    Path(__file__).with_name("axis_calls.json").write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
