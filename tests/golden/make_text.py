"""Writes text.json: what real MindSpore gives for tests/dataset/text_cases.py. Run: ORACLE_PYTHON
tests/golden/make_text.py
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("GLOG_v", "4")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dataset"))

import mindspore
import mindspore.dataset.text
from text_cases import CASES, evaluate

found = {case: evaluate(mindspore, case) for case in CASES}
(HERE / "text.json").write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
print(len(found))
