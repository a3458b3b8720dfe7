"""Helpers of the drivers: made data, training steps, scripts."""

from __future__ import annotations

import os
import runpy
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["RUNS", "Run", "fill", "floats", "ids", "ints", "mnist", "run", "script", "show", "train"]


@dataclass(frozen=True)
class Run:
    """One program: a repository, the part of it that runs, and its driver.

    Args:
        repository: "owner/name" on GitHub.
        name: the name of the run, unique.
        field: what the program does, in a word or two.
        what: the classes or the script that run.
        folder: the folder of the program in the repository; it comes first on ``sys.path``.
        release: the release that the program was written for, where positional meanings changed since.
        stops: why neither side can end, if the program's own code is the reason.
        note: why the losses differ, or another fact for the table.
    """

    repository: str
    name: str
    field: str
    what: str
    folder: str
    release: str
    stops: str
    note: str
    driver: Callable[[], object]


RUNS: dict[str, Run] = {}


def run(
    repository: str, field: str, what: str, folder: str = "", release: str = "", stops: str = "", note: str = ""
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Register a driver; the run has the function's name."""

    def register(driver: Callable[[], object]) -> Callable[[], object]:
        name = driver.__name__
        assert name not in RUNS, name
        RUNS[name] = Run(repository, name, field, what, folder, release, stops, note, driver)
        return driver

    return register


_random = np.random.RandomState(0)


def floats(*shape: int, low: float = -1.0, high: float = 1.0, dtype: str = "float32") -> Any:
    """Return a Tensor of uniform numbers."""
    import mindspore

    return mindspore.Tensor(_random.uniform(low, high, shape).astype(dtype))


def ids(high: int, *shape: int, dtype: str = "int32") -> Any:
    """Return a Tensor of integers in [0, high)."""
    import mindspore

    return mindspore.Tensor(_random.randint(0, high, shape).astype(dtype))


def ints(values: Sequence[int]) -> Any:
    """Return an int32 Tensor of a list."""
    import mindspore

    return mindspore.Tensor(values, mindspore.int32)


def show(value: Any) -> None:
    """Print a loss."""
    print("loss:", float(np.mean(np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value))), flush=True)


def _tensors(value: Any) -> list[Any]:
    import mindspore

    if isinstance(value, mindspore.Tensor):
        return [value] if "Float" in str(value.dtype) or "float" in str(value.dtype) else []
    if isinstance(value, dict):
        value = list(value.values())
    return [item for part in value for item in _tensors(part)] if isinstance(value, (list, tuple)) else []


def train(
    network: Any,
    *inputs: Any,
    loss: Callable[..., Any] | None = None,
    labels: Sequence[Any] = (),
    rate: float = 0.01,
    steps: int = 3,
) -> None:
    """Train for three steps of SGD and print each loss.

    The loss is ``loss(output, *labels)``; without ``loss`` the mean square of all floating-point outputs.
    """
    import mindspore

    network.set_train()

    def forward(*values: Any) -> Any:
        output = network(*values)
        if loss is not None:
            return loss(output, *labels)
        return sum(((item.astype(mindspore.float32) ** 2).mean() for item in _tensors(output)), start=0.0)

    optimizer = mindspore.nn.SGD(network.trainable_params(), rate)
    step = mindspore.value_and_grad(forward, None, optimizer.parameters)
    for _ in range(steps):
        value, gradients = step(*inputs)
        optimizer(gradients)
        show(value)


def fill(cell: Any, *inputs: Any, steps: int = 3) -> None:
    """Call a training Cell three times and print what it returns first."""
    cell.set_train()
    for _ in range(steps):
        result = cell(*inputs)
        show(result[0] if isinstance(result, (list, tuple)) else result)


def script(path: str, *arguments: str) -> None:
    """Run a script of the repository as the main program, in its folder."""
    os.chdir(Path(path).resolve().parent)
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.getcwd())
    runpy.run_path(Path(path).name, run_name="__main__")


def mnist(folder: str, train: int = 24, test: int = 8) -> None:
    """Write noise in MNIST's format."""
    os.makedirs(folder, exist_ok=True)
    for name, count in (("train", train), ("t10k", test)):
        images, labels = _random.randint(0, 256, (count, 28, 28)), _random.randint(0, 10, count)
        for kind, magic, array in (("images-idx3", 2051, images), ("labels-idx1", 2049, labels)):
            header = struct.pack(f">{1 + array.ndim}i", magic, *array.shape)
            Path(folder, f"{name}-{kind}-ubyte").write_bytes(header + array.astype("uint8").tobytes())
