"""Which layers of a Model train, and which evaluate, when callbacks switch some: the same program under real MindSpore
and here, in both modes.

    .venv-oracle/bin/python tests/train/layer_modes_program.py mindspore tests/golden/layer_modes.json
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HOOKS = [
    *(f"on_train_{when}" for when in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")),
    *(f"on_eval_{when}" for when in ("begin", "epoch_begin", "step_begin", "step_end", "end")),
]
#: name: (whether it is fit, {hook: ...}); "all on", "all off" or "norm off" switches the network or its batch norm
CASES: dict[str, tuple[bool, dict[str, str]]] = {
    "train": (False, {}),
    "fit": (True, {}),
    "norm off at the begin": (False, {"on_train_begin": "norm off"}),
    "norm off at the begin of fit": (True, {"on_train_begin": "norm off"}),
    "norm off in each epoch": (False, {"on_train_epoch_begin": "norm off"}),
    "all off after an epoch": (False, {"on_train_epoch_end": "all off"}),
    "all off after an epoch of fit": (True, {"on_train_epoch_end": "all off"}),
    "all off before a step": (False, {"on_train_step_begin": "all off"}),
    "all off after a step": (True, {"on_train_step_end": "all off"}),
    "all on before the evaluation": (True, {"on_eval_begin": "all on"}),
    "all on in the evaluation": (True, {"on_eval_epoch_begin": "all on"}),
    "all on in a step of the evaluation": (True, {"on_eval_step_begin": "all on"}),
}


class Runs:
    """The cases under the package of a name."""

    def __init__(self, package: str) -> None:
        self.ms = importlib.import_module(package)
        self.nn, self.ds = self.ms.nn, importlib.import_module(f"{package}.dataset")
        self.callback = importlib.import_module(f"{package}.train.callback").Callback

    def net(self) -> Any:
        nn, tensor = self.nn, self.ms.Tensor
        weights = (np.linspace(-1, 1, 20).reshape(5, 4), np.cos(np.arange(15)).reshape(3, 5))
        first, second = (tensor(w.astype(np.float32)) for w in weights)
        norm = nn.BatchNorm1d(5)
        layers = [nn.Dense(4, 5, first, "zeros"), norm, nn.Sigmoid(), nn.Dense(5, 3, second, "zeros")]
        return nn.SequentialCell(layers)

    def model(self, net: Any) -> Any:
        optimizer = self.nn.SGD(net.trainable_params(), 0.1)
        return self.ms.Model(net, self.nn.MSELoss(), optimizer, metrics={"mae"})

    def data(self, shift: float = 0.0) -> Any:
        x = np.sin(np.arange(40) + shift).reshape(10, 4).astype(np.float32)
        return self.ds.NumpySlicesDataset((x, x[:, :3] * 2), shuffle=False).batch(4, drop_remainder=True)

    @staticmethod
    def state(net: Any) -> list[Any]:
        return [
            [cell.training for cell in (net, net[0], net[1])],
            *_values(net[1].moving_mean),
            *_values(net[0].weight),
        ]

    def switching(self, acts: dict[str, str], seen: list[Any]) -> Any:
        def hook(name: str) -> Any:
            def method(_: Any, run_context: Any) -> None:
                net = run_context.original_args().network
                seen.append([name, net.training, net[1].training])
                what = acts.get(name)
                if what is not None:
                    (net[1] if what.startswith("norm") else net).set_train(what.endswith("on"))

            return method

        return type("Switching", (self.callback,), {name: hook(name) for name in HOOKS})()

    def case(self, name: str) -> list[Any]:
        is_fit, acts = CASES[name]
        net, seen = self.net(), []
        model, callback = self.model(net), self.switching(acts, seen)
        if is_fit:
            valid = {"valid_dataset_sink_mode": False}
            model.fit(2, self.data(), self.data(1.0), callbacks=[callback], dataset_sink_mode=False, **valid)
        else:
            model.train(2, self.data(), callbacks=[callback], dataset_sink_mode=False)
        return [seen, self.state(net)]

    def evaluated_in_between(self, own: bool) -> list[Any]:
        """A callback that evaluates, by the same Model or one of its own."""
        net, seen = self.net(), []
        model, other = self.model(net), self.model(net)

        def evaluate(_: Any, run_context: Any) -> None:
            mae = (other if own else model).eval(self.data(1.0), dataset_sink_mode=False)["mae"]
            seen.append([round(float(mae), 4), net.training])

        callback = type("Evaluating", (self.callback,), {"on_train_epoch_end": evaluate})()
        model.train(3, self.data(), callbacks=[callback], dataset_sink_mode=False)
        return [seen, self.state(net)]

    def predictions(self) -> list[Any]:
        """`predict` switches the network only if the Model trained last."""
        net, seen = self.net(), []
        model, x = self.model(net), self.ms.Tensor(np.cos(np.arange(8)).reshape(2, 4).astype(np.float32))
        for act in ("nothing", "all on", "train", "norm on", "eval", "all on"):
            if act == "train":
                model.train(1, self.data(), dataset_sink_mode=False)
            elif act == "eval":
                model.eval(self.data(), dataset_sink_mode=False)
            elif act != "nothing":
                (net[1] if act.startswith("norm") else net).set_train(True)
            model.predict(x)
            seen.append([act, *self.state(net)])
        return seen

    def everything(self) -> dict[str, Any]:
        found = {}
        for mode in ("PYNATIVE_MODE", "GRAPH_MODE"):
            self.ms.set_context(mode=getattr(self.ms, mode))
            for name in CASES:
                found[f"{mode}: {name}"] = self.case(name)
            for own in (False, True):
                found[f"{mode}: evaluated by {'another' if own else 'the same'} Model"] = self.evaluated_in_between(own)
            found[f"{mode}: predictions"] = self.predictions()
        return found


def _values(parameter: Any) -> list[float]:
    return [round(float(x), 4) for x in parameter.asnumpy().ravel()]


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(Runs(sys.argv[1]).everything(), indent=0) + "\n")
