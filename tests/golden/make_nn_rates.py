"""Writes nn_rates.json: real MindSpore's learning rates for ``tests/nn/rate_cases.py``. Run: ORACLE_PYTHON
tests/golden/make_nn_rates.py
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("GLOG_v", "3")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "nn"))

import mindspore as ms
from mindspore import Tensor, nn
from rate_cases import LISTS, SCHEDULES, STEPS


def main():
    lists = [getattr(nn.dynamic_lr, name)(**arguments) for name, arguments in LISTS]
    schedules = []
    for name, arguments in SCHEDULES:
        cell = getattr(nn, name)(**arguments)
        schedules.append([float(cell(Tensor(step, ms.int32)).asnumpy()) for step in STEPS])
    (HERE / "nn_rates.json").write_text(json.dumps({"lists": lists, "schedules": schedules}) + "\n")


if __name__ == "__main__":
    main()
