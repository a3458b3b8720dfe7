"""Ours says what real MindSpore said (tests/golden/make_answers.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.answers.programs import PROGRAMS, WITH_MESSAGE
from tests.support.processes import run_command

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "answers.json").read_text())
_RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.answers.programs import PROGRAMS, answer
print("ANSWERS " + json.dumps({name: answer(name) for name in PROGRAMS}))
"""

#: where we differ on purpose, each with its reason
DIFFERENT: dict[str, str] = {
    "halves, graph: its elements": "an element of a Parameter stays float32 in upstream's graphs, of a Tensor not"
}


def _refuses(answer: Any) -> bool:
    """Whether MindSpore refuses a part of the program. Its refusals are no goal: what Python and torch run, runs."""
    if isinstance(answer, str):
        return answer.endswith("Error")
    return isinstance(answer, list) and any(map(_refuses, answer))


ANSWERED = [name for name, answer in GOLDEN.items() if not _refuses(answer)]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    program = tmp_path_factory.mktemp("answers") / "run.py"
    program.write_text(_RUN)
    done = run_command(str(program), str(ROOT), cwd=program.parent)
    assert done.returncode == 0, done.stderr[-2000:]
    line = next(line for line in done.stdout.splitlines() if line.startswith("ANSWERS "))
    return json.loads(line.removeprefix("ANSWERS "))


def test_every_program_was_asked() -> None:
    assert list(GOLDEN) == [name for name in PROGRAMS if name in GOLDEN]
    assert len(GOLDEN) >= 0.98 * len(PROGRAMS)
    assert set(PROGRAMS) >= WITH_MESSAGE
    assert set(GOLDEN) >= set(DIFFERENT)


@pytest.mark.parametrize("name", ANSWERED)
def test_the_answer_is_upstreams(name: str, ours: dict[str, Any]) -> None:
    if name in DIFFERENT:
        assert ours[name] != GOLDEN[name], "it agrees now: take it off the list"
    else:
        assert ours[name] == GOLDEN[name]
