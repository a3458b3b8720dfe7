"""Writes bad_sources.json.gz, what real MindSpore raises for bad arguments of data sets, samplers and methods:
`ORACLE_PYTHON make_bad_sources.py` (on a machine of two CPUs, as in the messages).
"""

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "dataset" / "bad_sources_program.py"
ANSWERS = HERE / "bad_sources.json.gz"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers.json"
        subprocess.run([sys.executable, str(PROGRAM), str(out)], check=True)
        ANSWERS.write_bytes(gzip.compress(out.read_bytes(), mtime=0))
