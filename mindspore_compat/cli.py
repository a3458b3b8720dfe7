"""The command ``mindspore-compat`` (also ``python -m mindspore_compat``)."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["main"]

_EPILOG = """
`mindspore-compat script.py [args]` is short for `mindspore-compat run script.py [args]`;
`mindspore-compat -m package.module [args]` runs a module.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if arguments and arguments[0] not in _COMMANDS and arguments[0] not in ("-h", "--help", "--version"):
        arguments.insert(0, "run")
    if arguments[:1] == ["run"]:
        return _run(arguments[1:])
    if arguments[:1] == ["ckpt"]:
        return _ckpt(arguments[1:])
    options = _parser().parse_args(arguments)
    handler: Callable[[argparse.Namespace], int] = options.handler
    return handler(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mindspore-compat", description="MindSpore scripts on PyTorch.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"mindspore_compat {_version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    commands.add_parser("run", help="run a MindSpore script or module", add_help=False)

    from mindspore_compat._summary_cli import add_parser

    add_parser(commands)

    check = commands.add_parser("check", help="which MindSpore names a script or folder uses that are not covered")
    check.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    check.add_argument("--all", action="store_true", help="list covered names too")
    check.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    check.set_defaults(handler=_check)

    coverage = commands.add_parser("coverage", help="the coverage figures, or the state of some names")
    coverage.add_argument(
        "names", nargs="*", metavar="NAME", help="mindspore.nn.Cell, or a prefix such as mindspore.nn"
    )
    coverage.add_argument("--write", action="store_true", help="derive the table from the code, write it and its page")
    coverage.set_defaults(handler=_coverage)

    commands.add_parser("ckpt", help="inspect, diff, convert and verify checkpoints", add_help=False)
    commands.add_parser("env", help="versions and devices, for a bug report").set_defaults(handler=_env)
    return parser


def _version() -> str:
    """The distribution's version; ``__version__`` may speak of the MindSpore it stands in for."""
    return _installed_version("mindspore_compat") or "(not installed, runs from a checkout)"


def _installed_version(distribution: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


# ---- run ---------------------------------------------------------------------------------------------------------


def _run(arguments: list[str]) -> int:
    """Parsed by hand: everything from the script on is the script's own, options included."""
    from ._api import runner

    parser = argparse.ArgumentParser(
        prog="mindspore-compat run", usage="mindspore-compat run [--no-numpy-aliases] (SCRIPT | -m MODULE) [args ...]"
    )
    parser.add_argument("--no-numpy-aliases", action="store_true", help="leave np.int, np.float, … removed")
    parser.add_argument("-m", action="store_true", dest="module", help="run a module, as python -m does")
    own = []
    while arguments and arguments[0].startswith("-") and arguments[0] != "-":
        own.append(arguments.pop(0))
        if own[-1] == "-m":
            break
    options = parser.parse_args(own)
    if not arguments:
        parser.error("give the script to run, for example: mindspore-compat run train.py")
    target, *rest = arguments
    run = runner.run_module if options.module else runner.run_script
    return run(target, rest, restore_numpy=not options.no_numpy_aliases)


# ---- check -------------------------------------------------------------------------------------------------------


def _check(options: argparse.Namespace) -> int:
    from ._api.check import Use, find_uses, python_files, state_of
    from ._api.resolve import FULL, MISSING, PLACEHOLDER

    uses: list[Use] = []
    unreadable: list[str] = []
    for path in options.paths:
        if not path.exists():
            print(f"mindspore-compat check: no such file or folder: '{path}'", file=sys.stderr)
            return 2
        for file in python_files(path):
            try:
                uses += find_uses(file)
            except (SyntaxError, ValueError) as error:
                unreadable.append(f"{file}:{getattr(error, 'lineno', None) or 1}: not Python 3: {error}")
    states = {use.name: state_of(use.name) for use in uses}
    counts = Counter(state.state for _, state in states.values())
    found = [
        {"path": use.path, "line": use.line, "name": states[use.name][0], **states[use.name][1]._asdict()}
        for use in uses
        if options.all or states[use.name][1].state != FULL
    ]
    if options.json:
        print(json.dumps({"uses": found, "names": dict(counts), "unreadable": unreadable}, indent=1))
    else:
        for use in found:
            note = f": {use['note']}" if use["note"] else ""
            print(f"{use['path']}:{use['line']}: {use['name']} {use['state']}{note}")
        print("\n".join(unreadable), end="\n" * bool(unreadable))
        print(f"{len(states)} MindSpore names: " + (", ".join(f"{n} {s}" for s, n in sorted(counts.items())) or "none"))
    return 1 if counts[MISSING] or counts[PLACEHOLDER] or unreadable else 0


# ---- coverage ----------------------------------------------------------------------------------------------------


def _coverage(options: argparse.Namespace) -> int:
    from ._api import coverage

    rows = coverage.read_table()
    if options.names:
        return _show_names(options.names)
    if options.write:
        before = {row.name: row.state for row in rows}
        rows = coverage.refreshed(rows)
        coverage.write_table(rows)
        page = coverage.page_path()
        if page.parent.is_dir():  # an installed package has no docs
            page.write_text(coverage.coverage_page(rows), encoding="utf-8")
        for row in rows:
            if row.state in ("missing", "partial", "placeholder") and before[row.name] == "full":
                print(f"no longer full: {row.name} is {row.state}. {row.note}".rstrip())
    print("\n".join(coverage.summary(rows)))
    print("Waited for most by nearly complete projects: ", end="")
    print(", ".join(f"{name} ({count})" for name, count in coverage.next_names(rows)) or "nothing")
    return 0


def _show_names(names: list[str]) -> int:
    from ._api import coverage
    from ._api.check import state_of

    rows = coverage.read_table()
    exit_code = 0
    for name in names:
        name = name if name.startswith("mindspore.") else f"mindspore.{name}"
        below = [row for row in rows if row.name.startswith(name + ".")]
        _, state = state_of(name)
        print(f"{name}: {state.state}" + (f": {state.note}" * bool(state.note)))
        for row in below:
            print(f"  {row.name}: {row.state}" + (f": {row.note}" * bool(row.note)))
        exit_code |= state.state == "missing"
    return int(exit_code)


# ---- ckpt --------------------------------------------------------------------------------------------------------


def _ckpt(arguments: list[str]) -> int:
    from .train import _checkpoint_cli

    return _checkpoint_cli.main(arguments)


# ---- env ---------------------------------------------------------------------------------------------------------


def _env(options: argparse.Namespace) -> int:
    import platform

    import numpy
    import torch

    from ._api import alias
    from ._runtime import extension

    lines = {
        "mindspore_compat": f"{_version()} in {Path(__file__).parent}",
        "python": f"{platform.python_version()} on {platform.platform()}",
        "torch": f"{torch.__version__} in {Path(torch.__file__).parent}",
        "numpy": numpy.__version__,
        "cuda": ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
        if torch.cuda.is_available()
        else f"none (torch built for {torch.version.cuda or 'CPU only'})",
        "CUDA kernels": extension.describe(),
        "torch.distributed": ", ".join(_distributed_backends()) or "none",
        "import mindspore": "delivers mindspore_compat" if alias.is_installed() else "not taken over in this process",
        "real MindSpore": _installed_version("mindspore") or "not installed",
    }
    for key, value in lines.items():
        print(f"{key:18} {value}")
    return 0


def _distributed_backends() -> list[str]:
    import torch.distributed as dist

    if not dist.is_available():
        return []
    return [name for name in ("gloo", "nccl", "mpi") if getattr(dist, f"is_{name}_available")()]


_COMMANDS = ("run", "check", "coverage", "ckpt", "summary", "env")
