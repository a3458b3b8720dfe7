"""Sparse tensors: records of their parts. Upstream: ``mindspore.RowTensor``, ``COOTensor``, ``CSRTensor``.

Their arithmetic and conversions are functions of ``ops/function/sparse_func.py`` (``ops/_sparse_methods.py``).
Layers and optimizers work on dense Tensors.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.former_names import formerly
from mindspore_compat.common._graph_mode import in_graph
from mindspore_compat.common._index_bounds import refuse_negative, with_given_indices
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name

__all__ = ["RowTensor", "COOTensor", "Sparse", "SparseTensor", "CSRTensor"]

_INDICES = (torch.int16, torch.int32, torch.int64)


def _check_parts(shape: Any, **tensors: Any) -> None:
    """Shared by both kinds: Tensors, and a shape that is a tuple."""
    for name, value in tensors.items():
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"For SparseTensors, '{name}' must be Tensor, but got {type(value)}.")
    if not isinstance(shape, tuple):
        raise TypeError(f"For SparseTensors, 'shape' must be tuple, but got {type(shape)}.")


class Sparse:
    """What all kinds share. Parts do not change: what computes with one makes another."""

    _parts: tuple[str, ...] = ("indices", "values")  # in the order of the constructor, before the shape

    def _take(self, *parts: Any) -> None:
        *self._given, shape = parts
        self._shape = tuple(shape)

    indices = property(lambda self: self._given[-2], doc="Places of the values; a Tensor of integers.")
    values = property(lambda self: self._given[-1], doc="The values; a Tensor.")

    def _like(self, values: Any) -> Any:
        """The same places with other values."""
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
    """COOTensor and CSRTensor."""

    shape = property(lambda self: self._shape, doc="Shape of the dense tensor.")
    size = property(lambda self: self.values.numel(), doc="How many values there are.")
    itemsize = property(lambda self: self.values.element_size(), doc="Bytes of a value.")
    ndim = property(lambda self: len(self._shape), doc="Number of axes of the dense tensor.")

    def to_tuple(self) -> tuple[Any, ...]:
        """The parts and the shape."""
        return (*self._given, self._shape)

    def astype(self, dtype: Any) -> Any:
        """A copy with values of ``dtype`` (also by its name)."""
        return self._like(self.values.astype(dtype))

    def abs(self) -> Any:
        """Magnitudes."""
        return self if self.values.dtype == torch.bool else self._like(wrap(torch.abs(self.values)))

    def __neg__(self) -> Any:
        return self._like(wrap(torch.neg(self.values)))


class RowTensor(Sparse):
    """Rows ``values`` of a tensor of shape ``dense_shape`` at the places ``indices`` of its first axis.

    Raises:
        TypeError: if indices or values are no Tensors.
    """

    @formerly(dense_shape="shape")
    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None) -> None:
        if row_tensor is not None:
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        for name, value in (("indices", indices), ("values", values)):
            if not isinstance(value, torch.Tensor):
                raise TypeError(
                    f"For '{type(self).__name__}', the '{name}' must be a Tensor, but got {type(value).__name__}."
                )
        self._take(indices, values, shape)

    dense_shape = property(lambda self: self._shape, doc="Shape of the dense tensor.")
    shape = property(lambda self: self._shape, doc="Shape of the dense tensor.")

    def to_dense(self) -> Any:
        """The dense Tensor; rows named twice add up."""
        dense = torch.zeros(self._shape, dtype=self.values.dtype, device=self.values.device)
        return wrap(dense.index_add_(0, self.indices.to(torch.int64), self.values))


RowTensorInner = RowTensor  # upstream's own name in its operators


def _check_coordinates(indices: Any, values: Any, shape: Any) -> None:
    _check_parts(shape, indices=indices, values=values)
    for name, value, dims in (("indices", indices, 2), ("values", values, 1)):
        if value.dim() != dims:
            raise ValueError(
                f"For COOTensor, '{name}' must be a {dims}-dimensional tensor, but got a {value.dim()}-dimensional "
                "tensor."
            )
    if indices.dtype not in _INDICES:
        raise TypeError(
            "For COOTensor, the type of 'indices' must be one of [int16, int32, int64], but got "
            f"{dtype_name(indices.dtype)}."
        )
    if indices.shape[0] != values.shape[0]:
        raise ValueError(
            "For COOTensor, 'indices.shape[0]' must be equal to 'values.shape[0]', but got 'indices.shape[0]' = "
            f"{indices.shape[0]} and 'values.shape[0]' = {values.shape[0]}."
        )
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f"For COOTensor, the element type of 'shape' must be int, but got {type(size)}.")
    if any(size <= 0 for size in shape):
        bad = next(size for size in shape if size <= 0)
        raise ValueError(f"For COOTensor, the element of 'shape' must be positive, but got {bad} in {shape}.")
    if indices.shape[1] != len(shape):
        raise (TypeError if indices.shape[1] < len(shape) and in_graph() else ValueError)(
            f"For COOTensor, the length of 'shape' must be {indices.shape[1]}, but got {shape}."
            if indices.shape[1] == 2
            else f"For COOTensor, 'indices.shape[1]' must be {len(shape)}, but got {indices.shape[1]}."
        )


def _dense(sparse: Any, places: tuple[torch.Tensor, ...]) -> Any:
    """The dense Tensor with the values added at ``places``.

    Raises:
        IndexError: for a place that the shape does not have.
    """
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
        _check_coordinates(indices, values, shape)
        self._take(indices, values, shape)

    def to_dense(self) -> Any:
        """The dense Tensor; places named twice add up."""
        return _dense(self, tuple(torch.unbind(refuse_negative(self.indices.to(torch.int64)), 1)))


class SparseTensor(COOTensor):
    """1.x's name of `COOTensor`."""

    dense_shape = property(lambda self: self._shape, doc="Shape of the dense tensor, by 1.x's name.")

    @formerly(dense_shape="shape")
    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        super().__init__(indices, values, shape)


def _check_rows(indptr: Any, indices: Any, values: Any, shape: Any) -> None:
    _check_parts(shape, indptr=indptr, indices=indices, values=values)
    for name, value in (("indptr", indptr), ("indices", indices)):
        if value.dim() != 1:
            raise ValueError(
                f"For CSRTensor, {name} must be a 1-dimensional tensor, but got a {value.dim()} dimension tensor."
            )
        if value.dtype not in _INDICES:
            raise TypeError(
                f"For CSRTensor, {name} must have int16 or int32 or int64 data type, but got {dtype_name(value.dtype)}."
            )
    for size in shape:
        if size <= 0:
            raise ValueError(f"For CSRTensor, the element of shape must be positive, but got {size}")
    if values.dim() != len(shape) - 1:
        raise ValueError(
            "Values' dimension should equal to CSRTensor's dimension - 1, but got Values' dimension: "
            f"{values.dim()}, CSRTensor's dimension: {len(shape)}"
        )
    if indptr.shape[0] != shape[0] + 1:
        raise ValueError(f"For CSRTensor, indptr must have length (1 + shape[0]), but got: {indptr.shape[0]}")
    if indices.shape[0] != values.shape[0]:
        raise ValueError(
            "For CSRTensor, indices and values must equal in their shape, but got indices shape: "
            f"{indices.shape[0]}, values shape: {values.shape[0]}."
        )


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
        _check_rows(indptr, indices, values, shape)
        self._take(indptr, indices, values, shape)

    def to_dense(self) -> Any:
        """The dense Tensor; places named twice add up.

        Raises:
            ValueError: for more than two axes.
        """
        if self.ndim != 2:
            raise ValueError(f"Only a CSRTensor of 2 axes becomes dense, but got {self.ndim}. Use its values.")
        rows = torch.arange(self.shape[0], device=self.indptr.device)
        counts = torch.diff(self.indptr.to(torch.int64))
        rows = torch.repeat_interleave(rows, counts, output_size=self.indices.shape[0])
        return _dense(self, (rows, self.indices.to(torch.int64)))
