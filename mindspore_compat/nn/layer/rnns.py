"""Recurrent layers. MindSpore: ``mindspore.nn.layer.rnns``. Gates lie in torch's order, so torch's fused kernels run
them.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.random import draws_by_engine
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat._tensor.tracing import is_tracing, not_traced
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes
from mindspore_compat.nn.layer.basic import Dropout

__all__ = ["LSTM", "GRU", "RNN"]


class _Recurrence(Cell):
    """One layer in one direction: (x, h_0, seq_length, w_ih, w_hh, b_ih, b_hh) to (outputs, last state)."""

    gates = 1
    is_lstm = False
    kernel: Callable[..., Any]

    def construct(self, x: Any, h_0: Any, seq_length: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
        weights = [item.to(x.dtype) for item in (w_ih, w_hh, b_ih, b_hh) if item is not None]
        start = tuple(torch.unsqueeze(item, 0) for item in (h_0 if self.is_lstm else (h_0,)))
        hx = start if self.is_lstm else start[0]
        output, state = self.layers(x, hx, seq_length, weights, 1, False, b_ih is not None, False, 0.0)
        if not self.is_lstm:
            return output, state[0]
        return output, state if seq_length is None else (state[0][0], state[1][0])  # MindSpore's axes

    def layers(
        self,
        x: Any,
        hx: Any,
        seq_length: Any,
        weights: list[Any],
        count: int,
        batch_first: bool,
        has_bias: bool,
        bidirectional: bool,
        dropout: float,
    ) -> Any:
        """Return ``count`` layers, between which torch drops a share of ``dropout``."""
        options = (has_bias, count, dropout, dropout > 0, bidirectional)
        if seq_length is not None:
            if is_tracing():  # packed sequences have lengths that depend on values
                return not_traced(self._ragged, x, hx, seq_length, weights, options, batch_first)
            return self._ragged(x, hx, seq_length, weights, options, batch_first)
        output, *state = self.kernel(x, hx, weights, *options, batch_first)
        return output, (tuple(state) if self.is_lstm else state[0])

    def _ragged(
        self, x: Any, hx: Any, seq_length: Any, weights: list[Any], options: tuple[Any, ...], batch_first: bool
    ) -> Any:
        if batch_first:
            x = torch.transpose(x, 0, 1)
        steps, lengths = x.shape[0], seq_length.detach().to("cpu", torch.int64)
        # Packed sequences are sorted by length and have at least one step; empty ones are put right afterwards.
        ranked, order = torch.sort(lengths.clamp(min=1, max=steps), descending=True)
        order, back = order.to(x.device), torch.argsort(order).to(x.device)
        data, sizes = torch._pack_padded_sequence(torch.index_select(x, 1, order), ranked, False)
        states = hx if self.is_lstm else (hx,)
        starts = tuple(torch.index_select(item, 1, order) for item in states)
        output, *ends = self.kernel(data, sizes, starts if self.is_lstm else starts[0], weights, *options)
        output = torch.index_select(torch._pad_packed_sequence(output, sizes, False, 0.0, steps)[0], 1, back)
        ends = [torch.index_select(item, 1, back) for item in ends]
        if bool((lengths <= 0).any()):
            alive = torch.reshape((lengths > 0).to(x.device), (1, -1, 1))
            output = torch.where(alive, output, torch.zeros_like(output))
            ends = [torch.where(alive, end, start) for end, start in zip(ends, states)]
        if batch_first:
            output = torch.transpose(output, 0, 1)
        return output, (tuple(ends) if self.is_lstm else ends[0])


class _DynamicLSTMCPUGPU(_Recurrence):
    gates, is_lstm, kernel = 4, True, staticmethod(kernels.lstm)


class _DynamicGRUCPUGPU(_Recurrence):
    gates, kernel = 3, staticmethod(kernels.gru)


class _DynamicRNNTanh(_Recurrence):
    kernel = staticmethod(kernels.rnn_tanh)


class _DynamicRNNRelu(_Recurrence):
    kernel = staticmethod(kernels.rnn_relu)


#: mode -> the Cell of MindSpore's name
RECURRENCES = {
    "LSTM": _DynamicLSTMCPUGPU,
    "GRU": _DynamicGRUCPUGPU,
    "RNN_TANH": _DynamicRNNTanh,
    "RNN_RELU": _DynamicRNNRelu,
}


class _DynamicRNNBase(_Recurrence):
    """The recurrence of a mode of ``RECURRENCES``. Its LSTM states have no leading axis."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        if mode not in RECURRENCES:
            raise ValueError(f"Unrecognized RNN mode: {mode}")
        self.gates, self.is_lstm = RECURRENCES[mode].gates, mode == "LSTM"
        self.kernel = RECURRENCES[mode].kernel

    def construct(self, x: Any, h: Any, seq_length: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
        output, state = super().construct(x, h, seq_length, w_ih, w_hh, b_ih, b_hh)
        return output, tuple(item[0] for item in state) if self.is_lstm and seq_length is None else state


_log = logging.getLogger("mindspore_compat")
_LISTS = ("w_ih_list", "w_hh_list", "b_ih_list", "b_hh_list")


class _RNNBase(Cell):
    """``num_layers`` layers over (L, N, input), or (N, L, input) with ``batch_first``.

    Called with (x, hx=None, seq_length=None); the start state has shape (layers·directions, N, hidden). With
    ``seq_length`` (N,) outputs behind a sequence's end are zero and its final state is that of its last step.
    Parameters are named ``weight_ih_l0``, ``weight_hh_l0``, ``bias_ih_l0``, ``bias_hh_l0``, with ``_reverse`` for the
    backward direction.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        sizes((input_size, hidden_size, num_layers), "input_size, hidden_size, num_layers", type(self).__name__, 3)
        self.hidden_size = hidden_size
        self.input_size = input_size
        self.num_layers = num_layers
        self.has_bias = has_bias
        self.batch_first = batch_first
        self.bidirectional = bidirectional
        if dropout > 0 and num_layers == 1:
            _log.warning(
                "'%s' applies dropout after all layers but the last: dropout=%s has no effect with num_layers=1.",
                type(self).__name__,
                dropout,
            )
        self.dropout, self.is_lstm = float(dropout), mode == "LSTM"
        self.rnn = RECURRENCES[mode]()
        self.dropout_op = Dropout(p=float(dropout))
        self._mode = mode
        self._add_weights(self.rnn.gates * hidden_size, dtype)

    def _add_weights(self, rows: int, dtype: Any) -> None:
        bound, directions = 1 / math.sqrt(self.hidden_size), 2 if self.bidirectional else 1
        lists: dict[str, list[Parameter]] = {"weight_ih": [], "weight_hh": [], "bias_ih": [], "bias_hh": []}
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * directions
            for direction in range(directions):
                shapes = {
                    "weight_ih": (rows, width),
                    "weight_hh": (rows, self.hidden_size),
                    "bias_ih": (rows,),
                    "bias_hh": (rows,),
                }
                for kind, shape in shapes.items():
                    if self.has_bias or kind.startswith("weight"):
                        name = f"{kind}_l{layer}{'_reverse' if direction else ''}"
                        drawn = np.random.uniform(-bound, bound, shape).astype(np.float32)  # as MindSpore draws them
                        lists[kind].append(Parameter(Tensor(drawn, dtype), name=name))
        self.w_ih_list, self.w_hh_list = ParameterTuple(lists["weight_ih"]), ParameterTuple(lists["weight_hh"])
        self.b_ih_list, self.b_hh_list = ParameterTuple(lists["bias_ih"]), ParameterTuple(lists["bias_hh"])
        self._find_weights()

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, ParameterTuple(value) if name in _LISTS and type(value) in (list, tuple) else value)
        if name in _LISTS and "_order" in self.__dict__:
            self._find_weights()

    def _find_weights(self) -> None:
        """Find the names of the weights in the lists, in torch's order: all of one layer and direction next to each
        other. Lists that a program assigns hold Parameters of any name.
        """
        names = {id(parameter): name for name, parameter in self.__dict__["_parameters"].items()}
        lists = [getattr(self, name) for name in (_LISTS if self.has_bias else _LISTS[:2])]
        self.__dict__["_order"] = [names[id(parameter)] for group in zip(*lists) for parameter in group]

    def construct(self, x: Any, hx: Any = None, seq_length: Any = None) -> Any:
        batch = x.shape[0 if self.batch_first else 1]
        if seq_length is not None:
            check_indices(seq_length)
            if seq_length.shape[0] != batch:
                raise ValueError(f"The 'seq_length' must have {batch} elements, one for each sequence.")
        if hx is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            start = torch.zeros((count, batch, self.hidden_size), dtype=x.dtype, device=x.device)
            hx = (start, start) if self.is_lstm else start
        own = self.__dict__["_parameters"]
        weights = [own[name] if own[name].dtype is x.dtype else own[name].to(x.dtype) for name in self._order]
        if x.device.type == "cuda" and weights[0].device == x.device and not is_tracing():
            self._flatten(weights)
        rate = self._rate() if self.dropout and self.num_layers > 1 else 0.0
        if rate and draws_by_engine(self.dropout_op._stream, x):
            return self._layer_by_layer(x, hx, seq_length, weights)
        return self.rnn.layers(
            x, hx, seq_length, weights, self.num_layers, self.batch_first, self.has_bias, self.bidirectional, rate
        )

    def _rate(self) -> float:
        """Return the dropout rate of ``dropout_op``, a layer with a mode of its own, between layers."""
        op = self.dropout_op
        return op._rate if op.training and op.p != 0 and op.keep_prob != 1 else 0.0

    def _layer_by_layer(self, x: Any, hx: Any, seq_length: Any, weights: list[Any]) -> Any:
        """Run each layer by itself, with MindSpore's dropout between them."""
        if self.batch_first:
            x = torch.transpose(x, 0, 1)
        count, ends = len(weights) // self.num_layers, []
        states = [torch.chunk(state, self.num_layers) for state in (hx if self.is_lstm else (hx,))]
        for layer in range(self.num_layers):
            x = self.dropout_op(x) if layer else x
            start = tuple(state[layer] for state in states) if self.is_lstm else states[0][layer]
            own = weights[layer * count : (layer + 1) * count]
            x, end = self.rnn.layers(x, start, seq_length, own, 1, False, self.has_bias, self.bidirectional, 0.0)
            ends.append(end if self.is_lstm else (end,))
        state = tuple(torch.cat(parts) for parts in zip(*ends))
        return torch.transpose(x, 0, 1) if self.batch_first else x, state if self.is_lstm else state[0]

    def _flatten(self, weights: list[Any]) -> None:
        """Put the weights into one block of memory, as cuDNN needs; otherwise it copies them at each call."""
        pointers = [weight.data_ptr() for weight in weights]
        if pointers == self.__dict__.get("_flat"):
            return
        if not torch.backends.cudnn.is_acceptable(weights[0]) or any(
            weight is not self.__dict__["_parameters"][name] for name, weight in zip(self._order, weights)
        ):
            return  # no cuDNN, or copies of another dtype
        with torch.cuda.device_of(weights[0]), torch.no_grad():
            torch._cudnn_rnn_flatten_weight(
                weights,
                4 if self.has_bias else 2,
                self.input_size,
                torch.backends.cudnn.rnn.get_cudnn_mode(self._mode),
                self.hidden_size,
                0,
                self.num_layers,
                self.batch_first,
                self.bidirectional,
            )
        self.__dict__["_flat"] = [weight.data_ptr() for weight in weights]


class RNN(_RNNBase):
    """h' = tanh (or relu with ``nonlinearity="relu"``) of (W_ih·x + b_ih + W_hh·h + b_hh) at each step."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        nonlinearity = kwargs.pop("nonlinearity", "tanh")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)


class GRU(_RNNBase):
    """Gated recurrent units; the state is one Tensor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)


class LSTM(_RNNBase):
    """Long short-term memory; the state is the tuple (h, c)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)
