"""``mindspore.runtime``, ``hal``, ``device_context`` and generators: on a CPU as real MindSpore's there; on CUDA torch's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, hal, mint, runtime
from mindspore_compat.runtime import executor, memory
from tests.support.oracle import run_oracle

ROOT = Path(__file__).parents[2]

#: expressions that real MindSpore's CPU computes: their values, or the types of their errors
EXPRESSIONS = """
runtime.memory_stats()
runtime.memory_summary()
runtime.memory_reserved() + runtime.max_memory_reserved() + runtime.memory_allocated() + runtime.max_memory_allocated()
runtime.empty_cache()
runtime.reset_peak_memory_stats()
runtime.reset_max_memory_reserved()
runtime.reset_max_memory_allocated()
runtime.synchronize()
repr(runtime.Stream())
runtime.Stream() == runtime.Stream()
runtime.Stream().id
runtime.Stream().stream_id()
runtime.set_memory("x")
runtime.set_memory(init_size=2)
runtime.set_memory("4GB")
runtime.dispatch_threads_num(2)
runtime.set_kernel_launch_group()
runtime.set_cpu_affinity(False)
repr(hal.Stream())
repr(hal.current_stream())
repr(hal.default_stream())
repr(hal.communication_stream())
hal.synchronize()
repr(hal.Event())
hal.Event().query()
hal.set_cur_stream(None)
hal.device_count()
hal.device_count("CPU")
hal.device_count("GPU")
hal.device_count("X")
hal.is_available("CPU")
hal.is_available("Ascend")
hal.is_available("X")
hal.is_initialized("CPU")
hal.is_initialized("Ascend")
hal.get_device_name(0)
hal.get_device_capability(0, "CPU")
hal.get_device_properties(0, "CPU")
hal.get_arch_list()
hal.memory_summary()
hal.memory_allocated("GPU")
ms.device_context.cpu.is_available()
ms.device_context.cpu.device_count()
ms.device_context.cpu.op_tuning.threads_num("a")
ms.device_context.cpu.op_tuning.threads_num(1)
ms.device_context.cpu.op_tuning.threads_num(1)
ms.device_context.gpu.is_available()
ms.device_context.gpu.device_count()
ms.Generator().initial_seed()
ms.Generator().manual_seed(5).initial_seed()
ms.Generator().manual_seed("a")
ms.manual_seed(-3).initial_seed()
ms.initial_seed()
ms.get_seed()
str(ms.get_rng_state().dtype).lower().endswith("uint8")
ms.set_rng_state(ms.get_rng_state())
ms.DeviceCtx("X").__enter__()
ms.DeviceCtx("CPU", -1).__enter__()
""".strip().splitlines()
PROGRAM = """
import json, sys
import mindspore as ms
from mindspore import hal, runtime
ms.Tensor([1.0]) + 1
found = []
for expression in json.loads(sys.argv[1]):
    try:
        found.append(eval(expression))
    except Exception as error:
        found.append(type(error).__name__)
print("FOUND " + json.dumps(found, default=repr))
"""


@pytest.mark.oracle
def test_a_cpu_answers_as_real_mindspore_does() -> None:
    arguments = json.dumps(EXPRESSIONS)
    real = run_oracle(PROGRAM, arguments)
    command = [sys.executable, "-c", "import mindspore_compat; mindspore_compat.install()\n" + PROGRAM, arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found = {
        name: json.loads(text[text.index("FOUND ") + 6 :].splitlines()[0])
        for name, text in (("real", real), ("ours", done.stdout))
    }
    for expression, ours, theirs in zip(EXPRESSIONS, found["ours"], found["real"], strict=True):
        assert str(theirs).endswith("Error") or ours == theirs, expression


def test_events_measure_time_on_a_cpu() -> None:
    first, second = runtime.Event(enable_timing=True), runtime.Event(enable_timing=True)
    first.record()
    torch.randn(300, 300) @ torch.randn(300, 300)
    second.record(runtime.current_stream())
    second.synchronize()
    assert 0 < first.elapsed_time(second) < 5000
    assert runtime.Event().elapsed_time(runtime.Event()) == 0.0
    stream = runtime.Stream()
    stream.wait_event(first)
    stream.wait_stream(runtime.default_stream())
    assert stream.record_event(first) is first and stream.query()


class _FakeStream:
    stream_id, cuda_stream = 7, 1234

    class device:
        index = 2


def test_on_cuda_streams_and_memory_are_those_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    device = torch.device("cuda", 2)
    for module in (memory, runtime.stream, runtime.event):
        monkeypatch.setattr(module, "current_device", lambda: device)
    monkeypatch.setattr(torch.cuda, "Stream", lambda place, priority: said.append((place, priority)) or _FakeStream())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda place: _FakeStream())
    monkeypatch.setattr(torch.cuda, "set_stream", said.append)
    stream = runtime.Stream(priority=-1)
    assert said.pop() == (device, -1)
    assert repr(stream) == "Stream(device_name=GPU, device_id:2, stream id:7)" and stream.device_stream() == 1234
    with runtime.StreamCtx(stream):
        assert said.pop() is stream._stream
    assert isinstance(said.pop(), _FakeStream)
    stats = {
        "allocated_bytes.all.current": 10,
        "allocated_bytes.all.peak": 30,
        "reserved_bytes.all.current": 25,
        "reserved_bytes.all.peak": 40,
    }
    blocks = [
        {"address": 255, "total_size": 25, "stream": 0, "device": 2},
        {"address": 1, "total_size": 9, "device": 0},
    ]
    monkeypatch.setattr(torch.cuda, "memory_stats", lambda place: stats)
    monkeypatch.setattr(torch.cuda, "memory_snapshot", lambda: blocks)
    found = runtime.memory_stats()
    assert [found[f"total_{key}_memory"] for key in ("reserved", "allocated", "idle")] == [25, 10, 15]
    assert (runtime.max_memory_reserved(), runtime.max_memory_allocated()) == (40, 30)
    assert list(found["common_mem_pool_stats"]["blocks_info"]) == ["0xff"]
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda place: type("P", (), {"total_memory": 100 << 30}))
    monkeypatch.setattr(torch.cuda, "set_per_process_memory_fraction", lambda *given: said.append(given))
    runtime.set_memory(max_size="25GB")
    assert said.pop() == (0.25, device)


def test_cores_are_read_from_lists_and_by_device() -> None:
    assert executor._cores(["0"]) == {0}
    assert executor._cores({"device0": ["0-0"], "device1": ["5"]}) == {0}
    with pytest.raises(ValueError, match="as '0-3' or '5', but got 'x'"):
        executor._cores(["x"])
    with pytest.raises(ValueError, match=r"no cores \[100000\]"):
        executor._cores(["100000"])


DRAWS = {
    "rand": lambda g: mint.rand(4, generator=g),
    "randn": lambda g: mint.randn(4, generator=g),
    "randint": lambda g: mint.randint(0, 1000, (4,), generator=g),
    "randperm": lambda g: mint.randperm(20, generator=g),
    "normal": lambda g: mint.normal(0.0, 1.0, (4,), generator=g),
    "normal of tensors": lambda g: mint.normal(Tensor([0.0, 1.0]), 1.0, generator=g),
    "bernoulli": lambda g: mint.bernoulli(ms.ops.ones(40) * 0.5, generator=g),
    "multinomial": lambda g: mint.multinomial(ms.ops.ones(20), 9, generator=g),
    "uniform_": lambda g: ms.ops.ones(4).uniform_(0, 1, generator=g),
    "normal_": lambda g: ms.ops.ones(4).normal_(generator=g),
    "random_": lambda g: ms.ops.zeros(4).random_(0, 1000, generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_generator_repeats_itself(name: str) -> None:
    draw, generator = DRAWS[name], ms.Generator().manual_seed(5)
    ms.manual_seed(1)
    expected = mint.rand(3).asnumpy()
    ms.manual_seed(1)
    state = generator.get_state()
    first, second = draw(generator).asnumpy(), draw(generator).asnumpy()
    generator.set_state(state)
    np.testing.assert_array_equal(draw(generator).asnumpy(), first)
    assert (first != second).any()
    np.testing.assert_array_equal(mint.rand(3).asnumpy(), expected)  # the default one is not touched
    np.testing.assert_array_equal(draw(ms.Generator().manual_seed(5)).asnumpy(), first)
    ms.manual_seed(5)
    np.testing.assert_array_equal(draw(ms.default_generator).asnumpy(), first)


def test_the_default_state_comes_back() -> None:
    seed = ms.seed()
    assert ms.initial_seed() == seed
    state = ms.get_rng_state()
    first = mint.rand(3).asnumpy()
    ms.set_rng_state(state)
    np.testing.assert_array_equal(mint.rand(3).asnumpy(), first)


def test_a_device_context_ends() -> None:
    with ms.DeviceCtx("meta"):
        layer = ms.nn.Dense(2, 3)
        assert layer.weight.is_meta
    assert not Tensor([1.0]).is_meta and not ms.Parameter(Tensor([1.0])).is_meta
    with pytest.raises(ValueError, match="0 CUDA devices"):
        ms.DeviceCtx("GPU").__enter__()


def test_hal_and_runtime_share_streams() -> None:
    assert hal.Stream is runtime.Stream is ms.Stream and ms.memory_summary() == hal.memory_summary("CPU")
