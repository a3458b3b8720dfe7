"""`Callback`, the base of hooks into training, evaluation and pipelines. MindSpore: ``mindspore.train.Callback``."""

from __future__ import annotations

from typing import Any

__all__ = ["Callback"]


class Callback:
    """Hooks into training and evaluation; also a context manager around the whole run.

    Override ``on_train_*`` and ``on_eval_*``, or the older ``begin``, ``epoch_begin``, ``step_begin``, ``step_end``,
    ``epoch_end``, ``end``, which both fall back to. Each takes the `RunContext`.

    Examples:
        >>> class StopSoon(ms.train.Callback):
        ...     def on_train_step_end(self, run_context):
        ...         run_context.request_stop()
        >>> run_context = ms.train.RunContext({})
        >>> StopSoon().on_train_step_end(run_context)
        >>> print(run_context.get_stop_requested())
        True
    """

    def __enter__(self) -> Callback:
        return self

    def __exit__(self, *err: Any) -> None:
        """End the run, also after an exception."""

    def begin(self, run_context: Any) -> None:
        """Run before training or evaluation."""

    def epoch_begin(self, run_context: Any) -> None:
        """Run before each epoch."""

    def epoch_end(self, run_context: Any) -> None:
        """Run after each epoch."""

    def step_begin(self, run_context: Any) -> None:
        """Run before each step."""

    def step_end(self, run_context: Any) -> None:
        """Run after each step."""

    def end(self, run_context: Any) -> None:
        """Run after training or evaluation."""

    def on_train_begin(self, run_context: Any) -> None:
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: Any) -> None:
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: Any) -> None:
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: Any) -> None:
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: Any) -> None:
        self.step_end(run_context)

    def on_train_end(self, run_context: Any) -> None:
        self.end(run_context)

    def on_eval_begin(self, run_context: Any) -> None:
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: Any) -> None:
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: Any) -> None:
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: Any) -> None:
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: Any) -> None:
        self.step_end(run_context)

    def on_eval_end(self, run_context: Any) -> None:
        self.end(run_context)
