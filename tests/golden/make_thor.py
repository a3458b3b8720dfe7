"""Writes thor.npz: what real MindSpore's thor computes for tests/thor/networks.py. Run: ORACLE_PYTHON
tests/golden/make_thor.py [TARGET]

Its thor.py has no CPU kernels for three primitives; they are replaced by Cells here (docs/design/thor.md), everything
else is upstream's:

- CholeskyTrsm(split_dim): the inverse of each block's lower Cholesky factor; of an embedding's G, which upstream
  multiplies by itself untransposed, the symmetric root of the inverse, so that the product is the inverse that was
  meant;
- UpdateThorGradient: G⁻¹ g A⁻¹ by blocks;
- ThorIm2Col: patches (C, kh, kw, N, h, w), padded as "same".

Keys: ``CASE|OPTION|NAME``: the weight after four steps with flags T, F, F, T (of "conv" the large ones as every seventh
value); ``CASE|factor|NAME``: factors after the first step; ``index``: a JSON text of names, shapes and the classes of
errors.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

os.environ.setdefault("GLOG_v", "3")
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")
os.environ.setdefault("DNNL_MAX_CPU_ISA", "AVX2")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "thor"))

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.nn.layer import thor_layer
from mindspore.nn.optim import thor as thor_function  # noqa: F401
from mindspore.train.train_thor import convert_utils
from networks import BATCH, CASES, DAMPINGS, FLAGS, OPTIONS, RATES, make_cell, make_data, make_weights

thor_module = sys.modules["mindspore.nn.optim.thor"]
STRIDE = 7  # of the large weights that are kept


class CholeskyTrsm(nn.Cell):
    def __init__(self, split_dim=0):
        super().__init__()
        self.split = split_dim

    def construct(self, x):
        x = x.asnumpy().astype(np.float64)
        size = len(x)
        if self.split == 0:
            values, vectors = np.linalg.eigh(x)
            return Tensor((vectors / np.sqrt(values) @ vectors.T).astype(np.float32))
        width = min(size, self.split)
        blocks = []
        for start in range(0, size, width):
            block = np.eye(width)
            part = x[start : start + width, start : start + width]
            block[: len(part), : len(part)] = part
            blocks.append(np.linalg.inv(np.linalg.cholesky(block)))
        return Tensor(np.stack(blocks).astype(np.float32))


class UpdateThorGradient(nn.Cell):
    def __init__(self, split_dim=0):
        super().__init__()

    def construct(self, left, gradient, right):
        left, gradient, right = (item.asnumpy().astype(np.float64) for item in (left, gradient, right))
        rows, columns = gradient.shape
        m, k = left.shape[-1], right.shape[-1]
        padded = np.zeros((len(left) * m, right.shape[1] * k))
        padded[:rows, :columns] = gradient
        for i in range(len(left)):
            for j in range(right.shape[1]):
                part = padded[i * m : (i + 1) * m, j * k : (j + 1) * k]
                padded[i * m : (i + 1) * m, j * k : (j + 1) * k] = left[i] @ part @ right[i, j]
        return Tensor(padded[:rows, :columns].astype(np.float32))


class ThorIm2Col(nn.Cell):
    def __init__(self, kernel_size, stride, pad_mode):
        super().__init__()
        self.kernel, self.stride = kernel_size, tuple(stride)[-2:]

    def construct(self, x):
        x = x.asnumpy()
        (kh, kw), (sh, sw) = self.kernel, self.stride
        height, width = -(-x.shape[2] // sh), -(-x.shape[3] // sw)
        down, right = max(0, (height - 1) * sh + kh - x.shape[2]), max(0, (width - 1) * sw + kw - x.shape[3])
        x = np.pad(x, ((0, 0), (0, 0), (down // 2, down - down // 2), (right // 2, right - right // 2)))
        out = np.zeros((x.shape[1], kh, kw, x.shape[0], height, width), np.float32)
        for i in range(kh):
            for j in range(kw):
                part = x[:, :, i : i + (height - 1) * sh + 1 : sh, j : j + (width - 1) * sw + 1 : sw]
                out[:, i, j] = part.transpose(1, 0, 2, 3)
        return Tensor(out)


def patch():
    thor_module.P.CholeskyTrsm, thor_module.P.UpdateThorGradient = CholeskyTrsm, UpdateThorGradient
    thor_layer.ThorIm2Col = ThorIm2Col
    # Dense would compute in float16 otherwise
    convert_utils.context = SimpleNamespace(get_context=lambda name: "GPU")


def make_net(case):
    net, start = make_cell(case, nn, ops), make_weights(case)
    for parameter in net.get_parameters():
        if parameter.name in start:
            parameter.set_data(Tensor(start[parameter.name]))
    return net


def make_optimizer(case, net, filter="", **options):
    if filter:
        options["decay_filter"] = lambda item: filter not in item.name
    return nn.thor(net, Tensor(RATES[case]), Tensor(DAMPINGS), 0.9, batch_size=BATCH, frequency=3, **options)


def run(case, option, out, index):
    settings = OPTIONS[option]
    net = make_net(case)
    optimizer = make_optimizer(case, net, **settings)
    for name, value in make_weights(case).items():  # the bias of a convolution is lost in conversion
        {item.name: item for item in net.get_parameters()}[name].set_data(Tensor(value))
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(True, "mean")),
        optimizer,
        sens=settings.get("loss_scale", 1.0),
    )
    step.set_train()
    losses = []
    for number, flag in enumerate(FLAGS):
        step.add_flags_recursive(thor=flag)
        x, y = make_data(case, number)
        losses.append(float(step(Tensor(x), Tensor(y)).asnumpy()))
        if number == 0 and option == "plain":
            for parameter in net.get_parameters():
                if "matrix" in parameter.name or "normalizer" in parameter.name:
                    value = parameter.asnumpy()
                    out[f"{case}|factor|{parameter.name}"] = (
                        value if value.size < 3000 else value.ravel()[:: 97 * STRIDE]
                    )
    out[f"{case}|{option}|losses"] = np.array(losses, np.float32)
    for parameter in net.trainable_params():
        value = parameter.asnumpy()
        out[f"{case}|{option}|{parameter.name}"] = value if value.size < 3000 else value.ravel()[::STRIDE]
    if option == "plain":
        names = {item.name: list(item.shape) for item in net.get_parameters()}
        index[case] = {
            "net": names,
            "optimizer": {item.name: list(item.shape) for item in optimizer.get_parameters() if item.name not in names},
        }


def errors():
    found = {}
    rates = Tensor(np.full(4, 0.1, np.float32))
    calls = {
        "rate 0.1": {"learning_rate": 0.1},
        "momentum 1": {"momentum": 1},
        "momentum -0.1": {"momentum": -0.1},
        "frequency 2.0": {"frequency": 2.0},
        "frequency 1": {"frequency": 1},
        "frequency True": {"frequency": True},
        "loss_scale 0.0": {"loss_scale": 0.0},
        "weight_decay -0.1": {"weight_decay": -0.1},
        "use_nesterov 1": {"use_nesterov": 1},
        "damping None": {"damping": None},
        "weight_decay '1'": {"weight_decay": "1"},
    }
    for name, options in calls.items():
        try:
            nn.thor(make_net("dense"), **{"learning_rate": rates, "damping": rates, "momentum": 0.9, **options})
            found[name] = ""
        except Exception as error:
            found[name] = type(error).__name__
    return found


def main(target=HERE / "thor.npz"):
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    patch()
    out, index = {}, {"errors": errors()}
    for case in CASES:
        for option in OPTIONS:
            # upstream's CPU momentum ignores use_nesterov
            if option != "nesterov" and (case != "conv" or option in ("plain", "decay_clip")):
                run(case, option, out, index)
                print(case, option, out[f"{case}|{option}|losses"], flush=True)
    out["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
    np.savez_compressed(target, **out)
    print(json.dumps(index["errors"]), os.path.getsize(target), "bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
