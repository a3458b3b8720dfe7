"""Writes dataset_orders.json: in what order real MindSpore gives rows with a seed (tests/dataset/order_cases.py).

.venv-oracle/bin/python tests/golden/make_dataset_orders.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import mindspore.dataset as ds
from mindspore.mindrecord import FileWriter

from tests.dataset.order_cases import give

SEEDS = (0, 58, 4294967290)

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "dataset_orders.json"
    with tempfile.TemporaryDirectory() as folder:
        target.write_text(give(ds, FileWriter, Path(folder), SEEDS))
