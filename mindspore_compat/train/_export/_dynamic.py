"""Files for inputs with open sizes: the network is traced with several sizes, and what differs between the files becomes a function of them.

The files must be the same but for numbers; each number that differs has to be one expression of the sizes in all of them, and is computed in
the file from the shapes of its inputs. The result is compared with the network at further sizes, so that an ``if`` on a size is noticed.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat.common._wrap import memory, plain
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._graph import leaves
from mindspore_compat.train._export._sizes import OpenSize, ground, open_sizes, probes, tellings

__all__ = ["compare", "dynamic_model", "unequal"]

_HINT = ("Export with fixed sizes, one file for each, or say with mindspore.Symbol(divisor=…, min=…) which sizes there are")


def unequal(what: str) -> NotImplementedError:
    """The error for what can not be written with open sizes."""
    return NotImplementedError(f"For 'export', {what}. {_HINT}.")


def dynamic_model(build: Callable[[Any], Any], merge: Callable[..., Any], inputs: Any) -> tuple[Any, list[OpenSize]]:
    """(the message of a file for inputs of which some sizes are open, these sizes).

    Args:
        build: gives the file's message for inputs with contents.
        merge: (messages, open sizes, {group: number} of each) → one message.
    """
    first: Exception | None = None
    for sizes, traces in tellings(open_sizes(inputs)):
        try:
            models = [build(ground(inputs, sizes, numbers)) for numbers in traces]
        except NotImplementedError:
            raise
        except Exception as error:  # these sizes do not fit together, or are too small
            first = first or error
            continue
        return merge(models, sizes, traces), sizes
    assert first is not None
    raise type(first)(f"For 'export', the network fails with all tried values of the open sizes: {first} {_HINT}.") from first


def _run(net: Any, inputs: Any) -> list[torch.Tensor]:
    """What the network gives, with its Parameters as they were before."""
    parameters = list(net.get_parameters()) if isinstance(net, Cell) else []
    before = [torch.clone(plain(item)) for item in parameters]
    try:
        with torch.no_grad():
            return list(leaves(net(*inputs)))
    finally:
        for item, content in zip(parameters, before):
            memory(item).copy_(content)


def compare(net: Any, run: Callable[[Any], Any], inputs: Any, sizes: Sequence[OpenSize]) -> None:
    """NotImplementedError if ``run``, the written graph, gives something else than the network at other sizes than those of the traces."""
    for numbers in probes(sizes):
        given = ground(inputs, sizes, numbers)
        try:
            wanted = _run(net, given)
        except Exception:  # the network does not take this size
            continue
        shown = [list(item.shape) for item in leaves(given) if isinstance(item, torch.Tensor)]
        try:
            found = list(leaves(run([item for item in leaves(given) if isinstance(item, torch.Tensor)])))
            same = len(found) == len(wanted) and all(_same(one, other) for one, other in zip(found, wanted))
        except Exception as error:
            raise unequal(f"what the file computes fails for inputs of the shapes {shown}, where the network does not: {error}") from error
        if not same:
            raise unequal(f"the network computes something else for inputs of the shapes {shown} than the same operators would: "
                          "'construct' decides by a size")


def _same(found: Any, wanted: Any) -> bool:
    one, other = np.asarray(_array(found)), np.asarray(_array(wanted))
    return one.shape == other.shape and bool(np.allclose(one.astype(np.float64), other.astype(np.float64), 1e-3, 1e-4, equal_nan=True))


def _array(item: Any) -> Any:
    return plain(item).float().numpy() if isinstance(item, torch.Tensor) and item.dtype is torch.bfloat16 else \
        plain(item).numpy() if isinstance(item, torch.Tensor) else item
