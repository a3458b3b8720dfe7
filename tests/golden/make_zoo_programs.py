"""Writes zoo_programs.json: what tests/integration/programs print under real MindSpore. Run: ORACLE_PYTHON
tests/golden/make_zoo_programs.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = ["resnet_smooth", "lstm_sentiment", "wide_and_deep", "dcgan", "yolo", "bert_pretrain"]


def main() -> None:
    env = {**os.environ, "GLOG_v": "3", "ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2"}
    found = {}
    for name in PROGRAMS:
        program = str(HERE.parent / "integration" / "programs" / f"{name}.py")
        done = subprocess.run(
            [sys.executable, "-W", "ignore", program], env=env, capture_output=True, text=True, check=True
        )
        found[name] = json.loads(done.stdout.strip().splitlines()[-1])
        print(name, found[name]["losses"][-1])
    (HERE / "zoo_programs.json").write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
