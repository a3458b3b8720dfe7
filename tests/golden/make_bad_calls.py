"""Writes bad_calls.json, what real MindSpore raises for bad arguments: `PYTHONHASHSEED=0 ORACLE_PYTHON
make_bad_calls.py`.

{call: {argument: {kind of value: "TYPE DIGEST"}}}, the digest of the first sentence.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "train" / "bad_calls_program.py"
sys.path.insert(0, str(PROGRAM.parent))


def read(printed):
    """What the program printed."""
    line = next(line for line in printed.splitlines() if line.startswith("BAD-CALLS "))
    return json.loads(line.removeprefix("BAD-CALLS "))


def packed(found):
    """{case: [type, sentence]} as the file has it."""
    import hashlib

    table = {}
    for case, (kind, sentence) in found.items():
        call, rest = case.split(":", 1)
        argument, value = rest.split("=", 1)
        table.setdefault(call, {}).setdefault(argument, {})[value] = (
            f"{kind} {hashlib.sha256(sentence.encode()).hexdigest()[:8]}"
        )
    return table


if __name__ == "__main__":
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=True)
    (HERE / "bad_calls.json").write_text(json.dumps(packed(read(done.stdout)), indent=0) + "\n")
