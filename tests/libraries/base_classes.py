"""Builds an instance of each MindSpore class that libraries derive from and says what its members are. Plain MindSpore, so
that it runs under both: ``python base_classes.py CENSUS.json`` reads what tools/census.py wrote, {class: {member: ...}}, and
prints, as JSON, {class: {member: kind}} with the members that there are.
"""

import inspect
import json
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, dataset, nn, ops
from mindspore.train import callback


class _Schedule(nn.learning_rate_schedule.LearningRateSchedule):
    def construct(self, global_step):
        return 0.1 + 0.0 * global_step


def _net():
    return nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())


def _groups():
    net = _net()
    return [{"params": [net[0].weight], "lr": 0.1, "weight_decay": 0.1}, {"params": [net[0].bias]}]


def _dynamic_groups():
    net = _net()
    return [{"params": [net[0].weight], "lr": _Schedule()}, {"params": [net[0].bias], "weight_decay": 0.1}]


def _with_loss():
    return nn.WithLossCell(_net(), nn.MSELoss())


def _train_step(of, *more):
    net = _with_loss()
    return of(net, nn.Momentum(net.trainable_params(), 0.1, 0.9), *more)


def _lenet_model():
    net = _net()
    return ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9), metrics={"mse": nn.MSE()})


BUILDERS = {
    "Optimizer": lambda: nn.Optimizer(0.1, _net().trainable_params(), 0.1, 2.0),
    "Optimizer of groups": lambda: nn.Optimizer(0.1, _groups(), 0.01),
    "Optimizer of scheduled groups": lambda: nn.Optimizer([0.1, 0.2], _dynamic_groups()),
    "Optimizer with a schedule": lambda: nn.Optimizer(_Schedule(), _net().trainable_params()),
    "SGD": lambda: nn.SGD(_net().trainable_params(), 0.1, 0.9),
    "Momentum": lambda: nn.Momentum(_net().trainable_params(), 0.1, 0.9),
    "Adam": lambda: nn.Adam(_net().trainable_params()),
    "AdamWeightDecay": lambda: nn.AdamWeightDecay(_net().trainable_params()),
    "Lamb": lambda: nn.Lamb(_net().trainable_params(), 0.1),
    "Cell": nn.Cell,
    "Callback": ms.Callback if hasattr(ms, "Callback") else callback.Callback,
    "LossMonitor": callback.LossMonitor,
    "TimeMonitor": callback.TimeMonitor,
    "ModelCheckpoint": callback.ModelCheckpoint,
    "LearningRateSchedule": nn.learning_rate_schedule.LearningRateSchedule,
    "CosineDecayLR": lambda: nn.CosineDecayLR(0.01, 0.1, 4),
    "LossBase": nn.LossBase,
    "L1Loss": nn.L1Loss,
    "SoftmaxCrossEntropyWithLogits": nn.SoftmaxCrossEntropyWithLogits,
    "DiceLoss": nn.DiceLoss,
    "Metric": type("Own", (ms.train.Metric,), {"clear": print, "update": print, "eval": print}),
    "Accuracy": nn.Accuracy,
    "WithLossCell": _with_loss,
    "TrainOneStepCell": lambda: _train_step(nn.TrainOneStepCell),
    "TrainOneStepWithLossScaleCell": lambda: _train_step(
        nn.TrainOneStepWithLossScaleCell, Tensor(np.array([4.0]), ms.float32)
    ),
    "Model": _lenet_model,
    "Conv1d": lambda: nn.Conv1d(2, 4, 3),
    "Conv2d": lambda: nn.Conv2d(2, 4, 3),
    "Dense": lambda: nn.Dense(2, 4),
    "GroupNorm": lambda: nn.GroupNorm(2, 4),
    "LayerNorm": lambda: nn.LayerNorm((4,)),
    "SequentialCell": _net,
    "Initializer": ms.common.initializer.Initializer,
    "Sampler": dataset.Sampler,
    "PyTensorOperation": lambda: dataset.vision.Rescale(1.0, 0.0),
    "RandomCrop": lambda: dataset.vision.RandomCrop(4),
    "Resize": lambda: dataset.vision.Resize(4),
    "RandomResizedCrop": lambda: dataset.vision.RandomResizedCrop(4),
    "RandomCropDecodeResize": lambda: dataset.vision.RandomCropDecodeResize(4),
    "RandomHorizontalFlip": dataset.vision.RandomHorizontalFlip,
    "Dataset": lambda: dataset.NumpySlicesDataset([1, 2, 3]),
    "PrimitiveWithInfer": lambda: ops.PrimitiveWithInfer("own"),
}
#: where the census has members of a class under another name
SAME = dict.fromkeys(("Optimizer of groups", "Optimizer of scheduled groups", "Optimizer with a schedule"), "Optimizer")
SAME.update({"Momentum": "Optimizer", "Lamb": "Optimizer", "SGD": "Optimizer", "Adam": "Optimizer"})
SAME.update({"AdamWeightDecay": "Optimizer"})


def kind(owner, name):
    """What a member is, in words that do not depend on how it is made: "method", "flag", "Parameter", "Tensor float32 ()"."""
    value = getattr(owner, name)
    if isinstance(value, Parameter):
        return f"Parameter {ms.dtype_to_nptype(value.dtype).__name__} {tuple(value.shape)}"
    if isinstance(value, Tensor):
        return f"Tensor {ms.dtype_to_nptype(value.dtype).__name__} {tuple(value.shape)}"
    if isinstance(value, ops.Primitive):
        return "operator"
    if isinstance(value, nn.Cell):
        return "Cell"
    if inspect.ismethod(value) or inspect.isfunction(value) or inspect.isbuiltin(value) or callable(value):
        return "callable"
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (list, tuple)):
        return "sequence"
    return "None" if value is None else "mapping" if hasattr(value, "keys") else "object"


def members(owner, names):
    found = {}
    for name in names:
        try:
            found[name] = kind(owner, name)
        except (AttributeError, NotImplementedError):
            continue
    return found


def ask(path):
    """{class: {member: kind}} of what the file at ``path`` names."""
    with open(path, encoding="utf-8") as file:
        wanted = json.load(file)
    found = {}
    for name, build in BUILDERS.items():
        names = {*wanted.get(name, ()), *wanted.get(SAME.get(name, name), ())}
        found[name] = members(build(), sorted(names))
    return found


if __name__ == "__main__":
    print("MEMBERS " + json.dumps(ask(sys.argv[1]), sort_keys=True))
