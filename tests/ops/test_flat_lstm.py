"""ops.LSTM's flat weights: the device's library tells how they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._ops.recurrent import FlatLSTM
from mindspore_compat.ops import operations as P


def test_flat_weights_of_an_lstm_on_a_gpu_are_torchs() -> None:
    torch.manual_seed(0)
    lstm = torch.nn.LSTM(3, 2, 2, bidirectional=True)
    names = [
        f"{kind}_l{layer}{way}" for layer in (0, 1) for way in ("", "_reverse") for kind in ("weight_ih", "weight_hh")
    ]
    biases = [name.replace("weight", "bias") for name in names]
    flat = torch.cat([getattr(lstm, name).reshape(-1) for name in [*names, *biases]])
    ordered = [part for one in FlatLSTM(3, 2, 2, True, 2, 0).of_cudnn(flat) for part in one]
    assert all(torch.equal(one, two) for one, two in zip(ordered, lstm._flat_weights, strict=True))


#: arguments, elements of w: loss, sum of |dx|, sum of |dw|, sum of i dw[i] from MindSpore 2.10 on a CPU
FLAT = {
    (3, 2, 1, True, False, 48): (1.94617, 1.5071, 18.09843, 553.46893),
    (3, 2, 1, True, True, 96): (1.25362, 10.01388, 45.52562, 1570.48608),
    (3, 2, 1, False, True, 80): (3.48225, 8.12362, 24.20024, 106.34413),
    (2, 2, 2, True, False, 80): (1.40583, 2.76811, 28.93763, 1141.90564),
}


@pytest.mark.cpu_only("a GPU has weights of its own order")
@pytest.mark.parametrize("given", FLAT)
def test_flat_weights_of_an_lstm_on_a_cpu_are_upstreams(given: tuple[int, int, int, bool, bool, int]) -> None:
    inputs, hidden, layers, has_bias, bidirectional, count = given
    w = Tensor(np.sin(np.arange(count)).astype(np.float32).reshape(-1, 1, 1) / 2)
    x = Tensor(np.cos(np.arange(6 * inputs)).astype(np.float32).reshape(3, 2, inputs))
    state = ops.zeros((layers * (1 + bidirectional), 2, hidden), ms.float32)
    layer = P.LSTM(inputs, hidden, layers, has_bias, bidirectional, 0.9)  # the kernel drops nothing

    def loss(x: Any, w: Any) -> Any:
        output, h, c, *_ = layer(x, state, state, w)
        return (output**2).sum() + h.sum() + 2 * c.sum()

    value, (dx, dw) = ms.value_and_grad(loss, (0, 1))(x, w)
    found = (value, dx.abs().sum(), dw.abs().sum(), (dw.reshape(-1) * ops.arange(count)).sum())
    assert np.allclose([float(item) for item in found], FLAT[given], rtol=2e-5)


#: dtypes of x, h and c, w: dtype of the results, elements of the last output from MindSpore 2.10 on a CPU
MIXED = {
    (np.float16, np.float16, np.float32): (ms.float16, (0.294921875, -0.009292603, 0.025726318)),
    (np.float16, np.float32, np.float32): (ms.float16, (0.294921875, -0.009292603, 0.025726318)),
    (np.float32, np.float16, np.float32): (ms.float32, (0.294847161, -0.009290875, 0.025723523)),
    (np.float32, np.float32, np.float16): (ms.float32, (0.294659227, -0.009294324, 0.025702361)),
}


@pytest.mark.cpu_only("a GPU has weights of its own order")
@pytest.mark.parametrize("dtypes", MIXED)
def test_an_lstm_of_several_dtypes_is_computed_in_float32(dtypes: tuple[type, type, type]) -> None:
    random = np.random.RandomState(0)
    x, h, c, w = (
        random.randn(5, 2, 4),
        random.randn(1, 2, 3) * 0.1,
        random.randn(1, 2, 3) * 0.1,
        random.randn(108, 1, 1),
    )
    given = [Tensor(one.astype(dtypes[min(i, 2 if i == 3 else 1)])) for i, one in enumerate((x, h, c, w))]
    output, hn, cn, *_ = P.LSTM(4, 3, 1, True, False, 0.0)(*given)
    dtype, expected = MIXED[dtypes]
    assert output.dtype == hn.dtype == cn.dtype == dtype
    assert np.allclose(output[-1, 0].asnumpy(), expected, rtol=1e-5)
