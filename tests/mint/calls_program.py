"""Evaluates the calls of samples.py, on whatever ``mindspore`` is here: what each gives goes to a file.

PYTHON [-m mindspore_compat] calls_program.py FILE
"""

import importlib.util
import pickle
import sys
from pathlib import Path

import mindspore as ms
from mindspore import mint

spec = importlib.util.spec_from_file_location("samples", Path(__file__).with_name("samples.py"))
samples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(samples)


def plain(value):
    if isinstance(value, (tuple, list)):
        return tuple(plain(item) for item in value)
    return value.asnumpy() if isinstance(value, ms.Tensor) else value


found = {}
for space, table in (("mint", samples.FUNCTIONS), ("mint.nn.functional", samples.FUNCTIONAL)):
    module = mint if space == "mint" else mint.nn.functional
    for name, calls in table.items():
        for arguments in calls:
            try:
                names = {**samples.names_of(ms), "function": getattr(module, name)}
                result = plain(eval(f"function({arguments})", names))
            except Exception as error:
                result = error.__class__.__name__ + ": " + str(error)[:300]
            found[f"{space}.{name}({arguments})"] = result
with open(sys.argv[1], "wb") as file:
    pickle.dump(found, file)
print(len(found), sum(isinstance(item, str) for item in found.values()))
