"""``mindspore.boost``'s LessBN and ParameterProcess against real MindSpore."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore_compat import Tensor, boost, nn
from tests.support.oracle import run_both

PROGRAM = """
import json
import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, boost, nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.flatten = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Flatten()
        self.first, self.last = nn.Dense(64, 5), nn.Dense(5, 2)

    def construct(self, x):
        return self.last(self.first(self.flatten(self.norm(self.conv(x)))))

random = np.random.RandomState(0)
found = {}
for flag in (False, True):
    net = Net()
    made = boost.LessBN(net, fn_flag=flag)
    for item in made.get_parameters():
        item.set_data(Tensor(random.rand(*item.shape).astype("float32")))
    x = Tensor(random.rand(2, 3, 4, 4).astype("float32"))
    found[f"less {flag}"] = [
        sorted((item.name, list(item.shape)) for item in made.get_parameters()),
        net.get_flags(),
        made(x).asnumpy().tolist(),
        boost.LessBN(net, fn_flag=flag)(x).asnumpy().tolist(),
    ]
process = boost.ParameterProcess()
params = [Parameter(Tensor([1.0]), name=name) for name in "abcde"]
found["fusion"] = [item.comm_fusion for item in process.assign_parameter_group(params)]
found["again"] = [item.comm_fusion for item in process.assign_parameter_group(params, [1, 3])]
found["none"] = process.assign_parameter_group([])
for name, origin in {
    "plain": params, "groups": [{"params": params[:2], "lr": 0.1}, {"params": params[3:4]}, {"order_params": params}]
}.items():
    groups = process.generate_group_params(params[1:], origin)
    found[name] = [
        {key: [item.name for item in value] if "params" in key else value for key, value in group.items()}
        for group in groups
    ]
for name, origin in {"empty": [], "wrong": [3]}.items():
    try:
        process.generate_group_params(params, origin)
    except Exception as error:
        found[name] = type(error).__name__
give(found)
"""


@pytest.mark.oracle
def test_answers_are_those_of_real_mindspore() -> None:
    ours, theirs = run_both(PROGRAM)
    for key in theirs:
        if key.startswith("less"):
            assert ours[key][:2] == theirs[key][:2]
            np.testing.assert_allclose(ours[key][2:], theirs[key][2:], rtol=1e-5, atol=1e-5)
        elif not str(theirs[key]).endswith("Error"):
            assert ours[key] == theirs[key], key


def test_a_last_layer_compares_directions() -> None:
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU())
    made = boost.LessBN(net, fn_flag=True)
    x = np.array([[1.0, 2.0, 2.0]], "float32")
    weight = net.trainable_params()[0].asnumpy()
    expected = np.maximum(x / 3 @ (weight / np.linalg.norm(weight, axis=1, keepdims=True)).T, 0)
    np.testing.assert_allclose(made(Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)
