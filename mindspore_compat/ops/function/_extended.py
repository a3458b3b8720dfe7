"""Late additions of several areas: segments, Taylor series, gradients stopped in place, layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops.function.grad.grad_func import jvp

__all__ = """
    adaptive_avg_pool2d_ext bernoulli_ext sparse_segment_mean stop_gradient_ reshard jet
""".split()


def adaptive_avg_pool2d_ext(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remains; None in it keeps an axis."""
    size = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    whole = [given if given is not None else have for given, have in zip(size, input.shape[-2:])]
    return wrap(kernels.adaptive_avg_pool2d(input, as_ints(whole)))


def bernoulli_ext(input: Any, *, generator: Any = None) -> Any:
    """Return 1 with the probabilities ``input``, else 0, in its dtype; ``generator`` is torch's."""
    return wrap(torch.bernoulli(input, generator=generator))


def sparse_segment_mean(x: Any, indices: Any, segment_ids: Any) -> Any:
    """Return the means of the rows ``x[indices]`` with one sorted segment number; 0 for numbers without rows.

    Raises:
        ValueError: for unsorted numbers.
    """
    segments = torch.Tensor.long(segment_ids)
    if bool(torch.any(torch.diff(segments) < 0)):
        raise ValueError("For 'sparse_segment_mean', the 'segment_ids' must be sorted. Sort both inputs by them.")
    count = int(segments[-1]) + 1 if segments.shape[0] else 0
    rows = torch.index_select(x, 0, torch.Tensor.long(indices))
    total = torch.index_add(rows.new_zeros((count, *rows.shape[1:])), 0, segments, rows)
    counts = torch.clamp(torch.bincount(segments, minlength=count), min=1).to(rows.dtype)
    return wrap(total / torch.reshape(counts, (-1, *(1,) * (rows.dim() - 1))))


def stop_gradient_(input: Any) -> None:
    """Stop gradients through ``input`` from here on, in place.

    Raises:
        TypeError: for something else than a Tensor. RuntimeError: for a view through which gradients flow.
    """
    if not input._is_view():
        input.detach_()
    elif input.requires_grad:
        raise RuntimeError("Cannot stop_gradient view inplace. Use ops.stop_gradient.")


def reshard(tensor: Any, layout: Any) -> Any:
    """Return ``tensor``: its sharding does not change its values, and the parallel modes choose their own layout if one
    has to follow another.
    """
    return tensor


def _slope(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda t: jvp(fn, t, wrap(torch.ones_like(t)))[1]


def _derivatives(fn: Callable[[Any], Any], t: Any, order: int) -> list[Any]:
    """Return fn and its derivatives up to ``order`` at the scalar ``t``."""
    functions = [fn]
    for _ in range(order):
        functions.append(_slope(functions[-1]))
    return [function(t) for function in functions]


def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """Return (outputs, their derivatives of orders 1 to n stacked) along the curve whose value is ``primals`` and whose
    derivatives are ``series``: (n, shape) for each input.

    Args:
        fn: Cell or function of the primals; it may return one Tensor or a tuple.
        primals, series: a Tensor, or a list or tuple of them; ints are taken as float32.
    """
    many = isinstance(primals, (tuple, list))
    values, rates = (list(item) if many else [item] for item in (primals, series))
    values, rates = (
        [x if x.is_floating_point() else wrap(torch.Tensor.float(x)) for x in item] for item in (values, rates)
    )
    order = rates[0].shape[0]
    if any(rate.shape[0] != order or tuple(rate.shape[1:]) != tuple(x.shape) for x, rate in zip(values, rates)):
        raise ValueError(
            "For 'jet', each of 'series' must be (orders, *shape of its primal), but got "
            f"{[tuple(item.shape) for item in rates]} for {[tuple(item.shape) for item in values]}."
        )

    def along(t: Any) -> Any:
        inputs = []
        for x, rate in zip(values, rates):
            factor, total = torch.ones_like(t), x
            for number in range(order):
                factor = factor * t / (number + 1)
                total = total + rate[number] * factor
            inputs.append(wrap(total))
        return fn(*inputs)

    zero = wrap(torch.zeros((), dtype=values[0].dtype, device=values[0].device))
    found = _derivatives(along, zero, order)
    if isinstance(found[0], tuple):
        outputs = list(zip(*found))
        return [item[0] for item in outputs], [wrap(torch.stack(item[1:])) for item in outputs]
    return found[0], wrap(torch.stack(found[1:]))
