"""The examples in the docstrings of MindSpore's earlier releases, run here under their release (`install(release=)`).

    python -m tests.conformance.release_examples --mirror GIT_DIRECTORY [--releases 1.3 1.9] [--out FILE] [--list]

Sources are read from the tags of a git mirror of mindspore-ai/mindspore_test and written into a temporary folder; nothing
of them enters the repository. What an example prints is compared with what its page shows, numbers within 1e-4. An example
whose own code cannot run alone (names or files that the page does not make) counts apart.
"""

from __future__ import annotations

import argparse
import ast
import collections
import doctest
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mindspore_compat._api import numpy_aliases
from tests.conformance.examples import HEAD, alike, plain_text, run, statements

#: release -> tag, and where its Python files lie
RELEASES = {
    "1.3": ("v1.3.0", "mindspore"),
    "1.5": ("v1.5.0", "mindspore"),
    "1.9": ("v1.9.0", "mindspore/python/mindspore"),
    "2.0": ("v2.0.0", "mindspore/python/mindspore"),
}
#: public files: what users import from
ROOMS = ("common", "nn", "ops/function", "ops/operations", "ops/composite", "train", "numpy", "dataset", "amp.py")
#: errors of examples that the page leaves incomplete
INCOMPLETE = {"NameError", "FileNotFoundError", "ModuleNotFoundError", "SyntaxError"}


def docstrings(git: Path, tag: str, root: str) -> Iterator[tuple[str, str]]:
    """Yield (file and name, docstring) of the functions and classes in public files."""
    paths = [f"{root}/{room}" for room in ROOMS]
    listed = subprocess.run(
        ["git", "-C", str(git), "ls-tree", "-r", "--name-only", tag, *paths], capture_output=True, text=True, check=True
    )
    for path in listed.stdout.split():
        name = path.removeprefix(root + "/")
        if not name.endswith(".py") or re.search(r"/_|_grad|_op_impl|_tbe|_aicpu", name):
            continue
        source = subprocess.run(
            ["git", "-C", str(git), "show", f"{tag}:{path}"], capture_output=True, check=True
        ).stdout
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield f"{name}: {node.name}", ast.get_docstring(node) or ""


def write(git: Path, release: str, folder: Path) -> dict[str, tuple[str, str]]:
    """Write each example into a file of its own; return {number: (name, what the page shows)}."""
    found: dict[str, tuple[str, str]] = {}
    for name, text in docstrings(git, *RELEASES[release]):
        try:
            code = statements(text)
            shown = "".join(item.want for item in doctest.DocTestParser().get_examples(text))
        except (SyntaxError, ValueError):
            continue
        if code:
            found.setdefault(code, (name, shown))
    named = {f"{number:04d}": item for number, item in enumerate(found.values())}
    for number, code in zip(named, found):
        (folder / f"{number}.py").write_text(HEAD + code)
    return named


def outcome(ours: str, shown: str) -> str:
    """Return how an example ended."""
    if "@END" in ours:
        printed = ours.replace("@END", "")
        if not shown.strip():
            return "ends, the page shows nothing"
        return "ends as the page shows" if alike(printed, shown) else "ends, the page shows other text"
    error = re.search(r"@EXC (\w+)", ours)
    return "incomplete on its page" if error and error[1] in INCOMPLETE else f"stops: {error[1] if error else 'time'}"


def main() -> None:
    """Run the releases and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--releases", nargs="*", default=list(RELEASES), choices=list(RELEASES))
    parser.add_argument("--out", type=Path, help="JSON of all outputs")
    parser.add_argument("--list", action="store_true", help="examples that stop, with their last words")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        numpy_aliases.restore(quiet=True)  # as `python -m mindspore_compat` does
        run(Path(args.part[0]), Path(args.part[1]), is_real=False)
        return
    results: dict[str, dict[str, tuple[str, str, str]]] = {}
    for release in args.releases:
        with tempfile.TemporaryDirectory() as place:
            named = write(args.mirror, release, Path(place))
            out = Path(place) / "ours.json"
            environment = {
                **os.environ,
                "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
                "OMP_NUM_THREADS": "1",
                "MINDSPORE_COMPAT_RELEASE": release,
            }
            command = [sys.executable, "-m", "tests.conformance.release_examples", "--mirror", str(args.mirror)]
            subprocess.run(
                [*command, "--part", place, str(out)], env=environment, cwd=place, check=True, capture_output=True
            )
            ours = json.loads(out.read_text())
        results[release] = {
            f"{number} {name}": (outcome(ours[number], shown), ours[number], shown)
            for number, (name, shown) in named.items()
        }
        counts = collections.Counter(item[0] for item in results[release].values())
        print(
            f"{release}: {sum(counts.values())} examples",
            *(f"{count:6d} {kind}" for kind, count in counts.most_common()),
            sep="\n",
        )
        for name, (kind, text, _) in results[release].items() if args.list else ():
            if kind.startswith("stops"):
                print(f"  {name}: {plain_text(text)[-200:]}")
    if args.out:
        args.out.write_text(json.dumps(results))


if __name__ == "__main__":
    main()
