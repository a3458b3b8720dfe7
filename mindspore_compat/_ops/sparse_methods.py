"""Arithmetic and conversions of `COOTensor` and `CSRTensor` as their methods, put on them when this file loads.

MindSpore: ``mindspore.common.sparse_tensor``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.former_names import accept_aliases
from mindspore_compat._ops.adapt import checks_places
from mindspore_compat._ops.sparse import (
    as_csr,
    coo_add,
    csr_add,
    csr_div,
    csr_mm,
    csr_mul,
    csr_mv,
    csr_reduce_sum,
    csr_to_coo,
    summed,
)
from mindspore_compat._tensor.index_bounds import refuse_negative
from mindspore_compat._tensor.indexing import take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor


def _check_same_shape(x: Any, y: Any) -> None:
    if tuple(x.shape) != tuple(y.shape):
        raise ValueError(f"Input tensors should have the same shape, but got {tuple(x.shape)} and {tuple(y.shape)}.")


def _coo_by(name: str, dense: Any, sparse: Any = None) -> Any:
    """Return an operator of a COOTensor with a Tensor, and with a COOTensor if there is one."""

    def method(self: Any, other: Any) -> Any:
        _check_same_shape(self, other)
        if isinstance(other, torch.Tensor):
            return dense(self, other)
        if sparse is not None and isinstance(other, COOTensor):
            return sparse(self, other)
        raise TypeError(f"COOTensor {name} with {type(other)} is not supported. Call to_dense first.")

    return method


@checks_places("COOTensor")
def _at(x: Any, dense: Any) -> Any:
    """Return the values of a dense tensor at the places of a COOTensor."""
    return wrap(take_elements(dense, _coordinates(x)))


def _coordinates(x: Any) -> tuple[torch.Tensor, ...]:
    return tuple(torch.unbind(refuse_negative(x.indices.long()), 1))


@checks_places("COOTensor")
def _onto(x: Any, dense: Any) -> Any:
    places = _coordinates(x)
    return wrap(torch.index_put(dense, places, x.values.to(dense.dtype), accumulate=True))


def _coo_to_csr(self: COOTensor) -> CSRTensor:
    """Return the CSRTensor of a COOTensor of two axes; duplicate places stay."""
    if self.ndim != 2:
        raise ValueError(f"For 'COOTensor.to_csr', the COOTensor must have 2 axes, but got {self.ndim}.")
    order = torch.argsort(self.indices[:, 0], stable=True)
    return as_csr(
        COOTensor(wrap(take_elements(self.indices, order)), wrap(take_elements(self.values, order)), self.shape)
    )


def _coalesced(self: COOTensor) -> COOTensor:
    """Return the same with each place once, in order, and the sum of its values."""
    indices, values, _ = summed(self.indices, self.values, self.shape)
    return COOTensor(wrap(indices), wrap(values), self.shape)


def _csr_by_sign(name: str, sign: int) -> Any:
    def method(self: Any, other: Any) -> Any:
        _check_same_shape(self, other)
        return csr_add(self, other, 1, sign)

    return method


_add = _coo_by("add", lambda x, y: _onto(x, y), lambda x, y: coo_add(x, y, 0))
_mul = _coo_by("multiply", lambda x, y: x._like(wrap(x.values * _at(x, y))))
_div = _coo_by("divide", lambda x, y: x._like(wrap(x.values / _at(x, y))))
_METHODS: dict[type, dict[str, Any]] = {
    COOTensor: {
        "to_csr": _coo_to_csr,
        "coalesce": _coalesced,
        "add": coo_add,
        "__add__": _add,
        "__radd__": _add,
        "__sub__": _coo_by("subtract", lambda x, y: _onto(x, -y), lambda x, y: coo_add(x, -y, 0)),
        "__rsub__": _coo_by("subtract", lambda x, y: _onto(-x, y)),
        "__mul__": _mul,
        "__rmul__": _mul,
        "__div__": _div,
        "__truediv__": _div,
    },
    CSRTensor: {
        "to_coo": csr_to_coo,
        "mv": accept_aliases(csr_mv, {"dense_vector": "dense"}),
        "mm": accept_aliases(csr_mm, {"matrix": "b"}),
        "sum": csr_reduce_sum,
        "add": csr_add,
        "__add__": _csr_by_sign("add", 1),
        "__sub__": _csr_by_sign("subtract", -1),
        "__mul__": csr_mul,
        "__rmul__": csr_mul,
        "__div__": csr_div,
        "__truediv__": csr_div,
    },
}


for _kind, _methods in _METHODS.items():
    for _name, _method in _methods.items():
        setattr(_kind, _name, _method)
