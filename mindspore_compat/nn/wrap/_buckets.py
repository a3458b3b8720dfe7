"""Reduction of gradients over processes in buckets: each is sent as soon as it is full, during the backward pass.

All processes fill and send the same buckets in the same order: that of the Parameters from the last to the first, about
the order of their gradients. Sizes follow torch's DDP: 1 MiB first, then 25 MiB, unless fusion settings say otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.communication._collectives import calling
from mindspore_compat.communication._groups import Group
from mindspore_compat.context import get_auto_parallel_context

_FIRST_BYTES, _BYTES = 1 << 20, 25 << 20
_MIB = 1 << 20
_register_hook = torch.Tensor.register_hook


class Bucket:
    """Gradients that are sent together.

    Attributes:
        members: their positions; with their ``sizes``, ``shapes`` and ``dtypes``.
        dtype: what they travel as: float32 for 16-bit ones, as MindSpore's.
    """

    __slots__ = ("device", "dtype", "dtypes", "members", "offsets", "shapes", "size", "sizes")

    def __init__(self, dtype: torch.dtype, device: torch.device) -> None:
        self.dtype, self.device = dtype, device
        self.members: list[int] = []
        self.offsets: dict[int, tuple[int, int]] = {}
        self.sizes: list[int] = []
        self.shapes: list[tuple[int, ...]] = []
        self.dtypes: list[torch.dtype] = []
        self.size = 0

    def add(self, position: int, like: torch.Tensor) -> None:
        count = like.numel()
        self.members.append(position)
        self.offsets[position] = self.size, count
        self.sizes.append(count)
        self.shapes.append(tuple(like.shape))
        self.dtypes.append(like.dtype)
        self.size += count


def plan(tensors: Sequence[torch.Tensor], reduced: Sequence[bool], splits: Sequence[Any]) -> list[Bucket]:
    """Return the buckets, in the order of sending.

    Args:
        tensors: the gradients, or Parameters like them.
        reduced: which of them travel at all.
        splits: a label for each: those of different labels do not travel together. Empty: the sizes decide.
    """
    buckets: list[Bucket] = []
    open_ones: dict[Any, Bucket] = {}
    limit = _fusion_bytes()
    for position in reversed(range(len(tensors))):
        if not reduced[position]:
            continue
        tensor = tensors[position]
        dtype = torch.float32 if tensor.dtype in (torch.float16, torch.bfloat16) else tensor.dtype
        key = dtype, tensor.device, splits[position] if splits else None
        bucket = open_ones.get(key)
        if bucket is None:
            bucket = open_ones[key] = Bucket(dtype, tensor.device)
            buckets.append(bucket)
        bucket.add(position, tensor)
        most = limit or (_FIRST_BYTES if bucket is buckets[0] else _BYTES)
        if not splits and bucket.size * dtype.itemsize >= most:
            del open_ones[key]
    return sorted(buckets, key=lambda bucket: -min(bucket.members))


def _fusion_bytes() -> int | None:
    """Return the bytes of ``comm_fusion={"allreduce": {"mode": "size", "config": MiB}}``; None if nothing is set."""
    mode, config = allreduce_fusion()
    if mode != "size":
        return None
    return config * _MIB


def allreduce_fusion() -> tuple[str, Any]:
    """Return (mode, config) of the setting ``comm_fusion``, "auto" without one."""
    setting = get_auto_parallel_context("comm_fusion").get("allreduce")
    if setting is None:
        return "auto", None
    if setting["mode"] not in ("auto", "size", "index"):
        raise KeyError(
            f"For 'comm_fusion', the 'mode' of 'allreduce' must be 'auto', 'size' or 'index', but got "
            f"{setting['mode']!r}."
        )
    return setting["mode"], setting["config"]


class Reduction:
    """Reduction of one step's gradients.

    Args:
        scale: gradients are multiplied by it before they are summed, those that do not travel too; None: 1.
        factor: and the sums by this; None: 1.
    """

    def __init__(
        self, buckets: Sequence[Bucket], group: Group, scale: torch.Tensor | None, factor: float | None
    ) -> None:
        self._buckets, self._group, self._scale, self._factor = buckets, group, scale, factor
        self._flat = [torch.empty(bucket.size, dtype=bucket.dtype, device=bucket.device) for bucket in buckets]
        self._missing = [len(bucket.members) for bucket in buckets]
        self._bucket_of = {position: number for number, bucket in enumerate(buckets) for position in bucket.members}
        self._put: set[int] = set()
        self._works: list[Any] = []

    @contextmanager
    def along(self, weights: Sequence[torch.Tensor]) -> Iterator[None]:
        """Take the gradients of ``weights`` in this context when the backward pass has them."""
        handles = [
            _register_hook(weight, partial(self._came, position))
            for position, weight in enumerate(weights)
            if position in self._bucket_of and weight.requires_grad
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _came(self, position: int, gradient: torch.Tensor) -> None:
        if not THREAD.running:  # else a gradient that the network itself takes
            self.put(position, gradient)

    def put(self, position: int, gradient: torch.Tensor) -> None:
        """Add the gradient at that position."""
        number = self._bucket_of[position]
        if position in self._put:  # a second backward pass over it; a sent bucket cannot be changed
            raise RuntimeError(
                "For 'TrainOneStepCell', a Parameter got its gradient twice in one step under data parallel. Take the "
                "gradients once per step, or reduce them by calling 'grad_reducer' yourself."
            )
        self._put.add(position)
        start, count = self._buckets[number].offsets[position]
        target = self._flat[number][start : start + count]
        target.copy_(plain(gradient).reshape(-1))
        if self._scale is not None:
            target *= self._scale.to(target.dtype)
        self._missing[number] -= 1
        self._send()

    def _fill(self, number: int, gradients: Sequence[torch.Tensor]) -> None:
        """Fill a whole bucket at once."""
        members, flat = self._buckets[number].members, self._flat[number]
        parts = [plain(gradients[position]).reshape(-1) for position in members]
        if any(part.dtype is not flat.dtype for part in parts):
            parts = [part.to(flat.dtype) for part in parts]
        torch.cat(parts, out=flat)
        if self._scale is not None:
            flat *= self._scale.to(flat.dtype)
        self._missing[number] = 0
        self._send()

    @property
    def is_worth_while(self) -> bool:
        """True if anything can be sent before the backward pass ends."""
        return len(self._buckets) > 1

    def _send(self) -> None:
        """Send all full buckets, in their order: the next one waits for those before it."""
        while len(self._works) < len(self._buckets) and not self._missing[len(self._works)]:
            with calling("DistributedGradReducer"):
                flat = self._flat[len(self._works)]
                self._works.append(dist.all_reduce(flat, group=self._group.handle, async_op=True))

    def finish(self, gradients: Sequence[torch.Tensor]) -> tuple[Any, ...]:
        """Return the reduced gradients; ``gradients`` are this process's own."""
        for number, bucket in enumerate(self._buckets):
            if self._missing[number] == len(bucket.members):
                self._fill(number, gradients)
                continue
            for position in bucket.members:
                if position not in self._put:
                    self.put(position, gradients[position])
        result = list(gradients)
        if self._scale is not None:
            scale = self._scale
            result = [
                item if position in self._bucket_of else plain(item) * scale.to(item.dtype)
                for position, item in enumerate(result)
            ]
        with calling("DistributedGradReducer"):
            for bucket, flat, work in zip(self._buckets, self._flat, self._works):
                work.wait()
                if self._factor is not None:
                    flat *= self._factor
                parts = flat.split_with_sizes(bucket.sizes)
                for position, part, shape, dtype in zip(bucket.members, parts, bucket.shapes, bucket.dtypes):
                    result[position] = (part if dtype is bucket.dtype else part.to(dtype)).view(shape)
        return wrap(tuple(result))
