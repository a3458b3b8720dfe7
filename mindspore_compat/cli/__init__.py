"""The command ``mindspore-compat`` (also ``python -m mindspore_compat``): a module of this package for each command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from mindspore_compat.cli.env import own_version

__all__ = ["main"]

#: the commands; each is the module of its name (_ for -), loaded on call; its ``main`` takes the arguments
_COMMANDS = {
    "run": "run a MindSpore script or module",
    "msrun": "run a MindSpore script in several processes",
    "summary": "look into summary files, or convert them for TensorBoard",
    "check": "which MindSpore names a script or folder uses that are not covered",
    "coverage": "the coverage figures, or the state of some names",
    "ckpt": "inspect, diff, convert and verify checkpoints",
    "env": "versions and devices, for a bug report",
    "check-gpu": "train on the CUDA device beside the CPU and torch, for a bug report",
}
_EPILOG = """
`mindspore-compat script.py [args]` is short for `mindspore-compat run script.py [args]`;
`mindspore-compat -m package.module [args]` runs a module.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments and arguments[0] not in (*_COMMANDS, "-h", "--help", "--version"):
        arguments.insert(0, "run")
    if not arguments or arguments[0] not in _COMMANDS:
        _parser().parse_args(arguments)  # which exits: with the help, the version, or an error
    return import_module(f"{__name__}.{arguments[0].replace('-', '_')}").main(arguments[1:])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mindspore-compat", description="MindSpore scripts on PyTorch.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"mindspore_compat {own_version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, text in _COMMANDS.items():
        commands.add_parser(name, help=text, add_help=False)
    return parser
