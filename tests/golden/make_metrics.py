"""Writes what real MindSpore's metrics give: metrics.json for tests/train/metrics/cases.py, metrics_random.json.gz for
random_cases.py.

Run: ORACLE_PYTHON tests/golden/make_metrics.py
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("GLOG_v", "3")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train" / "metrics"))

import numpy as np
from cases import METRICS
from mindspore.train import metrics
from random_cases import RANDOM_METRICS, SEEDS, run


def plain(value):
    if isinstance(value, str):
        return value
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return np.asarray(value, np.float64).tolist()


def main():
    found = {}
    for name, (make, updates, arguments) in METRICS.items():
        try:
            metric = make(metrics)
            for inputs in updates:
                metric.update(*inputs)
            found[name] = plain(metric.eval(**arguments) if updates else metric)
        except Exception as error:
            found[name] = {"error": type(error).__name__}
            print("refused", name, type(error).__name__, str(error)[:200])
    (HERE / "metrics.json").write_text(json.dumps(found, indent=0) + "\n")
    print(len(found), "metrics")
    random = {name: [plain(run(metrics, name, seed)) for seed in SEEDS] for name in RANDOM_METRICS}
    for name, values in random.items():
        print(name, {value: values.count(value) for value in values if isinstance(value, str)})
    with gzip.GzipFile(HERE / "metrics_random.json.gz", "wb", mtime=0) as file:
        file.write(json.dumps(random).encode())


if __name__ == "__main__":
    main()
