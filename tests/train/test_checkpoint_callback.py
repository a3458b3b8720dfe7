"""ModelCheckpoint: what is kept, saving in the background, and what happens when something goes wrong."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat import (
    Callback,
    CheckpointConfig,
    Model,
    ModelCheckpoint,
    Tensor,
    context,
    load_checkpoint,
    nn,
    save_checkpoint,
)
from mindspore_compat._format.proto.anf_ir import ModelProto
from mindspore_compat._runtime.files import remove_stale
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.train.serialization import async_ckpt_thread_status
from tests.support.processes import run_python
from tests.support.upstream import Small, batches, xent


def _model() -> Model:
    net = Small()
    return Model(net, xent(), nn.Momentum(net.trainable_params(), 0.1, 0.9))


def _train(
    folder: Path, config: CheckpointConfig, epochs: int = 2, *callbacks: Callback, prefix: str = "n"
) -> ModelCheckpoint:
    saver = ModelCheckpoint(prefix, str(folder), config)
    _model().train(epochs, batches("optim/data.npz", 4), callbacks=[saver, *callbacks])
    return saver


def _names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


@pytest.mark.parametrize("async_save", [True, "process", "thread"])
def test_saving_in_the_background_gives_the_same_files(async_save: object, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for folder, how in (("a", async_save), ("b", False)):
        torch.manual_seed(1)
        np.random.seed(1)
        saver = _train(
            tmp_path / folder,
            CheckpointConfig(2, keep_checkpoint_max=2, async_save=how, append_info=["epoch_num", "step_num"]),
        )
        assert saver.latest_ckpt_file_name == str(tmp_path / folder / "n-2_3.ckpt")
    assert _names(tmp_path / "a") == _names(tmp_path / "b") == ["n-2_1.ckpt", "n-2_3.ckpt"]
    for name in _names(tmp_path / "a"):
        a, b = load_checkpoint(str(tmp_path / "a" / name)), load_checkpoint(str(tmp_path / "b" / name))
        assert list(a) == list(b) and (a["epoch_num"], a["step_num"]) == (b["epoch_num"], b["step_num"])
    assert async_ckpt_thread_status() is False


@pytest.mark.parametrize("async_save", [False, True])
def test_one_complete_checkpoint_is_there_at_any_moment(async_save: bool, tmp_path: Path) -> None:
    class Look(Callback):
        least = 9

        def step_end(self, run_context) -> None:
            if run_context.original_args().cur_step_num > 2:
                self.least = min(self.least, len(list(tmp_path.glob("n-*.ckpt"))))

    look = Look()
    _train(tmp_path, CheckpointConfig(1, keep_checkpoint_max=1, async_save=async_save), 3, look)
    assert look.least >= 1 and _names(tmp_path) == ["n-3_3.ckpt"]


def test_safetensors_have_the_same_names(tmp_path: Path) -> None:
    saver = _train(tmp_path, CheckpointConfig(2, format="safetensors", async_save=True))
    assert _names(tmp_path) == ["n-1_2.safetensors", "n-2_1.safetensors", "n-2_3.safetensors"]
    assert "moments.fc.weight" in load_checkpoint(saver.latest_ckpt_file_name, format="safetensors")


def test_encrypted_with_append_info(tmp_path: Path) -> None:
    _train(
        tmp_path,
        CheckpointConfig(
            3, enc_key=b"k" * 16, enc_mode="AES-CBC", async_save=True, append_info=[{"note": "x", "lr": 0.5}]
        ),
        1,
    )
    found = load_checkpoint(str(tmp_path / "n-1_3.ckpt"), dec_key=b"k" * 16, dec_mode="AES-CBC")
    assert found["note"] == "x" and float(found["lr"]) == 0.5


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"enc_key": b"short"}, ValueError),
        ({"format": "safetensors", "crc_check": True}, ValueError),
        ({"crc_check": True, "enc_key": b"0" * 16}, ValueError),
    ],
)
def test_configurations_that_do_not_go(arguments: dict, error: type) -> None:
    with pytest.raises(error):
        CheckpointConfig(**arguments)


def test_unknown_arguments_of_a_configuration_have_no_effect(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING"):
        config = CheckpointConfig(2, choice_func=str.isupper, steps=7)
    assert config.save_checkpoint_steps == 2
    assert "choice_func, steps: they have no effect" in caplog.text


@pytest.mark.parametrize("async_save", [False, True])
def test_a_folder_that_vanishes_is_an_error_with_the_path(async_save: bool, tmp_path: Path) -> None:
    class Vanish(Callback):
        def step_begin(self, run_context) -> None:
            if run_context.original_args().cur_step_num == 3:
                background_writer().flush()
                shutil.rmtree(tmp_path / "c")

    with pytest.raises(FileNotFoundError):
        _train(tmp_path / "c", CheckpointConfig(1, async_save=async_save), 2, Vanish())
    background_writer().close()


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_graph_mode_leaves_the_operators_as_a_graph_message(mode: int, tmp_path: Path) -> None:
    before = context.get_context("mode")
    context.set_context(mode=mode)
    try:
        _train(tmp_path, CheckpointConfig(2))
    finally:
        context.set_context(mode=before)
    path = tmp_path / "n-graph.meta"
    assert path.exists() is (mode == context.GRAPH_MODE)
    if path.exists():
        model = ModelProto.FromString(path.read_bytes())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600 and model.ir_version == 1
        assert {"fc.weight", "fc.bias"} <= {item.name for item in model.graph.parameters}
        assert {(node.op_type, node.scope) for node in model.graph.node} >= {
            (op, "Default/network-WithLossCell/_backbone-Small/fc-Dense") for op in ("MatMul", "BiasAdd")
        }


@pytest.mark.parametrize("error", [KeyError("stop"), KeyboardInterrupt()])
def test_an_exception_in_training_loses_no_accepted_file(error: BaseException, tmp_path: Path) -> None:
    class Stop(Callback):
        def step_end(self, run_context) -> None:
            if run_context.original_args().cur_step_num == 2:
                raise error

    with pytest.raises(type(error)):
        _train(tmp_path, CheckpointConfig(1, async_save=True), 1, Stop())
    assert _names(tmp_path) == ["n-1_1.ckpt", "n-1_2.ckpt"]


def test_a_file_on_its_way_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "a.ckpt")
    values = {"w": Tensor(torch.zeros(5_000_000))}
    save_checkpoint(values, path, async_save=True)
    assert load_checkpoint(path)["w"].shape == (5_000_000,)
    save_checkpoint(values, path, async_save=True)
    save_checkpoint({"v": Tensor([1.0])}, path)
    background_writer().flush()
    assert list(load_checkpoint(path)) == ["v"]


def test_a_full_disk_is_an_error_with_the_path(tmp_path: Path) -> None:
    program = (
        "import os, resource, sys, torch\nfrom mindspore_compat import save_checkpoint, Tensor\n"
        "from mindspore_compat._runtime.writer import background_writer\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "big = {'w': Tensor(torch.zeros(1 << 20))}\n"
        "for how in (False, True):\n"
        "    try:\n        save_checkpoint(big, sys.argv[1], async_save=how); background_writer().flush()\n"
        "    except OSError as error:\n        print(type(error).__name__, error)\n"
        "print(os.listdir('.'))\n"
    )
    done = run_python("-c", program, "a.ckpt", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and all(str(tmp_path / "a.ckpt") in line for line in lines[:2]) and lines[2] == "[]", (
        lines,
        done.stderr,
    )


TRAINER = """
import sys, torch
from mindspore_compat import Tensor, save_checkpoint
from mindspore_compat._runtime.writer import background_writer
values = {f"w{i}": Tensor(torch.zeros(300_000)) for i in range(8)}
number = int(sys.argv[2])
while True:
    number += 1
    for value in values.values():
        value.fill_(number)
    save_checkpoint(values, f"{sys.argv[1]}/n-{number % 4}.ckpt", async_save=sys.argv[3] == "1", append_dict={"number": number})
    print("accepted", number, background_writer()._process.pid if background_writer()._process else 0, flush=True)
"""


@pytest.mark.slow
@pytest.mark.multi_process
@pytest.mark.parametrize("victim", ["trainer", "writer", "trainer of synchronous saves"])
def test_kills_at_random_moments_leave_only_whole_files(victim: str, tmp_path: Path) -> None:
    """Few rounds here; ``MINDSPORE_COMPAT_KILLS=70`` for 70 of each kind."""
    random = np.random.default_rng(3)
    accepted = 0
    for _ in range(int(os.environ.get("MINDSPORE_COMPAT_KILLS", "2"))):
        before = accepted
        trainer = subprocess.Popen(
            [sys.executable, "-c", TRAINER, str(tmp_path), str(accepted), str(int("synchronous" not in victim))],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            cwd=Path(__file__).parents[2],
            stderr=subprocess.PIPE,
        )
        assert trainer.stdout is not None and trainer.stderr is not None
        _, number, writer = trainer.stdout.readline().split()
        time.sleep(random.uniform(0, 0.3))
        os.kill(int(writer) if victim == "writer" else trainer.pid, signal.SIGKILL)
        lines, error = trainer.communicate(timeout=60)
        accepted = max([int(number), *(int(line.split()[1]) for line in lines.splitlines() if line.count(" ") == 2)])
        if victim == "writer":
            assert "killed by signal 9 before it reported" in error or "BrokenPipe" in error, error
        end = time.monotonic() + 20
        while (
            any(item.name.endswith(".tmp") for item in tmp_path.iterdir())
            and victim == "trainer"
            and time.monotonic() < end
        ):
            time.sleep(0.02)  # the orphaned writer finishes what it got
        remove_stale(str(tmp_path))  # as the next start does
        assert not list(tmp_path.glob(".*"))
        for item in tmp_path.glob("*.ckpt"):
            found = load_checkpoint(str(item))
            assert len(found) == 9 and all(bool((value == int(found["number"])).all()) for value in found.values()), (
                item
            )
        newest = max((int(load_checkpoint(str(item))["number"]) for item in tmp_path.glob("*.ckpt")), default=0)
        assert newest >= (
            accepted - 2 if victim == "writer" and accepted - before > 2 else 0 if victim == "writer" else accepted
        )
