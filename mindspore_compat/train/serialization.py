"""Saving and loading checkpoints. Upstream: ``mindspore.train.serialization``.

Functions here check their arguments and delegate: ``_checkpoint_save.py`` and ``_checkpoint_load.py`` know values,
``_format`` bytes, ``_runtime/writer.py`` the process that writes in the background, ``_load_into_net.py`` networks.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from typing import Any

import torch

from mindspore_compat import context  # noqa: F401  (old scripts import it from here)
from mindspore_compat._api.validate import check_bool, check_isinstance
from mindspore_compat._format import envelope
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.common.tensor import Tensor  # noqa: F401  (old scripts import it from here)
from mindspore_compat.train._checkpoint_load import load_ckpt, load_safetensors
from mindspore_compat.train._checkpoint_save import Plan, check_append_dict, entries_of
from mindspore_compat.train._export import export, load
from mindspore_compat.train._load_into_net import load_param_into_net

#: names that live in a file of their own, which imports from here
_ELSEWHERE = {
    **dict.fromkeys(("ckpt_to_safetensors", "safetensors_to_ckpt", "parse_print"), "_checkpoint_convert"),
    **dict.fromkeys(
        ("build_searched_strategy", "merge_pipeline_strategys", "restore_group_info_list"), "_strategy_file"
    ),
    **dict.fromkeys(
        (
            "merge_sliced_parameter",
            "load_distributed_checkpoint",
            "load_segmented_checkpoints",
            "rank_list_for_transform",
            "transform_checkpoint_by_rank",
            "transform_checkpoints",
            "rank_list_for_convert",
            "convert_checkpoint_by_rank",
            "convert_checkpoints",
            "get_ckpt_path_with_strategy",
        ),
        "_checkpoint_transform",
    ),
    "unified_safetensors": "_checkpoint_unified",
}
#: the same for upstream's inner names
_INTERNALS = {
    "_update_param": "_load_into_net",
    **dict.fromkeys(("_check_checkpoint_param", "tensor_to_ms_type", "tensor_to_np_type"), "_serialization_internals"),
}

__all__ = [
    "export",
    "load",
    "save_checkpoint",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "async_ckpt_thread_status",
    *_ELSEWHERE,
]

_FORMATS = ("ckpt", "safetensors")
_SAVE_OPTIONS = ("incremental", "global_step_num", "remove_redundancy")


# --- saving -----------------------------------------------------------------------------------------------------------


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Write the parameters of ``save_obj`` to a file in MindSpore's format; the file is either whole or not there.

    Args:
        save_obj: a Cell (its Parameters by name), a torch module (by MindSpore names), a list of Parameters or of
            {"name", "data"} dicts, or a dict of Tensors, arrays, numbers or strings.
        ckpt_file_name: the file; ``.ckpt`` is added if the name does not end with "ckpt". An older file is replaced.
        async_save: True, "process" or "thread": copy the values, return, and let another process write
            (docs/design/writer.md); an error is raised by the next save, or by the end of `Model.train`, and logged at
            the interpreter's end.
        integrated_save: merging of slices; without effect, since slices of a tensor never reach this function.
        append_dict: further values: int, float, bool, str, Tensor, Generator.
        enc_key: 16, 24 or 32 bytes to encrypt with; needs the package cryptography.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC" (16 bytes).
        choice_func: takes a name, returns whether to save it.
        crc_check: store a CRC-32.
        format: "ckpt" or "safetensors".
        kwargs: remove_redundancy (a mark in safetensors files); incremental and global_step_num are for hash tables and
            for storage services that do not exist here and have no effect.

    Raises:
        TypeError, ValueError: for wrong arguments or values. FileNotFoundError: if the folder does not exist. OSError:
            with the path,
        if the file can not be written.
    """
    plan = checked_plan(
        save_obj,
        ckpt_file_name,
        integrated_save,
        async_save,
        append_dict,
        enc_key,
        enc_mode,
        choice_func,
        crc_check,
        format,
        **kwargs,
    )
    if async_save:
        plan.submit()
    else:
        plan.write()


def checked_plan(
    save_obj: Any,
    ckpt_file_name: Any,
    integrated_save: Any = True,
    async_save: Any = False,
    append_dict: Any = None,
    enc_key: Any = None,
    enc_mode: Any = "AES-GCM",
    choice_func: Any = None,
    crc_check: Any = False,
    format: Any = "ckpt",
    **kwargs: Any,
) -> Plan:
    """What `save_checkpoint` with these arguments is to write."""
    path = _save_path(save_obj, ckpt_file_name, format)
    check_bool(integrated_save, "integrated_save", "save_checkpoint", named=False)
    check_async_save(async_save, "save_checkpoint")
    appended = check_append_dict(append_dict)
    unknown = set(kwargs) - set(_SAVE_OPTIONS)
    if unknown:
        raise ValueError(
            f"For 'save_checkpoint', the keyword arguments {sorted(unknown)} are not recognized; there are "
            f"{list(_SAVE_OPTIONS)}."
        )
    check_key("save_checkpoint", "enc", enc_key, enc_mode, format)
    remove_redundancy = check_isinstance(
        kwargs.get("remove_redundancy"), "remove_redundancy", (type(None), bool), "save_checkpoint"
    )
    if check_isinstance(crc_check, "crc_check", bool, "save_checkpoint") and enc_key is not None:
        raise ValueError(
            "For 'save_checkpoint', 'crc_check' can not be used together with 'enc_key': no reader opens such a file. "
            "AES-GCM notices damage by itself."
        )
    return Plan(
        path, entries_of(save_obj, appended, choice_func), format, crc_check, enc_key, enc_mode, remove_redundancy
    )


def check_async_save(value: Any, owner: str) -> Any:
    """The value, if it is a bool, "process" or "thread"."""
    if not isinstance(value, (bool, str)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'async_save' must be bool or str, but got {type(value)}. It is "
            f"{owner}'s."
        )
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(
            f"For 'save_checkpoint', the argument 'async_save' can only be 'process' or 'thread',but got {value}. "
            f"It is {owner}'s; a bool serves as well."
        )
    return value


def _save_path(save_obj: Any, name: Any, format: Any) -> str:
    if format not in _FORMATS:
        raise ValueError(f"For 'save_checkpoint', the format must be 'safetensors' or 'ckpt', but got {format}.")
    if not isinstance(save_obj, (torch.nn.Module, list, tuple, dict)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'save_obj' must be nn.Cell, list or dict, but got {type(save_obj)}."
        )
    if not isinstance(name, str):
        raise TypeError(
            f"For 'save_checkpoint', the parameter {name} for checkpoint file name is invalid,'ckpt_file_name' must be "
            "string, "
            f"but got {type(name)}."
        )
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"For 'save_checkpoint', the parameter `ckpt_file_name`: {path} is a directory, it must be a file name."
        )
    if not path.endswith(format):
        path += "." + format
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"For 'save_checkpoint', the folder {folder} of 'ckpt_file_name' does not exist. Create it first."
        )
    return path


def check_key(owner: str, prefix: str, key: Any, mode: Any, format: str) -> None:
    """ValueError unless the pair ``enc_key``, ``enc_mode`` (or ``dec_``) fits together and with the format."""
    check_isinstance(key, f"{prefix}_key", (type(None), bytes), owner)
    check_isinstance(mode, f"{prefix}_mode", str, owner)
    if format == "safetensors" and (key is not None or mode != "AES-GCM"):
        raise ValueError(
            f"For '{owner}', the format 'safetensors' has no encryption: leave '{prefix}_key' and '{prefix}_mode' out, "
            "or use format='ckpt'."
        )
    if key is not None:
        try:
            envelope.check_key(key, mode)
        except ValueError as error:
            raise ValueError(f"For '{owner}', in '{prefix}_key' and '{prefix}_mode', {error}.") from None


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is being saved in the background. Deprecated upstream since 2.5."""
    return bool(background_writer().pending())


# --- loading ----------------------------------------------------------------------------------------------------------


def load_checkpoint(
    ckpt_file_name: str | io.BytesIO,
    net: Any = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """{name: Parameter, str, or list of arrays for a map parameter} of a checkpoint file; with ``net``, also loaded
    into it.

    The file is mapped, and tensors view the mapping where their place in it is aligned.

    Args:
        ckpt_file_name: the file; an io.BytesIO for the format "safetensors".
        net, strict_load, remove_redundancy: for `load_param_into_net`.
        filter_prefix, specify_prefix: names to leave out, to take: a prefix or several; ignored for safetensors, as
            upstream.
        dec_key, dec_mode: as ``enc_key`` and ``enc_mode`` of `save_checkpoint`.
        choice_func: takes a name, returns whether to load it; ignored beside a prefix, as upstream.
        crc_check: compare the stored CRC-32; a file without one only gives a warning.

    Raises:
        ValueError: if the file is missing, named wrongly, damaged (with the byte), or nothing is left to load.
        TypeError: for arguments of the wrong type.
    """
    specify, left_out = _as_prefixes(specify_prefix, "specify_prefix"), _as_prefixes(filter_prefix, "filter_prefix")
    check_key("load_checkpoint", "dec", dec_key, dec_mode, format)
    check_isinstance(crc_check, "crc_check", bool, "load_checkpoint")
    check_isinstance(remove_redundancy, "remove_redundancy", bool, "load_checkpoint")
    source = _load_source(ckpt_file_name, format)

    def keep(name: str) -> bool:
        if format == "ckpt" and (specify or left_out):
            return (not specify or name.startswith(specify)) and not (left_out and name.startswith(left_out))
        return choice_func is None or bool(choice_func(name))

    try:
        if isinstance(source, io.BytesIO) or format == "safetensors":
            result, metadata = load_safetensors(source, crc_check, keep)
            remove_redundancy = {"True": True, "False": False}.get(
                metadata.get("remove_redundancy", ""), remove_redundancy
            )
        else:
            result = load_ckpt(source, dec_key, dec_mode, crc_check, keep)
    except FormatError as error:
        raise ValueError(
            f"For 'load_checkpoint', failed to read the checkpoint file {ckpt_file_name}: {error}. "
            "The file is damaged, encrypted otherwise, or no MindSpore checkpoint."
        ) from None
    if not result:
        raise ValueError(
            f"The loaded parameter dict is empty after filter or specify, please check whether 'filter_prefix' or "
            f"'specify_prefix' are set correctly. They are {filter_prefix!r} and {specify_prefix!r}; there is also "
            "'choice_func', and "
            f"{ckpt_file_name} may hold nothing."
        )
    if net is not None:
        load_param_into_net(net, result, strict_load, remove_redundancy)
    return result


def _load_source(name: Any, format: Any) -> str | io.BytesIO:
    if format not in _FORMATS:
        raise ValueError(
            f"For 'load_checkpoint', the argument 'format' must be 'ckpt' or 'safetensors', but got {format!r}."
        )
    if isinstance(name, io.BytesIO):
        if format == "ckpt":
            raise TypeError(
                "For 'load_checkpoint', a BytesIO as 'ckpt_file_name' is for format='safetensors' only. Pass a file "
                "name."
            )
        return name
    if not isinstance(name, str):
        raise TypeError(f"For 'load_checkpoint', the argument 'ckpt_file_name' must be string, but got {type(name)}.")
    path = os.path.realpath(name)
    background_writer().wait_for(path)
    if not name.endswith(format):
        other = next((item for item in _FORMATS if name.endswith(item)), None)
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file format must same with 'format', but got file_name:'{name}', "
            f"format:'{format}'. " + (f"Pass format={other!r}." if other else "Rename the file.")
        )
    if not os.path.isfile(path):
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file {name} does not exist, please check whether "
            "the 'ckpt_file_name' is correct."
        )
    return path


def _as_prefixes(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    items = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else None
    if items is None or not all(isinstance(item, str) for item in items):
        raise TypeError(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, list[string] or "
            "tuple[string], "
            f"but got {type(value)}. It is '{what}'."
        )
    if not items or "" in items:
        raise ValueError(
            f"For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include {value!r}. It is "
            f"'{what}'."
        )
    return items


class ParamDictFuture:
    """What `load_checkpoint_async` returns."""

    def __init__(self, executor: ThreadPoolExecutor, param_dict_future: Future[dict[str, Any]]) -> None:
        self.executor, self.param_dict_future = executor, param_dict_future

    def result(self) -> dict[str, Any]:
        """Wait, and return or raise what `load_checkpoint` does."""
        try:
            return self.param_dict_future.result()
        finally:
            self.executor.shutdown()


def load_checkpoint_async(
    ckpt_file_name: str,
    net: Any = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
) -> ParamDictFuture:
    """`load_checkpoint` in a thread, its format by the name of the file; ``result()`` waits for it."""
    if not isinstance(ckpt_file_name, str):
        raise TypeError(
            "For 'load_checkpoint_async', the argument 'ckpt_file_name' must be a str, but got "
            f"{type(ckpt_file_name).__name__}."
        )
    format = "safetensors" if ckpt_file_name.endswith(".safetensors") else "ckpt"
    executor = ThreadPoolExecutor(1, thread_name_prefix="load_checkpoint_async")
    future = executor.submit(
        load_checkpoint,
        ckpt_file_name,
        net,
        strict_load,
        filter_prefix,
        dec_key,
        dec_mode,
        specify_prefix,
        choice_func,
        format=format,
    )
    return ParamDictFuture(executor, future)


# --- names that live elsewhere ----------------------------------------------------------------------------------------


def __getattr__(name: str) -> Any:
    module = _ELSEWHERE.get(name) or _INTERNALS.get(name)
    if module:
        return getattr(import_module(f"mindspore_compat.train.{module}"), name)
    if name == "Validator":
        return import_module("mindspore_compat._checkparam")
    if name == "Checkpoint":
        from mindspore_compat._format.strategy import checkpoint_messages

        return checkpoint_messages().Checkpoint
    raise AttributeError(f"module 'mindspore.train.serialization' has no attribute {name!r}")
