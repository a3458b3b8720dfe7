"""What libraries' subclasses use of MindSpore's base classes is there and is of the kind that upstream's is.

contracts.json holds, of what tools/census.py found in mindcv, mindyolo, mindocr, mindformers, mindaudio, mindnlp and the model
zoo, the members that a real instance has: class → member → [kind, uses]. Made by ``python tests/libraries/test_contracts.py
CENSUS.json``, which asks real MindSpore.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.oracle import oracle_python, run_oracle

HERE = Path(__file__).parent
CONTRACTS: dict[str, dict[str, tuple[str, list[str]]]] = json.loads((HERE / "contracts.json").read_text())

#: members that are not there, or are of another kind, and why
OTHERWISE = {
    "TrainOneStepWithLossScaleCell.enable_tuple_broaden": "a hint for upstream's compiler, only ever set",
    "Model._exec_preprocess": "overridden by one project's copy of upstream's loop, which it brings whole",
    "Model._train_dataset_sink_process": "as _exec_preprocess",
    "Dataset.num_samples": "only ever set",
    "Resize.random": "only ever set",
}


def base_classes() -> dict[str, Any]:
    """What base_classes.py says under this package."""
    import mindspore_compat

    mindspore_compat.install()
    try:
        scope: dict[str, Any] = {"__name__": "base_classes"}
        exec(compile((HERE / "base_classes.py").read_text(), "base_classes.py", "exec"), scope)
    finally:
        mindspore_compat.uninstall()
    return scope


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return base_classes()


@pytest.mark.parametrize("name", CONTRACTS)
def test_members_that_subclasses_use_are_there_and_of_the_same_kind(name: str, program: dict[str, Any]) -> None:
    found = program["members"](program["BUILDERS"][name](), CONTRACTS[name])
    wanted = {member: kind for member, (kind, _) in CONTRACTS[name].items() if f"{name}.{member}" not in OTHERWISE}
    assert {member: found.get(member) for member in wanted} == wanted


@pytest.mark.parametrize("name", CONTRACTS)
def test_members_that_subclasses_set_can_be_set(name: str, program: dict[str, Any]) -> None:
    owner = program["BUILDERS"][name]()
    for member, (_, uses) in CONTRACTS[name].items():
        if "set" in uses and f"{name}.{member}" not in OTHERWISE:
            setattr(owner, member, getattr(owner, member))


@pytest.mark.parametrize("listed", OTHERWISE)
def test_what_is_listed_as_otherwise_is_so(listed: str, program: dict[str, Any]) -> None:
    name, member = listed.split(".")
    found = program["members"](program["BUILDERS"][name](), [member])
    assert found.get(member) != CONTRACTS[name][member][0]
    assert "only ever set" not in OTHERWISE[listed] or CONTRACTS[name][member][1] == ["set"]


@pytest.mark.oracle
def test_contracts_are_what_real_mindspore_says() -> None:
    found = of_oracle(HERE / "contracts.json")
    for name, members in CONTRACTS.items():
        assert {member: found[name].get(member) for member in members} == {m: kind for m, (kind, _) in members.items()}


def of_oracle(wanted: Path) -> dict[str, dict[str, str]]:
    code = (HERE / "base_classes.py").read_text().replace('if __name__ == "__main__":', "if False:")
    found: dict[str, dict[str, str]] = run_oracle(code + "\ngive(ask(sys.argv[1]))\n", str(wanted))
    return found


def write(census: Path) -> None:
    """Makes contracts.json of a census."""
    used = json.loads(census.read_text())
    found = of_oracle(census)
    written = {
        name: {
            member: [kind, sorted({**used.get(name, {}), **used.get(same, {})}.get(member, {}))]
            for member, kind in sorted(items.items())
        }
        for name, items in found.items()
        for same in [base_classes()["SAME"].get(name, name)]
        if items
    }
    rows = ",\n".join(
        f' "{name}": {{\n' + ",\n".join(f"  {json.dumps(m)}: {json.dumps(v)}" for m, v in items.items()) + "\n }"
        for name, items in written.items()
    )
    (HERE / "contracts.json").write_text("{\n" + rows + "\n}\n")


if __name__ == "__main__":
    assert oracle_python(), "no real MindSpore found"
    write(Path(sys.argv[1]))
