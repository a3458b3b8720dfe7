"""Reading MINDIR: a `FuncGraph` runs node by node; the operators stand in ``_load_rows.py``."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from google.protobuf.message import DecodeError

from mindspore_compat._api.errors import COVERAGE_PAGE
from mindspore_compat._format import envelope
from mindspore_compat._format.proto import mindir as proto
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train._export._load_rows import operator
from mindspore_compat.train._export._mindir import DATA_TYPES

__all__ = ["FuncGraph", "read"]

_T = proto.AttributeType
_DTYPES = {number: dtype for dtype, number in DATA_TYPES.items()}
_TOKENS = (_T.UMONAD, _T.IOMONAD)  # of side effects; here the order of the file does what they are for
_INTS = {_T.INT8, _T.INT16, _T.INT32, _T.INT64, _T.UINT8, _T.UINT16, _T.UINT32, _T.UINT64}
#: nodes that give their first input
_THROUGH = {"Load", "Depend"}


# --- values ---------------------------------------------------------------------------------------------------------------

def _tensor(message: Any, folder: str) -> Any:
    if message.data_type not in _DTYPES:
        raise NotImplementedError(f"For 'load', the tensor '{message.name}' has the type {message.data_type}, which is not available in torch. "
                                  "Cast it before the export.")
    data = message.raw_data
    if message.HasField("external_data"):
        place = message.external_data
        with open(os.path.join(folder, place.location), "rb") as file:
            file.seek(place.offset)
            data = file.read(place.length)
    dtype, shape = _DTYPES[message.data_type], tuple(message.dims)
    wanted = torch.Size(shape).numel() * dtype.itemsize
    if len(data) != wanted:
        raise RuntimeError(f"For 'load', the data of '{message.name}' must have {wanted} bytes, but the file has {len(data)}. Export it again.")
    content = torch.frombuffer(bytearray(data), dtype=dtype) if wanted else torch.empty(0, dtype=dtype)
    return torch.reshape(content, shape)


def _value(attribute: Any, folder: str) -> Any:
    """What an attribute holds, as Python has it: None also for the tokens of side effects."""
    kind = attribute.type
    if kind in (_T.TENSORS, _T.TENSOR):
        messages = list(attribute.tensors) or [attribute.t]
        found = [Tensor(_tensor(item, folder)) if item.raw_data or item.dims or item.HasField("external_data") else _DTYPES[item.data_type]
                 for item in messages]  # without shape and content it is a dtype
        return found[0] if len(found) == 1 else tuple(found)
    if kind in (_T.TUPLE, _T.LIST):
        return tuple(_value(item, folder) for item in attribute.values)
    if kind == _T.DICT:
        return {item.name: _value(item.values[0] if item.values else item, folder) for item in attribute.values}
    if kind in (_T.NONE, *_TOKENS):
        return None
    one, several, make = ((attribute.s, attribute.strings, bytes.decode) if kind == _T.STRING else
                          (attribute.d, attribute.doubles, float) if kind == _T.DOUBLE else
                          (attribute.f, attribute.floats, float) if kind == _T.FLOAT else (attribute.i, attribute.ints, int))
    if kind == _T.BOOL:
        make = bool
    elif kind not in _INTS | {_T.STRING, _T.DOUBLE, _T.FLOAT}:
        raise NotImplementedError(f"For 'load', the value '{attribute.name}' is of the kind {kind}, which can not be read.")
    return make(several[0] if len(several) == 1 else one) if len(several) < 2 else tuple(make(item) for item in several)


# --- graphs ---------------------------------------------------------------------------------------------------------------

class _Partial:
    """A function of the file with its first arguments."""

    def __init__(self, graph: _Graph, arguments: tuple[Any, ...] = ()) -> None:
        self.graph, self.arguments = graph, arguments

    def __call__(self, *more: Any) -> Any:
        return self.graph.run((*self.arguments, *more))


class _Graph:
    """One graph of a file: a list of (name of the result, function, names of the arguments)."""

    def __init__(self, message: Any) -> None:
        self.name = message.name
        self.inputs = [item.name for item in message.input]
        self.outputs = [item.name for item in message.output]
        self.steps: list[tuple[str, Callable[..., Any], list[str]]] = []
        self.shared: dict[str, Any] = {}  # Parameters, constants and functions of the file, by name

    def run(self, arguments: tuple[Any, ...]) -> Any:
        if len(arguments) != len(self.inputs):
            names = [name.rpartition(":")[2] for name in self.inputs]
            raise RuntimeError(f"For 'GraphCell', the number of inputs must be {len(names)} {names}, but got {len(arguments)}.")
        values = {**self.shared, **dict(zip(self.inputs, arguments))}
        for name, function, inputs in self.steps:
            values[name] = function(*[values[item] for item in inputs])
        results = [values[name] for name in self.outputs]
        return results[0] if len(results) == 1 else tuple(results)


def _tokens(messages: list[Any], primitives: dict[str, Any]) -> set[str]:
    """The names of all tokens of side effects in a file."""
    found = {item.name for graph in messages for item in graph.input if item.attr_info.type in _TOKENS}
    for node in [node for graph in messages for node in graph.node]:
        kind = primitives[node.op_type[5:]].op_type if node.op_type[5:] in primitives else node.op_type
        if kind == "UpdateState" or (kind == "Constant" and node.attribute[0].type in _TOKENS):
            found.add(node.output[0])
    return found


class FuncGraph:
    """A graph that `load` read: `nn.GraphCell` runs it. ``parameters`` are those of the file, by name."""

    def __init__(self, model: Any, folder: str = "") -> None:
        self.name = model.graph.name
        messages = [model.graph, *model.functions]
        self.parameters: dict[str, Parameter] = {}
        shared: dict[str, Any] = {node.output[0]: _value(node.attribute[0], folder)
                                  for graph in messages for node in graph.node if node.op_type == "Constant"}
        constants = dict(shared)
        for message in [item for graph in messages for item in graph.parameter]:
            name = message.ref_key or message.name.partition(":")[2] or message.name
            if name not in self.parameters:
                self.parameters[name] = Parameter(Tensor(_tensor(message, folder)), name=name)
            shared[message.name] = self.parameters[name]
        graphs = [_Graph(message) for message in messages]
        self._main = graphs[0]
        shared |= {graph.name: _Partial(graph) for graph in graphs}
        primitives = {item.name: item for item in model.primitives}
        tokens = _tokens(messages, primitives)
        for graph, message in zip(graphs, messages):
            graph.shared = shared
            graph.steps = [self._step(node, primitives, constants, tokens, folder) for node in message.node if node.op_type != "Constant"]

    def _step(self, node: Any, primitives: dict[str, Any], constants: dict[str, Any], tokens: set[str], folder: str) -> Any:
        kind, attributes, inputs = node.op_type, node.attribute, list(node.input)
        if kind.startswith("REF::"):
            kind = kind[5:]
            if kind not in primitives:  # a call of a function, or of what another node gives
                return node.output[0], lambda function, *rest: function(*rest), [kind, *inputs]
            kind, attributes = primitives[kind].op_type, primitives[kind].attribute
        given = {item.name: _value(item, folder) for item in attributes
                 if item.name not in ("input_names", "output_names") and not (item.name == "shape" and item.type == _T.TENSORS)}
        if kind not in _STRUCTURE:
            inputs = [name for name in inputs if name not in tokens]
        return node.output[0], self._function(kind, given, node, [constants.get(name, Ellipsis) for name in inputs]), inputs

    @staticmethod
    def _function(kind: str, attributes: dict[str, Any], node: Any, inputs: list[Any]) -> Callable[..., Any]:
        if kind in _THROUGH:
            return lambda value, *_: value
        if kind in _STRUCTURE:
            return _STRUCTURE[kind]
        found = operator(kind, attributes, inputs)
        if found is None:
            raise NotImplementedError(f"For 'load', the operator '{kind}' (node '{node.name}') is not available. Run that part in Python, "
                                      f"or load the parameters with load_checkpoint into a Cell. See {COVERAGE_PAGE}.")
        return found

    def __call__(self, *inputs: Any) -> Any:
        return self._main.run(inputs)

    def __repr__(self) -> str:
        return f"FuncGraph({self.name})"


def _switch(condition: Any, then: Any, other: Any) -> Any:
    return then if bool(condition) else other


_STRUCTURE: dict[str, Callable[..., Any]] = {
    "UpdateState": lambda *_: None,
    "MakeTuple": lambda *items: items, "make_list": lambda *items: items,
    "TupleGetItem": lambda items, index: items[int(index)], "list_getitem": lambda items, index: items[int(index)],
    "Partial": lambda function, *arguments: _Partial(function.graph, (*function.arguments, *arguments)),
    "Switch": _switch,
}


# --- the file -------------------------------------------------------------------------------------------------------------

def read(path: str, dec_key: Any = None, dec_mode: Any = "AES-GCM") -> FuncGraph:
    """The graph of a file, see `load`."""
    with open(path, "rb") as file:
        data: Any = file.read()
    if dec_key is not None:
        data = _decrypted(path, data, dec_key, dec_mode)
    model = proto.ModelProto()
    try:
        model.ParseFromString(bytes(data))
    except DecodeError as error:
        hint = " It is encrypted: give 'dec_key' and 'dec_mode'." if envelope.encryption_of(memoryview(data)) else ""
        raise RuntimeError(f"For 'load', the file {path!r} is no MINDIR file, or it is damaged.{hint}") from error
    if not model.producer_name or not model.HasField("graph"):
        raise RuntimeError(f"For 'load', the file {path!r} is no MINDIR file, or it is damaged: there is no graph in it.")
    return FuncGraph(model, os.path.dirname(path))


def _decrypted(path: str, data: bytes, key: Any, mode: Any) -> Any:
    if not isinstance(key, bytes):
        raise ValueError(f"For 'load', the argument 'dec_key' must be bytes, but got {type(key).__name__}.")
    if callable(mode):
        return mode(path, key)
    try:
        envelope.check_key(key, mode)
        return envelope.decrypt(memoryview(data), key, mode)
    except ValueError as error:
        raise RuntimeError(f"For 'load', the file {path!r} can not be decrypted: {error}") from error
