"""The bytes of a file, by format: from the graph of a network to MINDIR's or ONNX's message."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.export.ir import Graph, leaves
from mindspore_compat._graph.export.recorder import Kept
from mindspore_compat.dataset import Dataset
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._deploy import FAKE, deployed, mindir_graph, requantized
from mindspore_compat.train._export._dynamic import compare, dynamic_model
from mindspore_compat.train._export._recordable import graph_of
from mindspore_compat.train._export._separate import write_separately
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

_log = logging.getLogger("mindspore_compat")


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
        _log.warning(
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
