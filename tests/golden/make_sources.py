"""Writes sources.json: what real MindSpore reads from the folders of tests/dataset/source_trees.py. Run with its
Python.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "dataset"))
import mindspore.dataset as ds
from source_cases import CASES, evaluate
from source_trees import make_trees

with tempfile.TemporaryDirectory() as folder:
    make_trees(Path(folder))
    results = {case: evaluate(ds, case, Path(folder)) for case in CASES}
target = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("sources.json")
Path(target).write_text(
    "{\n"
    + ",\n".join(f"{json.dumps(case)}: {json.dumps(value, ensure_ascii=False)}" for case, value in results.items())
    + "\n}\n",
    encoding="utf-8",
)
