"""Writes initial_weights.json: checksums of real MindSpore's weights for ``tests/nn/initial_cases.py``, and numbers that
its functions of a seed give. Run: ORACLE_PYTHON tests/golden/make_initial_weights.py
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from pathlib import Path

os.environ.setdefault("GLOG_v", "3")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "nn"))

import mindspore
import numpy as np
from initial_cases import CASES, told
from mindspore import _c_expression

DRAWS = {
    "_random_normal": [(0.0, 1.0), (0.3, 0.0123)],
    "_random_uniform": [(-0.07, 0.07), (2.0, 3.0)],
    "_truncated_normal": [
        (-2.0, 2.0, 0.0, 0.01),
        (-0.01, 0.013, 0.0, 0.7),
        (5.0, 8.0, 0.0, 1.0),
        (-30.0, -20.0, 0.0, 1.0),
        (20.0, 30.0, 0.0, 1.0),
    ],
}


def drawn():
    for name, settings in DRAWS.items():
        for arguments in settings:
            for seed in (1, 2**32 + 5, 2**63 - 1):
                for size in (1, 7, 1030, 100001):
                    array = np.zeros(size, np.float32)
                    getattr(_c_expression, name)(seed, array, *arguments)
                    yield [name, seed, size, arguments, [float(x) for x in array[:3]], zlib.crc32(array.tobytes())]


def main():
    cases = ",\n".join(f"{json.dumps(case)}: {json.dumps(told(case, mindspore))}" for case in CASES)
    draws = ",\n".join(json.dumps(row) for row in drawn())
    (HERE / "initial_weights.json").write_text(f'{{"cases": {{\n{cases}\n}},\n"draws": [\n{draws}\n]}}\n')


if __name__ == "__main__":
    main()
