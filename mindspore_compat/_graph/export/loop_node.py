"""Loop nodes of the trace: test and body, recorded once each as graphs of the values that the body changes. Recurrent
layers are one node for each layer and direction where the format has one, otherwise a loop over the steps: the size of
the file does not depend on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from mindspore_compat._graph.export.explore import Attempt, explore
from mindspore_compat._graph.export.ir import (
    CONSTANT,
    INPUT,
    RESULT,
    Graph,
    Node,
    Value,
    closed,
    leaves,
    map_values,
    taken_apart,
)
from mindspore_compat._tensor.wrapping import memory, plain, wrap

_Base = torch._C.TensorBase


class ChangesParameter(Exception):
    """Signal that a loop assigns to a Parameter, which has to be one of the loop's values."""

    def __init__(self, handle: Any) -> None:
        super().__init__()
        self.handle = handle


def run_loop(
    recorder: Any,
    refuse: Callable[[str], Exception],
    test: Callable[..., Any],
    body: Callable[..., Any],
    values: Any,
    always: bool = False,
) -> Any:
    """Run ``while test(values): values = body(values)`` and return the values. Rounds are unrolled as long as the test
    depends on no input; with ``always`` the loop is recorded.
    """
    parts = taken_apart(test, body, values, refuse)
    if parts is not None:
        return closed(run_loop(recorder, refuse, *parts, always))
    if always:
        return _Loop(recorder, refuse, test, body, values).recorded()
    while True:
        truth = test(values)
        if isinstance(truth, torch.Tensor) and recorder.read(truth).kind != CONSTANT:
            return _Loop(recorder, refuse, test, body, values).recorded()
        if not truth:
            return values
        values = body(values)


class _Loop:
    """A loop whose ``values`` are a tree. It carries their tensors, the numbers that change, and the Parameters that
    the body assigns to.
    """

    def __init__(
        self,
        recorder: Any,
        refuse: Callable[[str], Exception],
        test: Callable[..., Any],
        body: Callable[..., Any],
        values: Any,
    ) -> None:
        self.recorder, self.refuse, self.test, self.body, self.values = recorder, refuse, test, body, values
        self.items = list(leaves(values))
        self.numbers: set[int] = set()  # places of numbers that change
        self.parameters: list[Any] = []  # handles

    def recorded(self) -> Any:
        self._check_derivative(self.items)
        while True:  # until all changing values are known
            carried = self._carried()
            for item in carried:
                self.recorder.keep(item)
            initial = [self.recorder.read(item) for item in carried] + [handle.value for handle in self.parameters]
            try:
                test = self._graph(self.test, carried, initial, False)
                body = self._graph(self.body, carried, initial, True)
            except ChangesParameter as found:
                if found.handle in self.parameters:
                    raise
                self.parameters.append(found.handle)
                continue
            except _NumberChanges as found_number:
                self.numbers.add(found_number.place)
                continue
            return self._result(carried, initial, test, body)

    def _check_derivative(self, items: Any) -> None:
        if torch.is_grad_enabled() and any(
            isinstance(item, torch.Tensor) and item.requires_grad for item in leaves(items)
        ):
            raise self.refuse(
                "a derivative goes through a loop whose rounds depend on values, which a file cannot hold. Take a "
                "fixed number of rounds"
            )

    def _carried(self) -> list[torch.Tensor]:
        return [
            item if isinstance(item, torch.Tensor) else _as_tensor(item)
            for place, item in enumerate(self.items)
            if isinstance(item, torch.Tensor) or place in self.numbers
        ]

    def _tree(self, tensors: list[Any]) -> Any:
        """Return ``values`` with other tensors, and with tensors for numbers that change."""
        rest, place = iter(tensors), iter(range(len(self.items)))

        def chosen(item: Any) -> Any:
            number = next(place)
            return next(rest) if isinstance(item, torch.Tensor) or number in self.numbers else item

        return map_values(chosen, self.values)

    def _graph(
        self, function: Callable[..., Any], carried: list[torch.Tensor], initial: list[Value], is_body: bool
    ) -> Graph:
        recorder = self.recorder

        def attempt(choices: tuple[bool, ...]) -> Attempt:
            with recorder.inner(choices) as (nodes, decisions):
                with _disable_current_modes(), torch._C.DisableTorchFunction():
                    fresh = [wrap(_Base.clone(plain(item))) for item in carried]
                inputs = [recorder.add_source(item, INPUT, f"value_{number}") for number, item in enumerate(fresh)]
                contents = []
                for handle in self.parameters:
                    contents.append((handle, handle.value, _Base.clone(plain(handle.tensor))))
                    handle.value = Value(INPUT, handle.value.shape, handle.value.dtype, f"value_{len(inputs)}")
                    handle.version += 1
                    inputs.append(handle.value)
                recorder.carried += self.parameters
                try:
                    found = function(self._tree(fresh))
                    outputs = self._outputs(found, initial) if is_body else (recorder.read(_as_tensor(found)),)
                finally:
                    del recorder.carried[len(recorder.carried) - len(self.parameters) :]
                    for handle, value, content in contents:
                        handle.value = value
                        handle.version += 1
                        with _disable_current_modes(), torch._C.DisableTorchFunction():
                            memory(handle.tensor).copy_(content)
            return Attempt(Graph("loop", inputs, [], nodes, outputs), decisions)

        return explore(attempt, self.refuse)

    def _outputs(self, found: Any, initial: list[Value]) -> tuple[Value, ...]:
        items = list(leaves(found))
        if len(items) != len(self.items):
            raise self.refuse("the body of a loop changes the form of its values")
        result = []
        for place, (before, after) in enumerate(zip(self.items, items)):
            if isinstance(before, torch.Tensor) or place in self.numbers:
                if not isinstance(after, (torch.Tensor, bool, int, float)):
                    raise self.refuse(f"the body of a loop makes a {type(after).__name__} of a Tensor")
                result.append(self.recorder.read(after if isinstance(after, torch.Tensor) else _as_tensor(after)))
            elif isinstance(before, (bool, int, float)) and (isinstance(after, torch.Tensor) or after != before):
                raise _NumberChanges(place)
            elif (
                not isinstance(before, (bool, int, float))
                and after is not before
                and type(before).__name__ != "_Undefined"
            ):
                raise self.refuse(
                    f"the body of a loop changes a {type(before).__name__}. Use Tensors and numbers for what changes "
                    "from round to round"
                )
        result += [self.recorder.read(handle.tensor) for handle in self.parameters]
        for before, after in zip(initial, result):
            if before.shape != after.shape or before.dtype is not after.dtype:
                raise self.refuse(
                    f"a value in a loop is {before.dtype} of shape {list(before.shape)} before a round and "
                    f"{after.dtype} of shape {list(after.shape)} after it; both have to be the same"
                )
        return tuple(result)

    def _result(self, carried: list[torch.Tensor], initial: list[Value], test: Graph, body: Graph) -> Any:
        """Return the values after the last round, which runs for real, with the node's Values."""
        recorder = self.recorder
        for handle in self.parameters:
            recorder.note_change(handle)
        with _disable_current_modes(), torch._C.DisableTorchFunction():
            values = self._tree([wrap(_Base.clone(plain(item))) for item in carried])
            while bool(self.test(values)):
                values = self.body(values)
        self._check_derivative(values)
        node = Node("loop", {"condition": test, "body": body, "initial": initial}, scope=recorder.scope())
        node.outputs = [
            Value(RESULT, value.shape, value.dtype, node=node, index=index) for index, value in enumerate(initial)
        ]
        recorder.nodes.append(node)
        outputs = iter(node.outputs)
        items = []
        for place, (item, after) in enumerate(zip(self.items, leaves(values))):
            if isinstance(item, torch.Tensor) or place in self.numbers:
                after = wrap(_Base.clone(plain(after))) if isinstance(after, torch.Tensor) else _as_tensor(after)
                recorder.bind(after, next(outputs))
                items.append(after)
            else:
                items.append(item)
        for handle in self.parameters:
            handle.value = next(outputs)
            handle.version += 1
        rest = iter(items)
        return map_values(lambda _: next(rest), self.values)


class _NumberChanges(Exception):
    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


def _as_tensor(item: Any) -> torch.Tensor:
    """Return a number as a tensor, with MindSpore's dtype."""
    if isinstance(item, torch.Tensor):
        return item
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return wrap(torch.tensor(item, dtype=torch.float32 if isinstance(item, float) else None))


def attributes_of(cells: Iterable[Any]) -> dict[tuple[int, str], Any]:
    """Return the attributes of Cells except Parameters, buffers and Cells; of lists, dicts and sets also the size."""
    return {
        (id(cell), name): (item, len(item) if isinstance(item, (list, dict, set)) else None)
        for cell in cells
        for name, item in cell.__dict__.items()
        if not name.startswith("_")
    }


def same_attribute(one: Any, other: Any) -> bool:
    """Return whether an attribute is unchanged."""
    if one[0] is other[0]:
        return one[1] == other[1]
    return type(one[0]) is type(other[0]) and isinstance(one[0], (bool, int, float, str, tuple)) and one[0] == other[0]


def _gru(x: list[Any], h: list[Any], state: Any) -> Any:
    update = torch.sigmoid(x[1] + h[1])
    new = torch.tanh(x[2] + torch.sigmoid(x[0] + h[0]) * h[2])
    return new + update * (state - new)


#: {torch's function: (the node's name, states, gates, a step of gates from the input, gates from the state, and the
# state)}; the formats have LSTM
RECURRENT: dict[str, tuple[str, int, int, Callable[..., Any] | None]] = {
    "lstm": ("lstm_layer", 2, 4, None),
    "gru": ("gru_layer", 1, 3, _gru),
    "rnn_tanh": ("rnn_tanh_layer", 1, 1, lambda x, h, _: torch.tanh(x[0] + h[0])),
    "rnn_relu": ("rnn_relu_layer", 1, 1, lambda x, h, _: torch.relu(x[0] + h[0])),
}


def recurrent(recorder: Any, refuse: Callable[[str], Exception], name: str, args: tuple[Any, ...]) -> Any:
    """Return the result of ``torch.lstm`` and the like; NotImplemented for packed sequences, which are written step by
    step.
    """
    if len(args) != 9 or not isinstance(args[3], bool):
        return NotImplemented
    x, states, weights, has_bias, layers, dropout, training, bidirectional, batch_first = args
    if torch.is_grad_enabled() and any(item.requires_grad for item in leaves((x, states, weights))):
        return NotImplemented  # a derivative follows: torch's own steps have one
    states = states if isinstance(states, (tuple, list)) else (states,)
    each = 4 if has_bias else 2
    ends: list[list[Any]] = [[] for _ in states]
    with recorder:
        if batch_first:
            x = torch.transpose(x, 0, 1)
        number = 0
        for layer in range(layers):
            outputs = []
            for backward in (False, True) if bidirectional else (False,):
                own = weights[number * each : (number + 1) * each]
                start = [torch.select(item, 0, number) for item in states]
                output, *last = _layer(recorder, refuse, name, torch.flip(x, (0,)) if backward else x, start, own)
                outputs.append(torch.flip(output, (0,)) if backward else output)
                for group, item in zip(ends, last):
                    group.append(item)
                number += 1
            x = torch.cat(outputs, 2) if bidirectional else outputs[0]
            if dropout and training and layer < layers - 1:
                x = torch.native_dropout(x, dropout, True)[0]
        return (torch.transpose(x, 0, 1) if batch_first else x, *[torch.stack(group) for group in ends])


def _layer(recorder: Any, refuse: Callable[[str], Exception], name: str, x: Any, start: list[Any], weights: Any) -> Any:
    """Return (outputs, last state of each kind) of one layer in one direction; ``x`` has shape (L, N, C)."""
    op, _, count, step = RECURRENT[name]
    if recorder.keeps(op) or step is None:
        return _node(recorder, name, x, start, weights)
    # operators with sizes stand outside of the loop: in it are only products, sums and functions of single elements
    inner, outer = (
        [torch.transpose(part, 0, 1) for part in torch.chunk(item, count)] for item in (weights[1], weights[0])
    )
    biases = [list(torch.chunk(item, count)) for item in weights[2:]] or [[0.0] * count] * 2
    gates = [torch.matmul(x, part) + bias for part, bias in zip(outer, biases[0])]

    def body(values: Any) -> Any:
        left, place, state, outputs, places = values
        now = [torch.squeeze(torch.index_select(gate, 0, place), 0) for gate in gates]
        then = [torch.matmul(state, part) + bias for part, bias in zip(inner, biases[1])]
        state = step(now, then, state)
        return left - 1, place + 1, state, torch.where(places == place, torch.unsqueeze(state, 0), outputs), places

    steps = x.shape[0]
    empty = torch.zeros((steps, *start[0].shape), dtype=x.dtype, device=x.device)
    values = (
        torch.tensor(steps),
        torch.zeros(1, dtype=torch.int64),
        start[0],
        empty,
        torch.reshape(torch.arange(steps), (-1, 1, 1)),
    )
    _, _, state, outputs, _ = run_loop(recorder, refuse, lambda items: items[0] > 0, body, values, always=True)
    return outputs, state


def _node(recorder: Any, name: str, x: Any, start: list[Any], weights: Any) -> Any:
    op, count, *_ = RECURRENT[name]
    keys = ("x", "h", "c")[: 1 + count]
    tensors = dict(zip(keys, [x, *start])) | dict(zip(("w_ih", "w_hh", "b_ih", "b_hh"), weights))
    args = {key: recorder.read(item) for key, item in tensors.items()}
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        states = tuple(torch.unsqueeze(plain(item), 0) for item in start)
        found = getattr(torch, name)(
            plain(x),
            states if count > 1 else states[0],
            [plain(item) for item in weights],
            len(weights) > 2,
            1,
            0.0,
            False,
            False,
            False,
        )
        results = [found[0], *[torch.squeeze(item, 0) for item in found[1:]]]
    node = Node(op, args, scope=recorder.scope())
    node.outputs = [
        Value(RESULT, tuple(item.shape), item.dtype, node=node, index=index) for index, item in enumerate(results)
    ]
    recorder.nodes.append(node)
    for item, value in zip(results, node.outputs):
        recorder.bind(item, value)
    return results
