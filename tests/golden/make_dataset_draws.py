"""Writes dataset_draws.json: what real MindSpore's random image operations give with a seed
(tests/dataset/draw_cases.py).

    .venv-oracle/bin/python tests/golden/make_dataset_draws.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import mindspore.dataset as ds

from tests.dataset.draw_cases import give

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "dataset_draws.json"
    target.write_text(give(ds, (0, 4321)))
