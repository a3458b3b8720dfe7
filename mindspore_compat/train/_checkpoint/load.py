"""`load_checkpoint`: conversion of a file to {name: Parameter}, here or in a thread."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from mindspore_compat._api.validate import check_isinstance
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.train._checkpoint.into_net import load_param_into_net
from mindspore_compat.train._checkpoint.keys import FORMATS, check_key
from mindspore_compat.train._checkpoint.reading import load_ckpt, load_safetensors

__all__ = ["as_prefixes", "load_checkpoint", "load_checkpoint_async", "load_source"]

_UNREADABLE = "The file is damaged, encrypted otherwise, or no MindSpore checkpoint."


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
    """Return {name: Parameter, str, or list of a map parameter's arrays} of a checkpoint file; ``net`` gets the values.

    The file is mapped, and tensors are views of the mapping where their place in it is aligned.

    Args:
        ckpt_file_name: the file; an io.BytesIO for the format "safetensors".
        net, strict_load, remove_redundancy: for `load_param_into_net`.
        filter_prefix, specify_prefix: names to leave out, to take: a prefix or several; ignored for safetensors, as
            MindSpore.
        dec_key, dec_mode: as ``enc_key`` and ``enc_mode`` of `save_checkpoint`.
        choice_func: takes a name, returns whether to load it; ignored beside a prefix, as in MindSpore.
        crc_check: compare the stored CRC-32; a file without one only gives a warning.

    Raises:
        ValueError: if the file is missing, named wrongly, damaged (with the byte), or nothing is left to load.
        TypeError: for arguments of the wrong type.

    Examples:
        >>> ms.save_checkpoint(nn.Dense(3, 2), "net.ckpt")
        >>> print(ms.load_checkpoint("net.ckpt")["weight"].shape)
        (2, 3)
    """
    specify, left_out = as_prefixes(specify_prefix, "specify_prefix"), as_prefixes(filter_prefix, "filter_prefix")
    check_key("load_checkpoint", "dec", dec_key, dec_mode, format)
    check_isinstance(crc_check, "crc_check", bool, "load_checkpoint")
    check_isinstance(remove_redundancy, "remove_redundancy", bool, "load_checkpoint")
    source = load_source(ckpt_file_name, format)

    def keep(name: str) -> bool:
        if format == "ckpt" and (specify or left_out):
            return (not specify or name.startswith(specify)) and not (left_out and name.startswith(left_out))
        try:
            return choice_func is None or bool(choice_func(name))
        except Exception as error:
            raise ValueError(
                f"For 'load_checkpoint', the argument 'choice_func' failed for the name {name!r}: {error}. It must "
                "take a str and return a bool."
            ) from error

    metadata: dict[str, str] = {}
    try:
        if isinstance(source, io.BytesIO) or format == "safetensors":
            result, metadata = load_safetensors(source, crc_check, keep)
        else:
            result = load_ckpt(source, dec_key, dec_mode, crc_check, keep)
    except FormatError as error:
        what = f"failed to read the checkpoint file {ckpt_file_name}: {error}"
        raise ValueError(f"For 'load_checkpoint', {what}. {_UNREADABLE}") from None
    if not result:
        raise ValueError(
            f"The loaded parameter dict is empty after filter or specify, please check whether 'filter_prefix' or "
            f"'specify_prefix' are set correctly. They are {filter_prefix!r} and {specify_prefix!r}; there is also "
            f"'choice_func', and {ckpt_file_name} may hold nothing."
        )
    if net is not None:
        mark = {"True": True, "False": False}.get(metadata.get("remove_redundancy", ""), remove_redundancy)
        load_param_into_net(net, result, strict_load, mark)
    return result


def load_source(name: Any, format: Any) -> str | io.BytesIO:
    if format not in FORMATS:
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
        other = next((item for item in FORMATS if name.endswith(item)), None)
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file format must same with 'format', but got file_name:'{name}', "
            f"format:'{format}'. " + (f"Pass format={other!r}." if other else "Rename the file.")
        )
    if not os.path.isfile(path):
        told = path if os.path.basename(path) == os.path.basename(name) else f"{path}, to which {name} leads,"
        raise ValueError(
            f"For 'load_checkpoint', the checkpoint file: {told} does not exist, please check whether "
            "the 'ckpt_file_name' is correct."
        )
    return path


def as_prefixes(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    items = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else None
    if items is None or not all(isinstance(item, str) for item in items):
        raise TypeError(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, list[string] or "
            f"tuple[string], but got {type(value)}. It is '{what}'."
        )
    if not items or "" in items:
        raise ValueError(
            f"For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include {value!r}. It is "
            f"'{what}'."
        )
    return items


class ParamDictFuture:
    """Result of `load_checkpoint_async`."""

    def __init__(self, executor: ThreadPoolExecutor, param_dict_future: Future[dict[str, Any]]) -> None:
        self.executor, self.param_dict_future = executor, param_dict_future

    def result(self) -> dict[str, Any]:
        """Wait, and return or raise as `load_checkpoint` does."""
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
    """Run `load_checkpoint` in a thread, its format by the name of the file; ``result()`` waits for it."""
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
