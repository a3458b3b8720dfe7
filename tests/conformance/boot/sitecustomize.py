"""Loaded by every interpreter of a conformance run (tests' child processes too)."""

import importlib
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _chain():
    """Run the sitecustomize that this one hides, if there is one."""
    for folder in sys.path:
        path = os.path.join(folder or ".", "sitecustomize.py")
        if os.path.abspath(folder or ".") != _HERE and os.path.isfile(path):
            with open(path, encoding="utf-8") as src:
                exec(compile(src.read(), path, "exec"), {"__name__": "sitecustomize", "__file__": path})
            return


_chain()
_hook = os.environ.get("MSCONF_ALIAS_HOOK")
if _hook:
    sys.path.insert(0, _HERE)
    try:
        _module, _, _function = _hook.partition(":")
        getattr(importlib.import_module(_module), _function)()
    except Exception as err:  # a package that does not import must give failing tests, not a broken interpreter
        sys.stderr.write(f"[msconf] alias not installed: {type(err).__name__}: {err}\n")
