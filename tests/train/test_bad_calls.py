"""3,600 calls with a bad argument that real MindSpore refuses: the same exception type, and the same first sentence,
but where a reason stands here.
"""

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

#: call:argument (or a call) whose exceptions differ: why
OTHERWISE = {
    "Model:loss_fn": "upstream stumbles inside",
    "Model:loss_scale_manager": "upstream stumbles over some, and lists a class that is nowhere public",
    "Model:optimizer": "may be of torch.optim; upstream's list names wrappers",
    "build_train_network:optimizer": "as Model's",
    "build_train_network:loss_scale_manager": "as Model's",
    "build_train_network:loss_fn": "may be a torch module",
    "build_train_network:network": "upstream speaks of the level",
    "build_train_network:cast_model_type": "upstream quotes twice",
    "Model:boost_level": "lists are unhashable upstream",
    "Model.train:train_dataset": "DataLoaders and lists serve; upstream stumbles over the rest",
    "Model.fit:train_dataset": "as train's",
    "Model.fit:valid_dataset": "as train's",
    "Model.eval:valid_dataset": "as train's",
    "DatasetHelper:dataset": "as train's",
    "Model.train:callbacks": "upstream looks at single values as at lists",
    "Model.fit:callbacks": "as train's",
    "Model.predict": "upstream names the operator that it stumbles over",
    "Model.build": "needs Ascend upstream",
    "data_sink": "needs Ascend or a GPU upstream",
    "FixedLossScaleManager:loss_scale": "upstream compares with <",
    "DynamicLossScaleManager:init_loss_scale": "upstream compares with <",
    "DynamicLossScaleUpdateCell": "upstream makes Tensors of all",
    "collect_specified_data:collect_landscape": "also names SummaryLandscape",
    "save_checkpoint:append_dict": "takes more types",
    "save_checkpoint:save_obj": "upstream stumbles over a dict",
    "load_checkpoint:choice_func": "a TypeError, as of any call",
    "load_checkpoint:filter_prefix": "lists without texts",
    "load_checkpoint:specify_prefix": "lists without texts",
    "load_checkpoint_async": "checks before it begins",
    "export": "upstream refuses enc_key=None",
    "load:dec_key": "None is no key; says why a file cannot be decrypted",
    "ConfusionMatrix:normalize": "upstream lists other names than it takes",
    "OnRequestExit:directory": "0 is no folder",
    "DatasetHelper:epoch_num": "upstream's binding refuses",
    "DatasetHelper:dataset_sink_mode": "needs a device upstream",
    "Accuracy:eval_type": "lists are unhashable upstream",
    "Precision:eval_type": "as Accuracy's",
    "save_checkpoint:enc_key": "says how long keys are",
    "load_checkpoint:dec_key": "says how long keys are",
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
def test_bad_calls_raise_what_upstream_raises(call: str, ours: dict[str, dict[str, dict[str, str]]]) -> None:
    wrong = {}
    for argument, kinds in GOLDEN[call].items():
        if call in OTHERWISE or f"{call}:{argument}" in OTHERWISE:
            continue
        found = ours.get(call, {}).get(argument, {})
        wrong.update(
            {f"{argument}={kind}": found.get(kind) for kind, expected in kinds.items() if found.get(kind) != expected}
        )
    assert not wrong, f"python {PROGRAM} prints the sentences"


def test_most_are_the_same(ours: dict[str, dict[str, dict[str, str]]]) -> None:
    cases = [
        (call, argument, kind)
        for call, arguments in GOLDEN.items()
        for argument, kinds in arguments.items()
        for kind in kinds
    ]
    same = [
        ours.get(call, {}).get(argument, {}).get(kind) == GOLDEN[call][argument][kind] for call, argument, kind in cases
    ]
    assert len(cases) >= 3500 and sum(same) >= 2950
