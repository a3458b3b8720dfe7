"""Writes refusals.json: the exception types of real MindSpore for the calls in tests/ops/refusal_cases.py.

    .venv-oracle/bin/python tests/golden/make_refusals.py

Left out are calls that it runs, such as its CPU has no kernel for, and names that it has not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import mindspore as ms

from tests.ops.refusal_cases import CASES, raised

_LACKS = ("unregistered", "Not found op", "Init Failed", "not supported on this device", "only supports Ascend")

if __name__ == "__main__":
    ms.set_context(pynative_synchronize=True)  # else a call raises what the one before it did
    found = {case: raised(ms, case) for case in CASES}
    types = {
        case: type(error).__name__
        for case, error in found.items()
        if error is not None
        and not isinstance(error, (AttributeError, UnicodeError))
        and not any(words in str(error) for words in _LACKS)
    }
    (Path(__file__).parent / "refusals.json").write_text(json.dumps(types, indent=0) + "\n")
