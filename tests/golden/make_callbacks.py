"""Writes callbacks.json, what real MindSpore leaves behind in each program: `ORACLE_PYTHON make_callbacks.py`."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train"))

import mindspore
import mindspore.dataset
from callbacks_program import PROGRAMS, recorded

mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
found = {}
for number, name in enumerate(PROGRAMS):
    print(number, name, file=sys.stderr, flush=True)
    found[name] = recorded(mindspore, name)


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


logs = []
for name, record in found.items():
    found[name] = record = rounded(record)
    if record["log"] not in logs:
        logs.append(record["log"])
    record["log"] = logs.index(record["log"])  # many programs leave the same one
text = [json.dumps(name) + ":" + json.dumps(record, separators=(",", ":")) for name, record in found.items()]
log_lines = ",\n".join(json.dumps(log, separators=(",", ":")) for log in logs)
(HERE / "callbacks.json").write_text('{"logs":[' + log_lines + '],\n"programs":{' + ",\n".join(text) + "}}\n")
