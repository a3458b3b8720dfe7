"""Small runs of Model with callbacks; what they leave behind must be real MindSpore's
(tests/golden/make_callbacks.py).
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import tempfile

_STAGES = ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]
_HOOKS = [f"on_{mode}_{stage}" for mode in ("train", "eval") for stage in _STAGES]
_FIELDS = [
    "mode",
    "epoch_num",
    "cur_epoch_num",
    "cur_step_num",
    "batch_num",
    "dataset_sink_mode",
    "parallel_mode",
    "device_number",
    "metrics",
    "eval_results",
]


class Env:
    """What a program works with: data and models that are the same every time, and a log."""

    def __init__(self, ms) -> None:
        import numpy as np

        self.ms, self.np, self.log, self.values = ms, np, [], {}
        self.seen = {}

    def data(self, count=10, batch=4, columns=2, seed=0):
        rng = self.np.random.RandomState(seed)
        arrays = (
            rng.randn(count, 4).astype(self.np.float32),
            rng.randint(0, 3, count).astype(self.np.int32),
            self.np.ones(count, self.np.float32),
        )
        return self.ms.dataset.NumpySlicesDataset(arrays[:columns], ["x", "y", "z"][:columns], shuffle=False).batch(
            batch
        )

    def net(self):
        net = self.ms.nn.Dense(4, 3)
        rng = self.np.random.RandomState(1)
        net.weight.set_data(self.ms.Tensor(rng.randn(3, 4).astype(self.np.float32)))
        net.bias.set_data(self.ms.Tensor(rng.randn(3).astype(self.np.float32)))
        return net

    def loss(self):
        return self.ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def model(self, lr=0.1, metrics="both", **kwargs):
        net = self.net()
        self.network = net
        self.optimizer = self.ms.nn.Momentum(net.trainable_params(), lr, 0.9)
        kwargs.setdefault("loss_fn", self.loss())
        if metrics == "both":  # a set has no order, and it shows in what is printed
            metrics = {"loss": self.ms.train.Loss(), "acc": self.ms.train.Accuracy()}
        return self.ms.Model(
            net, optimizer=self.optimizer, metrics=set(metrics) if isinstance(metrics, tuple) else metrics, **kwargs
        )

    def plain(self, value):
        """A value as JSON holds it; Tensors as rounded numbers."""
        if isinstance(value, dict):
            return {str(key): self.plain(item) for key, item in sorted(value.items())}
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        if hasattr(value, "asnumpy"):
            value = value.asnumpy()
        if isinstance(value, (self.np.ndarray, self.np.generic)):
            value = value.tolist()
            return self.plain(value) if isinstance(value, list) else value
        return value if isinstance(value, (bool, int, float, str, type(None))) else type(value).__name__

    def note(self, label, hook, run_context):
        """The hook, and the plain fields that changed since the last one."""
        params = run_context.original_args()
        now = {key: self.plain(params[key]) for key in _FIELDS if key in params}
        if "net_outputs" in params:
            now["net_outputs"] = self.plain(params["net_outputs"])
        for key in ("train_dataset_element", "eval_dataset_element"):
            if params.get(key):
                now[key] = [list(item.shape) for item in params[key]]
        changed = {
            key: now.get(key)
            for key in sorted({*now, *self.seen})
            if now.get(key) != self.seen.get(key) or (key in now) != (key in self.seen)
        }
        self.seen = now
        self.log.append([label, hook, changed])

    def recorder(self, label="r", stop=None, fail=None):
        def hook_of(name):
            def hook(this, run_context):
                self.note(label, name, run_context)
                if stop == name:
                    run_context.request_stop()
                if fail == name:
                    raise KeyError("as told")

            return hook

        body = {name: hook_of(name) for name in _HOOKS}
        body["__enter__"] = lambda this: (self.log.append([label, "enter"]), this)[1]
        body["__exit__"] = lambda this, *err: (
            self.log.append([label, "exit", _kind_of(err[0]) if err and err[0] else None]) and None
        )
        return type("Recorder", (self.ms.Callback,), body)()


def _kind_of(error):
    return "KeyError" if issubclass(error, KeyError) else error.__name__


def _lambda(env):
    return env.ms.LambdaCallback(**{name: (lambda _, name=name: env.log.append(["lambda", name])) for name in _HOOKS})


CALLBACKS = {
    "lm1": lambda e: e.ms.LossMonitor(),
    "lm2": lambda e: e.ms.LossMonitor(2),
    "lm0": lambda e: e.ms.LossMonitor(0),
    "lm5": lambda e: e.ms.LossMonitor(5),
    "tm": lambda e: e.ms.TimeMonitor(),
    "tmd": lambda e: e.ms.TimeMonitor(data_time=True),
    "tm7": lambda e: e.ms.TimeMonitor(7),
    "ck": lambda e: e.ms.ModelCheckpoint("c", "out"),
    "ck2": lambda e: e.ms.ModelCheckpoint("c", "out", e.ms.CheckpointConfig(2, keep_checkpoint_max=2)),
    "hist": lambda e: e.keep("history", e.ms.History()),
    "lam": _lambda,
    "lrs": lambda e: e.ms.LearningRateScheduler(lambda rate, step: rate * 0.5 if step % 2 == 0 else rate),
    "es_loss": lambda e: e.ms.train.EarlyStopping("loss", patience=1, verbose=True),
    "es_eval": lambda e: e.ms.train.EarlyStopping(verbose=True),
    "es_acc": lambda e: e.ms.train.EarlyStopping("acc", patience=2, verbose=True, restore_best_weights=True),
    "es_delta": lambda e: e.ms.train.EarlyStopping(
        "eval_loss", min_delta=10, patience=2, verbose=True, restore_best_weights=True
    ),
    "es_max": lambda e: e.ms.train.EarlyStopping("loss", mode="max", patience=1),
    "es_none": lambda e: e.ms.train.EarlyStopping("nothing", verbose=True),
    "rl": lambda e: e.ms.train.ReduceLROnPlateau("eval_loss", 0.5, 1, True, min_delta=10, cooldown=1, min_lr=0.04),
    "rl_loss": lambda e: e.ms.train.ReduceLROnPlateau("loss", patience=0, verbose=True),
    "rl_min": lambda e: e.ms.train.ReduceLROnPlateau("loss", 0.3, 1, True, "max", 0, 0, 0.02),
    "rl_acc": lambda e: e.ms.train.ReduceLROnPlateau("acc", 0.5, 1, True),
    "bk": lambda e: e.ms.train.BackupAndRestore("bk"),
    "bk2": lambda e: e.ms.train.BackupAndRestore("bk", 2, False),
}


def _keep(self, name, thing):
    self.values[name] = thing
    return thing


Env.keep = _keep


def _call(env, kind, callbacks, **kwargs):
    model = env.model()
    if kind == "train":
        model.train(3, env.data(), callbacks=callbacks, dataset_sink_mode=False, **kwargs)
    elif kind == "fit":
        model.fit(
            3,
            env.data(),
            env.data(8),
            callbacks=callbacks,
            dataset_sink_mode=False,
            valid_dataset_sink_mode=False,
            **kwargs,
        )
    else:
        env.values["found"] = model.eval(env.data(), callbacks=callbacks, dataset_sink_mode=False)


def _alone(kind, name):
    return lambda env: _call(env, kind, [CALLBACKS[name](env), env.recorder()])


def _pair(first, second):
    return lambda env: _call(env, "fit", [env.recorder("a"), CALLBACKS[first](env), CALLBACKS[second](env)])


def _stop(kind, **how):
    return lambda env: _call(env, kind, [env.recorder("a", **how), env.recorder("b")])


def _twice(name):
    def run(env):
        model, callback = env.model(), CALLBACKS[name](env)
        for epochs in (1, 2):
            model.train(epochs, env.data(), callbacks=[callback], dataset_sink_mode=False)
        model.fit(
            1,
            env.data(),
            env.data(8),
            callbacks=[callback, env.recorder()],
            dataset_sink_mode=False,
            valid_dataset_sink_mode=False,
        )
        env.values["eval"] = model.eval(env.data(), dataset_sink_mode=False)

    return run


def _frequency(frequency):
    return lambda env: _call(env, "fit", [env.recorder()], valid_frequency=frequency)


def _initial(kind, epoch):
    return lambda env: _call(env, kind, [env.ms.LossMonitor(), env.recorder()], initial_epoch=epoch)


def _metric(names):
    def run(env):
        env.values["found"] = env.model(metrics=names).eval(env.data(), dataset_sink_mode=False)

    return run


def _sink(kind, sink_size):
    def run(env):
        model = env.model()
        callbacks = [env.ms.LossMonitor(), env.recorder()]
        if kind == "train":
            model.train(2, env.data(), callbacks=callbacks, dataset_sink_mode=True, sink_size=sink_size)
        elif kind == "fit":
            model.fit(
                2,
                env.data(),
                env.data(8),
                callbacks=callbacks,
                dataset_sink_mode=True,
                valid_dataset_sink_mode=True,
                sink_size=sink_size,
            )
        else:
            env.values["found"] = model.eval(env.data(), callbacks=callbacks, dataset_sink_mode=True)

    return run


def _outputs(form):
    """A train network with outputs of this form, and the callbacks that read them."""

    def run(env):
        ms = env.ms

        class Step(ms.nn.Cell):
            def __init__(self) -> None:
                super().__init__()
                self.fc = env.net()
                self.loss = env.loss()

            def construct(self, x, y):
                loss = self.loss(self.fc(x), y)
                return {
                    "scalar": loss,
                    "one": loss.reshape((1,)),
                    "many": x.sum(axis=1),
                    "pair": (loss, x.sum()),
                    "pair_of_one": (loss.reshape((1,)), 3),
                    "number": 2.5,
                    "number_first": (2.5, loss),
                    "nan": loss * float("nan"),
                    "inf": loss / 0.0,
                }[form]

        model = ms.Model(Step())
        model.train(
            2,
            env.data(),
            callbacks=[ms.LossMonitor(), CALLBACKS["hist"](env), CALLBACKS["es_loss"](env)],
            dataset_sink_mode=False,
        )

    return run


def _eval_network(indexes, outputs=3):
    def run(env):
        ms = env.ms

        class Eval(ms.nn.Cell):
            def __init__(self) -> None:
                super().__init__()
                self.fc = env.net()
                self.loss = env.loss()

            def construct(self, x, y):
                logits = self.fc(x)
                if outputs == 1:
                    return logits
                return (logits, y) if outputs == 2 else (logits, self.loss(logits, y), y)

        model = ms.Model(
            env.net(), eval_network=Eval(), eval_indexes=indexes, metrics={"loss", "acc"} if indexes else {"acc"}
        )
        env.values["found"] = model.eval(env.data(), dataset_sink_mode=False)

    return run


def _predict(form):
    def run(env):
        ms, np = env.ms, env.np
        x = ms.Tensor(np.ones((2, 4), np.float32))
        model = ms.Model(env.net())
        inputs = {"tensor": (x,), "numpy": (np.ones((2, 4), np.float32),), "none": ()}[form]
        env.values["out"] = model.predict(*inputs)

    return run


def _manual(env):
    """The callback machinery without Model, as loops of users' own have it."""
    from importlib import import_module

    callback = import_module(env.ms.__name__ + ".train.callback")
    params = callback._InternalCallbackParam()
    params.train_network, params.epoch_num, params.batch_num, params.cur_step_num = env.net(), 2, 3, 0
    params.cur_epoch_num, params.net_outputs, params.dataset_sink_mode, params.mode = (
        1,
        env.ms.Tensor(1.5),
        False,
        "train",
    )
    context = callback.RunContext(params)
    manager = callback._CallbackManager([env.ms.LossMonitor(), env.recorder()])
    manager.begin(context)
    for epoch in range(2):
        params.cur_epoch_num = epoch + 1
        manager.epoch_begin(context)
        for _ in range(3):
            params.cur_step_num += 1
            manager.step_begin(context)
            manager.step_end(context)
            manager.on_train_step_end(context)
        manager.epoch_end(context)
    manager.end(context)
    try:
        params.nothing
    except KeyError as error:
        env.values["missing"] = isinstance(error, KeyError)


PROGRAMS = {}
for _kind, _name in itertools.product(("train", "fit", "eval"), CALLBACKS):
    PROGRAMS[f"{_kind}:{_name}"] = _alone(_kind, _name)
for _first, _second in itertools.combinations(["lm1", "tm", "ck", "hist", "lrs", "es_delta", "rl", "bk"], 2):
    PROGRAMS[f"pair:{_first}+{_second}"] = _pair(_first, _second)
for _hook in _HOOKS:
    PROGRAMS[f"stop:{_hook}"] = _stop("fit", stop=_hook)
    PROGRAMS[f"fail:{_hook}"] = _stop("fit", fail=_hook)
for _hook in _HOOKS[6:]:
    PROGRAMS[f"stop_eval:{_hook}"] = _stop("eval", stop=_hook)
for _name in ("lm1", "lm2", "lm5", "tm", "hist", "lrs", "es_delta", "rl", "ck"):
    PROGRAMS[f"twice:{_name}"] = _twice(_name)
for _frequency_of in (1, 2, 3, 4, [1], [2, 3], [], True, 0, "1", 1.0):
    PROGRAMS[f"frequency:{_frequency_of!r}"] = _frequency(_frequency_of)
for _kind, _epoch in itertools.product(("train", "fit"), (0, 1, 2, 3, -1)):
    PROGRAMS[f"initial:{_kind}:{_epoch}"] = _initial(_kind, _epoch)
for _names in (
    "acc",
    "accuracy",
    "loss",
    "recall",
    "precision",
    "F1",
    "topk",
    "top_1_accuracy",
    "top_5_accuracy",
    "mae",
    "mse",
    "perplexity",
    "confusion_matrix",
    "dice",
    "bleu_score",
    "roc_curve",
    "nothing",
):
    PROGRAMS[f"metric:{_names}"] = _metric((_names,))
PROGRAMS["metric:dict"] = lambda env: _metric({"a": env.ms.train.Accuracy(), "b": env.ms.train.Loss()})(env)
PROGRAMS["metric:list"] = _metric(["acc"])
PROGRAMS["metric:none"] = _metric(None)
for _kind, _size in (("train", -1), ("train", 3), ("fit", -1), ("eval", -1)):
    PROGRAMS[f"sink:{_kind}:{_size}"] = _sink(_kind, _size)
for _form in ("scalar", "one", "many", "pair", "pair_of_one", "number", "number_first", "nan", "inf"):
    PROGRAMS[f"outputs:{_form}"] = _outputs(_form)
for _form in ("tensor", "numpy", "none"):
    PROGRAMS[f"predict:{_form}"] = _predict(_form)
PROGRAMS.update(
    {
        "eval_network:[1,0,2]": _eval_network([1, 0, 2]),
        "eval_network:None": _eval_network(None, 2),
        "eval_network:short": _eval_network([0, 1, 2], 2),
        "eval_network:two": _eval_network([0, 1]),
        "eval_network:tuple": _eval_network((1, 0, 2)),
        "eval_network:one": _eval_network([0, 1, 2], 1),
        "manual": _manual,
    }
)

_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def recorded(ms, name):
    """{"log", "out": printed text with its floats apart, "files", "error", "values"} of the named program."""
    env, out, error = Env(ms), io.StringIO(), None
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        os.chdir(folder)
        try:
            PROGRAMS[name](env)
        except Exception as caught:
            error = [_kind_of(type(caught)), str(caught).strip().splitlines()[0][:150] if str(caught).strip() else ""]
        finally:
            os.chdir(before)
        files = sorted(
            os.path.relpath(os.path.join(where, file), folder) for where, _, found in os.walk(folder) for file in found
        )
    if getattr(env, "network", None) is not None:
        env.values["weights"] = float(abs(env.network.weight.asnumpy()).sum())
        env.values["lr"] = float(env.optimizer.learning_rate.asnumpy())
    values = {
        key: env.plain({"epoch": value.epoch, "history": value.history}) if key == "history" else env.plain(value)
        for key, value in env.values.items()
    }
    text = out.getvalue()
    timed = [line for line in text.splitlines() if "time: " in line]
    numbers = [] if timed else [float(number) for number in _NUMBER.findall(text)]
    return {
        "log": env.log,
        "out": _NUMBER.sub("#", text),
        "numbers": numbers,
        "files": [file for file in files if not file.endswith(".meta")],
        "error": error,
        "values": values,
    }
