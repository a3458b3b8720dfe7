"""Recurrent layers compute with the weights that a program assigns, whatever the Parameters are called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, context, nn, ops
from mindspore_compat.nn.layer.rnns import _DynamicRNNBase

LISTS = ("w_ih_list", "w_hh_list", "b_ih_list", "b_hh_list")


@pytest.mark.parametrize("kind", [tuple, list, ParameterTuple])
@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_assigned_weights_are_used(kind: Any, layer: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    ms.set_seed(1)
    x = Tensor(np.random.RandomState(0).randn(3, 2, 4), ms.float32)
    source, target = (layer(4, 5, num_layers=2, bidirectional=True) for _ in range(2))
    expected = source(x)[0].asnumpy()
    assert not np.allclose(target(x)[0].asnumpy(), expected)
    for name in LISTS:
        given = [Parameter(item.asnumpy(), name=f"other.{item.name}") for item in getattr(source, name)]
        setattr(target, name, kind(given))
    np.testing.assert_allclose(target(x)[0].asnumpy(), expected, rtol=1e-6)
    weights = [item for name in LISTS for item in getattr(target, name)]
    gradients = ms.grad(lambda x: target(x)[0].sum(), None, ParameterTuple(weights))(x)
    assert all(gradient.asnumpy().any() for gradient in gradients)


@pytest.mark.parametrize(
    ("layer", "name", "rank"),
    [(nn.LSTM, "_DynamicLSTMCPUGPU", 3), (nn.GRU, "_DynamicGRUCPUGPU", 2), (nn.RNN, "_DynamicRNNTanh", 2)],
)
def test_upstreams_cells_are_in_them(layer: Any, name: str, rank: int) -> None:
    np.random.seed(0)
    cell = layer(3, 5, 2, dropout=0.5).set_train()
    assert [item for item, _ in cell.cells_and_names()] == ["", "rnn", "dropout_op"]
    assert f"(rnn): {name}()" in repr(cell) and "(dropout_op): Dropout(p=0.5)" in repr(cell)
    x = ms.Tensor(np.random.RandomState(0).randn(4, 2, 3).astype(np.float32))
    whole = cell.set_train(False)(x)[0].asnumpy()
    cell.set_train().dropout_op.set_train(False)  # what is dropped is its to say
    np.testing.assert_allclose(cell(x)[0].asnumpy(), whole, rtol=1e-5)
    cell.set_train()
    ms.set_seed(0)
    assert not np.allclose(cell(x)[0].asnumpy(), whole, rtol=1e-3)
    cell.dropout_op.p = 0.0
    np.testing.assert_allclose(cell(x)[0].asnumpy(), whole, rtol=1e-5)

    one = layer(3, 5)
    start = ms.Tensor(np.zeros((2, 5), np.float32))
    weights = [item[0] for item in (one.w_ih_list, one.w_hh_list, one.b_ih_list, one.b_hh_list)]
    state: Any = (start, start) if layer is nn.LSTM else start
    base = _DynamicRNNBase(one._mode)  # TensorLayerX computes by it
    for lengths in (None, ms.Tensor([4, 2], ms.int32)):
        found, end = one.rnn(x, state, lengths, *weights)
        based, ended = base(x, state, lengths, *weights)
        ended = ended if layer is nn.LSTM else (ended,)
        np.testing.assert_array_equal(based.asnumpy(), found.asnumpy())
        assert [tuple(item.shape) for item in ended] == [(2, 5)] * len(ended)
        np.testing.assert_array_equal(ended[0].asnumpy(), (end[0] if layer is nn.LSTM else end).asnumpy().reshape(2, 5))
        expected, last = one(x, None, lengths)
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), 1e-6, 1e-7)  # kernels by where weights lie
        end, last = (end[1], last[1]) if layer is nn.LSTM else (end, last)
        assert end.dim() == (rank if lengths is None else 2)
        np.testing.assert_allclose(end.asnumpy().reshape(2, 5), last.asnumpy().reshape(2, 5), 1e-6, 1e-7)


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
@pytest.mark.parametrize("batch_first", [False, True])
def test_an_lstm_cell_of_before_1_6_is_a_layer(mode: int, batch_first: bool) -> None:
    class Stack(nn.Cell):
        """Layers with their weights beside them, as the tutorials of 1.x have them."""

        def __init__(self) -> None:
            super().__init__()
            random = np.random.default_rng(0)
            settings = {"has_bias": True, "batch_first": batch_first, "bidirectional": True, "dropout": 0.0}
            self.lstms = [nn.LSTMCell(input_size=size, hidden_size=4, **settings) for size in (3, 8)]
            sizes = [(size + 4) * 2 * 16 + 2 * 16 for size in (3, 8)]
            values = [random.uniform(-0.5, 0.5, (size, 1, 1)).astype(np.float32) for size in sizes]
            self.weight = ParameterTuple([Parameter(Tensor(value), f"weight{i}") for i, value in enumerate(values)])
            self.dense = nn.Dense(8, 2)

        def construct(self, x: Any, h: Any) -> Any:
            for layer, weight in zip(self.lstms, self.weight):
                x, hn, cn, _, _ = layer(x, h, h, weight)
            return self.dense(x).sum() + hn.sum() + cn.sum()

    context.set_context(mode=mode)
    net, h = Stack(), Tensor(np.zeros((2, 5, 4), np.float32))
    x = np.random.default_rng(1).standard_normal((7, 5, 3)).astype(np.float32)
    given = Tensor(x.transpose(1, 0, 2) if batch_first else x)
    output = net.lstms[0](given, h, h, net.weight[0])[0].asnumpy()
    expected = ops.LSTM(3, 4, 1, True, True, 0.0)(Tensor(x), h, h, net.weight[0])[0].asnumpy()
    np.testing.assert_array_equal(output.transpose(1, 0, 2) if batch_first else output, expected)
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01)).set_train()
    losses = [float(step(given, h).asnumpy()) for _ in range(5)]
    assert losses == sorted(losses, reverse=True) and losses[4] < losses[0]
