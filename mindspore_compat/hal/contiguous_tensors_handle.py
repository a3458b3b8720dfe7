"""Several Tensors in one piece of memory. Upstream: ``mindspore.hal.contiguous_tensors_handle``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap

__all__ = ["ContiguousTensorsHandle", "combine_tensor_list_contiguous"]

_ALIGNED = 512  # bytes, on a device


def combine_tensor_list_contiguous(
    tensor_list: Sequence[Any], enable_mem_align: bool = True
) -> ContiguousTensorsHandle:
    """`ContiguousTensorsHandle` of the Tensors."""
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)


class ContiguousTensorsHandle:
    """Moves Tensors into one memory, in which they lie one behind the other, and gives parts of it.

    Args:
        tensor_list: Tensors of one device; from now on their contents are parts of that memory.
        enable_mem_align: on a device each begins at a multiple of 512 bytes; on a CPU without effect.

    Raises:
        TypeError: for something else than a list or tuple of Tensors, or a bool. IndexError: for an empty list.
    """

    def __init__(self, tensor_list: Sequence[Any], enable_mem_align: bool = True) -> None:
        if not isinstance(tensor_list, (list, tuple)) or not all(isinstance(x, torch.Tensor) for x in tensor_list):
            raise TypeError(f"input list must be [Tensor, ...], but got {tensor_list!r:.100}.")
        if not isinstance(enable_mem_align, bool):
            raise TypeError(f"enable_mem_align must be bool, but got {enable_mem_align!r}.")
        if not tensor_list:
            raise IndexError("input list must hold a Tensor at least, but is empty.")
        self.tensor_list, self.enable_mem_align = tuple(tensor_list), enable_mem_align
        first = self.tensor_list[0]
        step = _ALIGNED if enable_mem_align and first.is_cuda else max(x.element_size() for x in self.tensor_list)
        self.before_padding_sizes = [x.numel() * x.element_size() for x in self.tensor_list]
        self.after_padding_sizes = [-(-size // step) * step for size in self.before_padding_sizes]
        self.total_padding_size = sum(self.after_padding_sizes)
        self.handle_shape = self.total_padding_size / first.element_size()
        self._memory = torch.zeros(self.total_padding_size, dtype=torch.uint8, device=first.device)
        self._dtype = first.dtype
        self._starts = [sum(self.after_padding_sizes[:k]) for k in range(len(self.tensor_list) + 1)]
        for x, start, size in zip(self.tensor_list, self._starts, self.before_padding_sizes):
            part = torch.reshape(self._memory[start : start + size].view(x.dtype), tuple(x.shape))
            part.copy_(x.detach())
            x.data = part
            x._keeps_memory = True  # `_shared_memory.replace_values` asks

    def __getitem__(self, item: int | slice) -> Any:
        """One element (1,), or those from a start to an end, as a Tensor in that memory; counted in elements of the
        first Tensor's dtype. The step of a slice counts as 1.

        Raises:
            TypeError: for another index. ValueError: for places that are not there.
        """
        count = int(self.handle_shape)
        if isinstance(item, slice):
            start = 0 if item.start is None else item.start
            end = count if item.stop is None else item.stop
            if not isinstance(start, int) or not isinstance(end, int):
                raise TypeError(f"slice input error: the ends must be int, but got {item}.")
            if start < 0 or end > count or start >= end:
                raise ValueError(f"slice input error: the ends must be in order within [0, {count}], but got {item}.")
            return self._elements(start, end)
        if not isinstance(item, int):
            raise TypeError(f"slice input must be an int or a slice of ints, but got {item!r}.")
        if not 0 <= item < count:
            raise ValueError(f"slice input is out of tensor_list size: must be in [0, {count}), but got {item}.")
        return self._elements(item, item + 1)

    def _elements(self, start: int, end: int) -> Any:
        return wrap(self._memory.view(self._dtype)[start:end])

    def slice_by_tensor_index(self, start: int | None = None, end: int | None = None) -> Any:
        """The Tensors from ``start`` up to ``end``, in a row, with what lies between them; ``start`` alone is one.

        Raises:
            TypeError: unless they are ints. ValueError: for Tensors that are not there.
        """
        first = 0 if start is None else start
        last = end if end is not None else len(self.tensor_list) if start is None else first + 1
        if not isinstance(first, int) or not isinstance(last, int):
            raise TypeError(f"slice input error: must be int, but got {start!r} and {end!r}.")
        if first < 0 or last > len(self.tensor_list) or first >= last:
            raise ValueError(
                f"slice input error: must be in order within [0, {len(self.tensor_list)}], but got {start} and {end}."
            )
        until = self._starts[last - 1] + self.before_padding_sizes[last - 1]
        return wrap(self._memory[self._starts[first] : until].view(self.tensor_list[first].dtype))

    def __str__(self) -> str:
        lines = [f"Handle total size: {self.total_padding_size}"]
        lines += [f"Tensor[{place}]: {x.asnumpy()}" for place, x in enumerate(self.tensor_list)]
        return "\n".join(lines) + "\n"
