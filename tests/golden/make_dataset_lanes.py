"""Writes dataset_lanes.json: what real MindSpore's pipelines give with a seed and several workers
(tests/dataset/lane_cases.py).

    .venv-oracle/bin/python tests/golden/make_dataset_lanes.py

It refuses more workers than there are CPUs; where there are fewer than eight, a library that says otherwise is loaded
before it (needs gcc).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

_CPUS = 8
_SAYS_EIGHT = """#include <unistd.h>
#include <dlfcn.h>
int get_nprocs(void) { return 8; }
long sysconf(int name) {
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return 8;
  return ((long (*)(int))dlsym(((void *)-1l), "sysconf"))(name);
}
"""


def _again_with_eight(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "cpus.so"
        compile_ = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library), "-ldl"]
        subprocess.run(compile_, input=_SAYS_EIGHT, text=True, check=True)
        command = [sys.executable, str(Path(__file__).resolve()), str(target)]
        subprocess.run(command, env={**os.environ, "LD_PRELOAD": str(library)}, check=True)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "dataset_lanes.json"
    if (os.cpu_count() or 1) < _CPUS and "LD_PRELOAD" not in os.environ:
        _again_with_eight(target)
    else:
        import mindspore.dataset as ds

        from tests.dataset.lane_cases import give

        target.write_text(give(ds))
