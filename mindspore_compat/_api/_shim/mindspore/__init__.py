"""Entry point of child processes on sys.path: it replaces itself by mindspore_compat (see ../../alias.py)."""

import os
import sys

try:
    import mindspore_compat  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "mindspore_compat":
        raise
    # The parent ran from a checkout that is not installed.
    sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4)))

from mindspore_compat._api import alias, numpy_aliases

del sys.modules["mindspore"]
alias.install()  # enters mindspore_compat as sys.modules["mindspore"]
numpy_aliases.restore_if_inherited()
