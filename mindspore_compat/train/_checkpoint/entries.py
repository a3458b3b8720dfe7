"""Arguments of `save_checkpoint` as the entries of a file; formats and keys, also of loading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_isinstance
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope
from mindspore_compat._format.dtypes import INT4, NUMPY_OF
from mindspore_compat._graph.program import program
from mindspore_compat._random.lazy_init import unmoved
from mindspore_compat._tensor.wrapping import byte_view
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.generator import Generator
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel._modes import is_here
from mindspore_compat.train._checkpoint.lazy import Content, LazyTensor
from mindspore_compat.train._torch.names import items_of_cell, mindspore_items

FORMATS = ("ckpt", "safetensors")


def check_key(owner: str, prefix: str, key: Any, mode: Any, format: str) -> None:
    """Raise ValueError unless the pair ``enc_key``, ``enc_mode`` (or ``dec_``) fits together and with the format."""
    if format == "safetensors" and (key is not None or mode != "AES-GCM"):
        raise ValueError(f"For '{owner}', the format 'safetensors' takes no '{prefix}_key' and '{prefix}_mode'.")
    if key is not None:
        check_isinstance(key, f"{prefix}_key", bytes, owner)
        try:
            envelope.check_key(key, mode)
        except ValueError as error:
            raise ValueError(f"For '{owner}', in '{prefix}_key' and '{prefix}_mode', {error}.") from None


#: the attribute of a loaded int8 Parameter with type "Int4" in the file
IS_INT4 = "_is_int4"


class TensorBytes:
    """The bytes of a contiguous tensor in memory; their flat view is created on demand (it takes longer than all else
    here).
    """

    __slots__ = ("_count", "_tensor")
    is_cuda = False

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor, self._count = tensor, tensor.nbytes

    def __len__(self) -> int:
        return self._count

    def numel(self) -> int:
        """Return the number of bytes."""
        return self._count

    def data_ptr(self) -> int:
        """Return their address."""
        return self._tensor.data_ptr()

    def flat(self) -> torch.Tensor:
        """Return a flat uint8 tensor."""
        return byte_view(self._tensor)

    def __getitem__(self, part: slice) -> torch.Tensor:
        return self.flat()[part]


def _as_tensor(name: str, value: Any) -> torch.Tensor:
    """Return an array, number or Generator in MindSpore's type.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(value, bool):
        return torch.tensor(value)
    if isinstance(value, int):
        return torch.tensor(value, dtype=torch.int64)
    if isinstance(value, float):
        return torch.tensor(value, dtype=torch.float32)
    if isinstance(value, (np.ndarray, np.generic)):
        try:
            return torch.from_numpy(np.array(value))
        except TypeError:
            raise TypeError(f"For 'save_checkpoint', no checkpoint holds {name!r}, of {value.dtype}.") from None
    if isinstance(value, (torch.Generator, Generator)):
        return value.get_state()
    raise TypeError(
        f"For 'save_checkpoint', {name!r} must be a Parameter, Tensor, array, number or str, but is {type(value)}."
    )


def _entry(name: str, value: Any) -> codec.Entry:
    if not isinstance(name, str):
        raise TypeError(f"For 'save_checkpoint', names must be str, but got {name!r}.")
    if isinstance(value, str):
        return codec.string_entry(name, value)
    if isinstance(value, LazyTensor) and value.tensor_type in NUMPY_OF:
        return codec.Entry(name, value.tensor_type, value.shape, Content(value))
    value = value.meta if isinstance(value, LazyTensor) else value
    data = unmoved(value) if isinstance(value, torch.Tensor) else _as_tensor(name, value)
    if data.is_conj() or data.is_neg():
        data = data.resolve_conj().resolve_neg()
    tensor_type = INT4 if getattr(value, IS_INT4, False) else dtype_name(data.dtype)
    if tensor_type not in NUMPY_OF or data.layout is not torch.strided or data.is_meta:
        what = (
            f"the dtype {tensor_type}" if tensor_type not in NUMPY_OF else f"the layout {data.layout} on {data.device}"
        )
        raise TypeError(f"For 'save_checkpoint', {name!r} has {what}, which a checkpoint cannot hold.")
    whole = data.contiguous()
    return codec.Entry(name, tensor_type, tuple(data.shape), TensorBytes(whole) if whole.is_cpu else byte_view(whole))


def _items_of(save_obj: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of everything in ``save_obj``, in the order of the file."""
    if isinstance(save_obj, Cell):
        yield from items_of_cell(save_obj)
    elif isinstance(save_obj, torch.nn.Module):
        yield from mindspore_items(save_obj)
    elif isinstance(save_obj, dict):
        yield from save_obj.items()
    else:
        for item in save_obj:
            if isinstance(item, Parameter):
                yield item.name, item
            elif isinstance(item, dict) and isinstance(item.get("name"), str) and _is_tensor(item.get("data")):
                yield item["name"], item["data"]
            else:
                raise TypeError(
                    "For 'save_checkpoint', a list must hold Parameters or dicts of 'name' (str) and 'data' (Tensor or "
                    f"array), but got {item!r:.200}."
                )


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (torch.Tensor, np.ndarray, torch.Generator))


def entries_of(
    save_obj: Any, append_dict: dict[str, Any], choice_func: Callable[[str], bool] | None, integrated: bool = True
) -> list[codec.Entry]:
    """Return the entries of the file. A repeated name keeps its first place and gets the last value. Parameters cut
    over processes are whole if ``integrated``, for which all processes must call this; a pipeline saves this stage's.
    """
    found: dict[str, Any] = {}
    for name, value in _items_of(save_obj):
        if (choice_func is None or choice_func(name)) and (program.parallel is None or is_here(name)):
            found[name] = value.whole() if integrated and getattr(value, "sliced", False) else value
    found.update(append_dict)
    return [_entry(name, value) for name, value in found.items()]
