"""Data parallel training on 2 and 4 gloo processes ends where one process ends on the whole batches."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from tests.support.ranks import run_ranks

PROGRAM = Path(__file__).with_name("data_parallel_program.py")
OVERLAP = Path(__file__).with_name("overlap_program.py")
TOLERANCE = {"16-bit Parameters": 5e-3}


@lru_cache
def outputs(mode: str, size: int) -> list[dict[str, Any]]:
    """What each rank printed."""
    return [json.loads(output) for output in run_ranks(PROGRAM, size, mode)]


@pytest.mark.multi_process
@pytest.mark.parametrize(("mode", "size"), [("pynative", 2), ("graph", 4)])
def test_all_ranks_end_as_one_process_does(mode: str, size: int) -> None:
    alone = outputs(mode, 1)[0]["results"]
    assert len(alone) == 19
    for name, expected in alone.items():
        tolerance = TOLERANCE.get(name, 1e-5)
        for rank, output in enumerate(outputs(mode, size)):
            assert output["results"][name] == outputs(mode, size)[0]["results"][name], f"{name}: ranks differ"
            for mine, wanted in zip(output["results"][name], expected, strict=True):
                message = f"{name}, rank {rank} of {size}, {mode}"
                np.testing.assert_allclose(mine, wanted, rtol=tolerance, atol=tolerance, err_msg=message)


@pytest.mark.multi_process
def test_overflow_on_one_rank_is_skipped_by_all() -> None:
    for output in outputs("pynative", 2):
        steps = output["results"]["loss scale"][-6:]
        assert [overflow for overflow, _ in steps] == [0, 0, 1, 0, 0, 0]
        assert [scale for _, scale in steps] == [1024, 2048, 1024, 1024, 2048, 2048]


@pytest.mark.multi_process
def test_layerwise_parameters_keep_their_own_gradients() -> None:
    first, second = (output["layerwise"] for output in outputs("pynative", 2))
    assert first["last.weight"] == second["last.weight"]
    assert first["last.bias"] != second["last.bias"]


@pytest.mark.multi_process
def test_gradients_travel_while_the_backward_pass_goes_on() -> None:
    for output in run_ranks(OVERLAP, 2):
        found = json.loads(output)
        assert found["order"] == ["sent", "sent", "first layer", "sent"]
        assert "begin with different values of 6 of 6 Parameters" in found["warning"]
        assert found["not met"].startswith("For 'DistributedGradReducer', gradients of 2 processes are to be summed")
        assert "Parameter got its gradient twice" in found["twice"]


@pytest.mark.multi_process
def test_ranks_that_save_into_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    for output in run_ranks(Path(__file__).with_name("checkpoints_program.py"), 2, str(tmp_path)):
        found = json.loads(output)
        assert found["own"] == ["net-2_6.ckpt", "net-2_7.ckpt", "net-2_8.ckpt"]
        assert "net-2_8.ckpt" in found["shared"] and len(found["shared"]) <= 3


@pytest.mark.multi_process
def test_processes_that_would_train_different_networks_raise() -> None:
    for output in run_ranks(PROGRAM.with_name("mismatch_program.py"), 2):
        found = json.loads(output)
        assert found["same"] == found["DDP"] == ""
        for kind in ("order", "number"):
            assert "must train the same Parameters in the same order" in found[kind]
        assert "each process would train a module of its own" in found["module"]


def test_what_subclasses_read_of_a_reducer() -> None:
    parameters = nn.Dense(2, 3).trainable_params()
    parameters[1].layerwise_parallel = True
    reducer = nn.DistributedGradReducer(parameters, mean=True, degree=4)
    assert reducer.allreduce_filter == (True, False) and reducer.mean is True
    assert reducer.degree.dtype == ms.float32 and float(reducer.degree) == 0.25
    assert isinstance(reducer.allreduce, ops.AllReduce)
    with pytest.raises(RuntimeError, match="gradients of 4 processes"):
        reducer([ms.Tensor([1.0])] * 2)


@pytest.mark.multi_process
def test_rows_that_any_process_looked_up_take_the_step() -> None:
    (alone,) = run_ranks(PROGRAM.with_name("lookup_program.py"), 1)
    for output in run_ranks(PROGRAM.with_name("lookup_program.py"), 2):
        assert np.allclose(json.loads(output), json.loads(alone), 1e-5)
