"""Layers of real MindSpore with their parameters, an input and the output: `<a MindSpore interpreter>
make_torch_twins.py`.
"""

from pathlib import Path

import numpy as np
from mindspore import Tensor, nn


def _random(*shape: int) -> Tensor:
    return Tensor(np.random.randn(*shape).astype(np.float32))


def main() -> None:
    np.random.seed(0)
    sequence, attention = _random(5, 2, 4), _random(5, 2, 8)
    cases = {
        "LSTM": (nn.LSTM(4, 3, 2, bidirectional=True), sequence),
        "GRU": (nn.GRU(4, 3, 2), sequence),
        "RNN": (nn.RNN(4, 3, 1), sequence),
        "Conv2dTranspose": (
            nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode="pad", padding=1, has_bias=True),
            _random(2, 4, 6, 6),
        ),
        "PReLU": (nn.PReLU(4), _random(2, 4, 6, 6)),
        "GroupNorm": (nn.GroupNorm(2, 4), _random(2, 4, 6, 6)),
        "LayerNorm": (nn.LayerNorm((4,)), _random(2, 4)),
        "Dense": (nn.Dense(4, 3), _random(2, 4)),
        "Embedding": (nn.Embedding(5, 4), Tensor(np.array([[1, 4]], np.int32))),
        "Conv1d": (nn.Conv1d(4, 3, 3, pad_mode="valid", has_bias=True), _random(2, 4, 9)),
        "Conv1dTranspose": (nn.Conv1dTranspose(4, 3, 3, pad_mode="valid", has_bias=True), _random(2, 4, 9)),
        "Conv3d": (nn.Conv3d(2, 3, 3, pad_mode="valid", has_bias=True), _random(1, 2, 5, 5, 5)),
        "BatchNorm2d": (nn.BatchNorm2d(4), _random(2, 4, 3, 3)),
        "BatchNorm3d": (nn.BatchNorm3d(4), _random(2, 4, 3, 3, 3)),
        "MultiheadAttention": (nn.MultiheadAttention(8, 2), attention, attention, attention),
        "TransformerEncoderLayer": (nn.TransformerEncoderLayer(8, 2, 16), attention),
    }
    arrays = {}
    for name, (layer, *inputs) in cases.items():
        net = nn.SequentialCell(layer)  # so that the parameters have the names that they have inside a network
        net.set_train(False)
        for parameter in net.get_parameters():
            values = np.random.randn(*parameter.shape).astype(np.float32) * 0.3
            parameter.set_data(Tensor(np.abs(values) + 0.5 if "variance" in parameter.name else values))
            arrays[f"{name}|{parameter.name}"] = parameter.asnumpy()
        output = layer(*inputs)
        while isinstance(output, tuple):
            output = output[0]
        arrays |= {f"{name}|in{number}": item.asnumpy() for number, item in enumerate(inputs)} | {
            f"{name}|out": output.asnumpy()
        }
    np.savez_compressed(Path(__file__).parent / "torch_twins.npz", **arrays)


if __name__ == "__main__":
    main()
