"""Writes aliases.json: in which cases of tests/ops, under real MindSpore, a write to a result reaches an input. Run with the
oracle's Python; starts itself again after each case that ends the process (upstream's kernels are not all safe).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "ops"))
from cases import cases, written_through

PAGE = Path(__file__).with_name("aliases.json")


def run_cases(first: int) -> None:
    """A line for each case that can be written to: its number, what was reached."""
    import mindspore

    for number, case in enumerate(cases()[first:], first):
        print(json.dumps([number, None]), flush=True)
        if case[:2] in ("g ", "! "):
            continue
        try:
            print(json.dumps([number, written_through(case, mindspore)]), flush=True)
        except Exception:
            continue


def main() -> None:
    found: dict[int, list[str]] = {}
    reached, count = 0, len(cases())
    while reached < count:
        command = [sys.executable, __file__, str(reached)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        for line in done.stdout.splitlines():
            if line.startswith("["):
                number, names = json.loads(line)
                reached = number + 1
                if names is not None:
                    found[number] = names
        if not done.returncode:
            break
    listing = cases()
    PAGE.write_text(json.dumps({listing[number]: names for number, names in sorted(found.items())}, indent=0) + "\n")


if __name__ == "__main__":
    run_cases(int(sys.argv[1])) if len(sys.argv) > 1 else main()
