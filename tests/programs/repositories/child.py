"""One run in this process: ``child.py NAME``; the working directory is a copy of the program's folder."""

from __future__ import annotations

import sys
from pathlib import Path

import drivers
import kit
import mindspore
import numpy as np

if __name__ == "__main__":
    mindspore.set_seed(0)
    np.random.seed(0)
    sys.path.insert(0, str(Path.cwd()))
    drivers.load()
    kit.RUNS[sys.argv[1]].driver()
    print("END", flush=True)
