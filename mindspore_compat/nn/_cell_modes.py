"""Modes and flags of a Cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.data import device_from
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn._cell_dtype import FLAG_DTYPES, let_methods_compute, run_in_dtype
from mindspore_compat.nn._cell_hooks import Hooks

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Modes"]


def _placed(device: Any) -> Any:
    """torch's device for MindSpore's names; others are torch's own."""
    is_ours = isinstance(device, str) and device.partition(":")[0].upper() in ("CPU", "GPU", "ASCEND")
    return device_from(device) if is_ours else device


class Modes(Hooks):
    """The part of `Cell` that chooses how it computes."""

    _run_method = run_in_dtype  # `jit` of a method calls it

    def set_train(self, mode: bool = True) -> Self:
        """Training mode for this Cell and all below (a new Cell is in evaluation mode, unlike a torch module).

        Examples:
            >>> net = nn.Dropout(p=0.5).set_train(False)
            >>> print(net(Tensor([1.0, 2.0])))
            [1. 2.]
        """
        self.__dict__["_phase"] = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def train(self, mode: bool = True) -> Self:  # type: ignore[override]
        """torch's name for `set_train`."""
        return self.set_train(mode)

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Mark the Cell as differentiated: a call keeps its forward for the `GradOperation` that follows.

        Examples:
            >>> net = nn.Dense(3, 2).set_grad()
            >>> print(net.requires_grad)
            True
        """
        self.__dict__["requires_grad"] = requires_grad
        return self

    def add_flags(self, **flags: Any) -> Self:
        """Set attributes of this Cell; ``fp16=True`` and the like choose the dtype it computes in."""
        state = self.__dict__
        self._func_graph_flags.update(flags)
        if "training" in flags and state["training"] is not flags["training"]:
            program.changed()
        if any(state.get(name, flags) is not flag for name, flag in flags.items() if name != "training"):
            self._changed()
        state.update(flags)
        for name, dtype in FLAG_DTYPES.items():
            if flags.get(name):
                state.update(_cast_dtype=dtype, _compiled_type=None)
                let_methods_compute(self)
        return self

    def add_flags_recursive(self, **flags: Any) -> Self:
        """`add_flags` for this Cell and all below."""
        self.add_flags(**flags)
        for cell in self.cells():
            if isinstance(cell, Modes):
                cell.add_flags_recursive(**flags)
            elif "training" in flags:
                cell.train(flags["training"])
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags set by `add_flags`."""
        return self._func_graph_flags

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move Parameters and buffers to a device, "CPU", "GPU", "Ascend" or "GPU:1" or one of torch's, and those of
        floats to a dtype. Arguments as those of `torch.nn.Module.to`.

        Raises:
            ValueError: if there is no such device.
        """
        if "device" in kwargs:
            kwargs["device"] = _placed(kwargs["device"])
        return super().to(*map(_placed, args), **kwargs)

    def to_empty(self, *, device: Any = None, recurse: bool = True) -> Self:
        """New storage without values for all Parameters and buffers, on ``device`` or, for None, the current one."""
        place = current_device() if device is None else _placed(device)
        return super().to_empty(device=place, recurse=recurse)

    def to_float(self, dst_type: torch.dtype) -> Self:
        """Compute in ``dst_type``: inputs, and Parameters where they are used, are cast; the Parameters stay as they
        are.

        Raises:
            ValueError: unless it is float16, float32 or bfloat16.

        Examples:
            >>> net = nn.Dense(3, 2).to_float(ms.float16)
            >>> print(net(ops.ones((1, 3))).dtype == ms.float16)
            True
        """
        if dst_type not in FLAG_DTYPES.values():
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or mstype.bfloat16, "
                f"but got type: {type(dst_type)} and value: {dst_type}."
            )
        return self.add_flags_recursive(**{name: dst_type is dtype for name, dtype in FLAG_DTYPES.items()})

    def recompute(self, **kwargs: Any) -> None:
        """Recompute this Cell's activations in the backward pass instead of keeping them."""
        unknown = set(kwargs) - {
            "mode",
            "mp_comm_recompute",
            "parallel_optimizer_comm_recompute",
            "use_reentrant",
            "output_recompute",
            "recompute_slice_activation",
        }
        if unknown:
            raise ValueError(f"For 'recompute', keyword {sorted(unknown)} is not recognized.")
        self._changed()
        scope = self._scope or ""
        scope = scope if scope.startswith("recompute_") else f"recompute_{scope}"  # by which libraries tell
        self.__dict__.update(_recompute=True, _special_call=True, _scope=scope)

    # --- data ---------------------------------------------------------------------------------------------------------

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """{Parameter: itself}: here data exist from the start."""
        return {parameter: parameter for parameter in self.get_parameters()}

    def apply(self, fn: Callable[[Any], Any]) -> Self:  # type: ignore[override]
        """``fn`` on every Cell below and on this one."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self
