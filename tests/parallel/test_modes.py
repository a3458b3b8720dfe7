"""The parallel modes over several processes: what they train is what one process trains."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from tests.support.ranks import run_ranks
from tests.support.versions import SHARDS

pytestmark = pytest.mark.skipif(not SHARDS, reason="semi-auto parallel needs torch 2.13")
HERE = Path(__file__).parent
TOLERANCE = 1e-5
ORACLE = HERE.parents[1] / ".venv-oracle/bin/python"


def rows(size: int, *arguments: str) -> dict[tuple[str, ...], tuple[float, str]]:
    """{(mode, parallel mode, case): (difference, what it shows)}, the same in all processes."""
    outputs = run_ranks(HERE / "modes_program.py", size, *arguments, timeout=200)
    tables = [[line.split() for line in output.splitlines()] for output in outputs]
    found = {tuple(row[:3]): (float(row[3]), row[4]) for row in tables[0]}
    for table in tables:
        assert {tuple(row[:3]) for row in table} == set(found)
        assert not [row for row in table if float(row[3]) > TOLERANCE]
    return found


def shown(found: dict[tuple[str, ...], tuple[float, str]], parallel: str) -> dict[str, str]:
    return {key[2]: shows for key, (_, shows) in found.items() if key[1] == parallel}


def test_two_processes() -> None:
    found = rows(2, "semi_auto,auto,optimizer,pipeline,others,refused", "pynative", "all")
    semi_auto = shown(found, "semi_auto")
    assert len(semi_auto) == 13
    assert (semi_auto["mlp_data_part"], semi_auto["mlp_model_part"], semi_auto["lm_rows_whole"]) == ("0", "2", "1")
    assert set(shown(found, "auto").values()) == {"0"}
    assert set(shown(found, "semi_auto+zero").values()) == {"3"}
    assert shown(found, "data+zero") == {"momentum": "3", "adam": "6", "lamb_refused": "True", "rows_refused": "True"}
    assert len(shown(found, "pipeline")) == 7
    assert set(shown(found, "pipeline").values()) == {"2"}  # of four layers
    assert set(shown(found, "other")) == {"assign", "accumulate", "own_gradients_in_stages", "inputs"}
    refused = shown(found, "refused")
    assert len(refused) == 14
    assert not [name for name, is_refused in refused.items() if is_refused != "True"]


def test_two_processes_in_graph_mode() -> None:
    names = "mlp_model,lm_dropout,lm_functional,conv,adam,skip_own_scaled,tied_all_TrainOneStepCell"
    found = rows(2, "semi_auto,optimizer,pipeline", "graph", names)
    assert {key[0] for key in found} == {"graph"}
    assert len(found) == 5 + 5 + 2


def test_four_processes() -> None:
    names = "mlp_layout,lm_rows,adam,skip_own_scaled"
    found = rows(4, "semi_auto,optimizer,pipeline", "pynative", names)
    semi_auto = shown(found, "semi_auto")
    assert (semi_auto["mlp_layout_part"], semi_auto["lm_rows_whole"]) == ("2", "10")
    assert set(shown(found, "semi_auto+zero").values()) == {"3"}
    assert shown(found, "pipeline") == {"skip_own_scaled": "1"}


@pytest.mark.parametrize(("size", "ways"), [(2, 2)])
def test_operators_on_parts(size: int, ways: int) -> None:
    output = run_ranks(HERE / "sharded_operators_program.py", size, str(ways), timeout=200)[0]
    table = [line.split() for line in output.splitlines()]
    assert len(table) >= 60
    assert not [row for row in table if float(row[2]) > (2e-3 if row[0] == "half" else TOLERANCE)]


def test_operators_on_a_device_array() -> None:
    names = "matmul_batched embedding layer_norm conv".split()
    output = run_ranks(HERE / "sharded_operators_program.py", 4, "1", *names, timeout=200)[0]
    table = [line.split() for line in output.splitlines()]
    assert [row[0] for row in table] == names
    assert not [row for row in table if float(row[2]) > TOLERANCE]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("cut")
    outputs = run_ranks(HERE / "checkpoints_program.py", 2, str(folder))
    return folder, [json.loads(output.splitlines()[-1]) for output in outputs]


def test_model_trains_and_predicts(checkpoints: Any) -> None:
    for found in checkpoints[1]:
        for name in ("untrained", "trained", "predicted", "loaded_whole", "loaded_cut", "plain"):
            assert found[name] <= TOLERANCE, name
        assert abs(found["metric"] - found["metric_alone"]) <= 1e-5
        assert found["not_loaded_whole"] == found["not_loaded_cut"] == []
        assert "(8, 16)" in found["wrong_shape"] or "(16, 4)" in found["wrong_shape"]
    assert checkpoints[1][0]["transformed"] <= TOLERANCE


def test_layouts_are_the_real_ones(checkpoints: Any) -> None:
    folder, results = checkpoints
    for rank, found in enumerate(results):
        assert found["layouts"]["first"] == [[2], [-1, 0], [8, 8], 0, True, ""]
        assert found["layouts"]["moment1.second"] == [[2], [0, -1], [8, 4], 0, True, ""]
        assert found["layouts"]["bias"] == [[2], [-1], [16], 0, True, ""]
        assert found["predict_layouts"]["first"] == found["layouts"]["first"]
        assert found["shapes_whole"]["first"] == [8, 16]
        assert found["shapes_cut"]["moment2.first"] == [8, 8]
        layout = ms.build_searched_strategy(f"{folder}/strategy_{rank}.ckpt")["first"]
        assert list(layout.dev_matrix[0].dim) == [2]
        assert list(layout.tensor_map[0].dim) == [-1, 0]


def test_parts_make_the_whole(checkpoints: Any) -> None:
    folder, _ = checkpoints
    parts = [ms.load_checkpoint(f"{folder}/cut/rank_{rank}/net.ckpt") for rank in range(2)]
    whole = ms.load_checkpoint(f"{folder}/whole_0.ckpt")
    merged = ms.merge_sliced_parameter(
        [item["first"] for item in parts], ms.build_searched_strategy(f"{folder}/strategy_0.ckpt")
    )
    np.testing.assert_array_equal(merged.asnumpy(), whole["first"].asnumpy())


def test_a_stage_saves_its_own(checkpoints: Any) -> None:
    first, second = (found["stage"] for found in checkpoints[1])
    assert {"0.weight", "moment1.0.weight", "global_step"} <= set(first)
    assert {"1.weight", "2.weight", "moment1.2.weight"} <= set(second)
    assert not {"1.weight", "moment1.1.weight"} & set(first)
    assert "0.weight" not in second


@pytest.mark.oracle
@pytest.mark.skipif(not ORACLE.exists(), reason="needs real MindSpore")
def test_real_mindspore_transforms_them(checkpoints: Any) -> None:
    folder, _ = checkpoints
    program = (
        "import sys, mindspore as ms\n"
        "folder = sys.argv[1]\n"
        "ms.transform_checkpoints(folder + '/cut', folder + '/real', 'net', folder + '/strategy_0.ckpt', None)\n"
        "found = ms.load_checkpoint(folder + '/real/rank_0/net0.ckpt')\n"
        "whole = ms.load_checkpoint(folder + '/whole_0.ckpt')\n"
        "assert set(found) == set(whole), set(found) ^ set(whole)\n"
        "assert all((found[name].asnumpy() == whole[name].asnumpy()).all() for name in whole)\n"
    )
    run = subprocess.run([str(ORACLE), "-c", program, str(folder)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-3000:]
