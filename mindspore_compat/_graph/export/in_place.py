"""In-place operators and views of a graph: new values of a tensor and of its aliases."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._graph.export.ir import CONSTANT, IDENTITY, PARAMETER, SYNONYMS, Value, refuse
from mindspore_compat._graph.export.loop_node import ChangesParameter
from mindspore_compat._graph.recorder import Recorder

_Base = torch._C.TensorBase
_RESHAPING = frozenset({"transpose_", "t_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_"})


class Handle:
    """A torch tensor's Value now, and for a view the operator that makes it again after a change of its base."""

    __slots__ = ("base", "level", "parameter", "seen", "tensor", "value", "version", "view")

    def __init__(
        self,
        tensor: torch.Tensor,
        value: Value,
        base: Handle | None = None,
        view: tuple[Any, dict[str, Any], int] | None = None,
    ) -> None:
        # view: operator, its arguments, which result
        self.tensor, self.value, self.base, self.view = tensor, value, base, view
        self.parameter = value if value.kind == PARAMETER and base is None else None
        self.level = 0  # depth of the loops around it
        self.version, self.seen = 0, base.root().version if base is not None else 0

    def root(self) -> Handle:
        return self if self.base is None else self.base.root()


class InPlace(Recorder):
    """Recorder that rewrites in-place operators; the base of `GraphRecorder`."""

    def _in_place(self, func: Any, name: str, bound: dict[str, Any], written: list[str]) -> Any:
        """Record ``add`` for ``x.add_(y)``, and for a view of z the new value of z; then write the real tensor."""
        if not name.endswith("_") or len(written) > 1:
            raise refuse(f"the operator '{name}' writes into {', '.join(written)}", self.scope())
        target = bound[written[0]]
        if name == "as_strided_" and all(
            n == m and (n == 1 or stride == own)
            for n, m, stride, own in zip(bound["size"], target.shape, bound["stride"], target.stride())
        ):
            return func(**bound)  # torch's adaptive_avg_pool2d: another memory format of the same elements
        handle = self._handle_of(target)
        if name in _RESHAPING:  # another shape on the same elements
            with self:
                handle.value = self.read(getattr(torch.ops.aten, name[:-1])(**bound))
            handle.base = handle.view = None
            return func(**bound)
        root = handle.root()
        changed, new = [handle], self._without_side_effect(name, bound, target)
        if root.parameter is not None:
            if (
                root.value is root.parameter
                and self._is_only(root.parameter, new)
                and torch.allclose(target, new, equal_nan=True)
            ):
                return target  # torch's instance_norm writes the moving values back unchanged
            if self._level and root not in self.carried:
                raise ChangesParameter(root)
            self.note_change(root)
        elif root.level < self._level:
            raise refuse("a loop changes a Tensor in place that was made outside of it", self.scope())
        made = [new]
        while changed[-1].base is not None:
            with self:
                made.append(self._scattered(changed[-1], made[-1]))
            changed.append(changed[-1].base)
        values = [self.read(item) for item in made]
        result = _Base.copy_(target, new)
        root.version += 1
        for item, value in zip(changed, values):
            item.value, item.seen = value, root.version
        return result

    def _is_only(self, parameter: Value, tensor: torch.Tensor) -> bool:
        """Return whether ``tensor`` depends only on this Parameter."""
        left, seen = [self.read(tensor)], set()
        while left:
            value = left.pop()
            if value is parameter or value.kind == CONSTANT or id(value) in seen:
                continue
            if value.node is None:
                return False
            seen.add(id(value))
            left += value.node.inputs()
        return True

    def _without_side_effect(self, name: str, bound: dict[str, Any], target: torch.Tensor) -> torch.Tensor:
        shape, like = tuple(target.shape), {"dtype": target.dtype, "device": target.device}
        with self:
            if name == "copy_":
                return torch.broadcast_to(_Base.to(bound["src"], target.dtype), shape)
            if name in ("fill_", "zero_"):
                value = bound.get("value", 0)
                return torch.broadcast_to(
                    _Base.to(value, target.dtype) if isinstance(value, torch.Tensor) else torch.full((), value, **like),
                    shape,
                )
            packet = getattr(torch.ops.aten, name[:-1], None)
            if packet is None:
                raise refuse(f"the in-place operator '{name}' has no counterpart without side effect", self.scope())
            new = packet(**bound)
            return _Base.to(new, target.dtype)

    def _scattered(self, handle: Handle, value: torch.Tensor) -> torch.Tensor:
        """Return the new base of a view whose new value is ``value``."""
        assert handle.view is not None and handle.base is not None
        view, arguments, _ = handle.view
        base, name = handle.base.tensor, str(view.overloadpacket.__name__)
        rest = {key: item for key, item in arguments.items() if key != "self"}
        op = SYNONYMS.get(name, name)
        if op == "select":
            return torch.select_scatter(base, value, **rest)
        if op == "slice":
            return torch.slice_scatter(base, value, **rest)
        if op in ("view", "unsqueeze", "squeeze") or op in IDENTITY:
            return torch.reshape(value, tuple(_Base.shape.__get__(base)))  # type: ignore[attr-defined]
        if op == "transpose":
            return torch.transpose(value, rest.get("dim0", 0), rest.get("dim1", -1))
        if op == "permute":
            order = [axis % base.dim() for axis in rest["dims"]]
            return torch.permute(value, [order.index(axis) for axis in range(len(order))])
        raise refuse(f"a tensor is changed in place through its view by '{op}'", self.scope())
