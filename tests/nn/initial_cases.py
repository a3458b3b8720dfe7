"""What begins with weights, and how they are told: used by ``tests/golden/make_initial_weights.py`` and
``test_initial_weights.py``.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any

import numpy as np

SEED = 5
_SHAPES = {"Dirac(2)": "[4, 2, 3]"}
_DISTRIBUTIONS = (
    "'normal'",
    "'uniform'",
    "'xavier_uniform'",
    "'xavier_normal'",
    "'he_uniform'",
    "'he_normal'",
    "'truncatednormal'",
    "'identity'",
    "Normal(0.3, 0.1)",
    "TruncatedNormal(0.2, 0.1, -0.1, 0.3)",
    "TruncatedNormal(0.2, 0.1, -3.0, -1.0)",
    "Uniform(0.2)",
    "XavierUniform(2)",
    "XavierNormal(0.5)",
    "HeUniform(0.1, 'fan_out', 'leaky_relu')",
    "HeNormal(0, 'FAN_OUT', 'relu')",
    "Sparse(0.4, 0.2)",
    "VarianceScaling(2.0, 'fan_avg', 'uniform')",
    "VarianceScaling(2.0, 'fan_out', 'truncated_normal')",
    "VarianceScaling(2.0, 'fan_in', 'untruncated_normal')",
    "Dirac(2)",
    "Constant(3)",
)
_LAYERS = """
Dense(5, 3)
Dense(5, 3, has_bias=False)
Dense(5, 3, weight_init='normal', bias_init='uniform')
Dense(5, 3, weight_init=XavierUniform(), bias_init=Normal(), dtype=mindspore.float16)
Dense(5, 3, weight_init=initializer('normal', [3, 5]))
Conv1d(4, 6, 3, has_bias=True)
Conv1dTranspose(4, 6, 3, has_bias=True)
Conv2d(4, 6, 3)
Conv2d(4, 6, 3, has_bias=True, group=2)
Conv2d(4, 6, 3, has_bias=True, weight_init='he_normal', bias_init='uniform')
Conv2dTranspose(4, 6, 3, has_bias=True, group=2)
Conv3d(4, 6, (3, 2, 1), has_bias=True)
Conv3dTranspose(4, 6, 3, has_bias=True)
Conv2dBnAct(3, 4, 3, has_bn=True, activation='relu')
DenseBnAct(3, 4, has_bn=True)
BatchNorm2d(4, gamma_init='normal', beta_init='uniform', moving_mean_init='normal', moving_var_init='uniform')
GroupNorm(2, 4, gamma_init='normal', beta_init='uniform')
InstanceNorm2d(4, gamma_init='normal', beta_init='uniform')
LayerNorm([4, 3], gamma_init='normal', beta_init='uniform')
Embedding(7, 5)
Embedding(7, 5, padding_idx=0, embedding_table=Normal(0.3))
EmbeddingLookup(7, 5)
MultiFieldEmbeddingLookup(7, 5, 3)
RNN(4, 3, 2)
RNN(4, 3, bidirectional=True, nonlinearity='relu')
LSTM(4, 3, 2, bidirectional=True)
LSTM(4, 3, has_bias=False, dtype=mindspore.float16)
GRU(4, 3, 2, dropout=0.1)
RNNCell(4, 3)
LSTMCell(4, 3, has_bias=False)
GRUCell(4, 3, dtype=mindspore.float16)
MultiheadAttention(8, 2)
MultiheadAttention(8, 2, kdim=4, vdim=6, add_bias_kv=True)
TransformerEncoderLayer(8, 2, 16)
TransformerDecoderLayer(8, 2, 16)
Transformer(8, 2, 2, 2, 16)
BiDense(3, 4, 5)
PReLU(3)
DenseThor(5, 3)
SequentialCell(Dense(3, 4), LSTM(4, 4), Dense(4, 2))
Adam(Dense(2, 2).trainable_params())
mint.nn.Linear(5, 3)
mint.nn.Linear(5, 3, weight_init='normal', bias_init='uniform')
mint.nn.Conv2d(4, 6, (3, 2), groups=2, padding_mode='reflect')
mint.nn.Conv3d(4, 6, 3, bias=False)
mint.nn.ConvTranspose2d(4, 6, 3)
mint.nn.Embedding(7, 5, padding_idx=2)
mint.nn.BatchNorm2d(4)
mint.nn.PReLU(3)
"""
CASES = [
    *(f"Parameter(initializer({init}, {_SHAPES.get(init, '[4, 6]')}, mindspore.{dtype}))"
      for init in _DISTRIBUTIONS for dtype in ("float32", "float16")),
    "Parameter(initializer(HeUniform(), [4, 3, 3, 3]))",
    "Parameter(initializer('normal', [7]))",
    "Parameter(initializer('uniform', [300, 70]))",
    "Parameter(initializer('normal', [300, 70]))",
    "Parameter(initializer('truncatednormal', [300, 71]))",
    "later(initializer('normal', [2, 3]), initializer('uniform', [3]))",
    "initializer('normal', [2, 3]).init_data(slice_index=2, shape=[4])",
    "Tensor(shape=(3,), dtype=mindspore.float64, init=Normal()).init_data()",
    "Parameter(Tensor([0.0, 0.0], mindspore.float32), name='w').clone(init='uniform')",
    "Dense(3, 2).weight.set_data(initializer('normal', [2, 3]))",
    *_LAYERS.strip().split("\n"),
]  # fmt: skip


def told(case: str, mindspore: Any) -> list[Any]:
    """What the case makes under the seed: for each Parameter the name, and a checksum of its bytes; then numpy's state,
    which tells of draws that nothing shows.
    """
    initializers = import_module(f"{mindspore.__name__}.common.initializer")

    def later(first: Any, second: Any) -> Any:
        return mindspore.ParameterTuple([mindspore.Parameter(second, name="a"), mindspore.Parameter(first, name="b")])

    names = {**vars(mindspore.nn), **{name: getattr(initializers, name) for name in initializers.__all__}}
    names.update(mindspore=mindspore, mint=mindspore.mint, Tensor=mindspore.Tensor, Parameter=mindspore.Parameter)
    mindspore.set_seed(SEED)
    made = eval(case, {**names, "later": later})
    found = made.get_parameters() if hasattr(made, "get_parameters") else made if isinstance(made, tuple) else [made]
    values = [(getattr(item, "name", "") if made is not item else "", item.asnumpy()) for item in found]
    state: Any = np.random.get_state()
    return [*((name, zlib.crc32(value.tobytes())) for name, value in values), (int(state[1][0]), state[2])]
