"""Recurrent layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import to_dtype
from mindspore_compat._ops.declare import classes, functions, primitive
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


def _only(owner: str, **pairs: tuple[Any, Any]) -> None:
    """Raise NotImplementedError unless each argument has the only value that MindSpore documents as supported."""
    for name, (value, wanted) in pairs.items():
        if value != wanted:
            raise NotImplementedError(
                f"For '{owner}', only {name}={wanted!r} is available, as in MindSpore, but got {value!r}. Use nn.LSTM "
                "or nn.GRU."
            )


class FlatLSTM(NamedTuple):
    """Layout of an LSTM's weights in one flat tensor."""

    inputs: int
    hidden: int
    layers: int
    has_bias: bool
    directions: int
    projected: int

    def sizes(self) -> list[list[tuple[int, int]]]:
        """Return for each layer and direction the shapes of w_ih, w_hh and, if any, of the projection's weight."""
        out, gates = self.projected or self.hidden, 4 * self.hidden
        projection = [(self.projected, self.hidden)] if self.projected else []
        features = [self.inputs] + [out * self.directions] * (self.layers - 1)
        return [[(gates, count), (gates, out), *projection] for count in features for _ in range(self.directions)]

    def of_cudnn(self, flat: Any) -> list[list[Any]]:
        """Return torch's weights by layer and direction: w_ih, w_hh of each in turn, then both biases of each."""
        shapes = self.sizes()
        kinds = len(shapes[0])
        biases = [(4 * self.hidden,)] * (2 * len(shapes) if self.has_bias else 0)
        parts = _cut(flat, [shape for one in shapes for shape in one] + biases)
        weights = [parts[i * kinds : (i + 1) * kinds] for i in range(len(shapes))]
        rest = parts[len(shapes) * kinds :]
        return [[*own[:2], *rest[2 * i : 2 * i + 2], *own[2:]] for i, own in enumerate(weights)]

    def of_onednn(self, flat: Any) -> list[list[Any]]:
        """Return torch's weights by layer and direction: all w_ih, all w_hh, all projections, all sums of the two
        biases; the rest is ignored.
        """
        out, count = self.projected or self.hidden, self.layers * self.directions
        if self.layers > 1 and self.inputs != out:
            raise RuntimeError(
                f"For 'LSTM', a CPU takes more than one layer only of as many inputs as outputs, as MindSpore's "
                f"kernel, but got {self.inputs} inputs and {out} outputs. Make an operator for each layer, or use "
                "nn.LSTM."
            )
        first: list[tuple[int, ...]] = [(4 * self.hidden, self.inputs)]
        behind: list[tuple[int, ...]] = [*self.sizes()[0][1:]]
        behind += [(4 * self.hidden,)] if self.has_bias else []
        # upper layers' w_ih take the room of both directions' outputs, though the kernel reads one direction's
        room = sum(math.prod(one[0]) for one in self.sizes())
        parts = _cut(flat, first * count) + _cut(flat[room:], [shape for shape in behind for _ in range(count)])
        each = [parts[i::count] for i in range(count)]
        if not self.has_bias:
            return each
        return [[*own[:2], own[-1], torch.zeros_like(own[-1]), *own[2:-1]] for own in each]


def _cut(flat: Any, shapes: list[Any]) -> list[Any]:
    """Return parts of these shapes, one behind the other."""
    counts = [math.prod(shape) for shape in shapes]
    parts = torch.split(flat[: sum(counts)], counts)
    return [torch.reshape(part, shape) for part, shape in zip(parts, shapes)]


@primitive
def LSTM(
    input_size: int,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
    proj_size: int = 0,
) -> _Run:
    """(output, h, c, reserve, state) of (x, h, c, w). ``w`` is flat, in the layout of the device's library.

    On a CPU: all w_ih, all w_hh, projections and sums of the two biases, by layer and direction; directions meet only
    in the output. On a GPU: w_ih and w_hh of each layer and direction in turn, then both biases of each. Inputs of
    several dtypes are computed in float32; the results have the dtype of ``x``.

    Raises:
        RuntimeError: on a CPU for several layers, if there are not as many inputs as outputs.
    """
    directions = 2 if bidirectional else 1
    layout = FlatLSTM(input_size, hidden_size, num_layers, has_bias, directions, proj_size)
    whole = sum(math.prod(shape) for one in layout.sizes() for shape in one)
    summed = whole + (4 * hidden_size * num_layers * directions if has_bias else 0)  # one bias, as only CPUs have it

    def stacks(x: Any, h: Any, c: Any, weights: list[list[Any]]) -> tuple[Any, Any, Any]:
        ends = []
        for way in range(directions):
            own = [item for one in weights[way::directions] for item in one]
            states = (h[way::directions], c[way::directions])
            seen = torch.flip(x, (0,)) if way else x
            output, *last = kernels.lstm(seen, states, own, has_bias, num_layers, 0.0, False, False, False)
            ends.append((torch.flip(output, (0,)) if way else output, *last))
        outputs, *lasts = zip(*ends)
        return torch.cat(outputs, -1), *[torch.flatten(torch.stack(last, 1), 0, 1) for last in lasts]

    def run(x: Any, h: Any, c: Any, w: Any) -> Any:
        flat, dtype = torch.reshape(w, (-1,)), x.dtype
        if not dtype == h.dtype == c.dtype == w.dtype:
            x, h, c, flat = (to_dtype(item, torch.float32) for item in (x, h, c, flat))
        if x.device.type == "cpu" or (has_bias and flat.numel() == summed):
            output, hn, cn = stacks(x, h, c, layout.of_onednn(flat))
        else:
            ordered = [item for one in layout.of_cudnn(flat) for item in one]
            output, hn, cn = kernels.lstm(x, (h, c), ordered, has_bias, num_layers, dropout, True, bidirectional, False)
        empty = torch.zeros((1, 1), dtype=dtype, device=x.device)
        return wrap((*(to_dtype(item, dtype) for item in (output, hn, cn)), empty, empty))

    return run


@primitive
def BasicLSTMCell(
    keep_prob: float = 1.0, forget_bias: float = 1.0, state_is_tuple: bool = True, activation: Literal["tanh"] = "tanh"
) -> _Run:
    """One step of an LSTM: (c, h, i, j, f, o, tanh(c)) of (x, h, c, w, b). The gates of ``w``, (inputs + hidden, 4
    hidden), are in the order i, j, f, o. ``h`` is float16, as MindSpore documents.
    """
    _only("BasicLSTMCell", keep_prob=(keep_prob, 1.0), state_is_tuple=(state_is_tuple, True))

    def run(x: Any, h: Any, c: Any, w: Any, b: Any) -> Any:
        both = torch.concat((to_dtype(x, c.dtype), to_dtype(h, c.dtype)), 1)
        gates = kernels.matmul(both, to_dtype(w, c.dtype)) + to_dtype(b, c.dtype)
        i, j, f, o = torch.chunk(gates, 4, 1)
        i, j, f, o = torch.sigmoid(i), torch.tanh(j), torch.sigmoid(f + forget_bias), torch.sigmoid(o)
        state = f * c + i * j
        shown = torch.tanh(state)
        return wrap((state, to_dtype(o * shown, torch.float16), *(item.detach() for item in (i, j, f, o, shown))))

    return run


@primitive
def CudnnGRU(
    input_size: int, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool, dropout: float
) -> _Run:
    """(output, h, reserve, state) of (x, h, w); ``w`` is flat: for each layer and direction w_ih, w_hh, then biases.

    MindSpore runs it on GPUs only.
    """
    directions, gates = 2 if bidirectional else 1, 3 * hidden_size
    shapes: list[tuple[int, ...]] = []
    for layer in range(num_layers):
        features = hidden_size * directions if layer else input_size
        shapes += [(gates, features), (gates, hidden_size)] * directions
    sizes = [math.prod(shape) for shape in shapes] + [gates] * (len(shapes) if has_bias else 0)

    def run(x: Any, h: Any, w: Any) -> Any:
        flat = torch.reshape(w, (-1,))
        parts = torch.split(flat, sizes)
        weights = [torch.reshape(part, shape) for part, shape in zip(parts, shapes)]
        ordered = []
        for first in range(0, len(shapes), 2):
            biases = parts[len(shapes) + first : len(shapes) + first + 2] if has_bias else ()
            ordered += [*weights[first : first + 2], *biases]
        output, hn = kernels.gru(x, h, ordered, has_bias, num_layers, dropout, True, bidirectional, False)
        empty = torch.zeros((1, 1), dtype=x.dtype, device=x.device)
        return wrap((output, hn, empty, empty))

    return run


@primitive
def DynamicRNN(
    cell_type: str = "LSTM",
    direction: str = "UNIDIRECTIONAL",
    cell_depth: int = 1,
    use_peephole: bool = False,
    keep_prob: float = 1.0,
    cell_clip: float = -1.0,
    num_proj: int = 0,
    time_major: bool = True,
    activation: str = "tanh",
    forget_bias: float = 0.0,
    is_training: bool = True,
) -> _Run:
    """(y, h, c, i, j, f, o, tanh c), each (time, batch, hidden), of (x, w, b, None, h, c); gates stand in the order i,
    j, f, o.

    MindSpore runs it on Ascend only; the formulas are those of its documentation.
    """
    _only(
        "DynamicRNN",
        cell_type=(cell_type, "LSTM"),
        direction=(direction, "UNIDIRECTIONAL"),
        use_peephole=(use_peephole, False),
        time_major=(time_major, True),
        activation=(activation, "tanh"),
        num_proj=(num_proj, 0),
        keep_prob=(keep_prob, 1.0),
        cell_depth=(cell_depth, 1),
    )

    def run(x: Any, w: Any, b: Any, seq_length: Any, init_h: Any, init_c: Any) -> Any:
        if seq_length is not None:
            raise NotImplementedError(
                "For 'DynamicRNN', only seq_length=None is available, as MindSpore. Mask the outputs by their lengths."
            )
        h, c = init_h[0], to_dtype(init_c[0], b.dtype)
        steps = []
        for step in torch.unbind(x, 0):
            gates = to_dtype(kernels.matmul(torch.cat((step, to_dtype(h, step.dtype)), 1), w), b.dtype) + b
            i, j, f, o = torch.chunk(gates, 4, 1)
            i, j, f, o = torch.sigmoid(i), torch.tanh(j), torch.sigmoid(f + forget_bias), torch.sigmoid(o)
            c = f * c + i * j
            if cell_clip > 0:
                c = torch.clamp(c, -cell_clip, cell_clip)
            tanh_c = torch.tanh(c)
            h = o * tanh_c
            steps.append((h, h, c, *(item.detach() for item in (i, j, f, o, tanh_c))))
        y, hs, *rest = [torch.stack(items) for items in zip(*steps)]
        return wrap((y, to_dtype(hs, init_h.dtype), *rest))

    return run


@primitive
def DynamicGRUV2(
    direction: str = "UNIDIRECTIONAL",
    cell_depth: int = 1,
    keep_prob: float = 1.0,
    cell_clip: float = -1.0,
    num_proj: int = 0,
    time_major: bool = True,
    activation: str = "tanh",
    gate_order: str = "rzh",
    reset_after: bool = True,
    is_training: bool = True,
) -> _Run:
    """(y, h, update, reset, new, hidden new), each (time, batch, hidden), of (x, w_i, w_h, b_i, b_h, None, h).

    MindSpore runs it on Ascend only; the formulas are those of its documentation.
    """
    _only(
        "DynamicGRUV2",
        direction=(direction, "UNIDIRECTIONAL"),
        time_major=(time_major, True),
        activation=(activation, "tanh"),
        num_proj=(num_proj, 0),
        reset_after=(reset_after, True),
        keep_prob=(keep_prob, 1.0),
        cell_depth=(cell_depth, 1),
        cell_clip=(cell_clip, -1.0),
    )
    check_one_of(gate_order, "gate_order", ("rzh", "zrh"), "DynamicGRUV2")

    def run(
        x: Any, weight_input: Any, weight_hidden: Any, bias_input: Any, bias_hidden: Any, seq_length: Any, init_h: Any
    ) -> Any:
        if seq_length is not None:
            raise NotImplementedError(
                "For 'DynamicGRUV2', only seq_length=None is available, as MindSpore. Mask the outputs by their "
                "lengths."
            )
        dtype = next((item.dtype for item in (bias_input, bias_hidden) if item is not None), init_h.dtype)
        h, steps = to_dtype(init_h[0] if init_h.dim() == 3 else init_h, dtype), []
        for step in torch.unbind(x, 0):
            from_input = to_dtype(kernels.matmul(step, weight_input), dtype)
            from_hidden = to_dtype(kernels.matmul(to_dtype(h, weight_hidden.dtype), weight_hidden), dtype)
            from_input = from_input if bias_input is None else from_input + bias_input
            from_hidden = from_hidden if bias_hidden is None else from_hidden + bias_hidden
            (r_i, z_i, n_i), (r_h, z_h, n_h) = torch.chunk(from_input, 3, 1), torch.chunk(from_hidden, 3, 1)
            if gate_order == "zrh":
                r_i, z_i, r_h, z_h = z_i, r_i, z_h, r_h
            r, z = torch.sigmoid(r_i + r_h), torch.sigmoid(z_i + z_h)
            n = torch.tanh(n_i + r * n_h)
            h = (1 - z) * n + z * h
            steps.append((h, h, *(item.detach() for item in (z, r, n, n_h))))
        return wrap(tuple(torch.stack(items) for items in zip(*steps)))

    return run


CudnnGRU._is_listed = False

__all__ = functions(globals())
PRIMITIVES = classes(globals())
