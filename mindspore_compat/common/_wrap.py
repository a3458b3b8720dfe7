"""How a result of torch becomes a `Tensor`: by changing the class of the Python object in place.

``as_subclass`` would make an alias (a second tensor, and an ``AliasBackward`` node when gradients flow): 2.2 µs against 0.2 µs
for ``__class__`` assignment (docs/design/tensor.md). Only exact ``torch.Tensor`` objects are touched, so Parameters, user subclasses and
DTensors stay what they are.
"""
from __future__ import annotations

from typing import Any

import torch

__all__ = ["wrap", "plain", "memory"]

_Plain = torch.Tensor
_is_tracing = torch.compiler.is_dynamo_compiling  # plain tensors go through torch.compile; it can not follow a change of class
_detach = torch._C.TensorBase.detach
TENSOR: Any = torch.Tensor  # the real class once common/tensor.py has defined it


def bind(cls: type) -> None:
    """Tell `wrap` which class to give; called once by common/tensor.py."""
    global TENSOR
    TENSOR = cls


def wrap(result: Any) -> Any:
    """``result`` with every plain torch tensor in it (through tuples, lists and dicts) turned into a `Tensor`."""
    cls = result.__class__
    if cls is _Plain:
        if not _is_tracing():
            result.__class__ = TENSOR
        return result
    if cls is TENSOR:
        return result
    if isinstance(result, tuple):
        return tuple([wrap(item) for item in result])
    if cls is list:
        return [wrap(item) for item in result]
    if cls is dict:
        return {key: wrap(item) for key, item in result.items()}
    return result


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """A plain, detached ``torch.Tensor`` on the same storage."""
    return _detach(tensor)


#: As `plain`, but for writing: torch does not count it as a change. As upstream, who differentiates a forward that ran before uses the values that
#: are there then, and what a gradient does not depend on may change.
memory = torch._C.TensorBase.data.__get__  # type: ignore[attr-defined]
