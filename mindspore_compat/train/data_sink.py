"""A function over a dataset. MindSpore: ``mindspore.data_sink``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common.api import jit
from mindspore_compat.train.dataset_helper import dataset_size, endless

__all__ = ["data_sink"]


def data_sink(
    fn: Any, dataset: Any, sink_size: int = 1, jit_config: Any = None, input_signature: Any = None, *, steps: Any = None
) -> Callable[..., Any]:
    """Return a function without arguments that runs ``fn`` on ``sink_size`` more batches, and returns the last output.

    The dataset restarts at its end.

    Args:
        jit_config: makes ``fn`` what `mindspore.jit` makes of it.
        steps: of 1.8 to 1.10, how often the result may be called; has no effect.
        input_signature: Tensors whose dtypes and shapes (-1 is any) the batches must have.

    Raises:
        ValueError: if ``sink_size`` is not positive, for an empty dataset, or for a batch that does not fit.
    """
    if sink_size <= 0:
        raise ValueError(f"For 'data_sink', the 'sink_size' must be positive, but got {sink_size}.")
    if dataset_size(dataset) == 0:
        raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
    batches = endless(dataset)
    run = fn if jit_config is None else jit(fn)

    @functools.wraps(fn)
    def sink_process(*args: Any, **kwargs: Any) -> Any:
        outputs = None
        for _ in range(sink_size):
            batch = next(batches)
            if input_signature is not None:
                _check_signature(input_signature, batch)
            outputs = run(*batch)
        return outputs

    return sink_process


def _check_signature(signature: Any, batch: tuple[Any, ...]) -> None:
    expected = [signature] if isinstance(signature, torch.Tensor) else list(signature)
    if len(expected) != len(batch):
        raise ValueError(
            f"For 'data_sink', 'input_signature' has {len(expected)} inputs, but the dataset has {len(batch)} columns."
        )
    for number, (wanted, got) in enumerate(zip(expected, batch), 1):
        if wanted is None:
            continue
        same_sizes = len(wanted.shape) == len(got.shape) and all(a in (-1, b) for a, b in zip(wanted.shape, got.shape))
        if wanted.dtype is not got.dtype or not same_sizes:
            raise ValueError(
                f"Input {number} of 'input_signature' must be like the dataset's, {got.dtype} of shape "
                f"{tuple(got.shape)}, but is {wanted.dtype} of shape {tuple(wanted.shape)}."
            )
