"""Writes nn.npz: what real MindSpore computes for the table of ``tests/nn/cases.py``. Run: ORACLE_PYTHON
tests/golden/make_nn.py

The file holds one flat float32 array ``values`` and ``index``, a JSON text: for each case the error class, or names,
shapes and places in ``values`` of outputs, of gradients (inputs by position, parameters by name) and of the parameters
after the call; and figures of start values.
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
from cases import CASES, output_weights, weights_for
from mindspore import Tensor, nn, ops
from start_cases import layers

STARTS = layers(nn)


def to_tensor(value):
    if isinstance(value, tuple):
        return tuple(to_tensor(item) for item in value)
    return Tensor(value) if isinstance(value, np.ndarray) else value


def flat(result):
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in flat(item)]
    return [result]


class Store:
    def __init__(self):
        self.parts, self.size = [], 0

    def put(self, array):
        array = np.asarray(array, np.float32)
        self.parts.append(array.ravel())
        self.size += array.size
        return [list(array.shape), self.size - array.size]


def run(case, store):
    net = case.make(nn, Tensor)
    record = {"parameters": [[p.name, list(p.shape), bool(p.requires_grad)] for p in net.get_parameters()]}
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)))
    net.set_train(case.train)
    inputs = [to_tensor(item) for item in case.inputs]
    outputs = [item for item in flat(net(*inputs)) if item is not None]
    record["outputs"] = [[str(item.dtype), *store.put(item.asnumpy())] for item in outputs]
    record["after"] = {p.name: store.put(p.asnumpy()) for p in net.get_parameters() if not p.requires_grad}
    if not case.grad:
        return record
    positions = tuple(case.only) or tuple(
        i for i, item in enumerate(case.inputs) if isinstance(item, np.ndarray) and item.dtype == np.float32
    )
    weights = net.trainable_params()

    def total(*args):
        loss = 0
        for item in flat(net(*args)):
            if item is not None and item.dtype in (ms.float32, ms.float16):
                loss = loss + ops.reduce_sum(item * Tensor(output_weights(item.shape)))
        return loss

    if not positions and not weights:
        return record
    # parameters again as they were: the first call may have moved statistics
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(weights_for(parameter.name, parameter.shape)))
    try:
        _, grads = ms.value_and_grad(total, positions or None, weights or None)(*inputs)
    except Exception as error:  # the operator has no gradient
        record["grad_error"] = type(error).__name__
        return record
    by_input, by_weight = grads if positions and weights else (grads, ()) if positions else ((), grads)
    by_input = by_input if isinstance(by_input, tuple) else (by_input,)
    record["input_grads"] = {str(position): store.put(grad.asnumpy()) for position, grad in zip(positions, by_input)}
    record["weight_grads"] = {p.name: store.put(grad.asnumpy()) for p, grad in zip(weights, by_weight)}
    return record


def starts():
    ms.set_seed(3)
    np.random.seed(3)
    found = {}
    for name, make in STARTS.items():
        found[name] = {
            p.name: [float(np.abs(p.asnumpy()).max()), float(p.asnumpy().std())] for p in make().get_parameters()
        }
    return found


def main():
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    store, index = Store(), {}
    for case in CASES:
        try:
            try:
                index[case.name] = run(case, store)
            except Exception:  # some layers run in graph mode only
                ms.set_context(mode=ms.GRAPH_MODE)
                index[case.name] = run(case, store)
        except Exception as error:
            index[case.name] = {"error": type(error).__name__, "message": str(error)[:160]}
            print("refused", case.name, type(error).__name__, str(error).strip().splitlines()[0][:120], flush=True)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        if "grad_error" in index[case.name]:
            print("no gradient", case.name, index[case.name]["grad_error"], flush=True)
    text = json.dumps({"version": ms.__version__, "cases": index, "starts": starts()}, separators=(",", ":"))
    np.savez_compressed(
        HERE / "nn.npz", values=np.concatenate(store.parts), index=np.frombuffer(text.encode(), np.uint8)
    )
    print(len(index), "cases", os.path.getsize(HERE / "nn.npz"), "bytes")


if __name__ == "__main__":
    main()
