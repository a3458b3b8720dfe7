"""Gradients by integer inputs, as in MindSpore: in the input's dtype, truncated. torch has none."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack
from torch.utils._pytree import tree_leaves, tree_map

from mindspore_compat._tensor.wrapping import wrap

_Base = torch._C.TensorBase
#: operators of integers that have no derivative: MindSpore refuses them rather than give zeros
_WITHOUT_GRADIENT = {
    torch.gcd: "Gcd",
    torch.lcm: "Lcm",
    torch.bitwise_left_shift: "LeftShift",
    torch.bitwise_right_shift: "RightShift",
}
#: operators that must not run a second time, or whose positions have no derivative
_NOT_FOLLOWED = ("rand", "bernoulli", "dropout", "multinomial", "normal", "poisson", "uniform", "exponential", "unique")


def is_integer(value: Any) -> bool:
    """Return whether it is a tensor of integers or bools."""
    return isinstance(value, torch.Tensor) and not (value.dtype.is_floating_point or value.dtype.is_complex)


def has_integers(args: Sequence[Any], wanted: Sequence[int], weights: Sequence[Any] = ()) -> bool:
    """Return whether a gradient by integers is wanted."""
    return any(is_integer(args[position]) for position in wanted) or any(map(is_integer, weights))


class Shadows(TorchFunctionMode):
    """Float64 copies ("shadows") of integer tensors, updated while a computation runs."""

    def __init__(self) -> None:
        super().__init__()
        self._of: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # with the tensor, so that no other one gets its id
        self._idle = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not follow operators in this context."""
        before, self._idle = self._idle, True
        try:
            yield
        finally:
            self._idle = before

    def follow(self, value: torch.Tensor, shadow: torch.Tensor) -> None:
        """Set the shadow of ``value``."""
        self._of[id(value)] = value, shadow

    def follow_weights(self, weights: Sequence[Any]) -> None:
        """Give integer Parameters a shadow to differentiate by."""
        for weight in filter(is_integer, weights):
            self.follow(weight, self._point(weight))

    @staticmethod
    def _point(value: torch.Tensor) -> torch.Tensor:
        return _Base.requires_grad_(_Base.to(_Base.detach(value), torch.float64), True)

    def of(self, value: Any) -> Any:
        """Return the shadow of a tensor, or the value itself."""
        known = self._of.get(id(value))
        return value if known is None else known[1]

    def variable(self, value: torch.Tensor, outer: Shadows | None) -> torch.Tensor:
        """Return the input as a variable with a shadow, connected to that of ``outer`` if there is one."""
        with self.paused() if outer is None else outer.paused():
            new = wrap(_Base.detach(value))
            known = value if outer is None else outer.of(value)
            if known is not value:
                shadow = _Base.view_as(known, known)
            else:
                shadow = self._point(value)
        self.follow(new, shadow)
        return new

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        if self._idle or not self._of:
            return result
        known = [leaf for leaf in tree_leaves((args, kwargs)) if id(leaf) in self._of]
        if not known:
            return result
        if func in _WITHOUT_GRADIENT:
            raise RuntimeError(
                f"Illegal primitive {_WITHOUT_GRADIENT[func]}'s bprop not defined: it has no gradient. "
                "Differentiate by other inputs, or use ops.stop_gradient."
            )
        with self.paused():
            return self._followed(func, args, kwargs, result)

    def _followed(self, func: Any, args: Any, kwargs: Any, result: Any) -> Any:
        name = getattr(func, "__name__", "")
        if (name.endswith("_") and not name.endswith("__")) or name in ("__setitem__", "__set__") or "out" in kwargs:
            self._written(func, name, args, kwargs)
            return result
        found = tree_leaves(result)
        if any(part in name for part in _NOT_FOLLOWED) or not any(isinstance(item, torch.Tensor) for item in found):
            return result
        others = self._of_shadows(func, args, kwargs)
        if len(others) != len(found):
            return result
        new = iter([self._with_history(item, shadow) for item, shadow in zip(found, others)])
        return tree_map(lambda _: next(new), result)

    def _of_shadows(self, func: Any, args: Any, kwargs: Any) -> list[Any]:
        """Return the operator's results for shadows. An operator of integers alone, such as an index, has none, since
        it is not smooth. If it does not accept all shadows, pass as many as it accepts. If it needs one dtype, convert
        the other integers, too.
        """
        leaves = {id(leaf): leaf for leaf in tree_leaves((args, kwargs)) if is_integer(leaf)}
        for chosen in self._choices(leaves):

            def stands_for(leaf: Any, chosen: set[int] = chosen) -> Any:
                if isinstance(leaf, torch.dtype):  # dtype of a sum: the shadow's stays float64
                    return leaf if leaf.is_floating_point or leaf.is_complex else torch.float64
                if id(leaf) not in chosen:
                    return leaf
                return self.of(leaf) if id(leaf) in self._of else _Base.to(leaf, torch.float64)

            try:
                return tree_leaves(func(*tree_map(stands_for, args), **tree_map(stands_for, kwargs)))
            except Exception:
                continue
        return []

    def _choices(self, leaves: dict[int, torch.Tensor]) -> Iterator[set[int]]:
        """Yield the sets of integers to replace: first all with a shadow, then fewer, and others beside them."""
        followed, others = [key for key in leaves if key in self._of], [key for key in leaves if key not in self._of]
        if len(leaves) > 4:
            yield set(followed)
            return
        for count in range(len(followed), 0, -1):
            for beside in range(len(others) + 1):
                for some in itertools.combinations(followed, count):
                    yield from (set(some) | set(more) for more in itertools.combinations(others, beside))

    def _written(self, func: Any, name: str, args: Any, kwargs: Any) -> None:
        """Repeat a write to an integer tensor on its shadow. A floating one gets the history by a repeated write of the
        shadow, where a repetition changes nothing.
        """
        target = args[0] if args and "out" not in kwargs else None
        if not isinstance(target, torch.Tensor):
            return
        before, rest = self._of.pop(id(target), (target, target))[1], tree_map(self.of, args[1:])
        try:
            if is_integer(target):
                shadow = _Base.clone(_Base.to(before, torch.float64))
                func(shadow, *rest, **tree_map(self.of, kwargs))
                if shadow.requires_grad and _is_same(target, shadow):
                    self.follow(target, shadow)
            elif name in ("__setitem__", "copy_"):
                func(target, *rest, **tree_map(self.of, kwargs))
        except Exception:  # as in `_followed`
            return

    def _with_history(self, item: Any, shadow: Any) -> Any:
        if not isinstance(shadow, torch.Tensor) or not shadow.requires_grad or not _is_same(item, shadow):
            return item
        if not item.dtype.is_floating_point:
            self.follow(item, shadow)
            return item
        return item.detach() + _Base.to(shadow - shadow.detach(), item.dtype)  # history by floats is the shadow's too


def _is_same(item: Any, shadow: torch.Tensor) -> bool:
    if not isinstance(item, torch.Tensor) or item.dtype.is_complex or item.shape != shadow.shape:
        return False
    close = 1e-2 if item.dtype in (torch.float16, torch.bfloat16) else 1e-4
    with contextlib.ExitStack() as stack:
        for mode in _get_current_dispatch_mode_stack():  # a file being written holds no trace of this comparison
            if getattr(mode, "writes_file", False):
                stack.enter_context(mode.pause())
        return bool(
            torch.allclose(
                _Base.to(item.detach(), torch.float64),
                _Base.to(shadow.detach(), torch.float64),
                close,
                0,
                equal_nan=True,
            )
        )
