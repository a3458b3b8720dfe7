"""``mindspore-compat check-gpu``: training on the CUDA device beside the CPU, and the cost of a step beside torch's."""

from __future__ import annotations

import argparse
import gc
import logging
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat._graph.operators import is_view
from mindspore_compat.cli import env
from mindspore_compat.nn.optim.thor_inverse import damped_inverse_

__all__ = ["main"]

_OURS: dict[str, Any] = {"Momentum": lambda p: nn.Momentum(p, 1e-3, 0.9), "Adam": lambda p: nn.Adam(p, 1e-3)}
_TORCHS: dict[str, Any] = {
    "Momentum": lambda p: torch.optim.SGD(p, 1e-3, momentum=0.9, fused=True),
    "Adam": lambda p: torch.optim.Adam(p, 1e-3, fused=True),
}
_MODES = {"PYNATIVE_MODE": ms.PYNATIVE_MODE, "GRAPH_MODE": ms.GRAPH_MODE}


class _Operators(TorchDispatchMode):
    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name
        self.count += not (is_view(func) or name.startswith(("aten::empty", "aten::_local_scalar_dense", "profiler::")))
        return func(*args, **(kwargs or {}))


def _our_step(name: str, layers: int, width: int) -> tuple[Any, list[Any]]:
    """Return (a training step under a dynamic loss scale, the Parameters that it writes; the scale is the last)."""
    net = nn.SequentialCell(*[kind for _ in range(layers) for kind in (nn.Dense(width, width), nn.Tanh())])
    draw = np.random.RandomState(0)
    for item in net.trainable_params():
        item.set_data(ms.Tensor((draw.randn(*item.shape) / width**0.5).astype(np.float32)))
    optimizer = _OURS[name](net.trainable_params())
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepWithLossScaleCell(loss, optimizer, nn.DynamicLossScaleUpdateCell(1024, 2, 1000)).set_train()
    return step, [*net.get_parameters(), *optimizer.get_parameters(), step.scale_sense]


def _torch_step(name: str, layers: int, width: int) -> Callable[[Any, Any], None]:
    kinds = [kind for _ in range(layers) for kind in (torch.nn.Linear(width, width), torch.nn.Tanh())]
    net = torch.nn.Sequential(*kinds).cuda()
    optimizer, scaler = _TORCHS[name](net.parameters()), torch.amp.GradScaler("cuda", init_scale=1024.0)

    def step(x: torch.Tensor, y: torch.Tensor) -> None:
        optimizer.zero_grad()
        scaler.scale(torch.nn.functional.cross_entropy(net(x), y)).backward()
        scaler.step(optimizer)
        scaler.update()

    return step


def _trained(name: str, mode: str, target: str) -> list[np.ndarray]:
    """Return parameters, states and the loss scale after 14 steps, of which the second and the tenth overflow."""
    ms.set_context(mode=_MODES[mode], device_target=target)
    step, written = _our_step(name, 3, 16)
    draw, labels = np.random.RandomState(1), ms.Tensor(np.arange(8, dtype=np.int32))
    for number in range(14):  # a CUDA graph runs from the seventh on
        step(ms.Tensor(draw.randn(8, 16).astype(np.float32) * np.float32(np.inf if number in (1, 9) else 1)), labels)
    return [item.asnumpy() for item in written]


def _difference(expected: list[np.ndarray], found: list[np.ndarray]) -> float:
    return float(np.max([np.abs(a - b).max() / max(np.abs(a).max(), 1e-6) for a, b in zip(expected, found)]))


def _cost(name: str, mode: str, layers: int = 96, width: int = 128) -> tuple[float, int, int, float]:
    """Return (peak memory in multiples of the parameters, operators, host waits, milliseconds) of a training step."""
    gc.collect()
    before = torch.cuda.memory_allocated()
    ms.set_context(mode=_MODES.get(mode, ms.PYNATIVE_MODE))
    step = _torch_step(name, layers, width) if mode == "torch" else _our_step(name, layers, width)[0]
    x, y = torch.ones(4, width).cuda(), torch.arange(4).cuda()
    batch = (x, y) if mode == "torch" else (ms.Tensor(x), ms.Tensor(y, ms.int32))
    times = []
    for _ in range(20):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter()
        step(*batch)
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    peak = (torch.cuda.max_memory_allocated() - before) / (4 * layers * width * (width + 1))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        step(*batch)
        torch.cuda.set_sync_debug_mode("default")
    with _Operators() as operators:
        step(*batch)
    waits = sum("called a synchronizing" in str(item.message) for item in found)
    return peak, operators.count, waits, float(np.median(times[10:]))


def _checks(messages: list[str]) -> Iterator[tuple[bool, str]]:
    """Yield (success, finding) of each check."""
    for name, mode in [(name, mode) for name in _OURS for mode in _MODES]:
        messages.clear()
        expected, found = _trained(name, mode, "CPU"), _trained(name, mode, "GPU")
        error, scale = _difference(expected, found), found[-1].item()
        text = f"differ by {error:.1e} after 14 steps; two overflows: loss scale 1024 to {scale:g}"
        yield error <= 1e-4 and scale == 256, f"{name}, {mode}: GPU and CPU {text}"
        if mode == "GRAPH_MODE":
            graphs = [text for text in messages if "CUDA graph" in text] or [f"{mode}: no step was replayed"]
            yield "one CUDA graph" in graphs[-1], f"{name}, {graphs[-1]}"
    half, inverse = np.random.RandomState(0).randn(128, 128), torch.zeros(1, 128, 128).cuda()
    damped_inverse_([inverse], [torch.tensor(half @ half.T, dtype=torch.float32).cuda()], [1 / 128], [0.1], [1.0])
    error = _difference([np.linalg.inv(half @ half.T / 128 + 0.1 * np.eye(128))], [inverse[0].cpu().numpy()])
    yield error <= 1e-4, f"THOR: an inverse of 128 x 128 differs by {error:.1e} from float64's"
    for name in _OURS:
        costs = {mode: _cost(name, mode) for mode in ("torch", *_MODES)}
        for mode, (memory, operators, waits, duration) in costs.items():
            is_good = mode != "PYNATIVE_MODE" or max(memory / costs["torch"][0], operators / costs["torch"][1]) <= 1.1
            counted = "" if mode == "GRAPH_MODE" else f", {operators} operators"
            text = f"memory {memory:.2f} x the parameters{counted}, {waits} host waits, {duration:.2f} ms"
            yield is_good and (mode == "torch" or waits == 0), f"a step of {name}, {mode}: {text}"


def main(arguments: list[str]) -> int:
    """Print versions, differences and costs; 1 if a check fails or there is no CUDA device."""
    argparse.ArgumentParser(prog="mindspore-compat check-gpu").parse_args(arguments)
    env.main([])
    if not torch.cuda.is_available():
        print("check-gpu: no CUDA device; needed are a GPU, its driver and a CUDA build of torch")
        return 1
    messages: list[str] = []
    failed = 0

    def keep(record: logging.LogRecord) -> bool:
        messages.append(record.getMessage())
        return True

    ms.log.logger.setLevel(logging.INFO)
    ms.log.logger.addFilter(keep)
    for is_good, text in _checks(messages):
        failed += not is_good
        print("ok    " if is_good else "FAILED", text, flush=True)
    print(f"check-gpu: {failed or 'no'} checks failed")
    return int(failed > 0)
