"""Programs of tests/programs under ours, in both modes, give what real MindSpore gave (tests/golden/programs), and what
formulas say.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.programs import written
from tests.programs.compare import difference
from tests.programs.generate import program_of, write
from tests.programs.runner import MODES, run
from tests.support.oracle import oracle_python

GOLDEN = Path(__file__).parents[1] / "golden" / "programs"
# in GRAPH_MODE one way to train of each kind; all of them in PYNATIVE_MODE
_GRAPH_TRAINERS = ("one_step", "kept", "accumulating", "jitted", "model")


def golden(name: str) -> dict[str, Any]:
    return json.loads(gzip.decompress((GOLDEN / f"{name}.json.gz").read_bytes()))


RANDOM, PYTHON, DERIVATIVES = golden("random"), golden("python"), golden("derivatives")


def as_result(values: list[Any]) -> dict[str, Any]:
    return {"values": values, "error": None}


@pytest.fixture(scope="module")
def random_programs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    programs = [program_of(int(seed)) for seed in RANDOM]
    names = dict(zip(write(programs, tmp_path_factory.mktemp("programs")), programs))
    return {(str(names[name].seed), mode): found for mode in MODES for name, found in run(list(names), mode).items()}


@pytest.mark.parametrize("seed", RANDOM)
def test_a_random_program_trains_as_under_mindspore(random_programs: dict[tuple[str, str], Any], seed: str) -> None:
    program = program_of(int(seed))
    tolerance = 1e-4 if program.dimensions["precision"] == "float32" else 2e-2
    for (
        mode
    ) in MODES:  # where real's graph keeps what it was compiled with, ours follows Python as real's PYNATIVE_MODE does
        values = RANDOM[seed].get(mode, RANDOM[seed]["pynative"])
        said = difference(random_programs[seed, mode], as_result(values), tolerance)
        assert said is None, f"{mode}: {said}\n{program.source}"


@pytest.fixture(scope="module")
def python_programs() -> dict[str, Any]:
    return {name.split(":")[1]: found for name, found in run(written.python_programs(), "pynative").items()}


@pytest.mark.parametrize("name", PYTHON)
def test_python_in_a_step_is_run_as_by_mindspore(python_programs: dict[str, Any], name: str) -> None:
    assert difference(python_programs[name], as_result(PYTHON[name])) is None


@pytest.fixture(scope="module")
def derivative_programs() -> dict[tuple[str, str], Any]:
    programs = written.derivative_programs()
    chosen = {"pynative": programs, "graph": [name for name in programs if name.endswith(_GRAPH_TRAINERS)]}
    return {(name.split(":")[1], mode): found for mode in MODES for name, found in run(chosen[mode], mode).items()}


@pytest.mark.parametrize("trainer", written.derivatives()[1])
@pytest.mark.parametrize("loss", written.derivatives()[0])
def test_a_derivative_inside_of_a_loss_has_its_closed_form(
    derivative_programs: dict[tuple[str, str], Any], loss: str, trainer: str
) -> None:
    name = f"{loss}__{trainer}"
    for mode in MODES:
        if (name, mode) not in derivative_programs:
            continue
        found = derivative_programs[name, mode]
        assert found["error"] is None
        values = {label: numbers[0] for label, _, numbers in found["values"]}
        for step in (0, 1):
            assert values[f"{step} gradient"] == pytest.approx(values[f"{step} formula"], rel=2e-4, abs=1e-5), mode


@pytest.mark.parametrize("mode", MODES)
def test_derivatives_are_those_of_mindspore(derivative_programs: dict[tuple[str, str], Any], mode: str) -> None:
    compared = 0
    for name, values in DERIVATIVES[mode].items():
        if (name, mode) in derivative_programs:
            assert difference(derivative_programs[name, mode], as_result(values), 2e-4) is None, name
            compared += 1
    assert compared > 35


@pytest.mark.oracle
def test_real_mindspore_gives_the_stored_results(tmp_path: Path) -> None:
    assert oracle_python() is not None
    programs = [program_of(int(seed)) for seed in list(RANDOM)[:2]]
    names = write(programs, tmp_path)
    for name, program in zip(names, programs):
        found = run([name], "pynative", real=True)[name]
        assert difference(found, as_result(RANDOM[str(program.seed)]["pynative"])) is None
