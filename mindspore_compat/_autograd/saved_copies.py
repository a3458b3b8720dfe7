"""Copies of saved tensors before an element assignment: ``h[t] = f(h[t - 1])``.

torch refuses to differentiate after ``x[index] = value`` if an operator has saved ``x`` or a part of it. Here the saved
tensor is copied before the write. This covers forwards that assign to elements (`element_stores`). As in torch, other
in-place writes raise an error: torch compares the version of the saved tensor.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from mindspore_compat.context import in_jit, is_graph_mode

_Base = torch._C.TensorBase
_autograd: Any = torch._C._autograd
_top_hooks: Any = getattr(_autograd, "_top_saved_tensors_default_hooks", None)  # torch 2.6 has none


class _Thread(threading.local):
    """Saved tensors of the forward that runs in this thread, by address; None outside of one."""

    def __init__(self) -> None:
        self.kept: dict[int, list[weakref.ref[_Kept]]] | None = None


running = _Thread()


class _Kept:
    """Saved tensor with its version when saved; None once it is a copy."""

    __slots__ = ("__weakref__", "tensor", "version")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.version: int | None = tensor._version


def hooks_are_free() -> bool:
    """Return whether no hooks of saved tensors are set or forbidden, as far as torch shows."""
    return _top_hooks is not None and _autograd._saved_tensors_hooks_is_enabled() and _top_hooks(True) is None


def with_copies(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``fn`` that copies saved tensors before it overwrites them. Compiled code does not need copies: an
    assignment makes a new Tensor there.
    """
    if running.kept is not None or is_graph_mode() or in_jit.depth > 0:
        return fn
    if not hooks_are_free() or torch._C._len_torch_dispatch_stack() > 0:  # recorders would record the copies
        return fn

    def run(*args: Any, **kwargs: Any) -> Any:
        running.kept = {}
        try:
            with torch.autograd.graph.saved_tensors_hooks(_keep, _found):
                return fn(*args, **kwargs)
        finally:
            running.kept = None

    return run


def _keep(tensor: torch.Tensor) -> _Kept:
    kept = _Kept(tensor)
    if running.kept is not None:
        try:
            place = _Base.untyped_storage(tensor).data_ptr()
        except (NotImplementedError, RuntimeError):  # torch.func's tensors have no address
            return kept
        running.kept.setdefault(place, []).append(weakref.ref(kept))
    return kept


def _found(kept: _Kept) -> torch.Tensor:
    if kept.version is not None and kept.version != kept.tensor._version:
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"a Tensor of shape {tuple(kept.tensor.shape)} is at version {kept.tensor._version}, but version "
            f"{kept.version} was kept. Write to a copy: x = x.copy()."
        )
    return kept.tensor


def before_writing(target: torch.Tensor) -> None:
    """Copy the saved tensors in the memory of ``target``."""
    if not running.kept:
        return
    for reference in running.kept.pop(_Base.untyped_storage(target).data_ptr(), ()):
        kept = reference()
        if kept is not None and kept.version == kept.tensor._version:
            kept.tensor, kept.version = kept.tensor.clone(), None


def aside() -> AbstractContextManager[Any]:
    """Suspend these hooks while torch.func runs, which accepts none; other hooks stay."""
    top = None if running.kept is None else _top_hooks(True)
    return nullcontext() if top is None or top[0] is not _keep else _Aside()


class _Aside:
    def __enter__(self) -> None:
        self._kept, running.kept = running.kept, None
        _autograd._pop_saved_tensors_default_hooks()

    def __exit__(self, *error: Any) -> None:
        _autograd._push_saved_tensors_default_hooks(_keep, _found)
        running.kept = self._kept
