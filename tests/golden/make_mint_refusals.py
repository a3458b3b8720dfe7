"""Writes mint_refusals.json: the exception types of real MindSpore for the calls in tests/mint/refusal_cases.py.

    .venv-oracle/bin/python tests/golden/make_mint_refusals.py

Calls that it runs, and such as its CPU has no kernel for, are left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import mindspore as ms

from tests.mint.refusal_cases import CASES, raised

if __name__ == "__main__":
    ms.set_context(pynative_synchronize=True)  # else a call raises what the one before it did
    found = {case: raised(ms, case) for case in CASES}
    types = {
        case: type(error).__name__
        for case, error in found.items()
        if error is not None and "unregistered" not in str(error) and "Not found op" not in str(error)
    }
    (Path(__file__).parent / "mint_refusals.json").write_text(json.dumps(types, indent=0) + "\n")
