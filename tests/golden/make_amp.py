"""Writes amp.json, real MindSpore's mixed precision and loss scales: `ORACLE_PYTHON make_amp.py`."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train"))

import mindspore
from amp_program import CASES, cell_digest, manager_digest, scaler_digest, trained
from mindspore import amp, nn

mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
found = {name: trained(mindspore, name) for name in CASES}
digests = {
    "manager": manager_digest(mindspore),
    "cell": cell_digest(mindspore, nn),
    "scaler": scaler_digest(mindspore, amp),
}
(HERE / "amp.json").write_text(json.dumps({"trained": found, "digests": digests}, indent=0) + "\n")
