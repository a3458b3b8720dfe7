"""``python -m tests.api.make_former_arguments GIT[:REF] …`` reads which names the arguments of operators'
functions had in earlier releases of MindSpore, from checkouts (only the names), and writes former_arguments.json:
function → names that are none of today's.
"""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("former_arguments.json")
_ROOTS = ("mindspore/ops", "mindspore/python/mindspore/ops")


def _functions(git: str, ref: str) -> dict[str, list[str]]:
    def run(*command: str) -> str:
        return subprocess.run(["git", "--git-dir", git, *command], capture_output=True, text=True, check=True).stdout

    found = {}
    folders = [f"{root}/{name}" for root in _ROOTS for name in ("function", "composite", "functional.py")]
    for path in run("ls-tree", "-r", "--name-only", ref, *folders).split():
        if path.endswith(".py"):
            for node in ast.parse(run("show", f"{ref}:{path}")).body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.args.vararg:
                    found[node.name] = [argument.arg for argument in node.args.args]
    return found


def main(sources: list[str]) -> None:
    from mindspore_compat import ops

    former: dict[str, set[str]] = {}
    for source in sources:
        git, _, ref = source.partition(":")
        for name, arguments in _functions(git, ref or "HEAD").items():
            today: Any = getattr(ops, name, None)
            if inspect.isfunction(today):
                former.setdefault(name, set()).update(set(arguments) - set(inspect.signature(today).parameters))
    kept = {name: sorted(arguments) for name, arguments in sorted(former.items()) if arguments}
    FILE.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
