"""Writes bad_arguments.json.gz, what real MindSpore raises for bad arguments of data operations: `ORACLE_PYTHON
make_bad_arguments.py`.

{case: [exception type, first sentence] or "ok"}, as the program prints it.
"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "dataset" / "bad_arguments_program.py"
ANSWERS = HERE / "bad_arguments.json.gz"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers.json"
        subprocess.run([sys.executable, str(PROGRAM), str(out)], check=True)
        ANSWERS.write_bytes(gzip.compress(out.read_bytes(), mtime=0))
