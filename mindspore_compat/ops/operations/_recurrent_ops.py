"""Recurrent layers in class form. Part of ``operations.nn_ops``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.validate import check_one_of, check_positive_int
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import to_dtype
from mindspore_compat.ops._declare import primitive

__all__ = ["LSTM", "BasicLSTMCell", "DynamicRNN", "DynamicGRUV2"]

_Run = Callable[..., Any]


def _only(owner: str, **pairs: tuple[Any, Any]) -> None:
    """NotImplementedError unless each argument has the one value that upstream documents as supported."""
    for name, (value, wanted) in pairs.items():
        if value != wanted:
            raise NotImplementedError(
                f"For '{owner}', only {name}={wanted!r} is available, as upstream, but got {value!r}. Use nn.LSTM or "
                "nn.GRU."
            )


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
    """(output, h, c, reserve, state) of (x, h, c, w); ``w`` is flat: for each layer and direction w_ih, w_hh, then all
    biases.
    """
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
        check_positive_int(value, name, "LSTM")
    directions, out = 2 if bidirectional else 1, proj_size or hidden_size
    shapes: list[tuple[int, int]] = []
    for layer in range(num_layers):
        features = input_size if layer == 0 else out * directions
        for _ in range(directions):
            shapes += [(4 * hidden_size, features), (4 * hidden_size, out)] + (
                [(proj_size, hidden_size)] if proj_size else []
            )
    bias_size = 4 * hidden_size * num_layers * directions if has_bias else 0
    biases = [(4 * hidden_size,)] * (2 * num_layers * directions) if has_bias else []
    single = sum(rows * cols for rows, cols in shapes) + bias_size

    def run(x: Any, h: Any, c: Any, w: Any) -> Any:
        flat, start, parts = torch.reshape(w, (-1,)), 0, []
        if flat.numel() == single and has_bias:  # upstream's CPU has one bias, the sum of both
            sums = torch.reshape(flat[-bias_size:], (-1, 1, 4 * hidden_size))
            flat = torch.cat((flat[:-bias_size], torch.reshape(torch.cat((sums, torch.zeros_like(sums)), 1), (-1,))))
        for shape in [*shapes, *biases]:
            count = math.prod(shape)
            parts.append(torch.reshape(flat[start : start + count], shape))
            start += count
        each = len(shapes) // (num_layers * directions)
        ordered = []
        for i in range(num_layers * directions):
            own = parts[i * each : (i + 1) * each]
            own_biases = parts[len(shapes) + 2 * i : len(shapes) + 2 * i + 2] if has_bias else []
            ordered += [*own[:2], *own_biases, *own[2:]]
        output, hn, cn = kernels.lstm(x, (h, c), ordered, has_bias, num_layers, dropout, True, bidirectional, False)
        empty = torch.zeros((1, 1), dtype=x.dtype, device=x.device)
        return wrap((output, hn, cn, empty, empty))

    return run


@primitive
def BasicLSTMCell(
    keep_prob: float = 1.0,
    forget_bias: float = 1.0,
    state_is_tuple: bool = True,
    activation: Literal["tanh"] = "tanh",
) -> _Run:
    """One step of an LSTM: (c, h, i, j, f, o, tanh(c)) of (x, h, c, w, b), after the gates in the order i, j, f, o of
    ``w``, (inputs + hidden, 4 hidden). ``h`` is float16, as upstream says.
    """
    _only("BasicLSTMCell", keep_prob=(keep_prob, 1.0), state_is_tuple=(state_is_tuple, True))

    def run(x: Any, h: Any, c: Any, w: Any, b: Any) -> Any:
        inputs, hidden = x.shape[1], h.shape[1]
        if tuple(w.shape) != (inputs + hidden, 4 * hidden) or tuple(b.shape) != (4 * hidden,):
            raise ValueError(
                f"For 'BasicLSTMCell', 'w' must have the shape {(inputs + hidden, 4 * hidden)} and 'b' "
                f"{(4 * hidden,)}, but got {tuple(w.shape)} and {tuple(b.shape)}."
            )
        both = torch.concat((to_dtype(x, c.dtype), to_dtype(h, c.dtype)), 1)
        gates = kernels.matmul(both, to_dtype(w, c.dtype)) + to_dtype(b, c.dtype)
        i, j, f, o = torch.chunk(gates, 4, 1)
        i, j, f, o = torch.sigmoid(i), kernels.tanh(j), torch.sigmoid(f + forget_bias), torch.sigmoid(o)
        state = f * c + i * j
        shown = kernels.tanh(state)
        return wrap((state, to_dtype(o * shown, torch.float16), i, j, f, o, shown))

    return run


@primitive
def CudnnGRU(
    input_size: int, hidden_size: int, num_layers: int, has_bias: bool, bidirectional: bool, dropout: float
) -> _Run:
    """(output, h, reserve, state) of (x, h, w); ``w`` is flat: for each layer and direction w_ih, w_hh, then biases.

    Upstream runs it on GPUs only.
    """
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
        check_positive_int(value, name, "CudnnGRU")
    directions, gates = 2 if bidirectional else 1, 3 * hidden_size
    shapes: list[tuple[int, ...]] = []
    for layer in range(num_layers):
        features = hidden_size * directions if layer else input_size
        shapes += [(gates, features), (gates, hidden_size)] * directions
    sizes = [math.prod(shape) for shape in shapes] + [gates] * (len(shapes) if has_bias else 0)

    def run(x: Any, h: Any, w: Any) -> Any:
        flat = torch.reshape(w, (-1,))
        if flat.numel() != sum(sizes):
            raise ValueError(f"For 'CudnnGRU', 'w' must have {sum(sizes)} elements, but got {flat.numel()}.")
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

    Upstream runs it on Ascend only; the formulas are those of its documentation.
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
    )

    def run(x: Any, w: Any, b: Any, seq_length: Any, init_h: Any, init_c: Any) -> Any:
        if seq_length is not None:
            raise NotImplementedError(
                "For 'DynamicRNN', only seq_length=None is available, as upstream. Mask the outputs by their lengths."
            )
        h, c = init_h[0], to_dtype(init_c[0], b.dtype)
        steps = []
        for step in torch.unbind(x, 0):
            gates = to_dtype(kernels.matmul(torch.cat((step, to_dtype(h, step.dtype)), 1), w), b.dtype) + b
            i, j, f, o = torch.chunk(gates, 4, 1)
            i, j, f, o = torch.sigmoid(i), kernels.tanh(j), torch.sigmoid(f + forget_bias), torch.sigmoid(o)
            c = f * c + i * j
            if cell_clip > 0:
                c = torch.clamp(c, -cell_clip, cell_clip)
            tanh_c = kernels.tanh(c)
            h = o * tanh_c
            steps.append((h, h, c, i, j, f, o, tanh_c))
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

    Upstream runs it on Ascend only; the formulas are those of its documentation.
    """
    _only(
        "DynamicGRUV2",
        direction=(direction, "UNIDIRECTIONAL"),
        time_major=(time_major, True),
        activation=(activation, "tanh"),
        num_proj=(num_proj, 0),
        reset_after=(reset_after, True),
        keep_prob=(keep_prob, 1.0),
    )
    check_one_of(gate_order, "gate_order", ("rzh", "zrh"), "DynamicGRUV2")

    def run(
        x: Any, weight_input: Any, weight_hidden: Any, bias_input: Any, bias_hidden: Any, seq_length: Any, init_h: Any
    ) -> Any:
        if seq_length is not None:
            raise NotImplementedError(
                "For 'DynamicGRUV2', only seq_length=None is available, as upstream. Mask the outputs by their lengths."
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
            n = kernels.tanh(n_i + r * n_h)
            h = (1 - z) * n + z * h
            steps.append((h, h, z, r, n, n_h))
        return wrap(tuple(torch.stack(items) for items in zip(*steps)))

    return run
