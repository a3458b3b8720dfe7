"""One step of a recurrent net. MindSpore: ``mindspore.nn.layer.rnn_cells``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.recurrent import LSTM
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.initializer import Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes

__all__ = ["LSTMCell", "GRUCell", "RNNCell"]


# --- steps, borrowed by libraries: (inputs, hidden, w_ih, w_hh, b_ih, b_hh) -> hidden ---------------------------------


def _rnn_tanh_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    return wrap(kernels.rnn_tanh_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh))


def _rnn_relu_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    return wrap(kernels.rnn_relu_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh))


def _gru_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    return wrap(kernels.gru_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh))


def _lstm_cell(inputs: Any, hidden: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any]:
    state, memory = kernels.lstm_cell(inputs, hidden, w_ih, w_hh, b_ih, b_hh)
    return wrap(state), wrap(memory)


def _first(shape: tuple[int, ...], dtype: Any) -> Tensor:
    """Return the initial value that `reset_parameters` replaces. As MindSpore draws it, later numbers depend on it."""
    return Tensor(np.random.randn(*shape), dtype)


class RNNCellBase(Cell):
    """``weight_ih`` (n·hidden, input), ``weight_hh`` (n·hidden, hidden), biases: uniform within ±1/sqrt(hidden)."""

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool, num_chunks: int, dtype: Any = torch.float32
    ) -> None:
        super().__init__()
        sizes(hidden_size, "hidden_size", type(self).__name__, 1)
        self.has_bias = has_bias
        self.hidden_size = hidden_size
        self.input_size = input_size
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(_first((rows, input_size), dtype))
        self.weight_hh = Parameter(_first((rows, hidden_size), dtype))
        self.bias_ih = Parameter(_first((rows,), dtype)) if has_bias else None
        self.bias_hh = Parameter(_first((rows,), dtype)) if has_bias else None
        self.reset_parameters(dtype)

    def reset_parameters(self, dtype: Any = torch.float32) -> None:
        """Draw all weights and biases anew."""
        for item in self.get_parameters():
            item.set_data(initializer(Uniform(1 / math.sqrt(self.hidden_size)), tuple(item.shape), dtype))

    def _weights(self) -> tuple[Any, Any, Any, Any]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class RNNCell(RNNCellBase):
    """h' = tanh (or relu) of (W_ih·x + b_ih + W_hh·h + b_hh): x (N, input), h (N, hidden)."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        self.nonlinearity = check_str_in(nonlinearity, "nonlinearity", ("tanh", "relu"), "RNNCell")

    def construct(self, x: Any, hx: Any) -> Any:
        return (kernels.rnn_tanh_cell if self.nonlinearity == "tanh" else kernels.rnn_relu_cell)(
            x, hx, *self._weights()
        )


class LSTMCell(RNNCellBase):
    """(h', c') of x (N, input) and the tuple (h, c), each (N, hidden); gates lie as input, forget, cell, output.

    With ``batch_first``, ``dropout`` or ``bidirectional``, as before 1.6, it is a layer: (output, h, c, reserve,
    state) of (x, h, c, w), as of `ops.LSTM`.
    """

    _is_layer = False

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = torch.float32, **old: Any
    ) -> None:
        if not old and not isinstance(dtype, int):
            super().__init__(input_size, hidden_size, has_bias, 4, dtype)
            return
        Cell.__init__(self)
        self._is_layer, self.batch_first = True, old.pop("batch_first", dtype is True)
        self.lstm = LSTM(input_size, hidden_size, 1, has_bias, **{"bidirectional": False, "dropout": 0.0, **old})

    def construct(self, x: Any, hx: Any, c: Any = None, w: Any = None) -> Any:
        if not self._is_layer:
            return kernels.lstm_cell(x, hx, *self._weights())
        output, *others = self.lstm(torch.transpose(x, 0, 1) if self.batch_first else x, hx, c, w)
        return (torch.transpose(output, 0, 1) if self.batch_first else output, *others)


class GRUCell(RNNCellBase):
    """h' of x (N, input) and h (N, hidden); gates lie as reset, update, new."""

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = torch.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Any, hx: Any) -> Any:
        return kernels.gru_cell(x, hx, *self._weights())
