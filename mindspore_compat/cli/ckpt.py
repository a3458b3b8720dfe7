"""``mindspore-compat ckpt inspect|diff|convert|verify|maps``. Exit code 0: fine, 1: files differ or are damaged,
2: wrong use.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._format import envelope
from mindspore_compat.cli._ckpt_convert import convert_file, list_maps
from mindspore_compat.cli._ckpt_look import diff, inspect, verify
from mindspore_compat.train._checkpoint.new_files import FOLDERS

__all__ = ["main"]

_DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
}


def main(arguments: Sequence[str]) -> int:
    """Run ``mindspore-compat ckpt`` with these arguments; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.handler(options)
    except (ValueError, OSError, TypeError, ImportError) as error:
        print(f"mindspore-compat ckpt {options.command}: {error}", file=sys.stderr)
        return 1 if isinstance(error, ValueError) else 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mindspore-compat ckpt",
        description="Look into checkpoints, compare, convert and check them.",
        epilog="A KEY is hexadecimal, or @FILE for the bytes of a file.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, handler: Callable[[Any], int], text: str, *files: str) -> argparse.ArgumentParser:
        result = commands.add_parser(name, help=text, description=text)
        for file in files:
            result.add_argument(file.lower(), metavar=file)
        result.add_argument("--json", action="store_true", help="one JSON object instead of lines")
        result.add_argument("--dec-key", type=_key, metavar="KEY", help="key of an encrypted file")
        result.add_argument(
            "--dec-mode", metavar="MODE", choices=list(envelope.MODES), help="default: as the file says"
        )
        result.set_defaults(handler=handler)
        return result

    for name, handler, text, files in (
        ("inspect", inspect, "names, shapes, dtypes and sizes", ("FILE",)),
        ("diff", diff, "what differs between two checkpoints", ("A", "B")),
        ("verify", verify, "structure, lengths and CRC", ("FILE",)),
    ):
        command(name, handler, text, *files)
    commands.choices["diff"].add_argument(
        "--tolerance", type=float, default=0.0, help="largest difference that counts as equal (default 0)"
    )
    convert = command(
        "convert",
        convert_file,
        "convert between .ckpt, .safetensors and .pth (by the ends of the names), and folders of them",
        "IN",
        "OUT",
    )
    _add_convert_options(convert)
    maps = commands.add_parser(
        "maps",
        help="the rule files that come with the package",
        description="The rule files that come with the package.",
    )
    maps.add_argument("name", nargs="?", metavar="NAME", help="one of them, with what it says of differences")
    maps.add_argument("--json", action="store_true", help="one JSON list instead of lines")
    maps.set_defaults(handler=list_maps)
    return parser


def _add_convert_options(convert: argparse.ArgumentParser) -> None:
    convert.add_argument(
        "--names",
        choices=("keep", "torch", "mindspore"),
        default="keep",
        help="write torch's or MindSpore's parameter names: guessed, load into the network where there is one",
    )
    convert.add_argument(
        "--map", action="append", default=[], metavar="OLD=NEW", help="rename a parameter; may be given several times"
    )
    convert.add_argument(
        "--rules", metavar="RULES", help="a rule file, or a name that `ckpt maps` lists (docs/checkpoints.md)"
    )
    convert.add_argument("--reverse", action="store_true", help="from the torch network's checkpoint to MindSpore's")
    convert.add_argument(
        "--like",
        metavar="FILE",
        help="a checkpoint of the network that is to load the result: compare names and shapes",
    )
    convert.add_argument(
        "--guess", action="store_true", help="with --names torch: write what only the network could tell for sure, too"
    )
    convert.add_argument("--partial", action="store_true", help="leave out what no rule knows")
    convert.add_argument("--report", metavar="FILE", help="write what became of what, as JSON")
    convert.add_argument(
        "--dtype", type=_dtype, metavar="DTYPE", help=f"cast floating-point tensors: {', '.join(_DTYPES)}"
    )
    convert.add_argument("--format", choices=list(FOLDERS), help="of the files of a folder OUT (default safetensors)")
    convert.add_argument(
        "--shard-size", type=_size, metavar="SIZE", help="most bytes in a file of a folder OUT (default 5GB)"
    )
    convert.add_argument(
        "--jobs", type=int, choices=range(1, 129), default=1, metavar="N", help="files to write at a time (default 1)"
    )
    convert.add_argument("--strategy", metavar="FILE", help="merge the folders rank_N in IN by this strategy file")
    convert.add_argument(
        "--suffix", metavar="TEXT", help="end of the names to take in folders rank_N, such as 1_500 (default: the last)"
    )
    convert.add_argument("--enc-key", type=_key, metavar="KEY", help="encrypt the new file")
    convert.add_argument("--enc-mode", choices=list(envelope.MODES), default="AES-GCM")
    convert.add_argument("--crc", action="store_true", help="store a CRC-32")


def _dtype(text: str) -> torch.dtype:
    if text not in _DTYPES:
        raise argparse.ArgumentTypeError(f"a dtype is one of {', '.join(_DTYPES)}, but got {text!r}")
    return _DTYPES[text]


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", text, re.IGNORECASE)
    if match is None or float(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"a size is a number with KB, MB, GB or KiB, MiB, GiB, but got {text!r}")
    return int(float(match[1]) * (1024 if match[3] else 1000) ** " KMGT".index(match[2].upper() or " ")) or 1


def _key(text: str) -> bytes:
    if text.startswith("@"):
        with open(text[1:], "rb") as file:
            return file.read()
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise argparse.ArgumentTypeError("a key is hexadecimal, or @FILE") from None
