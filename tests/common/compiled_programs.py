"""Programs as text, for MindSpore's compiler and ours: compiled code is read again from its file, and pytest's own
rewriting of asserts would hide that of a test.
"""

import importlib.util
import json

from tests.support.oracle import run_oracle

HEAD = "import mindspore_compat as ms\nfrom mindspore_compat import Parameter, Tensor, nn, ops\n\n"
_ASK = """
import os, sys, tempfile
import mindspore as ms
folder = tempfile.mkdtemp()
open(os.path.join(folder, "asked_programs.py"), "w").write(SOURCE)
sys.path.insert(0, folder)
import asked_programs
ms.set_context(mode=ms.GRAPH_MODE)
found = {}
for name in NAMES:
    item = getattr(asked_programs, name)
    try:
        (item() if isinstance(item, type) else ms.jit(item))(ms.Tensor([1.0]), ms.Tensor([3.0]), ms.Tensor([2]))
        found[name] = "runs"
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"[:300]
give(found)
"""


def module_of(source, path):
    """The module that the source is, written to a file."""
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answers(source, names):
    """What real MindSpore says of functions and Cells: "runs", or the error's type and text."""
    source = source.replace("mindspore_compat", "mindspore")
    return run_oracle(f"SOURCE, NAMES = {json.dumps(source)}, {json.dumps(names)}\n{_ASK}")
