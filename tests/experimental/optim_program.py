"""Six steps of each optimizer, ten of each scheduler. Run by ours and by real MindSpore: ``FILE MODE``."""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.experimental import optim
from mindspore.experimental.optim import lr_scheduler

BETAS = {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.1}
OPTIMIZERS = {
    "Adadelta": [{}, dict(lr=0.5, rho=0.8, eps=1e-5, weight_decay=0.1, maximize=True)],
    "Adagrad": [
        {},
        dict(lr=0.1, lr_decay=0.3, weight_decay=0.1, initial_accumulator_value=0.2, eps=1e-3, maximize=True),
    ],
    "Adam": [{}, dict(BETAS, amsgrad=True), dict(maximize=True, lr=1)],
    "AdamW": [{}, dict(BETAS, amsgrad=True), dict(maximize=True, amsgrad=False)],
    "Adamax": [{}, dict(BETAS, maximize=True)],
    "ASGD": [{}, dict(lr=0.1, lambd=0.01, alpha=0.5, t0=2.0, weight_decay=0.1, maximize=True)],
    "NAdam": [{}, dict(BETAS, momentum_decay=0.1)],
    "RAdam": [{}, dict(BETAS)],
    "RMSprop": [
        {},
        dict(lr=0.1, alpha=0.9, eps=1e-3, weight_decay=0.1, momentum=0.5, centered=True, maximize=True),
        dict(momentum=0.9),
        dict(centered=True),
    ],
    "Rprop": [{}, dict(lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-3, 1.0), maximize=True)],
    "SGD": [
        dict(lr=0.1),
        dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1, maximize=True),
        dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    ],
}
WRONG = [
    ("Adam", dict(lr=-1.0)),
    ("Adam", dict(betas=(1.0, 0.9))),
    ("Adam", dict(eps=-1.0)),
    ("AdamW", dict(weight_decay=-1.0)),
    ("SGD", dict(lr=0.1, nesterov=True)),
    ("SGD", dict(lr="1")),
    ("SGD", dict(lr=0.1, momentum="1")),
    ("Adadelta", dict(rho=2.0)),
    ("Adagrad", dict(lr=0.0)),
    ("ASGD", dict(lambd=1)),
    ("NAdam", dict(momentum_decay=-1.0)),
    ("RAdam", dict(betas=(0.9, 1.0))),
    ("RMSprop", dict(alpha=-1.0)),
    ("Rprop", dict(etas=(1.5, 1.2))),
    ("Adamax", dict(eps=0.0)),
]
SCHEDULERS = {
    "StepLR": [dict(step_size=3, gamma=0.5)],
    "LinearLR": [{}, dict(start_factor=0.5, end_factor=0.8, total_iters=4)],
    "ExponentialLR": [dict(gamma=0.9)],
    "PolynomialLR": [{}, dict(total_iters=4, power=2.0)],
    "MultiplicativeLR": [
        dict(lr_lambda=lambda epoch: 0.95),
        dict(lr_lambda=[lambda epoch: 0.9**epoch, lambda epoch: 1 / (epoch + 1)]),
    ],
    "ConstantLR": [{}, dict(factor=0.25, total_iters=3)],
    "MultiStepLR": [dict(milestones=[2, 5, 5, 7], gamma=0.5)],
    "LambdaLR": [
        dict(lr_lambda=lambda epoch: 0.95**epoch),
        dict(lr_lambda=[lambda epoch: epoch // 3, lambda epoch: 0.9**epoch]),
    ],
    "CyclicLR": [
        dict(base_lr=0.01, max_lr=0.1, step_size_up=3),
        dict(base_lr=[0.01, 0.02], max_lr=[0.1, 0.3], step_size_up=3, step_size_down=2, mode="triangular2"),
        dict(base_lr=0.01, max_lr=0.1, step_size_up=2, mode="exp_range", gamma=0.9),
        dict(base_lr=0.01, max_lr=0.1, step_size_up=2, scale_fn=lambda x: 0.5**x, scale_mode="iterations"),
    ],
    "CosineAnnealingWarmRestarts": [dict(T_0=3), dict(T_0=2, T_mult=2, eta_min=0.01)],
    "CosineAnnealingLR": [dict(T_max=4), dict(T_max=3, eta_min=0.01)],
}
NO_STEP_TO = ("MultiStepLR-0", "CosineAnnealingWarmRestarts-1")  # upstream's fail with an error of their own code


def steps_of(name, options, groups):
    random = np.random.RandomState(0)
    values = [random.randn(*shape).astype("float32") for shape in ((3, 4), (5,), (2, 2))]
    params = given = [Parameter(Tensor(value), name=f"p{number}") for number, value in enumerate(values)]
    if groups:
        second = dict(params=[params[2]], lr=0.02)
        if "weight_decay" in options or name == "AdamW":
            second["weight_decay"] = 0.3
        if name in ("Adam", "AdamW"):
            second["betas"] = (0.7, 0.95)
        given = [dict(params=params[:2]), second]
    optimizer = getattr(optim, name)(given, **options)
    found = {
        "parameters": sorted(
            (item.name, list(item.shape), str(item.dtype).split(".")[-1].lower()) for item in optimizer.get_parameters()
        ),
        "names": sorted(optimizer.parameters_dict()),
        "keys": [sorted(group) for group in optimizer.param_groups],
        "rates": [item.name for item in optimizer.lrs],
        "repr": repr(optimizer) if not groups else "",
        "types": [
            type(item).__name__
            for item in (
                optimizer.param_groups,
                optimizer.lrs,
                optimizer.parameters,
                optimizer.param_groups[0]["params"],
            )
        ],
        "steps": [],
    }
    for step in range(6):
        sign = -1 if step == 3 else 1
        gradients = tuple(Tensor(sign * random.randn(*value.shape).astype("float32")) for value in values)
        if step == 4:
            ms.ops.assign(optimizer.param_groups[0]["lr"], Tensor(0.05, ms.float32))
        optimizer(gradients)
        found["steps"].append([item.asnumpy().tolist() for item in params])
    found["state"] = {item.name: item.asnumpy().tolist() for item in optimizer.get_parameters()}
    return found


def make_optimizer():
    params = [Parameter(Tensor(np.ones((2,), "float32")), name=f"p{number}") for number in range(2)]
    return optim.SGD([dict(params=[params[0]]), dict(params=[params[1]], lr=0.3)], lr=0.05)


def rates(optimizer):
    return [float(group["lr"].asnumpy()) for group in optimizer.param_groups]


def rates_of(optimizer, scheduler, steps):
    found = [rates(optimizer)]
    for arguments in steps:
        scheduler.step(*arguments)
        found.append(rates(optimizer))
    return [found, [float(item.asnumpy()) for item in scheduler.get_last_lr()]]


def sequential():
    optimizer = make_optimizer()
    parts = [
        lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2),
        lr_scheduler.ExponentialLR(optimizer, gamma=0.9),
        lr_scheduler.CosineAnnealingLR(optimizer, T_max=3),
    ]
    return rates_of(optimizer, lr_scheduler.SequentialLR(optimizer, parts, [3, 6]), [()] * 9)


def plateau(**options):
    optimizer = make_optimizer()
    metrics = [1.0, 0.9, 0.9, 0.9, 0.95, *[0.5] * 8]
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, **options)
    return rates_of(optimizer, scheduler, [(value,) for value in metrics])


def main():
    ms.set_context(mode=int(sys.argv[2]))
    found = {}
    for name, many in OPTIMIZERS.items():
        for number, options in enumerate(many):
            for groups in (False, True):
                found[f"{name}-{number}-{groups}"] = steps_of(name, options, groups)
    for name, options in WRONG:
        try:
            getattr(optim, name)([Parameter(Tensor([1.0]), name="p")], **options)
            found[f"{name} {options}"] = "accepted"
        except Exception as error:
            found[f"{name} {options}"] = type(error).__name__
    for name, many in SCHEDULERS.items():
        for number, options in enumerate(many):
            for at in (None, 4):
                if at is not None and f"{name}-{number}" in NO_STEP_TO:
                    continue
                steps = [(Tensor(2.0, ms.float32),) if step == at else () for step in range(10)]
                optimizer = make_optimizer()
                scheduler = getattr(lr_scheduler, name)(optimizer, **options)
                found[f"{name}-{number}-{at}"] = rates_of(optimizer, scheduler, steps)
    found["SequentialLR"] = sequential()
    found["ReduceLROnPlateau"] = [
        plateau(patience=1, factor=0.5),
        plateau(mode="max", patience=1, threshold_mode="abs", cooldown=2, min_lr=[0.01, 0.02], factor=0.3),
    ]
    with open(sys.argv[1], "w") as file:
        json.dump(found, file)


main()
