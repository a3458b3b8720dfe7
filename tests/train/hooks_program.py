"""Runs whose hooks, in order and with the counters they see, must be real MindSpore's (tests/golden/make_json.py hooks)."""

NAMES = [
    "train",
    "train_new_hooks",
    "two_callbacks",
    "eval",
    "fit",
    "fit_list",
    "stop_in_step",
    "stop_in_epoch_begin",
    "no_epoch_end_data",
    "exception",
    "initial_epoch",
    "sink",
]


def recorded(ms, name):
    """[(hook, epoch, step, batch_num, mode, keys present...)] of the named run."""
    import numpy as np

    ds, nn = ms.dataset, ms.nn
    rng = np.random.RandomState(0)
    x, y = rng.randn(10, 4).astype(np.float32), rng.randint(0, 3, 10).astype(np.int32)

    def data():
        return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)

    log = []

    def note(self, hook, run_context):
        p = run_context.original_args()
        log.append(
            [
                self.label,
                hook,
                p.get("cur_epoch_num"),
                p.get("cur_step_num"),
                p.get("batch_num"),
                p.get("mode"),
                p.get("epoch_num"),
                p.get("dataset_sink_mode"),
                sorted(
                    k
                    for k in ("metrics", "eval_results", "net_outputs", "train_dataset_element", "eval_dataset_element")
                    if p.get(k) is not None
                ),
            ]
        )
        if self.stop == hook:
            run_context.request_stop()
        if self.fail == hook:
            raise KeyError("as told")

    def make(kind, label="a", stop=None, fail=None):
        hooks = ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]
        if kind == "new":
            hooks = [f"on_{mode}_{hook}" for mode in ("train", "eval") for hook in hooks]
        body = {hook: (lambda self, run_context, _hook=hook: note(self, _hook, run_context)) for hook in hooks}
        body["__enter__"] = lambda self: (log.append([self.label, "enter"]), self)[1]
        body["__exit__"] = lambda self, *err: (
            log.append([self.label, "exit", err[0].__name__ if err and err[0] else None]) and None
        )
        callback = type("Recorder", (ms.Callback,), body)()
        callback.label, callback.stop, callback.fail = label, stop, fail
        return callback

    net = nn.Dense(4, 3)
    model = ms.Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.01, 0.9),
        metrics={"loss"},
    )
    if name == "train":
        model.train(2, data(), callbacks=make("old"), dataset_sink_mode=False)
    elif name == "train_new_hooks":
        model.train(2, data(), callbacks=[make("new")], dataset_sink_mode=False)
    elif name == "two_callbacks":
        model.train(1, data(), callbacks=[make("old", "a"), make("new", "b")], dataset_sink_mode=False)
    elif name == "eval":
        model.eval(data(), callbacks=[make("old", "a"), make("new", "b")], dataset_sink_mode=False)
    elif name == "fit":
        model.fit(2, data(), data(), callbacks=make("new"), dataset_sink_mode=False, valid_dataset_sink_mode=False)
    elif name == "fit_list":
        model.fit(
            3,
            data(),
            data(),
            valid_frequency=[2],
            callbacks=make("new"),
            dataset_sink_mode=False,
            valid_dataset_sink_mode=False,
        )
    elif name == "stop_in_step":
        model.train(3, data(), callbacks=[make("old", stop="step_end"), make("old", "b")], dataset_sink_mode=False)
    elif name == "stop_in_epoch_begin":
        model.train(3, data(), callbacks=make("old", stop="epoch_begin"), dataset_sink_mode=False)
    elif name == "no_epoch_end_data":
        model.train(1, data(), callbacks=make("new", stop="on_train_epoch_end"), dataset_sink_mode=False)
    elif name == "exception":
        try:
            model.train(1, data(), callbacks=[make("old", fail="step_end"), make("old", "b")], dataset_sink_mode=False)
        except KeyError:
            log.append(["raised"])
    elif name == "initial_epoch":
        model.train(3, data(), callbacks=make("old"), dataset_sink_mode=False, initial_epoch=1)
    elif name == "sink":
        model.train(2, data(), callbacks=make("old"), dataset_sink_mode=True)
    return log


def fields(ms):
    """{hook: {field of cb_params: value if it is plain, else its type}} the first time each hook of a fit with
    evaluation is called.
    """
    import numpy as np

    nn, found = ms.nn, {}

    def data():
        rng = np.random.RandomState(0)
        arrays = rng.randn(8, 4).astype(np.float32), rng.randint(0, 3, 8).astype(np.int32)
        return ms.dataset.NumpySlicesDataset(arrays, ["x", "y"], shuffle=False).batch(4)

    def noting(hook):
        def note(self, run_context):
            plain = {
                key: value if isinstance(value, (bool, int, float, str, type(None))) else type(value).__name__
                for key, value in run_context.original_args().items()
            }
            found.setdefault(hook, plain)

        return note

    stages = ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]
    body = {f"on_{mode}_{stage}": noting(f"on_{mode}_{stage}") for mode in ("train", "eval") for stage in stages}
    net = nn.Dense(4, 3)
    model = ms.Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
        metrics={"acc"},
    )
    model.fit(
        1,
        data(),
        data(),
        callbacks=[type("Noting", (ms.Callback,), body)()],
        dataset_sink_mode=False,
        valid_dataset_sink_mode=False,
    )
    return found
