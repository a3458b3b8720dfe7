"""What the recurrent layers of `rnns.py` hold as ``rnn``: torch's kernels over sequences, whole or of a length each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._tracing import is_tracing, not_traced
from mindspore_compat.nn.cell import Cell

__all__ = ["RECURRENCES"]


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
        return output, state if seq_length is None else (state[0][0], state[1][0])  # upstream's axes

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
        """``count`` layers, between which torch drops a share of ``dropout``."""
        options = (has_bias, count, dropout, dropout > 0, bidirectional)
        if seq_length is not None:
            if is_tracing():  # packed sequences have lengths that depend on values
                return not_traced(self._ragged, x, hx, seq_length, weights, options, batch_first)
            return self._ragged(x, hx, seq_length, weights, options, batch_first)
        output, *state = type(self).kernel(x, hx, weights, *options, batch_first)
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
        output, *ends = type(self).kernel(data, sizes, starts if self.is_lstm else starts[0], weights, *options)
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


#: mode -> the Cell of upstream's name
RECURRENCES = {
    "LSTM": _DynamicLSTMCPUGPU,
    "GRU": _DynamicGRUCPUGPU,
    "RNN_TANH": _DynamicRNNTanh,
    "RNN_RELU": _DynamicRNNRelu,
}
