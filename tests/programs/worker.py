"""Runs programs in one mode under the `mindspore` of this process: ``worker.py MODE file:function …``; one line of JSON
for each.

MODE is "pynative" or "graph".
"""

import importlib.util
import json
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import mindspore as ms
from kit import Record

_MODULES = {}


def module_of(path):
    if path not in _MODULES:
        spec = importlib.util.spec_from_file_location("program_" + Path(path).stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        _MODULES[path] = module
    return _MODULES[path]


def run(program, mode):
    """What the program recorded, or how it failed."""
    path, function = program.rsplit(":", 1)
    record, error, started = Record(), None, time.time()
    ms.set_context(mode=ms.PYNATIVE_MODE if mode == "pynative" else ms.GRAPH_MODE)
    ms.set_seed(1)
    try:
        getattr(module_of(path), function)(record)
    except Exception as failure:
        lines = [line for line in str(failure).splitlines() if line.strip(" -") and not line.startswith("- ")]
        error = f"{type(failure).__name__}: {(lines or [''])[0][:250]}"
        if "-v" in sys.argv:
            traceback.print_exc()
    return {"program": program, "values": record.values, "error": error, "seconds": round(time.time() - started, 3)}


if __name__ == "__main__":
    print("READY", flush=True)
    for each in sys.argv[2:]:
        if each != "-v":
            found = run(each, sys.argv[1])
            print("PROGRAM " + json.dumps(found), flush=True)
            if found["error"]:  # it may have left this process in a state that the next program must not see
                print("RESTART", flush=True)
                break
