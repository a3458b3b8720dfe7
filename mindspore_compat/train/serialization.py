"""Saving and loading checkpoints. Upstream: ``mindspore.train.serialization``.

Functions here check their arguments and decide what goes where; bytes are ``_format.ckpt``'s business. A plain ``torch.nn.Module``
takes and gives MindSpore names by the types of its modules (``_torch_names.py``).
"""
from __future__ import annotations

import logging
import mmap
import os
import stat
import zlib
from typing import Any, Callable, Iterable, Iterator

import numpy as np
import torch

from mindspore_compat import context  # noqa: F401  (old scripts import it from here)
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format.dtypes import BFLOAT16, NUMPY_OF, STRING
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.common._wrap import plain
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = ["save_checkpoint", "load_checkpoint", "load_param_into_net"]

_log = logging.getLogger("mindspore_compat")
_BITS: dict[torch.dtype, torch.dtype] = {torch.bfloat16: torch.int16, torch.float8_e4m3fn: torch.uint8, torch.float8_e5m2: torch.uint8}
_FROM_BITS: dict[str, torch.dtype] = {BFLOAT16: torch.bfloat16, "Float8E4M3FN": torch.float8_e4m3fn, "Float8E5M2": torch.float8_e5m2}


# --- saving ---------------------------------------------------------------------------------------------------------------

def _entry(name: str, value: Any) -> codec.Entry:
    """A tensor, array, number or string as a checkpoint entry.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(value, str):
        return codec.string_entry(name, value)
    if isinstance(value, bool):
        value = np.array(value)
    elif isinstance(value, int):
        value = np.array(value, np.int64)
    elif isinstance(value, float):
        value = np.array(value, np.float32)
    if isinstance(value, (np.ndarray, np.generic)):
        value = torch.from_numpy(np.array(value))
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"For 'save_checkpoint', the value of {name!r} must be a Parameter, Tensor, numpy array, number or str, "
                        f"but got {type(value).__name__}.")
    data = plain(value).cpu().contiguous()
    tensor_type = dtype_name(data.dtype)
    if data.dtype in _BITS:
        data = data.view(_BITS[data.dtype])
    if tensor_type not in NUMPY_OF:
        raise TypeError(f"For 'save_checkpoint', {name!r} has the dtype {tensor_type}, which a checkpoint can not hold.")
    return codec.Entry(name, tensor_type, tuple(data.shape), data.numpy())


def _items_of(save_obj: Any) -> Iterator[tuple[str, Any]]:
    """(name, value) of everything that ``save_obj`` holds, in the order of the file."""
    if isinstance(save_obj, Cell):
        for _, parameter in save_obj.parameters_and_names():
            yield parameter.name, parameter
    elif isinstance(save_obj, torch.nn.Module):
        from mindspore_compat.train._torch_names import mindspore_items
        yield from mindspore_items(save_obj)
    elif isinstance(save_obj, dict):
        for name, value in save_obj.items():
            if not isinstance(name, str):
                raise TypeError(f"For 'save_checkpoint', the keys of the dict 'save_obj' must be str, but got {type(name).__name__}.")
            yield name, value
    else:
        found: dict[str, Any] = {}
        for item in save_obj:
            if isinstance(item, Parameter):
                found[item.name] = item
            elif isinstance(item, dict) and "name" in item and "data" in item:
                found[item["name"]] = item["data"]
            else:
                raise TypeError("For 'save_checkpoint', the elements of the list 'save_obj' must be Parameters or dicts with 'name' and 'data', "
                                f"but got {item!r}.")
        yield from found.items()


def _checked_path(name: Any, format: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"For 'save_checkpoint', the argument 'ckpt_file_name' must be a str, but got {type(name).__name__}.")
    path = os.path.realpath(name)
    if not path.endswith(format):
        path += "." + format
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise ValueError(f"For 'save_checkpoint', the folder {folder} of 'ckpt_file_name' does not exist. Create it first.")
    return path


def save_checkpoint(save_obj: Any, ckpt_file_name: str, integrated_save: bool = True, async_save: Any = False, append_dict: dict | None = None,
                    enc_key: bytes | None = None, enc_mode: str = "AES-GCM", choice_func: Callable[[str], bool] | None = None,
                    crc_check: bool = False, format: str = "ckpt", **kwargs: Any) -> None:
    """Write the parameters of ``save_obj`` to a file in MindSpore's format; the file is either whole or not there.

    Args:
        save_obj: a Cell (its Parameters by name), a torch module (by MindSpore names), a list of Parameters or of
            {"name", "data"} dicts, or a dict of values.
        ckpt_file_name: the file; ``.ckpt`` is added if the name does not end with "ckpt". An older file is replaced.
        append_dict: further values: int, float, bool, str, Tensor.
        choice_func: takes a name, returns whether to save it.
        crc_check: append a CRC-32.
        integrated_save: merging of slices; without effect in one process.

    Raises:
        TypeError: for arguments or values of the wrong type. ValueError: if the folder does not exist.
        NotImplementedError: for encryption, asynchronous saving and safetensors, which are not available yet.
    """
    path = _checked_path(ckpt_file_name, format)
    if not isinstance(save_obj, (torch.nn.Module, list, tuple, dict)):
        raise TypeError("For 'save_checkpoint', the argument 'save_obj' must be nn.Cell, torch.nn.Module, list or dict, "
                        f"but got {type(save_obj).__name__}.")
    for name, value in (("integrated_save", integrated_save), ("crc_check", crc_check)):
        if not isinstance(value, bool):
            raise TypeError(f"For 'save_checkpoint', the argument '{name}' must be bool, but got {type(value).__name__}.")
    _refuse_unavailable("save_checkpoint", enc_key, async_save, format, kwargs)
    if append_dict is not None and not isinstance(append_dict, dict):
        raise TypeError(f"For 'save_checkpoint', the argument 'append_dict' must be dict, but got {type(append_dict).__name__}.")
    items: Iterable[tuple[str, Any]] = _items_of(save_obj)
    if choice_func is not None:
        items = ((name, value) for name, value in items if choice_func(name))
    appended = (append_dict or {}).items()
    entries = [_entry(name, value) for name, value in items] + [_entry(name, value) for name, value in appended]
    pieces: Iterator[Any] = codec.write(entries)
    write_atomically(path, codec.crc_of(pieces) if crc_check else pieces, stat.S_IRUSR)


def _refuse_unavailable(where: str, enc_key: Any, async_save: Any, format: str, kwargs: dict[str, Any]) -> None:
    if async_save not in (False, True, "thread", "process"):
        raise ValueError(f"For '{where}', the argument 'async_save' must be a bool, 'thread' or 'process', but got {async_save!r}.")
    if enc_key is not None:
        raise NotImplementedError(f"For '{where}', encrypted checkpoints are not available yet; leave 'enc_key' out and encrypt the file itself.")
    if async_save:
        _log.warning("save_checkpoint: async_save is not available yet, the file is written before the call returns.")
    if format != "ckpt":
        if format not in ("ckpt", "safetensors"):
            raise ValueError(f"For '{where}', the argument 'format' must be 'ckpt' or 'safetensors', but got {format!r}.")
        raise NotImplementedError(f"For '{where}', format='safetensors' is not available yet; use format='ckpt', "
                                  "or safetensors.torch.save_file on the parameters.")
    unknown = set(kwargs) - {"incremental", "remove_redundancy", "global_step_num"}
    if unknown:
        raise ValueError(f"For '{where}', the keyword arguments {sorted(unknown)} are not recognized.")


# --- loading --------------------------------------------------------------------------------------------------------------

def _mapped(path: str) -> Any:
    """The bytes of a file, mapped privately: tensors may view them, writing to one does not reach the file."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if size else b""


def _to_parameter(entry: codec.Entry) -> Parameter:
    array = codec.to_array(entry)
    if not array.flags.aligned:  # protobuf aligns nothing, and torch wants its elements aligned
        array = array.copy()
    data = torch.from_numpy(array if array.flags.writeable else array.copy())
    if entry.tensor_type in _FROM_BITS:
        data = data.view(_FROM_BITS[entry.tensor_type])
    if current_device() is not CPU:
        data = data.to(current_device())
    return Parameter(data, entry.name)


def _checked_load_path(name: Any, format: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"For 'load_checkpoint', the argument 'ckpt_file_name' must be a str, but got {type(name).__name__}.")
    path = os.path.realpath(name)
    if not os.path.isfile(path):
        raise ValueError(f"For 'load_checkpoint', the checkpoint file {name} does not exist, please check whether "
                         "the 'ckpt_file_name' is correct.")
    if not path.endswith("." + format):
        raise ValueError(f"For 'load_checkpoint', the checkpoint file must end with '.{format}', but got {name}. Rename the file.")
    return path


def _as_prefixes(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    items = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else None
    if items is None or not all(isinstance(item, str) for item in items):
        raise TypeError(f"For 'load_checkpoint', the type of '{what}' must be string, list[string] or tuple[string], but got {value!r}.")
    if not items or "" in items:
        raise ValueError(f"For 'load_checkpoint', if '{what}' is given, it must not be empty, but got {value!r}.")
    return items


def load_checkpoint(ckpt_file_name: str, net: Any = None, strict_load: bool = False, filter_prefix: Any = None, dec_key: bytes | None = None,
                    dec_mode: str = "AES-GCM", specify_prefix: Any = None, choice_func: Callable[[str], bool] | None = None,
                    crc_check: bool = False, remove_redundancy: bool = False, format: str = "ckpt") -> dict[str, Any]:
    """{name: Parameter or str} of a checkpoint file; with ``net``, also loaded into it.

    The file is mapped, and tensors view the mapping where their place in it is aligned.

    Args:
        net: a Cell or torch module for `load_param_into_net`.
        filter_prefix, specify_prefix: names to leave out, to take: a prefix or several.
        choice_func: takes a name, returns whether to load it; ignored beside a prefix, as upstream.
        crc_check: compare the CRC-32 behind the messages.

    Raises:
        ValueError: if the file is missing, named wrongly, corrupt (with the byte), or nothing is left to load.
        TypeError: for arguments of the wrong type. NotImplementedError: for encrypted and safetensors files.
    """
    if dec_key is not None or format != "ckpt":
        _refuse_unavailable("load_checkpoint", dec_key, False, format, {})
    path = _checked_load_path(ckpt_file_name, format)
    specify, left_out = _as_prefixes(specify_prefix, "specify_prefix"), _as_prefixes(filter_prefix, "filter_prefix")
    try:
        messages, crc = codec.split_crc(memoryview(_mapped(path)))
        if crc_check and crc is not None and zlib.crc32(messages) != crc:
            raise FormatError("the CRC-32 of the data is not the stored one, so the file is damaged")
        if crc_check and crc is None:
            _log.warning("load_checkpoint: %s holds no CRC, so none is compared.", ckpt_file_name)
        entries = codec.read(messages)
        result: dict[str, Any] = {}
        for name, entry in entries.items():
            if specify and not name.startswith(specify) or left_out and name.startswith(left_out):
                continue
            if not specify and not left_out and choice_func is not None and not choice_func(name):
                continue
            result[name] = _value(entry)
    except FormatError as error:
        raise ValueError(f"For 'load_checkpoint', failed to read the checkpoint file {ckpt_file_name}: {error}. "
                         "The file is damaged, encrypted or no MindSpore checkpoint.") from None
    if not result:
        raise ValueError(f"The loaded parameter dict is empty after filter or specify, please check whether filter_prefix {filter_prefix!r} "
                         f"or specify_prefix {specify_prefix!r} or choice_func are set correctly, and whether {ckpt_file_name} holds anything.")
    if net is not None:
        load_param_into_net(net, result, strict_load)
    return result


def _value(entry: Any) -> Any:
    if isinstance(entry, codec.MapEntry):
        arrays = [np.frombuffer(bytes(part.content), np.dtype(part.tensor_type)).reshape(part.dims) for part in entry.parts]
        return arrays
    return entry.text() if entry.tensor_type == STRING else _to_parameter(entry)


_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)
_INTS = (torch.int8, torch.int16, torch.int32, torch.int64)


def _update(parameter: Parameter, value: Parameter, strict_load: bool) -> None:
    """Give ``parameter`` the values of ``value``: shared storage where dtypes agree, as upstream."""
    old, new = tuple(parameter.shape), tuple(value.shape)
    if old != new and not (len(new) > len(old) and new[:len(old)] == old and all(dim == 1 for dim in new[len(old):])):
        raise RuntimeError(f"For 'load_param_into_net', {parameter.name} in the argument 'net' should have the same shape as "
                           f"{parameter.name} in the argument 'parameter_dict'. But got its shape {old} in the argument 'net' and shape "
                           f"{new} in the argument 'parameter_dict'. May you need to check whether the checkpoint you loaded is correct "
                           "or the batch size and so on in the 'net' and 'parameter_dict' are same.")
    if parameter.dtype is not value.dtype:
        same_kind = any(parameter.dtype in kind and value.dtype in kind for kind in (_FLOATS, _INTS))
        if strict_load or not same_kind:
            raise RuntimeError(f"For 'load_param_into_net', {parameter.name} in the argument 'net' should have the same type as "
                               f"{parameter.name} in the argument 'parameter_dict'. But got its type {dtype_name(parameter.dtype)} in the "
                               f"argument 'net' and type {dtype_name(value.dtype)} in the argument 'parameter_dict'. May you need to check "
                               "whether the checkpoint you loaded is correct, or load it with strict_load=False.")
        _log.warning("load_param_into_net: %s is converted from %s to %s.", parameter.name, dtype_name(value.dtype), dtype_name(parameter.dtype))
    data = plain(value)
    if data.dtype is parameter.dtype and data.device == parameter.device:
        Tensor.data.fset(parameter, data)  # type: ignore[attr-defined]
    elif old == new:
        parameter.set_data(data)
    else:
        Tensor.data.fset(parameter, data.to(parameter.device, parameter.dtype))  # type: ignore[attr-defined]


def load_param_into_net(net: Any, parameter_dict: dict[str, Any], strict_load: bool = False,
                        remove_redundancy: bool = False) -> tuple[list[str], list[str]]:
    """Load parameters by name; returns (names of the net that got nothing, names of the dict that were not used).

    Args:
        net: a Cell, or a torch module, whose parameters and buffers are found by MindSpore names.
        parameter_dict: {name: Parameter or str}, as `load_checkpoint` returns.
        strict_load: also refuse other dtypes, and do not look for names with a common prefix in front.

    Raises:
        TypeError: for a net or dict of the wrong type. RuntimeError: if shapes, or dtypes, do not fit.
    """
    if not isinstance(net, torch.nn.Module):
        raise TypeError(f"For 'load_param_into_net', the argument 'net' should be a Cell or a torch.nn.Module, but got {type(net)}.")
    if not isinstance(parameter_dict, dict):
        raise TypeError(f"For 'load_param_into_net', the argument 'parameter_dict' should be a dict, but got {type(parameter_dict)}.")
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str, list)):
            raise TypeError("For 'load_param_into_net', the element in the argument 'parameter_dict' should be a 'str' and 'Parameter', "
                            f"but got {type(name).__name__} and {type(value).__name__} (key {name!r}).")
    for name, flag in (("strict_load", strict_load), ("remove_redundancy", remove_redundancy)):
        if not isinstance(flag, bool):
            raise TypeError(f"For 'load_param_into_net', the argument '{name}' must be bool, but got {type(flag).__name__}.")
    if not isinstance(net, Cell):
        from mindspore_compat.train._torch_names import load_into_module
        return load_into_module(net, parameter_dict, strict_load)
    return _load_into_cell(net, parameter_dict, strict_load)


def _load_into_cell(net: Cell, parameter_dict: dict[str, Any], strict_load: bool) -> tuple[list[str], list[str]]:
    missing: list[Parameter] = []
    unused = dict.fromkeys(parameter_dict)
    for parameter in net.get_parameters():
        value = parameter_dict.get(parameter.name)
        if isinstance(value, Parameter):
            unused.pop(parameter.name)
            _update(parameter, value, strict_load)
        elif value is None and not parameter.name.startswith("accu_grads"):
            missing.append(parameter)
    if missing and not strict_load:
        missing = _load_by_prefix(missing, parameter_dict)
    names = [parameter.name for parameter in missing]
    if names:
        _log.warning("For 'load_param_into_net', %d parameters in the 'net' are not loaded, because they are not in the 'parameter_dict', "
                     "please check whether the network structure is consistent when training and loading checkpoint: %s",
                     len(names), ", ".join(names))
    return names, list(unused)


def _load_by_prefix(missing: list[Parameter], parameter_dict: dict[str, Any]) -> list[Parameter]:
    """Fill parameters whose names stand in the dict behind some prefix; returns those still missing."""
    tried: set[str] = set()
    while missing:
        prefix = next((name[:-len(p.name)] for p in missing for name, value in parameter_dict.items()
                       if name.endswith(p.name) and isinstance(value, Parameter) and name[:-len(p.name)] not in tried), None)
        if prefix is None:
            break
        tried.add(prefix)
        rest = []
        for parameter in missing:
            value = parameter_dict.get(prefix + parameter.name)
            if isinstance(value, Parameter):
                _update(parameter, value, False)
            else:
                rest.append(parameter)
        if prefix:
            _log.warning("For 'load_param_into_net', remove the prefix %r of the names in the checkpoint to load %d parameters.",
                         prefix, len(missing) - len(rest))
        missing = rest
    return missing


