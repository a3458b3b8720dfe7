"""Writes train_errors.json, what real MindSpore raises for bad arguments: `ORACLE_PYTHON make_train_errors.py`."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train"))

import mindspore
import mindspore.dataset
from errors_program import ERRORS, raised

mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
for name in (
    "EarlyStopping",
    "ReduceLROnPlateau",
    "OnRequestExit",
    "BackupAndRestore",
    "FlopsUtilizationCollector",
    "RunContext",
):
    setattr(mindspore, name, getattr(mindspore.train, name))
(HERE / "train_errors.json").write_text(json.dumps({name: raised(mindspore, name) for name in ERRORS}, indent=0) + "\n")
