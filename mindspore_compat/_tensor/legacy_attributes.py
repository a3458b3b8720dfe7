"""Tensor attributes and methods of MindSpore's C++ core that programs use. MindSpore: ``mindspore.Tensor``."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import dlpack

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat._tensor.aliasing import write_values
from mindspore_compat._tensor.wrapping import byte_view, plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.common.hook_handle import HookHandle, check_hook_fn
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor

_Base = torch._C.TensorBase
_register_hook = torch.Tensor.register_hook


class LegacyAttributes:
    """Mixin of Tensor with attributes of MindSpore's C++ core, as for a tensor with values and without a graph."""

    const_arg = False
    delta_seed = 0
    init_finished = True
    init_flag = False
    parent_tensor_: Any = None
    index_of_parent_: Any = None
    symbolic_shape: Any = None
    virtual_flag = False

    def is_init(self) -> bool:
        """Return the flag set by `set_init_flag`."""
        return self.init_flag

    def set_init_flag(self, flag: bool) -> None:
        """Store the flag; values exist from the start."""
        self.init_flag = flag

    def set_cast_dtype(self, dtype: Any = None) -> None:
        """Do nothing: MindSpore's graph compiler uses it for casts."""

    def wait_pipeline(self) -> None:
        """Wait until the values are computed."""
        if self.is_cuda:  # type: ignore[attr-defined]
            torch.cuda.synchronize(self.device)  # type: ignore[attr-defined]

    def assign_value_cpp(self: Any, value: Any) -> Any:
        """Assign as `assign_value`."""
        return self.assign_value(value)

    def set_data(self: Any, data: Any, slice_shape: bool = False) -> Any:
        """Write values of this shape in place: ``parameter.data`` was the Parameter itself before MindSpore 2.0.

        Raises:
            ValueError: for another shape.
        """
        if tuple(data.shape) != tuple(self.shape):
            raise ValueError(f"For 'set_data', expected the shape {tuple(self.shape)}, but got {tuple(data.shape)}.")
        write_values(self, data)
        return self

    @staticmethod
    def convert_bytes_to_tensor(data: bytes, shape: Any, dtype: Any) -> Any:
        """Return a Tensor of that shape on a copy of the bytes."""
        values = torch.frombuffer(bytearray(data), dtype=to_torch_dtype(dtype))
        return wrap(values.reshape(tuple(shape)))

    def to_(self: Any, device: str, non_blocking: bool = False) -> Any:
        """Move this tensor in place to the "CPU", or ("GPU", "Ascend") to the device of `set_device`.

        Raises:
            ValueError: for another device.
        """
        if device not in ("CPU", "GPU", "Ascend"):
            raise ValueError(f"The value of 'to' must be one of ['Ascend', 'GPU', 'CPU'], but got {device}")
        program.changed()
        target = CPU if device == "CPU" else current_device()
        self.data = _Base.to(_Base.detach(self), target, non_blocking=non_blocking)
        return self

    def register_hook(self: Any, hook_fn: Callable[[Any], Any]) -> Any:  # type: ignore[override]
        """Call ``hook_fn(gradient)`` in the backward pass; its result, if any, replaces the gradient.

        Raises:
            TypeError: unless ``hook_fn`` can be called.
            RuntimeError: on a Parameter without gradient; in the backward pass, if the result is no Tensor.
            ValueError: on a Parameter in compiled code, where each call would add one more.
        """
        check_hook_fn(hook_fn)
        if isinstance(self, torch.nn.Parameter) and in_graph():
            raise ValueError(
                "Register hook for Parameter inside graph is not supported. Register it once, outside of 'construct'."
            )
        if self.is_leaf:
            program.memory_moved()  # what was recorded runs no hook

        def call(gradient: torch.Tensor) -> Any:
            # the engine's own object stays plain: compiled code looks at its class
            result = hook_fn(wrap(gradient.view_as(gradient)))
            if result is not None and not isinstance(result, torch.Tensor):
                raise RuntimeError(f"Tensor hook should be return Tensor, but get type: {type(result).__name__}.")
            if result is not None and result.requires_grad:  # it may be differentiated once more
                return result.as_subclass(torch.Tensor)
            return result if result is None else plain(result)

        call.hook = hook_fn  # type: ignore[attr-defined]
        call.is_of_forward = THREAD.running  # type: ignore[attr-defined]
        if _Base.requires_grad.__get__(self):  # type: ignore[attr-defined]
            handle = _register_hook(self, call)
            handle.__class__ = HookHandle
            return handle
        if isinstance(self, torch.nn.Parameter):
            raise RuntimeError("The tensor requires grad is false, which cannot register tensor hook")
        handle = HookHandle(hooks := self.__dict__.setdefault("_input_hooks", collections.OrderedDict()))
        hooks[handle.id] = call  # for whoever differentiates by it
        return handle

    def hooks(self: Any) -> list[Callable[[Any], Any]]:
        """Return the functions registered by `register_hook` and not removed."""
        calls = [*(self._backward_hooks or {}).values(), *self.__dict__.get("_input_hooks", {}).values()]
        return [getattr(call, "hook", call) for call in calls]

    def remove_hook(self: Any, handle_id: int) -> None:
        """Remove the hook with the ``id`` of `register_hook`'s handle, if there is one."""
        self.__dict__.get("_input_hooks", {}).pop(handle_id, None)
        if self._backward_hooks and handle_id in self._backward_hooks:
            program.memory_moved()
            del self._backward_hooks[handle_id]

    def offload(self: Any, file_path: str) -> bool:
        """Move the values to a file, their bytes in order, and free the memory. Computations read them from there;
        writes go to a private copy of the page. The file must exist as long as the Tensor.

        Returns:
            True.

        Raises:
            OSError: if the file cannot be written. RuntimeError: for a Tensor on
                a GPU, whose kernels do not read files.

        Examples:
            >>> x = Tensor([1.0, 2.0])
            >>> print(x.offload("/tmp/x.bin"), x + 1)
            True [2. 3.]
        """
        if self.device.type != "cpu":
            raise RuntimeError("For 'Tensor.offload', the Tensor must be in host memory. Call to_('CPU') first.")
        data = _Base.detach(self).contiguous()
        write_atomically(file_path, [memoryview(byte_view(plain(data)).numpy())])
        count = _Base.numel(data)
        if count:
            mapped = torch.from_file(file_path, shared=False, size=count, dtype=data.dtype)
            program.memory_moved()
            self.data = mapped.view(data.shape)
        self.__dict__["_offloaded_to"] = file_path
        return True

    def offload_file_path(self: Any) -> str:
        """Return the path given to `offload`; empty without one."""
        return self.__dict__.get("_offloaded_to", "")

    def delete_(self: Any, non_blocking: bool = False) -> Any:
        """Free the memory of the values; they read as 0 until ``tensor.data = other`` sets new ones."""
        program.memory_moved()
        self.data = torch.zeros((), dtype=self.dtype, device=self.device).expand(_Base.size(self))
        return self

    def to_coo(self: Any) -> COOTensor:
        """Return the values that are not 0 with their places, (n, axes) int32."""
        places = torch.nonzero(plain(self))
        values = _Base.__getitem__(self, tuple(places.unbind(1)))
        return COOTensor(wrap(places.to(torch.int32)), wrap(values), tuple(self.shape))

    def to_csr(self: Any) -> CSRTensor:
        """Return a matrix by rows, without the zeros.

        Raises:
            ValueError: if it has not two axes.
        """
        if self.dim() != 2:
            raise ValueError(f"to_csr only supports 2-D tensor, but got {self.dim()}-D.")
        values = plain(self)
        rows, columns = torch.nonzero(values).unbind(1)
        starts = torch.nn.functional.pad(torch.cumsum((values != 0).sum(1), 0), (1, 0))
        parts = (starts.to(torch.int32), columns.to(torch.int32), _Base.__getitem__(self, (rows, columns)))
        return CSRTensor(*map(wrap, parts), tuple(self.shape))  # type: ignore[call-arg]

    def to_dlpack(self) -> Any:
        """Return a capsule of the memory, for one call of another framework's ``from_dlpack``."""
        return dlpack.to_dlpack(plain(self))

    @staticmethod
    def from_dlpack(capsule: Any) -> Any:
        """Return a Tensor on the memory of a capsule."""
        return wrap(dlpack.from_dlpack(capsule))
