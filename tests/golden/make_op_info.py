"""What real MindSpore makes of operators' descriptions: writes op_info.json.

GLOG_v=4 /opt/oracle/venv/bin/python tests/golden/make_op_info.py
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))
from op_info_program import call_an_operator, run


def main() -> None:
    import mindspore
    from mindspore import ops

    register = importlib.import_module("mindspore.ops.op_info_register")
    found = {"version": mindspore.__version__, **run(register)}
    for mode in (mindspore.PYNATIVE_MODE, mindspore.GRAPH_MODE):
        mindspore.set_context(mode=mode)
        found[f"call in mode {mode}"] = call_an_operator(mindspore, ops, register)
    Path(__file__).with_name("op_info.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
