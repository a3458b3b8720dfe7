"""Every command and program of docs/tutorial.md runs, in the page's order, and prints what the page shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import run_python

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/tutorial.md"
PROJECT = ROOT / "examples/tutorial"
CHINESE = ROOT / "docs/tutorial_CN.md"


def _blocks(page: Path) -> list[tuple[str, str]]:
    """Kind and content of each code block."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(bash|python|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


BLOCKS = _blocks(PAGE)


def _name(code: str) -> str:
    """The file name in the first line of a program."""
    found = re.match(r"# (\w+\.py)\n", code)
    assert found, f"a program without a file name: {code[:40]}"
    return found.group(1)


def _script() -> str:
    """One bash script of all blocks; programs are written to the folder that is current at that point."""
    lines = ["set -euo pipefail"]
    for number, (kind, code) in enumerate(BLOCKS):
        if kind == "python":
            lines.append(f"cat > {_name(code)} <<'PROGRAM'\n{code}PROGRAM")
        elif kind == "bash":
            lines.append(f"echo; echo '=== {number}'\n{code}")
    return "\n".join(lines)


def _pattern(line: str) -> str:
    """A shown line; … stands for any text, and pdb's prompt may precede it."""
    return rf"^(\(Pdb\) )*{'.*'.join(re.escape(part) for part in line.split('…'))}$"


def test_programs_are_those_of_the_example() -> None:
    programs = {_name(code): code for kind, code in BLOCKS if kind == "python"}
    assert len(programs) >= 5
    for name, code in programs.items():
        assert (PROJECT / name).read_text(encoding="utf-8") == code, name


def test_the_chinese_page_has_the_same_blocks() -> None:
    assert _blocks(CHINESE) == BLOCKS


#: asks the test to run its command line in a fork: twenty interpreters would import the package for 40 s
PYTHON = f"""#!{sys.executable} -ES
import json, os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["COMMANDS"])
with connection.makefile("rw") as file:
    file.write(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ), sys.stdin.read()]) + "\\n")
    file.flush()
    code, output, error = json.load(file)
sys.stdout.write(output), sys.stderr.write(error)
sys.exit(code)
"""


class _Command(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        arguments, folder, environment, given = json.loads(self.rfile.readline())
        done = run_python(*arguments, cwd=folder, environment=environment, input=given)
        self.wfile.write(json.dumps([done.returncode, done.stdout, done.stderr]).encode())


@pytest.fixture
def python(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a shell whose ``python`` is PYTHON."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").write_text(PYTHON)
    (tmp_path / "bin/python").chmod(0o755)
    with socketserver.UnixStreamServer(str(tmp_path / "commands"), _Command) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "COMMANDS": str(tmp_path / "commands")}
        server.shutdown()
        thread.join()


def test_the_tutorial_runs(tmp_path: Path, python: dict[str, str]) -> None:
    shutil.copytree(PROJECT, tmp_path / "examples/tutorial", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        ["bash", "-c", _script()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **python},
        check=False,
    )
    printed = dict(re.findall(r"^=== (\d+)\n(.*?)(?=^=== \d+$|\Z)", done.stdout, re.DOTALL | re.MULTILINE))
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    for number, (kind, shown) in enumerate(BLOCKS):
        if kind == "text":
            for line in shown.splitlines():
                assert re.search(_pattern(line), printed[str(number - 1)], re.MULTILINE), (line, printed)
