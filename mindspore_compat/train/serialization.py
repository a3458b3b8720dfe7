"""Checkpoint saving and loading. MindSpore: ``mindspore.train.serialization``.

`_checkpoint` reads and writes the files, `_export` the exported models.
"""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch

from mindspore_compat import context  # noqa: F401  (what stands here but not in __all__ is borrowed by scripts)
from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._random.lazy_init import is_unmoved, unmoved
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication.management import get_rank
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._checkpoint.entries import FORMATS
from mindspore_compat.train._checkpoint.print_file import parse_print
from mindspore_compat.train._checkpoint.reading import VIEWS_FILE, as_prefixes, read_values
from mindspore_compat.train._checkpoint.redundancy import require_parallel, share_loaded
from mindspore_compat.train._checkpoint.strategy import (
    build_searched_strategy,
    device_num,
    layouts_of,
    merge_pipeline_strategys,
    restore_group_info_list,
    stage_num,
)
from mindspore_compat.train._checkpoint.transform import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    merge_sliced_parameter,
    rank_list_for_convert,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from mindspore_compat.train._checkpoint.unified import (
    get_ckpt_path_with_strategy,
    merged_values,
    unified_safetensors,
    unified_values,
)
from mindspore_compat.train._checkpoint.writing import checked_plan
from mindspore_compat.train._export import Limits, export, load
from mindspore_compat.train._torch.names import check_dtype, load_inner, load_into_module, misfit

__all__ = [
    "export",
    "load",
    "save_checkpoint",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "async_ckpt_thread_status",
    "ckpt_to_safetensors",
    "safetensors_to_ckpt",
    "parse_print",
    "build_searched_strategy",
    "merge_pipeline_strategys",
    "restore_group_info_list",
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
    "unified_safetensors",
]

#: KiB of parameters above which `export` writes them to separate files, and KiB of one such file
TOTAL_SAVE, PARAMETER_SPLIT_SIZE = 1024 * 1024, 1024 * 1024 * 1024
Limits.ask = lambda: (TOTAL_SAVE, PARAMETER_SPLIT_SIZE)

__getattr__ = module_getattr(
    __name__,
    {
        "Checkpoint": "_format.proto.checkpoint",
        "Validator": "_checkparam:",
        **dict.fromkeys(
            "_check_checkpoint_param _exec_save _load_map_parameter _parse_ckpt_proto _save_graph tensor_to_ms_type "
            "tensor_to_np_type".split(),
            "_legacy.checkpoints",
        ),
    },
    {"_get_merged_param_data": "save_checkpoint puts the slices of a sharded Parameter together itself."},
)


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
    """Write the parameters of ``save_obj`` to a file in MindSpore's format; the file is never incomplete.

    Args:
        save_obj: a Cell (its Parameters by name), a torch module (by MindSpore names), a list of Parameters or of
            {"name", "data"} dicts, or a dict of Tensors, arrays, numbers or strings.
        ckpt_file_name: the file; ``.ckpt`` is added if the name does not end with "ckpt". An older file is replaced.
        async_save: True, "process" or "thread": copy the values, return, and let another process write
            (docs/design/ckpt-format.md); an error is raised by the next save, or by the end of `Model.train`, and
            logged at the interpreter's end.
        integrated_save: of Parameters that are cut over processes, save the whole (all processes must call this), not
            this process's part.
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
            with the path, if the file cannot be written.

    Examples:
        >>> ms.save_checkpoint(nn.Dense(3, 2), "net.ckpt")
        >>> print(sorted(ms.load_checkpoint("net.ckpt")))
        ['bias', 'weight']
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


def async_ckpt_thread_status() -> bool:
    """Return whether a checkpoint is being saved in the background. Deprecated in MindSpore since 2.5."""
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
    specify, left_out = as_prefixes(specify_prefix), as_prefixes(filter_prefix)

    def keep(name: str) -> bool:
        if format == "ckpt" and (specify or left_out):
            return (not specify or name.startswith(specify)) and not (left_out and name.startswith(left_out))
        return choice_func is None or bool(choice_func(name))

    result, metadata = read_values(ckpt_file_name, format, dec_key, dec_mode, crc_check, keep)
    if not result:
        raise ValueError(
            f"For 'load_checkpoint', nothing of {ckpt_file_name} is left to load: it is empty, or 'specify_prefix' "
            f"{specify_prefix!r}, 'filter_prefix' {filter_prefix!r} and 'choice_func' leave everything out."
        )
    if net is not None:
        mark = {"True": True, "False": False}.get(metadata.get("remove_redundancy", ""), remove_redundancy)
        load_param_into_net(net, result, strict_load, mark)
    return result


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


@arguments_of(load_checkpoint, without="crc_check remove_redundancy format")
def load_checkpoint_async(ckpt_file_name: str, **given: Any) -> ParamDictFuture:
    """Run `load_checkpoint` in a thread, its format by the name of the file; ``result()`` waits for it."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="load_checkpoint_async")
    kind = "safetensors" if ckpt_file_name.endswith(".safetensors") else "ckpt"
    future = executor.submit(load_checkpoint, ckpt_file_name, format=kind, **given)
    return ParamDictFuture(executor, future)


@arguments_of(load_checkpoint, without="ckpt_file_name crc_check remove_redundancy format")
def load_segmented_checkpoints(ckpt_file_dir: str, choice_func: Any = None, **given: Any) -> dict[str, Any]:
    """Return `load_checkpoint` of every ``.ckpt`` file of a folder, in the order of their names, as one dict.

    Raises:
        TypeError, ValueError: if it is no folder's name; and as `load_checkpoint`.
    """
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(f"For 'load_segmented_checkpoints', the 'ckpt_file_dir' {ckpt_file_dir} is no folder.")
    result: dict[str, Any] = {}
    for name in filter(os.path.isfile, sorted(glob.glob(os.path.join(glob.escape(ckpt_file_dir), "*.ckpt")))):
        result.update(load_checkpoint(name, choice_func=choice_func, **given))
    return result


# --- into a network ---------------------------------------------------------------------------------------------------


class _Unloaded(tuple):
    """The two lists, false if every parameter of the net got a value: MindSpore 1.x returned the first list alone, and
    its scripts check ``if not_loaded: raise``.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self[0])


def load_param_into_net(
    net: Any, parameter_dict: dict[str, Any], strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Load parameters by name; return (names of the net without a value, unused names of the dict), a tuple that is
    false if the first is empty.

    Args:
        net: a Cell, or a torch module, whose parameters and buffers are found by MindSpore names.
        parameter_dict: {name: Parameter or str}, as `load_checkpoint` returns.
        remove_redundancy: in data parallel training, get what this process's file does not hold from the other
            processes.
        strict_load: also refuse other dtypes, and do not look for names with a common prefix in front.

    Raises:
        TypeError: for a net or dict of the wrong type. RuntimeError: if shapes, or dtypes, do not fit.

    Examples:
        >>> ms.save_checkpoint(nn.Dense(3, 2), "net.ckpt")
        >>> print(ms.load_param_into_net(nn.Dense(3, 2), ms.load_checkpoint("net.ckpt")))
        ([], [])
    """
    if not isinstance(net, torch.nn.Module):
        raise TypeError(f"For 'load_param_into_net', 'net' must be a Cell or torch module, but got {type(net)}.")
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str, list)):
            raise TypeError(
                "For 'load_param_into_net', the 'parameter_dict' must be of str and Parameter, but got "
                f"{type(name)} and {type(value)} (key {name!r})."
            )
    fill = _load_into_cell if isinstance(net, Cell) else load_into_module
    if remove_redundancy:
        require_parallel("loading")
    # the state "moments.w" is not the "w" of another process
    missing, unused = fill(net, parameter_dict, strict_load, by_prefix=not remove_redundancy)
    if remove_redundancy:
        missing = share_loaded(net, missing)
    if missing:
        logger.warning(
            "For 'load_param_into_net', %d parameters in the 'net' are not loaded: is it this net's checkpoint? %s",
            len(missing),
            ", ".join(missing),
        )
    return _Unloaded((missing, unused))


def _load_into_cell(
    net: Cell, parameter_dict: dict[str, Any], strict_load: bool, by_prefix: bool = True
) -> tuple[list[str], list[str]]:
    missing: list[Parameter] = []
    unused = dict.fromkeys(parameter_dict)
    for parameter in net.get_parameters():
        value = parameter_dict.get(parameter.name)
        if isinstance(value, Parameter):
            unused.pop(parameter.name, None)  # two parameters may have one name
            _update_param(parameter, value, strict_load)
        elif value is None and not parameter.name.startswith("accu_grads"):
            missing.append(parameter)
    buffers = load_inner(net, parameter_dict, missing, unused, strict_load)
    if missing and by_prefix and not strict_load:
        missing = _load_by_prefix(missing, parameter_dict)
    return [*(parameter.name for parameter in missing), *buffers], list(unused)


def _load_dismatch_prefix_params(
    net: Cell, parameter_dict: dict[str, Any], param_not_load: list[str], strict_load: bool
) -> None:
    """Run `_load_by_prefix` for libraries that use it: remove the loaded names from ``param_not_load``."""
    missing = [parameter for parameter in net.get_parameters() if parameter.name in param_not_load]
    loaded = {*missing} - {*_load_by_prefix(missing, parameter_dict, strict_load)}
    for parameter in loaded:
        param_not_load.remove(parameter.name)


def _load_by_prefix(
    missing: list[Parameter], parameter_dict: dict[str, Any], strict_load: bool = False
) -> list[Parameter]:
    """Fill parameters with names in the dict behind some prefix; return those still missing."""
    tried: set[str] = set()
    while missing:
        prefix = next(
            (
                name[: -len(p.name)]
                for p in missing
                for name, value in parameter_dict.items()
                if name.endswith(p.name) and isinstance(value, Parameter) and name[: -len(p.name)] not in tried
            ),
            None,
        )
        if prefix is None:
            break
        tried.add(prefix)
        rest = []
        for parameter in missing:
            value = parameter_dict.get(prefix + parameter.name)
            if isinstance(value, Parameter):
                _update_param(parameter, value, strict_load)
            else:
                rest.append(parameter)
        if prefix:
            logger.warning(
                "For 'load_param_into_net', remove the prefix %r of the names in the checkpoint to load %d parameters.",
                prefix,
                len(missing) - len(rest),
            )
        missing = rest
    return missing


def _update_param(param: Parameter, new_param: Parameter, strict_load: bool = False) -> None:
    """Set ``param`` to the values of ``new_param``: shared memory if dtypes agree, as in MindSpore; but not a file's
    memory, nor that of a single number, which `Parameter.set_data` writes in place.
    """
    old, new = tuple(param.shape), tuple(new_param.shape)
    if param.sliced and new == param._cut.shape:  # type: ignore[attr-defined]
        old = new
    if old != new and not (len(new) > len(old) and new[: len(old)] == old and all(dim == 1 for dim in new[len(old) :])):
        raise misfit(param.name, "shape", old, new)
    check_dtype(param.name, param.dtype, new_param.dtype, strict_load)
    if param.dtype is not new_param.dtype:
        logger.warning(
            "load_param_into_net: %s is converted from %s to %s.",
            param.name,
            dtype_name(new_param.dtype),
            dtype_name(param.dtype),
        )
    if is_unmoved(param) and not getattr(param, VIEWS_FILE, False):  # a state that no step has used
        unmoved(param).copy_(unmoved(new_param).reshape(old))
        return
    data = plain(new_param) if param.dtype is new_param.dtype or param.sliced else unmoved(new_param)
    if param.sliced:  # of the whole its part
        param.set_data(data)
        return
    if data.dtype is param.dtype and data.is_cpu and param.is_cpu and getattr(new_param, VIEWS_FILE, False):
        data = data.clone()  # a net keeps no file mapped, and its elements are aligned
        Tensor.data.fset(new_param, data)  # type: ignore[attr-defined]
        delattr(new_param, VIEWS_FILE)
    if data.dtype is param.dtype and data.device == param.device:
        data = data if data.dim() else data.clone()
        Tensor.data.fset(param, data)  # type: ignore[attr-defined]
    elif old == new:
        param.set_data(data)
    else:
        Tensor.data.fset(param, data.to(param.device, param.dtype))  # type: ignore[attr-defined]


# --- of several ranks -------------------------------------------------------------------------------------------------


def load_distributed_checkpoint(
    network: Any,
    checkpoint_filenames: list[str] | None = None,
    predict_strategy: dict[str, Any] | None = None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | None = None,
    dst_safetensors_dir: str | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict[str, str] | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> Any:
    """Load the checkpoints of all ranks of a training, or a folder that `unified_safetensors` made, into a network.

    Args:
        network: a Cell; None with format="safetensors": save what each rank would load.
        checkpoint_filenames: one file for each rank, in their order.
        predict_strategy: how to cut for this rank: {name: [dev_matrix, tensor_map, split shape, field, ...]}, or what
            `build_searched_strategy` takes or returns; None: the network is not cut.
        train_strategy_filename: strategy file of the training; None: the context's ``strategy_ckpt_load_file``.
        strict_load, dec_key, dec_mode: as for `load_checkpoint`.
        format: "ckpt", without the arguments behind it, or "safetensors", without the three rows above.
        unified_safetensors_dir: the folder.
        dst_safetensors_dir, rank_id, output_format: without a network: where to save net.FORMAT, of one rank or all.
        name_map: {name in the network: name in the files}.
        max_process_num: without effect: this process does the work.
        return_param_dict: return {name: Parameter} and load nothing.

    Returns:
        True; of a folder into a network what `load_param_into_net` returns, or the dict.

    Raises:
        TypeError, ValueError: for wrong arguments, or files that are missing or damaged.
    """
    where = "load_distributed_checkpoint"
    check_str_in(format, "format", FORMATS, where)
    of_ckpt = {
        "checkpoint_filenames": checkpoint_filenames,
        "train_strategy_filename": train_strategy_filename,
        "dec_key": dec_key,
        "strict_load": strict_load or None,
    }
    of_safetensors = {
        "unified_safetensors_dir": unified_safetensors_dir,
        "dst_safetensors_dir": dst_safetensors_dir,
        "rank_id": rank_id,
        "name_map": name_map,
        "return_param_dict": return_param_dict or None,
    }
    others = of_safetensors if format == "ckpt" else of_ckpt
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise ValueError(f"For '{where}', {', '.join(map(repr, given))} must be left out when 'format' is {format!r}.")
    if format == "ckpt":
        cipher = (dec_key, dec_mode)
        values = merged_values(network, checkpoint_filenames or [], predict_strategy, train_strategy_filename, cipher)
        load_param_into_net(network, values, strict_load)
        return True
    folder, layouts, renamed = str(unified_safetensors_dir), layouts_of(predict_strategy, where), name_map or {}
    if network is not None:
        values = unified_values(folder, layouts, get_rank(), renamed)
        return values if return_param_dict else load_param_into_net(network, values)
    if dst_safetensors_dir is None:
        raise ValueError(f"For '{where}', 'dst_safetensors_dir' says where to save when 'network' is None: set it.")
    for rank in range(device_num(layouts) * stage_num(layouts)) if rank_id is None else [rank_id]:
        path = os.path.join(dst_safetensors_dir, f"rank_{rank}")
        os.makedirs(path, mode=0o700, exist_ok=True)
        values = unified_values(folder, layouts, rank, renamed)
        save_checkpoint(values, os.path.join(path, f"net.{output_format}"), format=output_format)
    return True


# --- conversion -------------------------------------------------------------------------------------------------------


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write ``.ckpt`` files again as ``.safetensors``.

    Args:
        file_path: a file, or a folder of folders ``rank*`` with files.
        save_path: folder of the new files, made if missing; None: beside the old ones.
        name_map: {old parameter name: new name}.
        file_name_regex: take only files in whose name it is found.
        processes_num: without effect, the work is done in this process.

    Raises:
        ValueError: for wrong arguments, or if a file holds text, which safetensors cannot.
    """
    _convert("ckpt", "safetensors", file_path, save_path, name_map, file_name_regex)


@arguments_of(ckpt_to_safetensors)
def safetensors_to_ckpt(processes_num: int = 1, **given: Any) -> None:
    """Write ``.safetensors`` files as ``.ckpt``: the inverse of `ckpt_to_safetensors`, with the same arguments."""
    _convert("safetensors", "ckpt", **given)


def _convert(
    old: str,
    new: str,
    file_path: str,
    save_path: str | None,
    name_map: dict[str, str] | None,
    file_name_regex: str | None,
) -> None:
    renamed = name_map or {}
    for source, folder in _sources(old, file_path, save_path, file_name_regex):
        os.makedirs(folder, exist_ok=True)
        values = {renamed.get(name, name): value for name, value in load_checkpoint(source, format=old).items()}
        save_checkpoint(values, os.path.join(folder, os.path.basename(source)[: -len(old)] + new), format=new)


def _sources(old: str, path: str, save_path: str | None, regex: str | None) -> list[tuple[str, str]]:
    """Return [(file, folder of the new file)]."""
    if os.path.isfile(path):
        found = [(path, save_path or os.path.dirname(path))]
    else:
        found = [
            (name, os.path.join(save_path or path, os.path.basename(os.path.dirname(name))))
            for name in sorted(glob.glob(os.path.join(glob.escape(path), "rank*", f"*.{old}")))
            if os.path.isfile(name)  # no folders, FIFOs or sockets
        ]
    found = [item for item in found if regex is None or re.search(regex, os.path.basename(item[0]))]
    if not found:
        raise ValueError(
            f"There is no file to convert in {path!r}: it must be a .{old} file, or have folders rank_0, rank_1, ... "
            f"with such files, in whose names the 'file_name_regex' {regex!r} is found."
        )
    return found
