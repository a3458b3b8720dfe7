"""Reader of MINDIR: a `FuncGraph` runs node by node; ``rows.py`` has the operators, ``operators.py`` those
a file may name.

A file is data: its names are resolved in these tables only, and its sizes, places and names are checked before use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import DecodeError

from mindspore_compat._api.errors import COVERAGE_PAGE
from mindspore_compat._format import envelope
from mindspore_compat._format.ckpt import check_count
from mindspore_compat._format.decryption import decrypt
from mindspore_compat._format.proto import mindir as proto
from mindspore_compat._format.proto._build import check_parts
from mindspore_compat._format.source import read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._graph.export.ir import MAX_LEAVES, num_leaves
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn import _graph_cell
from mindspore_compat.train._export.loading.gradients import gradient
from mindspore_compat.train._export.loading.rows import IN_PLACE, REFUSED, operator, through, with_biases
from mindspore_compat.train._export.loading.values import (
    FAILURES,
    NAMES_NODE,
    SCALARS,
    TOKENS,
    MindirError,
    Separate,
    T,
    naming,
    read_tensor,
    read_text,
    read_value,
)

#: nodes that return their first input
_THROUGH = {"Load", "Depend"}
_MOST_CALLS, _DEEPEST = 1_000_000, 60  # of functions of the file in one run, which must end


# --- graphs -----------------------------------------------------------------------------------------------------------


class _Partial:
    """A function of the file with its first arguments."""

    def __init__(self, graph: _Graph, arguments: tuple[Any, ...] = ()) -> None:
        self.graph, self.arguments = graph, arguments


def _call(function: Any, *arguments: Any) -> _Partial:
    """Return a pending call: `_Graph.run` does it."""
    if not isinstance(function, _Partial):
        raise TypeError(f"it calls a {type(function).__name__}, which is no function of the file")
    return _Partial(function.graph, (*function.arguments, *arguments))


class _Run:
    """Counter of a running graph."""

    def __init__(self, path: str) -> None:
        self._path, self._calls = path, 0

    def count(self, depth: int) -> None:
        self._calls += 1
        if self._calls > _MOST_CALLS or depth > _DEEPEST:
            often = f"{depth} deep" if depth > _DEEPEST else f"{self._calls} times"
            raise ValueError(f"The functions of the file {self._path!r} call each other {often}: without end.")


class _Values(dict[str, Any]):
    """The values of one call by name; values shared by the file's graphs are not copied."""

    def __init__(self, shared: dict[str, Any], given: Iterable[tuple[str, Any]]) -> None:
        super().__init__(given)
        self._shared = shared

    def __missing__(self, name: str) -> Any:
        return self._shared[name]


class _Graph:
    """One graph of a file: a list of (name of the result, function, names of the arguments)."""

    def __init__(self, message: Any, path: str) -> None:
        self.path, self.name = path, read_text(message.name)
        self.inputs = [read_text(item.name) for item in message.input]
        self.outputs = [read_text(item.name) for item in message.output]
        self.steps: list[tuple[str, Callable[..., Any], list[str]]] = []
        self.shared: dict[str, Any] = {}  # Parameters, constants and functions of the file, by name

    def check(self) -> None:
        """Raise ValueError unless each step's inputs come before it."""
        known = {*self.shared, *self.inputs}
        for name, _, inputs in self.steps:
            absent = [item for item in inputs if item not in known]
            if absent:
                raise ValueError(f"the node {name!r} takes {absent[0]!r}, which nothing before it gives")
            known.add(name)
        absent = [item for item in self.outputs if item not in known]
        if absent or not self.outputs:
            raise ValueError(f"the graph {self.name!r} has no {f'result {absent[0]!r}' if absent else 'results'}")

    def run(self, arguments: tuple[Any, ...], counted: _Run, depth: int = 0) -> Any:
        """Return the results; calls at the end of a graph, the form of loops, use no deeper stack."""
        graph = self
        while True:
            counted.count(depth)
            values = graph._values(arguments, counted, depth)
            results = [values[name] for name in graph.outputs]
            if len(results) > 1 or type(results[0]) is not _Pending:
                return results[0] if len(results) == 1 else tuple(results)
            graph, arguments = results[0].function.graph, results[0].function.arguments

    def _values(self, arguments: tuple[Any, ...], counted: _Run, depth: int) -> _Values:
        """Return all values by name. A call that gives the graph's result stays pending."""
        if len(arguments) != len(self.inputs):
            names = [name.rpartition(":")[2] for name in self.inputs]
            raise RuntimeError(
                f"For 'GraphCell', the number of inputs must be {len(names)} {names}, but got {len(arguments)} "
                f"(graph {self.name!r} of the file {self.path!r})."
            )
        values = _Values(self.shared, zip(self.inputs, arguments))
        last = self.steps[-1][0] if self.steps and [self.steps[-1][0]] == self.outputs else None
        for name, function, inputs in self.steps:
            try:
                result = function(*[values[item] for item in inputs])
                if function is _call:
                    result = (
                        _Pending(result) if name == last else result.graph.run(result.arguments, counted, depth + 1)
                    )
            except FAILURES as error:
                raise self._failed(name, error) from error
            values[name] = result
        return values

    def _failed(self, name: str, error: Exception) -> Exception:
        """Return the error with the node, once; its type stays if operators promise it."""
        if hasattr(error, NAMES_NODE):
            return error
        text = f"For 'GraphCell', the node {name!r} of the file {self.path!r} failed: {error}"
        if isinstance(error, (ValueError, TypeError, RuntimeError)) and not isinstance(
            error, (UnicodeError, RecursionError)
        ):
            error.args = (text,)
        else:
            error = ValueError(f"{text} ({type(error).__name__})")
        setattr(error, NAMES_NODE, True)
        return error


class _Pending:
    """A call at the end of a graph."""

    def __init__(self, function: _Partial) -> None:
        self.function = function


def _tokens(messages: list[Any], primitives: dict[str, Any]) -> set[str]:
    """Return the names of all tokens of side effects in a file."""
    found = {item.name for graph in messages for item in graph.input if item.attr_info.type in TOKENS}
    for node in [node for graph in messages for node in graph.node]:
        kind = primitives[node.op_type[5:]].op_type if node.op_type[5:] in primitives else node.op_type
        if kind == "UpdateState" or (kind == "Constant" and node.attribute[0].type in TOKENS):
            found.add(node.output[0])
    return found


def _check_node(node: Any) -> None:
    """Raise ValueError unless it has a result and names are text."""
    for name in (node.name, node.op_type, *node.input, *node.output, *(item.name for item in node.attribute)):
        read_text(name)
    if len(node.output) != 1:
        raise ValueError(f"it must have one result, but has {len(node.output)}")
    if node.op_type == "Constant" and len(node.attribute) != 1:
        raise ValueError(f"a constant must have one value, but has {len(node.attribute)}")


class FuncGraph(_graph_cell.FuncGraph):
    """A graph from `load`: `nn.GraphCell` runs it. ``parameters`` are those of the file, by name."""

    def __init__(self, model: Any, path: str = "", decrypted: Callable[[str, bytes], Any] | None = None) -> None:
        self.name, self.path = model.graph.name, path
        self._separate = Separate(path, decrypted)
        messages = [model.graph, *model.functions]
        self.parameters: dict[str, Parameter] = {}
        self._given: dict[str, dict[str, Any]] = {}  # attributes by the name of the primitive
        shared = self._constants(messages)
        constants = dict(shared)
        parameters = [item for graph in messages for item in graph.parameter]
        with naming(path, "its parameters"):
            check_count(len(parameters), sum(len(item.raw_data) for item in parameters))
        for message in parameters:
            with naming(path, f"the parameter {message.name!r:.200}"):
                name = read_text(message.ref_key) or read_text(message.name).partition(":")[2] or message.name
                if name not in self.parameters:
                    self.parameters[name] = Parameter(Tensor(read_tensor(message, self._separate)), name=name)
                shared[message.name] = self.parameters[name]
        with naming(path, "its graphs"):
            graphs = [_Graph(message, path) for message in messages]
            primitives = {read_text(item.name): item for item in model.primitives}
            tokens = _tokens(messages, primitives)
        self._main = graphs[0]
        with naming(path, "its results"):
            self._form = _form(messages[0].output[0].attr_info) if len(messages[0].output) == 1 else None
        # no operator writes into these
        self._fixed = {*constants, *(item.name for graph in messages for item in graph.input)}
        shared |= {graph.name: _Partial(graph) for graph in graphs}
        for graph, message in zip(graphs, messages):
            graph.shared = shared
            for node in message.node:
                if node.op_type != "Constant":
                    with naming(path, f"the node {node.name!r:.200} ({node.op_type!r:.80})"):
                        graph.steps.append(self._step(node, primitives, constants, tokens))
            with_biases(graph.steps, graph.outputs)
            with naming(path, f"the graph {graph.name!r:.200}"):
                graph.check()

    def _constants(self, messages: list[Any]) -> dict[str, Any]:
        """Return {name: value}; all nodes are checked on the way."""
        result: dict[str, Any] = {}
        for node in [node for graph in messages for node in graph.node]:
            with naming(self.path, f"the node {node.name!r:.200}"):
                _check_node(node)
                if node.op_type == "Constant":
                    result[node.output[0]] = read_value(node.attribute[0], self._separate)
        return result

    def _step(self, node: Any, primitives: dict[str, Any], constants: dict[str, Any], tokens: set[str]) -> Any:
        kind, inputs = node.op_type, list(node.input)
        if kind.startswith("REF::"):
            kind = kind[5:]
            if kind not in primitives:  # a call of a function, or of another node's result
                return node.output[0], _call, [kind, *inputs]
            if kind not in self._given:  # once, however many nodes use it
                self._given[kind] = self._attributes(primitives[kind].attribute)
            kind, given = read_text(primitives[kind].op_type), self._given[kind]
        else:
            given = self._attributes(node.attribute)
        if kind not in _STRUCTURE:
            inputs = [name for name in inputs if name not in tokens]
        return (
            node.output[0],
            self._function(kind, given, node, [constants.get(name, Ellipsis) for name in inputs]),
            inputs,
        )

    def _attributes(self, messages: Any) -> dict[str, Any]:
        return {
            read_text(item.name): read_value(item, self._separate)
            for item in messages
            if item.name not in ("input_names", "output_names")
            and not (item.name == "shape" and item.type in (T.TENSORS, *_SPARSE))
        }

    def _function(self, kind: str, attributes: dict[str, Any], node: Any, inputs: list[Any]) -> Callable[..., Any]:
        if kind in _THROUGH:
            return through
        if kind in _STRUCTURE:
            return _STRUCTURE[kind]
        if kind in SCALARS:
            return SCALARS[kind]
        if kind in IN_PLACE:
            return IN_PLACE[kind](inputs[0] is Ellipsis and node.input[0] not in self._fixed)
        found = None if kind in REFUSED else operator(kind, attributes, inputs) or gradient(kind, attributes)
        if found is None:
            why = f"is not loaded from files: {REFUSED[kind]}" if kind in REFUSED else "is not available"
            raise NotImplementedError(
                f"For 'load', the operator {kind!r:.100} (node {node.name!r:.200}) {why}. Run that part in Python, or "
                f"load the parameters with load_checkpoint into a Cell. See {COVERAGE_PAGE}."
            )
        return found

    def __call__(self, *inputs: Any) -> Any:
        result = self._main.run(inputs, _Run(self.path))
        try:
            return _formed(result, self._form)
        except FAILURES as error:
            raise ValueError(
                f"For 'GraphCell', the result of the file {self.path!r} is not what it says: {error}"
            ) from error

    def __repr__(self) -> str:
        return f"FuncGraph({self.name})"


#: sparse tensors as results, computed as tuples in files
_SPARSE = {T.CSR_TENSOR: CSRTensor, T.COO_TENSOR: COOTensor}


def _form(info: Any) -> Any:
    """Return the place of sparse tensors in a result: a class, or {place in the tuple: the form there}, or None."""
    if info.type in _SPARSE:
        return _SPARSE[info.type]
    found = {place: _form(item) for place, item in enumerate(info.values) if info.type == T.TUPLE}
    return {place: form for place, form in found.items() if form is not None} or None


def _formed(result: Any, form: Any) -> Any:
    if isinstance(form, dict):
        return tuple(_formed(item, form.get(place)) for place, item in enumerate(result))
    return result if form is None else form(*result)


def _switch(condition: Any, then: Any, other: Any) -> Any:
    return then if bool(condition) else other


def _item(items: Any, index: Any) -> Any:
    if not isinstance(items, tuple):
        raise TypeError(f"an item must be of a tuple, but got a {type(items).__name__}")
    return items[int(index)]


def _make_tuple(*items: Any) -> tuple[Any, ...]:
    """Return the items as a tuple.

    Raises:
        ValueError: for tuples of tuples with too many values: a small file can share the same part over and over.
    """
    if any(type(item) is tuple for item in items) and num_leaves(items) > MAX_LEAVES:
        raise ValueError(f"nested tuples may hold at most {MAX_LEAVES} values, but its result holds more")
    return items


_STRUCTURE: dict[str, Callable[..., Any]] = {
    "UpdateState": lambda *_: None,
    "MakeTuple": _make_tuple,
    "make_list": _make_tuple,
    "TupleGetItem": _item,
    "list_getitem": _item,
    "Partial": lambda function, *arguments: _call(function, *arguments),
    "Switch": _switch,
}


# --- the file ---------------------------------------------------------------------------------------------------------


def read(path: str, dec_key: Any = None, dec_mode: Any = "AES-GCM") -> FuncGraph:
    """Return the graph of a file, see `load`."""
    with naming(path, "its name"):
        data: Any = read_regular(path)
    if dec_key is not None:
        data = _decrypted(path, data, dec_key, dec_mode)
    model = proto.ModelProto()
    try:
        check_parts(proto.ModelProto, data)
        model.ParseFromString(bytes(data))
    except (DecodeError, FormatError) as error:
        hint = " It is encrypted: give 'dec_key' and 'dec_mode'." if envelope.encryption_of(memoryview(data)) else ""
        raise MindirError(
            f"For 'load', the file {path!r} is no MINDIR file, or it is damaged: {error}.{hint}"
        ) from error
    if not model.producer_name or not model.HasField("graph"):
        raise MindirError(f"For 'load', the file {path!r} is no MINDIR file: there is no graph in it.")
    decrypted = None if dec_key is None else lambda name, content: _decrypted(name, content, dec_key, dec_mode)
    return FuncGraph(model, path, decrypted)


def _decrypted(path: str, data: bytes, key: Any, mode: Any) -> Any:
    if not isinstance(key, bytes):
        raise ValueError(f"For 'load', the 'dec_key' must be bytes, but got {type(key)}.")
    if callable(mode):
        return mode(os.path.realpath(path), key)
    try:
        envelope.check_key(key, mode)
        return decrypt(memoryview(data), key, mode)
    except ValueError as error:
        raise MindirError(f"For 'load', the file {path!r} cannot be decrypted: {error}") from error
