"""Arrays of tensors for reinforcement learning. MindSpore: ``mindspore.nn.reinforcement`` (1.7 to 2.6)."""

from __future__ import annotations

from typing import Any

from mindspore_compat._ops import buffers as ta
from mindspore_compat.nn.cell import Cell

__all__ = ["TensorArray"]


class TensorArray(Cell):
    """Tensors of one shape and dtype by their indices. No gradient flows through the array.

    Args:
        dtype, element_shape: of each tensor.
        dynamic_size: whether the array may grow; else it has ``size`` places.
        size: the number of places.
        name: without effect.

    Examples:
        >>> array = nn.TensorArray(ms.int64, ())
        >>> array.write(1, 7)
        True
        >>> print(array.stack())
        [0 7]
    """

    def __init__(
        self, dtype: Any, element_shape: Any, dynamic_size: bool = True, size: int = 0, name: str = "TA"
    ) -> None:
        super().__init__()
        self.handle_ = ta.TensorArray(dtype, element_shape, dynamic_size, size, name)()
        self.tensor_array_write = ta.TensorArrayWrite()
        self.tensor_array_read = ta.TensorArrayRead(dtype, element_shape)
        self.tensor_array_close = ta.TensorArrayClose()
        self.tensor_array_clear = ta.TensorArrayClear()
        self.tensor_array_stack = ta.TensorArrayStack(dtype, element_shape, dynamic_size, size)
        self.tensor_array_size = ta.TensorArraySize()

    def write(self, index: Any, value: Any) -> bool:
        """Put a tensor at an index; places before it that were not written to hold zeros. Returns True."""
        self.tensor_array_write(self.handle_, index, value)
        return True

    def read(self, index: Any) -> Any:
        """Return the tensor at an index."""
        return self.tensor_array_read(self.handle_, index)

    def stack(self) -> Any:
        """Return all tensors along a new first axis; of an array that may not grow with zeros up to its size."""
        return self.tensor_array_stack(self.handle_)

    def size(self) -> Any:
        """Return the number of tensors as an int64 Tensor."""
        return self.tensor_array_size(self.handle_)

    def clear(self) -> bool:
        """Empty the array. Returns True."""
        self.tensor_array_clear(self.handle_)
        return True

    def close(self) -> bool:
        """Let the array go: no method works any more. Returns True."""
        self.tensor_array_close(self.handle_)
        return True
