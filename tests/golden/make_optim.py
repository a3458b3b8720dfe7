"""Writes optim.npz: losses and final states of real MindSpore for ``tests/nn/optim_cases.py``. Run: ORACLE_PYTHON
tests/golden/make_optim.py

Keys: ``init|NAME`` the start of each parameter; ``SETTING|losses``; ``SETTING|state`` all values of the train cell in
order, flat; ``index``, a JSON text with [name, shape, dtype] of each in order, or the class of the error.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("GLOG_v", "3")
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")
os.environ.setdefault("DNNL_MAX_CPU_ISA", "AVX2")
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "nn"))

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from optim_cases import SETTINGS, STEPS, make_data, make_net


def main():
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    ms.set_seed(5)
    x, y = make_data()
    start = {p.name: p.asnumpy().copy() for p in make_net(nn).get_parameters()}
    out = {f"init|{name}": value for name, value in start.items()}
    index = {}
    for setting, make in SETTINGS.items():
        net = make_net(nn)
        for parameter in net.get_parameters():
            parameter.set_data(Tensor(start[parameter.name]))
        try:
            step = nn.TrainOneStepCell(
                nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(True, "mean")), make(nn, net.trainable_params())
            )
            step.set_train()
            losses = []
            for number in range(STEPS):
                part = slice(number % 3 * 4, number % 3 * 4 + 4)
                losses.append(float(step(Tensor(x[part]), Tensor(y[part])).asnumpy()))
            state = list(step.get_parameters())
            index[setting] = [[p.name, list(p.shape), str(p.dtype)] for p in state]
            out[f"{setting}|losses"] = np.array(losses, np.float32)
            out[f"{setting}|state"] = np.concatenate([p.asnumpy().astype(np.float32).ravel() for p in state])
        except Exception as error:
            index[setting] = type(error).__name__
            print("refused", setting, type(error).__name__, str(error)[:200])
    out["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
    np.savez_compressed(HERE / "optim.npz", **out)
    print(len(index), "settings", os.path.getsize(HERE / "optim.npz"), "bytes")


if __name__ == "__main__":
    main()
