"""``mindspore-compat run``: a script or module as python runs it, with the alias on."""

from __future__ import annotations

import argparse

from mindspore_compat._api import runner
from mindspore_compat._api.releases import parse

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Parse by hand and run: everything from the script on is the script's own, options included."""
    parser = argparse.ArgumentParser(
        prog="mindspore-compat run",
        usage="mindspore-compat run [--release RELEASE] [--no-numpy-aliases] (SCRIPT | -m MODULE) [args ...]",
    )
    parser.add_argument("--no-numpy-aliases", action="store_true", help="leave np.int, np.float, … removed")
    parser.add_argument("--release", help="the MindSpore it was written for, such as 1.9: older meanings of calls")
    parser.add_argument("-m", action="store_true", dest="module", help="run a module, as python -m does")
    own = []
    while arguments and arguments[0].startswith("-") and arguments[0] != "-":
        own.append(arguments.pop(0))
        if own[-1] == "-m":
            break
        if own[-1] == "--release" and arguments:
            own.append(arguments.pop(0))
    options = parser.parse_args(own)
    if not arguments:
        parser.error("give the script to run, for example: mindspore-compat run train.py")
    target, *rest = arguments
    run = runner.run_module if options.module else runner.run_script
    try:
        parse(options.release or "2.10")
    except ValueError as error:
        parser.error(str(error))
    return run(target, rest, restore_numpy=not options.no_numpy_aliases, release=options.release)
