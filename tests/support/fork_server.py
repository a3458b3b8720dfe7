"""Runs Python command lines in forks of an interpreter that has imported the package; `processes` starts it.

A line of stdin is a request: the arguments of ``python``, folder, environment, files for stdin, stdout and stderr, and a
time limit in seconds. The answer is the exit status.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import runpy
import signal
import sys
import types
import warnings
from typing import Any

_statuses: list[int] = []  # how a fork ends, once its program has


def _leave() -> None:
    """End a fork without taking the imported modules apart, which takes 0.25 s."""
    if _statuses:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_statuses[-1])


atexit.register(_leave)  # before the imports register theirs: it runs last

import numpy as np  # noqa: E402
import torch._dynamo  # noqa: E402
import torch.distributed.tensor  # noqa: E402

import mindspore_compat.dataset  # noqa: E402
import mindspore_compat.nn  # noqa: E402
import mindspore_compat.ops  # noqa: E402
import mindspore_compat.train  # noqa: E402, F401

assert not torch.cuda.is_initialized()


def _status_of(child: int, limit: int) -> int:
    """Wait for the child, for at most ``limit`` seconds; nothing of its session outlives it."""
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(child, signal.SIGKILL))
    signal.alarm(limit)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        signal.alarm(0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what it has left


def _prepare(request: dict[str, Any]) -> None:
    """Give a fork the state of an interpreter that has just begun."""
    os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    flags = (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT | os.O_TRUNC] * 2)
    for number, (name, flag) in enumerate(zip(request["files"], flags)):
        os.dup2(os.open(name, flag, 0o600), number)
    sys.stdin = open(0)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[1:1] = [path for path in os.environ["PYTHONPATH"].split(os.pathsep) if path not in sys.path]
    np.random.seed()


def _run(arguments: list[str]) -> None:
    """``python ARGUMENTS``: -W options, then -c, -m, - or a file."""
    while arguments[0] == "-W":
        warnings._setoption(arguments[1])  # type: ignore[attr-defined]
        arguments = arguments[2:]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    if arguments[0] == "-m":
        sys.path[0], sys.argv = os.getcwd(), arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    if arguments[0] == "-c":
        sys.path[0], sys.argv, name, source = "", ["-c", *arguments[2:]], "<string>", arguments[1]
    elif arguments[0] == "-":
        sys.path[0], sys.argv, name, source = "", arguments, "<stdin>", sys.stdin.read()
    else:
        name = main.__file__ = os.path.abspath(arguments[0])
        sys.path[0], sys.argv = os.path.dirname(name), arguments
        with open(name, encoding="utf-8") as file:
            source = file.read()
    exec(compile(source, name, "exec"), main.__dict__)


gc.collect()
gc.freeze()
for line in sys.stdin:
    received = json.loads(line)
    child = os.fork()
    if not child:
        _prepare(received)
        try:
            _run(received["arguments"])
        except SystemExit as end:
            if end.code is None or isinstance(end.code, int):
                _statuses.append(end.code or 0)
            raise
        _statuses.append(0)
        break
    print(_status_of(child, received["limit"]), flush=True)
