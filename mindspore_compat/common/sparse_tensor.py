"""Sparse tensors: records of their parts. MindSpore: ``mindspore.RowTensor``, ``COOTensor``, ``CSRTensor``.

Their arithmetic and conversions are functions of ``ops/function/sparse_func.py`` (``_ops/sparse_methods.py``).
Layers and optimizers work on dense Tensors.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat._tensor.index_bounds import refuse_negative, with_given_indices
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name

__all__ = ["RowTensor", "COOTensor", "Sparse", "SparseTensor", "CSRTensor"]

_INDICES = (torch.int16, torch.int32, torch.int64)


class Sparse:
    """Base of all kinds. Parts do not change: an operation returns a new one."""

    _parts: tuple[str, ...] = ("indices", "values")  # in the order of the constructor, before the shape

    def _take(self, *parts: Any) -> None:
        *self._given, shape = parts
        self._shape = tuple(shape)

    indices = property(lambda self: self._given[-2], doc="Places of the values; a Tensor of integers.")
    values = property(lambda self: self._given[-1], doc="The values; a Tensor.")

    def _like(self, values: Any) -> Any:
        """Return the same places with other values."""
        made = type(self).__new__(type(self))
        made._take(*self._given[:-1], values, self._shape)
        return made

    @property
    def dtype(self) -> torch.dtype:
        """dtype of the values."""
        return self.values.dtype

    def __repr__(self) -> str:
        parts = "".join(f", {name}={_told(part)}" for name, part in zip(self._parts, self._given))
        return f"{type(self).__name__}(shape={list(self._shape)}, dtype={dtype_name(self.dtype).capitalize()}{parts})"


def _told(part: Any) -> str:
    text = repr(part).replace(",", "").removesuffix(")").partition("value=")[2].strip()
    line, text = ("\n", text) if part.dim() > 1 else ("", " ".join(text.splitlines()))
    return f"Tensor(shape={list(part.shape)}, dtype={dtype_name(part.dtype).capitalize()}, value={line}{text})"


class _Valued(Sparse):
    """Base of COOTensor and CSRTensor."""

    shape = property(lambda self: self._shape, doc="Shape of the dense tensor.")
    size = property(lambda self: self.values.numel(), doc="How many values there are.")
    itemsize = property(lambda self: self.values.element_size(), doc="Bytes of a value.")
    ndim = property(lambda self: len(self._shape), doc="Number of axes of the dense tensor.")

    def to_tuple(self) -> tuple[Any, ...]:
        """Return the parts and the shape."""
        return (*self._given, self._shape)

    def astype(self, dtype: Any) -> Any:
        """Return a copy with values of ``dtype`` (also by its name)."""
        return self._like(self.values.astype(dtype))

    def abs(self) -> Any:
        """Return the magnitudes."""
        return self if self.values.dtype == torch.bool else self._like(wrap(torch.abs(self.values)))

    def __neg__(self) -> Any:
        return self._like(wrap(torch.neg(self.values)))


class RowTensor(Sparse):
    """Rows ``values`` of a tensor of shape ``dense_shape`` at the places ``indices`` of its first axis."""

    @renamed_args(dense_shape="shape")
    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None) -> None:
        if row_tensor is not None:
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        self._take(indices, values, shape)

    dense_shape = property(lambda self: self._shape, doc="Shape of the dense tensor.")
    shape = property(lambda self: self._shape, doc="Shape of the dense tensor.")

    def to_dense(self) -> Any:
        """Return the dense Tensor; rows named twice add up."""
        dense = torch.zeros(self._shape, dtype=self.values.dtype, device=self.values.device)
        return wrap(dense.index_add_(0, self.indices.to(torch.int64), self.values))


RowTensorInner = RowTensor  # MindSpore's own name in its operators


def _check_indices(owner: str, **given: torch.Tensor) -> None:
    """Raise TypeError for indices that are no integers: they would be truncated."""
    for name, value in given.items():
        if value.dtype not in _INDICES:
            raise TypeError(
                f"For {owner}, '{name}' must have int16 or int32 or int64 data type, but got {dtype_name(value.dtype)}."
            )


def _dense(sparse: Any, places: tuple[torch.Tensor, ...]) -> Any:
    """Return the dense Tensor with the values added at ``places``."""
    dense = torch.zeros(sparse._shape, dtype=sparse.values.dtype, device=sparse.values.device)
    try:
        return wrap(torch.index_put(dense, places, sparse.values, accumulate=True))
    except IndexError as error:
        raise IndexError(
            f"For '{type(sparse).__name__}.to_dense', the 'indices' must lie in the shape {sparse._shape}. But got: "
            f"{with_given_indices(str(error))}"
        ) from None


class COOTensor(_Valued):
    """``values`` (n,) at the places ``indices`` (n, axes) of a tensor of ``shape``.

    Raises:
        TypeError: for parts of another type. ValueError: for shapes that do not fit to each other.
    """

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None) -> None:
        if coo_tensor is not None:
            indices, values, shape = coo_tensor.to_tuple()
        _check_indices("COOTensor", indices=indices)
        if values.dim() != 1 or tuple(indices.shape) != (values.shape[0], len(shape)):
            raise ValueError(
                f"For COOTensor of the shape {shape}, 'indices' must be (n, {len(shape)}) and 'values' (n,), but got "
                f"{tuple(indices.shape)} and {tuple(values.shape)}."
            )
        self._take(indices, values, shape)

    def to_dense(self) -> Any:
        """Return the dense Tensor; places named twice add up."""
        return _dense(self, tuple(torch.unbind(refuse_negative(self.indices.to(torch.int64)), 1)))


class SparseTensor(COOTensor):
    """1.x's name of `COOTensor`."""

    dense_shape = property(lambda self: self._shape, doc="Shape of the dense tensor, by 1.x's name.")

    @renamed_args(dense_shape="shape")
    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        super().__init__(indices, values, shape)


class CSRTensor(_Valued):
    """A matrix by rows: ``values`` with column ``indices``, row k between ``indptr[k]`` and ``indptr[k + 1]``.

    Raises:
        TypeError: for parts of another type. ValueError: for shapes that do not fit to each other.
    """

    _parts = ("indptr", "indices", "values")
    indptr = property(lambda self: self._given[0], doc="Where each row begins among the values, and the last one ends.")

    def __init__(
        self, indptr: Any = None, indices: Any = None, values: Any = None, shape: Any = None, csr_tensor: Any = None
    ) -> None:
        if csr_tensor is not None:
            indptr, indices, values, shape = csr_tensor.to_tuple()
        _check_indices("CSRTensor", indptr=indptr, indices=indices)
        fits = tuple(indptr.shape) == (shape[0] + 1,) and indices.shape == values.shape[:1]
        if not fits or values.dim() != len(shape) - 1:
            raise ValueError(
                f"For CSRTensor of the shape {shape}, 'indptr' must be ({shape[0] + 1},), 'indices' (n,) and 'values' "
                f"(n, ...) of {len(shape) - 1} axes, but got {tuple(indptr.shape)}, {tuple(indices.shape)} and "
                f"{tuple(values.shape)}."
            )
        self._take(indptr, indices, values, shape)

    def to_dense(self) -> Any:
        """Return the dense Tensor; places named twice add up.

        Raises:
            ValueError: for more than two axes.
        """
        if self.ndim != 2:
            raise ValueError(f"Only a CSRTensor of 2 axes becomes dense, but got {self.ndim}. Use its values.")
        rows = torch.arange(self.shape[0], device=self.indptr.device)
        counts = torch.diff(self.indptr.to(torch.int64))
        rows = torch.repeat_interleave(rows, counts, output_size=self.indices.shape[0])
        return _dense(self, (rows, self.indices.to(torch.int64)))
