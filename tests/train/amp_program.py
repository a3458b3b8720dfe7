"""Networks under mixed precision, and loss scales under random overflows; real MindSpore's values
(tests/golden/make_json.py amp).
"""

from __future__ import annotations

import hashlib
import itertools

import numpy as np

try:
    from mindspore_compat import Parameter, Tensor, nn, ops
except ImportError:
    from mindspore import Parameter, Tensor, nn, ops

LEVELS = ["O0", "O1", "O2", "O3", "auto"]
MANAGERS = ["unset", "none", "fixed", "fixed_drop", "dynamic"]
KEEP = [None, True, False]
CASES = {
    f"{level}:{manager}:{keep}": (level, manager, keep)
    for level, manager, keep in itertools.product(LEVELS, MANAGERS, KEEP)
}


class Net(nn.Cell):  # upstream's O1 rewrites the source of classes, and needs them at the top of a module
    def __init__(self, log) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.seq = nn.SequentialCell([nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU()])
        self.flat = nn.Flatten()
        self.fc = nn.Dense(4 * 4 * 4, 8)
        self.ln = nn.LayerNorm((8,))
        self.matmul = ops.MatMul()
        self.w = Parameter(Tensor(np.zeros((8, 3), np.float32)), name="w")
        self.log = log

    def construct(self, x):
        log = self.log
        x = self.conv(x)
        log.append(["conv", str(x.dtype)])
        x = self.bn(x)
        log.append(["bn", str(x.dtype)])
        x = self.relu(x)
        log.append(["relu", str(x.dtype)])
        x = self.seq(x)
        log.append(["seq", str(x.dtype)])
        x = self.flat(x)
        log.append(["flat", str(x.dtype)])
        x = self.fc(x)
        log.append(["fc", str(x.dtype)])
        x = self.ln(x)
        log.append(["ln", str(x.dtype)])
        x = ops.exp(x)
        log.append(["exp", str(x.dtype)])
        x = self.matmul(x, self.w)
        return x


def _net(ms, log):
    net, rng = Net(log), np.random.RandomState(3)
    for parameter in net.trainable_params():
        if "gamma" not in parameter.name and "beta" not in parameter.name:
            parameter.set_data(ms.Tensor((rng.randn(*parameter.shape) * 0.2).astype(np.float32)))
    return net


def _short(dtype):
    return str(dtype).split(".")[-1].lower()


def _data(ms):
    rng = np.random.RandomState(0)
    return ms.Tensor(rng.randn(4, 3, 4, 4).astype(np.float32)), ms.Tensor(rng.randint(0, 3, 4).astype(np.int32))


def trained(ms, case):
    """The training Cell's class, dtypes after each layer, losses of three steps, dtypes of Parameters, prediction and
    evaluation.
    """
    level, manager, keep = CASES[case]
    log = []
    net, (x, y) = _net(ms, log), _data(ms)
    options = {} if keep is None else {"keep_batchnorm_fp32": keep}
    if manager != "unset":
        options["loss_scale_manager"] = {
            "none": lambda: None,
            "fixed": lambda: ms.FixedLossScaleManager(1024, False),
            "fixed_drop": lambda: ms.FixedLossScaleManager(1024),
            "dynamic": lambda: ms.DynamicLossScaleManager(1024, 2, 2),
        }[manager]()
    try:
        scale = 1024 if manager == "fixed" else 1  # upstream's recipe for a scale that no step removes
        opt = ms.nn.Momentum(net.trainable_params(), 0.01, 0.9, loss_scale=scale)
        model = ms.Model(
            net,
            ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
            opt,
            metrics={"loss"},
            amp_level=level,
            **options,
        )
        outputs = [model.train_network(x, y) for _ in range(3)]
    except Exception as error:
        return {"error": type(error).__name__}
    losses = [output[0] if isinstance(output, tuple) else output for output in outputs]
    steps = [[name, _short(dtype)] for name, dtype in log[:8]]
    model.eval_network.set_train(False)
    found = model.eval_network(x, y)
    return {
        "cell": type(model.train_network).__name__,
        "dtypes": steps,
        "loss_dtype": _short(losses[0].dtype),
        "losses": [float(loss.asnumpy()) for loss in losses],
        "parameters": sorted({_short(p.dtype) for p in model.train_network.get_parameters()}),
        "predict": _short(model.predict(x).dtype),
        "eval": [_short(item.dtype) for item in found],
        "moving_mean": float(abs(next(p for p in net.get_parameters() if p.name == "bn.moving_mean").asnumpy()).sum()),
    }


def patterns(count, steps, seed=0):
    """[(factor, window, scale, [overflow, ...])] of random runs."""
    rng = np.random.RandomState(seed)
    for _ in range(count):
        rate = rng.choice([0.02, 0.1, 0.5, 0.9])
        yield (
            int(rng.choice([2, 3, 4])),
            int(rng.randint(1, 9)),
            float(2.0 ** rng.randint(0, 25)),
            [bool(v) for v in rng.rand(steps) < rate],
        )


def manager_digest(ms, count=10_000, steps=60):
    """A digest of every scale that DynamicLossScaleManager goes through."""
    digest = hashlib.sha256()
    for factor, window, scale, overflows in patterns(count, steps):
        manager = ms.DynamicLossScaleManager(scale, factor, window)
        for overflow in overflows:
            manager.update_loss_scale(overflow)
            digest.update(repr(float(manager.get_loss_scale())).encode())
    return digest.hexdigest()


def cell_digest(ms, nn, count=10_000, steps=60):
    """The same for DynamicLossScaleUpdateCell, `count` runs side by side in one Tensor for each factor and window."""
    digest = hashlib.sha256()
    rng = np.random.RandomState(1)
    for factor, window in itertools.product((2, 3, 4), (1, 2, 5, 8)):
        lanes = -(-count // 12)
        cell = nn.DynamicLossScaleUpdateCell(1.0, factor, window)
        cell.last_overflow_iter = ms.Parameter(ms.Tensor(np.zeros(lanes, np.int32)), name="last")
        scale = ms.Parameter(ms.Tensor((2.0 ** rng.randint(0, 25, lanes)).astype(np.float32)), name="scale")
        rate = rng.choice([0.02, 0.1, 0.5, 0.9], (lanes, 1))
        overflows = rng.rand(lanes, steps) < rate
        for step in range(steps):
            cell(scale, ms.Tensor(overflows[:, step]))
            digest.update(np.ascontiguousarray(scale.asnumpy(), np.float32).tobytes())
    return digest.hexdigest()


def scaler_digest(ms, amp, count=200, steps=60):
    """The same for amp.DynamicLossScaler."""
    digest = hashlib.sha256()
    for factor, window, scale, overflows in patterns(count, steps, 2):
        scaler = amp.DynamicLossScaler(scale, factor, window)
        for overflow in overflows:
            scaler.adjust(ms.Tensor(not overflow))
            digest.update(
                np.float32(scaler.scale_value.asnumpy()).tobytes() + np.int32(scaler.counter.asnumpy()).tobytes()
            )
    return digest.hexdigest()
