"""Recurrent layers in the trace: one node for each layer and direction where the format has one, otherwise a loop over
the steps.

Either way the size of the file does not depend on the number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from mindspore_compat._graph.export.ir import RESULT, Node, Value, leaves
from mindspore_compat._graph.export.loop_node import run_loop
from mindspore_compat._tensor.wrapping import plain


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
