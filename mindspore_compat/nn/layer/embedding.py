"""Embeddings. MindSpore: ``mindspore.nn.layer.embedding``."""

from __future__ import annotations

from typing import Any, ClassVar

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._autograd.sparse_embedding_grads import look_up_rows
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import checks_places
from mindspore_compat._tensor.index_bounds import count_from_end
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype
from mindspore_compat.common.initializer import Normal, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes
from mindspore_compat.nn.layer.basic import ClipByNorm

__all__ = ["Embedding", "EmbeddingExt", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]


@checks_places("Gather", "input_indices", from_end=True)
def _look_up(table: Any, indices: Any) -> Any:
    """Return the rows of ``table`` (V, D) at integer ``indices`` (*), which count from the end below 0: (*, D)."""
    if indices.dtype is not torch.int64 and indices.dtype is not torch.int32:
        check_indices(indices)
        indices = indices.to(torch.int64)
    return count_from_end(lambda places: torch.embedding(table, places), indices, table.shape[0])


class Embedding(Cell):
    """Rows of ``embedding_table`` (vocab_size, embedding_size) at the ids (*): (*, embedding_size).

    ``padding_idx`` starts as zeros and learns like every other row, as MindSpore. With ``use_one_hot`` it is a product
    with one-hot rows, where ids out of range give zeros.
    """

    shp_flat = (-1,)

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: Any = torch.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.use_one_hot = use_one_hot
        self.dtype, self.padding_idx = to_torch_dtype(dtype), padding_idx
        table = initializer(embedding_table, (vocab_size, embedding_size))
        if padding_idx is not None:
            _check_index(padding_idx, 0, vocab_size, "Embedding")
            table = _with_zero_row(table, padding_idx)
        self.init_tensor = table
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids: Any) -> Any:
        table = self.embedding_table
        if not self.use_one_hot:
            return _look_up(table, ids)
        places = torch.arange(self.vocab_size, device=ids.device)
        return kernels.matmul(torch.eq(torch.unsqueeze(ids, -1), places).to(table.dtype), table)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.__dict__['_parameters']['embedding_table']}, dtype={dtype_name(self.dtype)}, "
            f"padding_idx={self.padding_idx}"
        )


def _check_index(index: Any, low: int, high: int, owner: str) -> None:
    if not low <= index < high:
        raise ValueError(f"For '{owner}', the 'padding_idx' must be in range [{low}, {high}), but got {index}.")


def _with_zero_row(table: Any, index: int) -> Any:
    table = torch.clone(table.detach())
    table[index] = 0
    return table


class EmbeddingExt(Cell):
    """`Embedding` with the arguments of ``mint.nn.Embedding``; its parameter is ``weight``."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.sparse = sparse
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.dtype, self.padding_idx = dtype or torch.float32, padding_idx
        if padding_idx is not None:
            _check_index(padding_idx, -num_embeddings, num_embeddings, "Embedding")
        if _weight is None:
            _weight = initializer(Normal(1.0, 0.0), (num_embeddings, embedding_dim), self.dtype)
            _weight = _weight if padding_idx is None else _with_zero_row(_weight, padding_idx)
        elif tuple(_weight.shape) != (num_embeddings, embedding_dim):
            raise ValueError(
                f"For 'Embedding', the shape of '_weight' must be {(num_embeddings, embedding_dim)}, but got "
                f"{tuple(_weight.shape)}."
            )
        self.weight = Parameter(_weight, name="weight", requires_grad=not _freeze)
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq

    def construct(self, input: Any) -> Any:
        weight = self.weight
        if self.max_norm is not None:
            with torch.no_grad():
                torch.embedding_renorm_(weight.detach(), input.to(torch.int64).flatten(), self.max_norm, self.norm_type)
        padding = -1 if self.padding_idx is None else self.padding_idx % self.num_embeddings
        return torch.embedding(weight, input, padding, self.scale_grad_by_freq)


class EmbeddingLookup(Cell):
    """`Embedding` for large tables. ``target``, ``slice_mode`` and ``manual_shapes`` concern devices: without effect
    here, except that ids out of range give zeros with ``target="CPU"``.

    With ``sparse``, a step of `LazyAdam`, `Adam` with ``use_lazy``, `FTRL` and `ProximalAdagrad` changes only looked-up
    rows; their weight decay, and that of `Adam`, is of these rows.

    ``max_norm`` clips the norm of each looked-up row.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: Any = torch.float32,
        *,
        vocab_cache_size: int = 0,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.vocab_size = vocab_size
        self.embedding_size = embedding_size
        self.target = check_str_in(target, "target", ("CPU", "DEVICE"), owner)
        self.sparse = sparse
        self.slice_mode, self.manual_shapes = slice_mode, manual_shapes
        self.embedding_table = Parameter(
            initializer(param_init, (vocab_size, embedding_size), dtype), name="embedding_table"
        )
        self.max_norm = None if max_norm is None else max_norm
        self._clip = None if max_norm is None else ClipByNorm(-1)

    def _rows(self, indices: Any) -> Any:
        if indices.dtype is not torch.int32 and indices.dtype is not torch.int64:
            check_indices(indices)
        if self.target == "CPU":
            known = (indices >= 0) & (indices < self.embedding_table.shape[0])
            places = torch.where(known, indices, 0)
            rows = torch.mul(_look_up(self.embedding_table, places), torch.unsqueeze(known, -1))
            look_up_rows(self.embedding_table, places, known)
        else:
            rows = _look_up(self.embedding_table, indices)
            if self.sparse:
                look_up_rows(self.embedding_table, indices)
        return rows if self._clip is None else self._clip.construct(rows, self.max_norm)

    def construct(self, indices: Any) -> Any:
        return self._rows(indices)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Weighted rows merged by field: ids, weights and field numbers (N, S) give (N, field_size, embedding_size).

    ``operator`` "SUM", "MEAN" (divided by the sum of |weights| of the field) or "MAX".
    """

    _DTYPES: ClassVar = {
        "input_indices": (torch.int32, torch.int64),
        "input_values": (torch.float32,),
        "field_ids": (torch.int32,),
    }
    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    @arguments_of(
        EmbeddingLookup,
        without="manual_shapes vocab_cache_size",
        field_size="embedding_size",
        feature_num_list="slice_mode",
        operator="sparse",
    )
    def __init__(self, field_size: int, feature_num_list: Any = None, operator: str = "SUM", **embedding: Any) -> None:
        super().__init__(manual_shapes=feature_num_list, **embedding)
        (self.field_size,) = sizes(field_size, "field_size", type(self).__name__, 1)
        self.operator = check_str_in(operator, "operator", ("SUM", "MAX", "MEAN"), type(self).__name__)

    def construct(self, input_indices: Any, input_values: Any, field_ids: Any) -> Any:
        weights = torch.unsqueeze(input_values, -1)
        rows = torch.mul(self._rows(input_indices), weights)
        places = torch.unsqueeze(field_ids.to(torch.int64), -1).expand(rows.shape)
        shape = (rows.shape[0], self.field_size, self.embedding_size)
        zeros = torch.zeros(shape, dtype=rows.dtype, device=rows.device)
        counts = torch.scatter_add(zeros, 1, places, torch.abs(weights).expand(rows.shape))
        if self.operator == "MAX":
            # Rows of weight 0 do not take part; a field without others is 0.
            lowest = torch.where(torch.eq(weights, 0), torch.finfo(rows.dtype).min, 0.0).to(rows.dtype)
            best = torch.scatter_reduce(zeros, 1, places, torch.add(rows, lowest), "amax", include_self=False)
            return torch.where(counts != 0, best, zeros)
        merged = torch.scatter_add(zeros, 1, places, rows)
        return merged if self.operator == "SUM" else torch.where(counts != 0, torch.div(merged, counts), zeros)
