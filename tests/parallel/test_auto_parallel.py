"""`AutoParallel`, `reshard` and the settings of Ascend devices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mindspore_compat.parallel.auto_parallel import AutoParallel

import mindspore_compat as ms
from mindspore_compat import Layout, Model, Tensor, nn
from mindspore_compat.device_context import ascend
from mindspore_compat.parallel.function import reshard
from tests.support.ranks import run_ranks
from tests.support.versions import SHARDS

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def fresh_context() -> Iterator[None]:
    ms.reset_auto_parallel_context()
    yield
    ms.reset_auto_parallel_context()


@pytest.mark.skipif(not SHARDS, reason="semi-auto parallel needs torch 2.13")
def test_two_processes_train_what_one_does() -> None:
    for output in run_ranks(HERE / "auto_parallel_program.py", 2, timeout=200):
        difference, sliced, mode = output.split()
        assert float(difference) < 1e-5 and sliced == "2" and mode == "semi_auto_parallel"


def test_its_methods_are_the_context() -> None:
    net = AutoParallel(nn.Dense(2, 3))
    assert [item.name for item in net.get_parameters()] == ["weight", "bias"]
    net.dataset_strategy(((1, 2), (1, 1)))
    net.hsdp(shard_size=2, threshold=8)
    net.pipeline(stages=4, interleave=True, scheduler="gpipe")
    net.enable_gradients_mean()
    net.disable_gradient_fp32_sync()
    net.save_param_strategy_file("strategy.ckpt")
    net.comm_fusion({"openstate": False})
    get = ms.get_auto_parallel_context
    assert get("parallel_mode") == "semi_auto_parallel" and get("dataset_strategy") == ((1, 2), (1, 1))
    assert get("enable_parallel_optimizer") and get("parallel_optimizer_config")["optimizer_weight_shard_size"] == 2
    assert get("pipeline_stages") == net.get_pipeline_stages() == 4
    assert get("pipeline_config") == {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"}
    assert get("gradients_mean") and not get("gradient_fp32_sync")
    assert get("strategy_ckpt_save_file") == "strategy.ckpt" and get("comm_fusion") == {"openstate": False}
    AutoParallel(nn.Dense(2, 3), "sharding_propagation")  # begins anew
    assert get("parallel_mode") == "auto_parallel" and get("pipeline_stages") == 1 and not get("gradients_mean")


def test_one_process_trains_with_model() -> None:
    x = np.random.default_rng(0).normal(size=(8, 2)).astype(np.float32)
    data = ms.dataset.NumpySlicesDataset((x, x.sum(1, keepdims=True)), shuffle=False).batch(4)
    losses = []
    for wrap in (lambda net: net, AutoParallel):
        net = nn.Dense(2, 1, Tensor([[0.5, 0.25]]), "zeros")
        model = Model(wrap(net), nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        model.train(2, data, dataset_sink_mode=False)
        losses.append(net.weight.asnumpy().tolist())
    assert losses[0] == losses[1]


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda net: AutoParallel(net, "data_parallel")),
        (TypeError, lambda net: AutoParallel(net).pipeline(2.0)),
    ],
)
def test_refused_settings(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind):
        call(nn.Dense(2, 2))


def test_a_tensor_is_reshared_without_change() -> None:
    x = Tensor([1.0, 2.0])
    assert reshard(x, Layout((1, 1), ("dp", "mp"))("dp")) is x


def test_settings_of_ascend_do_nothing() -> None:
    assert not ascend.is_available()
    with pytest.raises(RuntimeError, match="Ascend not exist"):
        ascend.device_count()
    ascend.op_precision.precision_mode("force_fp16")
    ascend.op_precision.matmul_allow_hf32(True)
    ascend.op_debug.execute_timeout(100)
    ascend.op_debug.debug_option("oom")
    ascend.op_tuning.aclnn_cache(True, 10)
