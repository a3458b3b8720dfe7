"""Portions of a list of tensors, for temporaries of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

_LARGEST, _SMALLEST, _COUNT = 1 << 26, 1 << 20, 32  # bytes, bytes, portions of a large list


def portions(tensors: Sequence[torch.Tensor]) -> Iterator[slice]:
    """Yield slices of a list, computed one after the other on a device, so that temporaries stay small beside the
    whole: 1/32 of it, at least 1 MB, at most 64 MB. On a CPU yield all at once.
    """
    if not tensors or tensors[0].is_cpu:
        yield slice(0, len(tensors))
        return
    sizes = [item.numel() * item.element_size() for item in tensors]
    limit = min(max(sum(sizes) // _COUNT, _SMALLEST), _LARGEST)
    start = held = 0
    for place, size in enumerate(sizes):
        if held and held + size > limit:
            yield slice(start, place)
            start, held = place, 0
        held += size
    yield slice(start, len(tensors))
