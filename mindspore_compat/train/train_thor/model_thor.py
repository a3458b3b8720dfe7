"""`ModelThor`, the Model of the optimizer `thor`. MindSpore: ``mindspore.train.train_thor.model_thor``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.nn.wrap.cell_wrapper import TrainOneStepCell
from mindspore_compat.train._loop import Sinking
from mindspore_compat.train.model import Model

__all__ = ["ModelThor"]


class ModelThor(Model):
    """A Model with a second-order step every ``frequency``-th time, sinking or not, with callbacks at every step.

    Arguments as of `Model`. A ``network`` that is a TrainOneStepCell brings its optimizer.

    Raises:
        ValueError: in `fit` for a ``valid_dataset``, as in MindSpore.
    """

    def __init__(
        self,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Any = None,
        eval_indexes: Any = None,
        amp_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        super().__init__(network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level, **kwargs)
        used = network.optimizer if isinstance(network, TrainOneStepCell) else optimizer
        if not hasattr(used, "get_frequency"):
            raise TypeError(f"For 'ModelThor', the 'optimizer' must be one of nn.thor, but got {type(used).__name__}.")
        self._frequency = used.get_frequency()

    def _check_evaluation_in_fit(self) -> None:
        raise ValueError("For 'ModelThor', 'fit' evaluates nothing: call eval between two calls of train.")

    def _describe_training(self, epoch_num: int, dataset: Any, callbacks: Any, sinking: Sinking) -> Any:
        sinking.one_step_per_sink = False
        return super()._describe_training(epoch_num, dataset, callbacks, sinking)
