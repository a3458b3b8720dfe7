"""Writes option_calls.json: what real MindSpore makes of the calls of tests/ops/option_calls.py, the exception's type or
"". Run with the oracle's Python.

Functions whose plain call it refuses, and calls for which it has no kernel, are left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ops"))
from option_calls import expressions, refusal, with_wrong_options


def main() -> None:
    import mindspore

    found = {}
    for name, expression in expressions().items():
        if refusal(expression, mindspore) is not None:
            continue
        for call in with_wrong_options(expression, getattr(mindspore.ops, name)):
            error = refusal(call, mindspore)
            if "unregistered" not in str(error):
                found[call] = "" if error is None else type(error).__name__
    Path(__file__).with_name("option_calls.json").write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
