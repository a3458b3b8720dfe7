"""3,600 calls with a bad argument that real MindSpore refuses: refused here, too, but where a reason stands here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.make_bad_calls import PROGRAM, packed, read

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "bad_calls.json").read_text())

#: call:argument (or a call) that we take, or where MindSpore needs a device or stumbles inside
OTHERWISE = {
    "Model.build": "needs Ascend upstream",
    "OnRequestExit:directory": "upstream refuses 0",
    "save_checkpoint:save_obj": "a dict of Parameters is saved",
    "export": "upstream takes no None, no 'enc_mode' alone and fewer file names",
    "load:dec_key": "None is no key",
    "DynamicLossScaleUpdateCell:scale_factor": "upstream makes Tensors of all",
    "DatasetHelper:dataset": "DataLoaders and lists serve",
    "DatasetHelper:epoch_num": "0 gives no epoch",
    "DatasetHelper:dataset_sink_mode": "needs a device upstream",
    "data_sink": "needs Ascend or a GPU upstream",
    "TopKCategoricalAccuracy:k": "refused when it is used",
    "ConfusionMatrix:threshold": "upstream takes floats only",
    "BleuScore:smooth": "taken as true or false",
    **dict.fromkeys(
        """
        Model:keep_batchnorm_fp32 Model.train:dataset_sink_mode Model.fit:dataset_sink_mode
        Model.fit:valid_dataset_sink_mode Model.eval:dataset_sink_mode build_train_network:keep_batchnorm_fp32
        WithEvalCell:add_cast_fp32 ForwardValueAndGrad:get_by_list ForwardValueAndGrad:get_all
        ForwardValueAndGrad:sens_param Model.train:epoch Model.fit:epoch
        """.split(),
        "taken as true or false, or as a number",
    ),
    **dict.fromkeys(
        """
        Model:loss_fn build_train_network:loss_fn ForwardValueAndGrad:network Model.train:sink_size Model.fit:sink_size
        DatasetHelper:sink_size DynamicLossScaleManager:scale_window DynamicLossScaleUpdateCell:scale_window
        """.split(),
        "refused when it is used",
    ),
}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, str]]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mindspore_compat", str(PROGRAM)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=tmp_path_factory.mktemp("calls"),
    )
    return packed(read(done.stdout))


@pytest.mark.parametrize("call", GOLDEN)
def test_bad_calls_are_refused(call: str, ours: dict[str, dict[str, dict[str, str]]]) -> None:
    taken = [
        f"{argument}={kind}"
        for argument, kinds in GOLDEN[call].items()
        for kind in kinds
        if call not in OTHERWISE and f"{call}:{argument}" not in OTHERWISE
        if kind not in ours.get(call, {}).get(argument, {})
    ]
    assert not taken, f"python {PROGRAM} prints the errors"
