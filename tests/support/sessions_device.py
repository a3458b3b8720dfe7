"""``pytest --device cuda``: the same tests with everything that the package makes on a CUDA device, real or fake."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tests.support import fakecuda

__all__ = ["on_cuda", "skip_cpu_only", "start_on_cuda"]


def start_on_cuda() -> None:
    """Make the device, before the package is imported, and let tests look at tensors on it."""
    if not torch.cuda.is_available():
        reason = fakecuda.unavailable()
        if reason is not None:
            raise pytest.UsageError(f"--device cuda: no CUDA device, and no fake one: {reason}")
        fakecuda.install()
    _let_tests_look()


def _let_tests_look() -> None:
    """``numpy()`` of a tensor on the device comes from the CPU where a test asks; in the package it stays an error."""
    plain = torch.Tensor.numpy

    def numpy(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        frame: Any = sys._getframe(1)
        while frame is not None and "/torch/" in frame.f_code.co_filename:
            frame = frame.f_back
        by_package = frame is not None and "/mindspore_compat/" in frame.f_code.co_filename
        return plain(self if by_package or not self.is_cuda else self.cpu(), *args, **kwargs)

    torch.Tensor.numpy = numpy  # type: ignore[method-assign]


@contextlib.contextmanager
def on_cuda() -> Iterator[None]:
    """Within the block new Tensors and Parameters lie on the device."""
    import mindspore_compat as mindspore
    from mindspore_compat._runtime.device import current_device

    where = mindspore.get_context("device_target"), mindspore.get_context("device_id")
    if where != ("GPU", 0) or current_device().type != "cuda":  # a change looks at everything that lives
        mindspore.set_context(device_target="GPU", device_id=0)
    yield


def skip_cpu_only(items: list[pytest.Item]) -> None:
    """Tests that are marked as being about the CPU."""
    for item in items:
        for mark in item.iter_markers("cpu_only"):
            item.add_marker(pytest.mark.skip(reason=f"cpu only: {mark.args[0]}"))
