"""The bytes of a file, by format: from the graph of a network to MINDIR's or ONNX's message.

A recordable network has loops by values as loop nodes and optimizers as Tensor arithmetic. MINDIR of more than 1 GiB of
Parameters is ``NAME_graph.mindir``, and their contents in ``NAME_variables/data_0``, as in MindSpore.
"""

from __future__ import annotations

import inspect
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from google.protobuf.message import DecodeError

from mindspore_compat._format.proto.mindir import ModelProto
from mindspore_compat._format.source import read_regular
from mindspore_compat._graph.export.ir import Graph, leaves
from mindspore_compat._graph.export.recorder import Kept
from mindspore_compat._graph.export.trace import trace
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat._tensor.wrapping import byte_view, plain
from mindspore_compat.dataset import Dataset
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._deploy import FAKE, deployed, mindir_graph, requantized
from mindspore_compat.train._export._dynamic import compare, dynamic_model
from mindspore_compat.train._export._loops import looping, recordable_optimizers
from mindspore_compat.train._export._sizes import is_open
from mindspore_compat.train._export.loading import FuncGraph, read
from mindspore_compat.train._export.mindir import mindir_model
from mindspore_compat.train._export.mindir import sizes as mindir_sizes
from mindspore_compat.train._export.mindir.rows import kept as mindir_kept
from mindspore_compat.train._export.onnx import onnx_model
from mindspore_compat.train._export.onnx import sizes as onnx_sizes
from mindspore_compat.train._export.onnx.options import check_options, finished, opened
from mindspore_compat.train._export.onnx.rows import kept as onnx_kept

__all__ = ["WRITERS", "as_input", "check_options", "read", "write_large"]


@contextmanager
def _recordable(net: Any, refuse: Callable[[str], Exception], run: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    with recordable_optimizers(net, refuse), looping(net, run) as function:
        yield function


def graph_of(
    net: Any, inputs: tuple[Any, ...], names: Iterable[str], label: str, kept: Kept, straight: bool = False
) -> Graph:
    """Return the graph of ``net(*inputs)``, by `trace`."""
    return trace(net, inputs, names, label, kept, _recordable, straight)


_HEAD = b"\x01" + bytes(63)  # 1: little endian
_STEP = 64


def _contents(parameters: Sequence[tuple[Any, torch.Tensor]]) -> Iterator[Any]:
    yield _HEAD
    for _, data in parameters:
        flat = byte_view(plain(data).cpu().contiguous())
        if len(flat):
            yield memoryview(flat.numpy())
        yield bytes(-_length(data) % _STEP)


def _length(data: torch.Tensor) -> int:
    return data.numel() * data.element_size()


def _files(parameters: Sequence[tuple[Any, torch.Tensor]], most: float) -> list[list[tuple[Any, torch.Tensor]]]:
    """Return the parameters of each file, of up to ``most`` bytes."""
    files, size = [list[tuple[Any, torch.Tensor]]()], float(len(_HEAD))
    for message, data in parameters:
        size += _length(data) + -_length(data) % _STEP
        if size > most:
            if not files[-1]:
                raise RuntimeError("For 'export', a Parameter is larger than a file may be, 1 TiB.")
            files.append([])
            size = len(_HEAD) + _length(data) + -_length(data) % _STEP
        files[-1].append((message, data))
    return files


def write_separately(
    path: str,
    model: Any,
    parameters: Sequence[tuple[Any, torch.Tensor]],
    most: float,
    encrypted: Callable[[Iterable[Any]], Iterable[Any]],
) -> None:
    """Write the graph without contents and files with those of ``parameters``: (message in the graph, tensor).

    Args:
        path: the name that a file in one piece would have.
        most: bytes of one file of parameters.
        encrypted: what the pieces of a file become.

    Raises:
        RuntimeError: for a parameter that no file takes.
    """
    stem = path.removesuffix(".mindir")
    folder = f"{os.path.basename(stem)}_variables"
    files = _files(parameters, most)
    os.makedirs(f"{stem}_variables", mode=0o700, exist_ok=True)
    for number, held in enumerate(files):
        place, location = len(_HEAD), os.path.join(folder, f"data_{number}")
        for message, data in held:
            message.ClearField("raw_data")
            entry, length = message.external_data, _length(data)
            entry.location, entry.offset, entry.length = location, place, length
            place += length + -length % _STEP
        write_atomically(os.path.join(os.path.dirname(path), location), encrypted(_contents(held)), stat.S_IRUSR)
    pieces = [model.SerializeToString(deterministic=True)]
    write_atomically(f"{stem}_graph.mindir", list(encrypted(pieces)), stat.S_IRUSR)
    logger.warning(
        "export: the parameters are more than 1 GiB: the graph stands in %s_graph.mindir, which mindspore.load takes, "
        "and the parameters in %s_variables beside it.",
        stem,
        stem,
    )


def load_mindir(file_name: str) -> Any:
    """Return the file's ModelProto.

    Raises:
        ValueError: if it is no MINDIR file. OSError: if it cannot be read.
    """
    model = ModelProto()
    try:
        model.ParseFromString(read_regular(os.path.realpath(file_name)))
    except DecodeError as error:
        raise ValueError(f"For 'load_mindir', the file '{file_name}' is no MINDIR file: {error}") from error
    return model


def save_mindir(model: Any, file_name: str) -> None:
    """Write a ModelProto; ".mindir" is added to a name without it. The file may be read by its owner only."""
    path = Path(os.path.realpath(file_name))
    if path.suffix != ".mindir":
        path = path.with_name(path.name + ".mindir")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(str(path), [model.SerializeToString()], 0o400)


def as_input(item: Any) -> Any:
    """Return inputs as Tensors, also inside of tuples and lists; numbers stay, as part of the file, as in MindSpore."""
    if isinstance(item, Dataset):
        raise NotImplementedError("For 'export', inputs are Tensors, not a dataset: pass one of its shape.")
    if isinstance(item, (torch.Tensor, bool, int, float)) or item is None:
        return item
    if isinstance(item, (tuple, list)):
        return type(item)(as_input(part) for part in item)
    raise TypeError(
        "For 'export', the 'inputs' must be Tensors, numbers, bools, or tuples and lists of them, but got "
        f"{type(item).__name__}. Wrap arrays in mindspore.Tensor."
    )


def _input_names(net: Any, inputs: tuple[Any, ...]) -> list[str]:
    """Return the names of ``construct``'s arguments; parts of a tuple are numbered."""
    function = net.construct if isinstance(net, Cell) else net
    arguments: list[str] = []
    for argument in inspect.signature(function).parameters.values():
        if argument.kind is inspect.Parameter.VAR_POSITIONAL:
            arguments += [f"{argument.name}{number}" for number in range(len(inputs) - len(arguments))]
        elif argument.kind is not inspect.Parameter.KEYWORD_ONLY:
            arguments.append(argument.name)
    names: list[str] = []
    for name, item in zip(arguments, inputs):
        if isinstance(item, torch.Tensor):
            names.append(name)
        elif isinstance(item, (tuple, list)):
            names += [f"{name}_{number}" for number, part in enumerate(leaves(item)) if isinstance(part, torch.Tensor)]
    return names


def _graph_of(net: Any, inputs: tuple[Any, ...], kept: Kept) -> Graph:
    label = f"{type(net).__name__}_construct" if isinstance(net, Cell) else getattr(net, "__name__", "function")
    return graph_of(net, inputs, _input_names(net, inputs), label, kept)


def _quantized_graph(net: Any, inputs: tuple[Any, ...], kept: Kept, options: dict[str, Any], mindir: bool) -> Graph:
    made, mean, std_dev = deployed(net), options.get("mean", 127.5), options.get("std_dev", 127.5)
    names, label = _input_names(net, inputs), f"{type(net).__name__}_construct"
    graph = graph_of(made, inputs, names, label, lambda op, arguments: op in FAKE or kept(op, arguments))
    graph, floats = requantized(graph, mean, std_dev)
    if mindir:
        return mindir_graph(graph, made, mean, std_dev)
    if floats:
        logger.warning(
            "export: these layers compute in floats with weights of int8, since what they take was not rounded in "
            "training: %s",
            ", ".join(floats),
        )
    return graph


def _open_mindir(net: Any, inputs: tuple[Any, ...]) -> Any:
    """Return the message for inputs with open sizes, after a comparison of its results with the network's."""
    model, sizes, extra = dynamic_model(
        lambda given: mindir_model(_graph_of(net, given, mindir_kept), shares=False), mindir_sizes.merge, inputs
    )
    if not any(node.op_type == "Dropout" for graph in (model.graph, *model.functions) for node in graph.node):
        compare(net, lambda given: FuncGraph(model)(*given), inputs, sizes, extra)
    return model


def write_large(path: str, net: Any, inputs: tuple[Any, ...], options: dict[str, Any], **how: Any) -> None:
    """Write MINDIR with its parameters in separate files."""
    separate: list[Any] = []
    model = mindir_model(_graph_of(net, inputs, mindir_kept), separate=separate)
    if options.get("custom_func") is not None:
        options["custom_func"](model)
    write_separately(path, model, separate, **how)


def _mindir_pieces(net: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> list[bytes]:
    if options.get("quant_mode", "NONQUANT") != "NONQUANT":
        model = mindir_model(_quantized_graph(net, inputs, mindir_kept, options, True))
    elif is_open(inputs):
        model = _open_mindir(net, inputs)
    else:
        model = mindir_model(_graph_of(net, inputs, mindir_kept))
    if options.get("custom_func") is not None:
        options["custom_func"](model)
    return [model.SerializeToString(deterministic=True)]


def _onnx_pieces(net: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> list[bytes]:
    if not isinstance(net, Cell):
        raise ValueError(f"For 'export', the format ONNX takes a Cell, but got {type(net)}.")
    if options.get("quant_mode", "NONQUANT") != "NONQUANT":
        model = onnx_model(_quantized_graph(net, inputs, onnx_kept, options, False), 13)
        return [model.SerializeToString(deterministic=True)]
    opset = options.get("opset_version", 11)
    inputs, names = opened(inputs, _input_names(net, inputs), options.get("dynamic_axes"))
    if is_open(inputs):
        try:
            _open_mindir(net, inputs)  # which is compared with the network
        except NotImplementedError as error:
            if "has no counterpart in MINDIR" not in str(error):
                raise
        model, sizes, _ = dynamic_model(
            lambda given: onnx_model(_graph_of(net, given, onnx_kept), opset, shares=False), onnx_sizes.merge, inputs
        )
        onnx_sizes.name_sizes(model, sizes, names)
    else:
        model = onnx_model(_graph_of(net, inputs, onnx_kept), opset)
    return [finished(model, bool(options.get("float16"))).SerializeToString(deterministic=True)]


#: {format: (suffix, writer of the file's bytes)}
WRITERS: dict[str, tuple[str, Callable[..., list[bytes]]]] = {
    "MINDIR": (".mindir", _mindir_pieces),
    "ONNX": (".onnx", _onnx_pieces),
}
