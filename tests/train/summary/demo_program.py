"""The demo's own script with a SummaryCollector and a loss landscape added from outside; examples/ must be on the path.

python -m mindspore_compat demo_program.py FOLDER EPOCHS
"""

from __future__ import annotations

import sys
from typing import Any

import lenet_digits
import mindspore
from mindspore.train.callback import SummaryCollector, SummaryLandscape


class Model(mindspore.Model):
    """The demo's Model, watched."""

    folder = ""

    def train(self, epoch: int, train_dataset: Any, callbacks: Any = None, **others: Any) -> None:
        chosen = {
            "collect_landscape": {
                "landscape_size": 12,
                "intervals": [list(range(1, 40, 3))],
                "num_samples": 128,
                "unit": "step",
                "create_landscape": {"train": True, "result": False},
            }
        }
        super().train(
            epoch,
            train_dataset,
            callbacks=[*callbacks, SummaryCollector(self.folder, collect_specified_data=chosen)],
            **others,
        )

    def eval(self, valid_dataset: Any, callbacks: Any = None, **others: Any) -> Any:
        watched = [SummaryCollector(self.folder, collect_specified_data={"collect_landscape": None})]
        return super().eval(valid_dataset, callbacks=watched, **others)


def for_landscape() -> tuple[Any, ...]:
    """What SummaryLandscape asks for."""
    net, metrics = lenet_digits.LeNet5(), {"Loss": mindspore.train.Loss()}
    loss = mindspore.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return mindspore.Model(net, loss, metrics=metrics), net, lenet_digits.create_dataset(False), metrics


if __name__ == "__main__":
    Model.folder = sys.argv[1]
    lenet_digits.Model = Model
    sys.argv[1:] = ["--epochs", sys.argv[2], "--ckpt_dir", f"{Model.folder}/checkpoints"]
    lenet_digits.main()
    landscape = SummaryLandscape(Model.folder)
    landscape.gen_landscapes_with_multi_process(for_landscape)
    landscape.clean_ckpt()
