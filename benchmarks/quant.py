"""Accuracy of quantization-aware training: LeNet-5 and a small MobileNetV2 on scikit-learn's digits, to the int8 file
in onnxruntime.

    python benchmarks/quant.py [lenet mobilenetv2]

Needs scikit-learn, onnx and onnxruntime. For each network and converter: accuracy in floats, right after the conversion
(ranges as they begin, without a step of training), after fine-tuning, and of the exported ONNX file; how many steps of
the last grid the file's outputs are off the fine-tuned network's; and which operators onnxruntime runs. One thread;
about four minutes.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
import mindspore_compat as mindspore
from mindspore_compat import Tensor, nn, ops
from mindspore_compat.compression.quant import QuantizationAwareTraining
from mindspore_compat.train.quant import convert_quant_network, export

_TEST, _BATCH = 397, 50
_PER_CHANNEL = {"per_channel": [True, False], "symmetric": [True, False]}
CONVERTERS = {
    "convert_quant_network": lambda net: convert_quant_network(net, **_PER_CHANNEL),
    "QuantizationAwareTraining": lambda net: QuantizationAwareTraining(**_PER_CHANNEL).quantize(net),
}


class LeNet5(nn.Cell):
    """LeNet-5 over (N, 1, 32, 32), of the layers that the converters replace."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2dBnAct(1, 6, 5, pad_mode="valid", activation="relu")
        self.conv2 = nn.Conv2dBnAct(6, 16, 5, pad_mode="valid", activation="relu")
        self.fc1 = nn.DenseBnAct(16 * 5 * 5, 120, activation="relu")
        self.fc2 = nn.DenseBnAct(120, 84, activation="relu")
        self.fc3 = nn.DenseBnAct(84, 10)
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x: Tensor) -> Tensor:
        x = self.pool(self.conv2(self.pool(self.conv1(x))))
        return self.fc3(self.fc2(self.fc1(self.flatten(x))))


def _conv(
    inside: int, outside: int, kernel: int, stride: int = 1, group: int = 1, activation: str | None = "relu"
) -> nn.Cell:
    return nn.Conv2dBnAct(
        inside,
        outside,
        kernel,
        stride,
        "pad",
        kernel // 2,
        group=group,
        weight_init="he_uniform",
        has_bn=True,
        momentum=0.9,
        activation=activation,
    )


class InvertedResidual(nn.Cell):
    """A 1×1 convolution that widens, one for each channel, one that narrows; the input is added where shapes allow."""

    def __init__(self, inside: int, outside: int, stride: int, widen: int) -> None:
        super().__init__()
        wide = inside * widen
        self.conv = nn.SequentialCell(
            [_conv(inside, wide, 1), _conv(wide, wide, 3, stride, wide), _conv(wide, outside, 1, activation=None)]
        )
        self.adds = stride == 1 and inside == outside
        self.add = ops.TensorAdd()

    def construct(self, x: Tensor) -> Tensor:
        return self.add(self.conv(x), x) if self.adds else self.conv(x)


class MobileNetV2(nn.Cell):
    """Six blocks over (N, 1, 16, 16)."""

    def __init__(self) -> None:
        super().__init__()
        blocks = [
            InvertedResidual(*row)
            for row in ((8, 8, 1, 2), (8, 16, 2, 4), (16, 16, 1, 4), (16, 24, 2, 4), (24, 24, 1, 4), (24, 24, 1, 4))
        ]
        self.features = nn.SequentialCell([_conv(1, 8, 3), *blocks, _conv(24, 64, 1)])
        self.mean = ops.ReduceMean()
        self.head = nn.DenseBnAct(64, 10)

    def construct(self, x: Tensor) -> Tensor:
        return self.head(self.mean(self.features(x), (2, 3)))


NETWORKS = {
    "lenet": (LeNet5, 4, 20, 6),
    "mobilenetv2": (MobileNetV2, 2, 12, 4),
}  # class, enlargement of the 8×8 digits, epochs, more epochs


def digits(times: int) -> tuple[np.ndarray, np.ndarray]:
    """Images of pixels from 0 to 255 divided by 255, each pixel enlarged, and their labels; shuffled."""
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    images = np.kron(np.round(data.images[order, None] * 255 / 16) / 255, np.ones((times, times)))
    return images.astype(np.float32), data.target[order].astype(np.int32)


def train(net: nn.Cell, images: np.ndarray, labels: np.ndarray, epochs: int, rate: float) -> None:
    """Adam on batches of 50, in an order of its own for each epoch."""
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), rate)).set_train()
    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(len(images))
        for start in range(0, len(order) - _BATCH + 1, _BATCH):
            rows = order[start : start + _BATCH]
            step(Tensor(images[rows]), Tensor(labels[rows]))
    net.set_train(False)


def accuracy(logits: np.ndarray, labels: np.ndarray) -> float:
    """In percent."""
    return float((logits.argmax(1) == labels).mean() * 100)


def run_file(path: str, images: np.ndarray) -> tuple[np.ndarray, collections.Counter[str]]:
    """What onnxruntime computes from the file, and the operators of the graph that it makes of it."""
    import onnx
    import onnxruntime

    onnx.checker.check_model(path)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.optimized_model_filepath = f"{path}.optimized.onnx"
    # Without this, processors without VNNI add up pairs of uint8 × int8 in 16 bits, which may overflow.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    found = session.run(None, {session.get_inputs()[0].name: images})[0]
    return found, collections.Counter(node.op_type for node in onnx.load(options.optimized_model_filepath).graph.node)


def measure(name: str, converter: str) -> dict[str, Any]:
    """One row of the table."""
    make, times, epochs, more = NETWORKS[name]
    images, labels = digits(times)
    test, test_labels, images, labels = images[:_TEST], labels[:_TEST], images[_TEST:], labels[_TEST:]
    mindspore.set_seed(1)
    net, row = make(), {}

    def now() -> float:
        return accuracy(net(Tensor(test)).asnumpy(), test_labels)

    train(net, images, labels, epochs, 2e-3)
    train(net, images, labels, more, 5e-4)  # so that what follows is no better for its lower rate
    row["float"] = now()
    net = CONVERTERS[converter](net)
    row["converted"] = now()
    train(net, images, labels, more, 5e-4)
    row["fine-tuned"] = now()
    wanted = net(Tensor(test)).asnumpy()
    with tempfile.TemporaryDirectory() as folder:
        export(net, Tensor(test), file_name=f"{folder}/net", file_format="ONNX", mean=0, std_dev=255)
        found, row["operators"] = run_file(f"{folder}/net.onnx", test)
        row["bytes"] = Path(f"{folder}/net.onnx").stat().st_size
    row["int8 file"] = accuracy(found, test_labels)
    last = net.fc3 if name == "lenet" else net.head
    steps = np.round(np.abs(found - wanted) / float(last.activation.fake_quant_act.grid().scale))
    row["off"] = ", ".join(f"{(steps == count).mean():.2%} by {count:.0f}" for count in np.unique(steps))
    return row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("networks", nargs="*", default=list(NETWORKS))
    torch.set_num_threads(1)
    print("| network | converter | float | converted | fine-tuned | int8 file | outputs off, in steps | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    operators = {}
    for name in parser.parse_args().networks:
        for converter in CONVERTERS:
            start = time.perf_counter()
            row = measure(name, converter)
            figures = " | ".join(f"{row[key]:.2f} %" for key in ("float", "converted", "fine-tuned", "int8 file"))
            print(
                f"| {name} | {converter} | {figures} | {row['off']} | {time.perf_counter() - start:.0f} |", flush=True
            )
            operators[name, converter] = row["operators"]
    for (name, converter), counts in operators.items():
        print(f"\n{name}, {converter}: " + ", ".join(f"{count} {operator}" for operator, count in counts.most_common()))


if __name__ == "__main__":
    main()
