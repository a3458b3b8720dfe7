"""A network as MindSpore's graph message. In GRAPH_MODE it has one node per operator of the forward (`_operators.py`),
if possible; else, and in PYNATIVE_MODE, one per layer, from the Cell tree or, after a run, from its calls.

`CallTrace` records one run: layers then have the order of their calls, with shapes, and edges follow the Tensors. A
Tensor that no layer returned (the result of an operator between layers) counts as the layer before's. Without a run,
layers have the order of registration, each with the one before as input.
"""

from __future__ import annotations

import stat
from collections import Counter
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._format.proto import anf_ir
from mindspore_compat._format.proto.anf_ir import ModelProto
from mindspore_compat._graph.calls import Call, LayerCalls, NextInputs
from mindspore_compat._graph.recorder import Identity
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train.summary._operators import operator_graph, set_type


def _is_leaf(module: torch.nn.Module) -> bool:
    return next(iter(torch.nn.Module.children(module)), None) is None


class InputsTrace(NextInputs):
    """Recorder of a network's forward inputs at its next call, in GRAPH_MODE."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__(_forward_of(network)[1] if context.get_context("mode") == context.GRAPH_MODE else None)


class CallTrace(LayerCalls):
    """Recorder of a network's layer calls and forward inputs during one run; `stop` ends it."""

    def __init__(self, network: torch.nn.Module) -> None:
        self._forward = InputsTrace(network)
        super().__init__(_layers_of(network))

    @property
    def inputs(self) -> tuple[Any, ...] | None:
        """Inputs of the forward, with the loss."""
        return self._forward.inputs

    def stop(self) -> None:
        self._forward.stop()
        super().stop()


def _forward_of(network: torch.nn.Module) -> tuple[str, Any]:
    """Return (path, Cell) of the loss network in a training network; (…, None) if it is not known."""
    trains = any(_is_optimizer(module) for module in torch.nn.Module.children(network))
    forward = getattr(network, "network", None) if trains else network
    return "network" if trains else "", forward if isinstance(forward, Cell) else None


def _is_optimizer(module: Any) -> bool:
    return isinstance(module, Optimizer)


def _layers_of(network: torch.nn.Module) -> list[torch.nn.Module]:
    """Return the layers; in a training step without the optimizer and the gradient reducer."""
    others = getattr(network, "grad_reducer", None)
    modules = torch.nn.Module.modules(network)
    return [item for item in modules if _is_leaf(item) and not _is_optimizer(item) and item is not others]


def _scopes(network: torch.nn.Module) -> dict[int, str]:
    """Return MindSpore's scope by module id, such as Default/network-WithLossCell/_backbone-LeNet5/conv1-Conv2d."""
    found: dict[int, str] = {id(network): "Default"}
    for path, module in network.named_modules():
        if path:
            above, _, name = path.rpartition(".")
            found.setdefault(id(module), f"{found[id(network.get_submodule(above))]}/{name}-{type(module).__name__}")
    return found


def _set_output_type(target: Any, outputs: list[torch.Tensor]) -> None:
    if len(outputs) == 1:
        set_type(target, outputs[0])
    elif outputs:
        target.data_type = anf_ir.DataType.DT_TUPLE
        for tensor in outputs:
            set_type(target.sequence_type.elem_types.add(), tensor)


class _Builder:
    def __init__(self, network: torch.nn.Module) -> None:
        self.graph = anf_ir.GraphProto(name=type(network).__name__)
        self._network = network
        self._scopes = _scopes(network)
        self._counts: Counter[str] = Counter()
        self._names = {
            id(parameter): getattr(parameter, "name", None) or path for path, parameter in network.named_parameters()
        }
        self._listed: set[str] = set()
        self._sources: Identity[str] = Identity(holds=True)
        self._last: str | None = None

    def add_parameter(self, name: str, tensor: torch.Tensor | None) -> None:
        if name not in self._listed:
            self._listed.add(name)
            row = self.graph.parameters.add(name=name)
            if tensor is not None:
                set_type(row.type, tensor)

    def add_layer(self, module: torch.nn.Module, inputs: list[str], outputs: list[torch.Tensor]) -> None:
        kind = type(module).__name__
        scope = self._scopes.get(id(module), "Default")
        full_name = f"{scope}/{kind}"
        node = self.graph.node.add(
            name=str(len(self.graph.node) + 1),
            op_type=kind,
            scope=scope,
            instance_name=scope.rpartition("/")[2].partition("-")[0],
            full_name=f"{full_name}-op{self._counts[full_name]}",
        )
        self._counts[full_name] += 1
        for parameter in module._parameters.values():
            if parameter is not None:
                name = self._names[id(parameter)]
                self.add_parameter(name, parameter)
                inputs = [*inputs, name]
        for name in inputs:
            node.input.add(name=name, type=0)
        _set_output_type(node.output_type, outputs)
        self._last = node.name
        for tensor in outputs:
            self._sources.put(tensor, node.name)

    def follow(self, calls: list[Call]) -> None:
        """Add the nodes of a run."""
        for call in calls:
            names = []
            for tensor in call.inputs:
                source = self._sources.get(tensor)
                if source is None and (self._last is None or not tensor.is_floating_point()):
                    source = f"inputs{len([name for name in self._listed if name.startswith('inputs')])}"
                    self._sources.put(tensor, source)
                    self.add_parameter(source, tensor)
                names.append(source if source is not None else str(self._last))
            self.add_layer(call.module, list(dict.fromkeys(names)), call.outputs)

    def walk(self) -> None:
        """Add the nodes of the Cell tree."""
        self.add_parameter("inputs0", None)
        for module in _layers_of(self._network):
            self.add_layer(module, [self._last or "inputs0"], [])

    def finish(self) -> Any:
        if self._last is not None:
            row = self.graph.outputs.add(name=self._last)
            row.type.CopyFrom(self.graph.node[-1].output_type)
        return self.graph


def _with_operators(network: torch.nn.Module, inputs: tuple[Any, ...]) -> Any:
    """Return the graph of the forward's operators, None if there is none."""
    import torch.distributed as group

    path, forward = _forward_of(network)
    if forward is None or context.get_context("mode") != context.GRAPH_MODE:
        return None
    if group.is_available() and group.is_initialized() and group.get_world_size() > 1:
        return None  # the other processes do not take part
    known = _scopes(network)
    scopes = {name: known[id(module)] for name, module in network.named_modules()}
    try:
        return operator_graph(forward, path, scopes, inputs, type(network).__name__)
    except Exception as error:
        logger.info(
            "the graph of %s has layers, not operators: %s: %s", type(network).__name__, type(error).__name__, error
        )
        return None


def graph_of(network: torch.nn.Module, trace: CallTrace | None = None, inputs: tuple[Any, ...] | None = None) -> Any:
    """Return a GraphProto of a network; with a `CallTrace`, of the recorded run.

    Args:
        inputs: what its forward takes, if there is no trace.
    """
    inputs = inputs if trace is None else trace.inputs
    graph = _with_operators(network, inputs) if inputs else None
    if graph is not None:
        return graph
    builder = _Builder(network)
    if trace is not None and trace.calls:
        builder.follow(trace.calls)
    else:
        builder.walk()
    return builder.finish()


def write_graph(cb_params: Any, path: str) -> None:
    """Write the training network as MindSpore's graph message: its operators, or its layers in the order of
    registration.
    """
    network = cb_params.train_network
    ours = type(network).__module__.startswith("mindspore_compat.")  # a user's step may take other inputs
    inputs = tuple(cb_params.get("train_dataset_element") or ()) if ours else None
    model = ModelProto(ir_version=1, graph=graph_of(network, inputs=inputs))
    write_atomically(path, [model.SerializeToString(deterministic=True)], stat.S_IRUSR | stat.S_IWUSR)
