"""Hooks into a map operation. MindSpore: ``mindspore.dataset.DSCallback``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mindspore_compat.common.callback import Callback
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.independent import refuse_if_independent
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32, type_check, type_check_list

if TYPE_CHECKING:
    from mindspore_compat.dataset.engine._execution.session import Run

__all__ = ["DSCallback", "DSRunContext", "WaitedDSCallback", "around", "check_callbacks"]


@dataclass
class DSRunContext:
    """Position of the map operation: counted from 1, `cur_step_num` over all epochs."""

    cur_epoch_num: int = 0
    cur_step_num_in_epoch: int = 0
    cur_step_num: int = 0


class DSCallback:
    """Base of callbacks: override the ``ds_*`` methods; step callbacks are notified every `step_size` rows."""

    def __init__(self, step_size: int = 1) -> None:
        check_pos_int32(step_size, "step_size")
        self.step_size = step_size
        self._begun, self._ended = DSRunContext(), DSRunContext()
        self._has_begun = False

    def ds_begin(self, ds_run_context: DSRunContext) -> None:
        """Run before the first row of all."""

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Run before the first row of an epoch."""

    def ds_epoch_end(self, ds_run_context: DSRunContext) -> None:
        """Run after the last row of an epoch."""

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Run before a row."""

    def ds_step_end(self, ds_run_context: DSRunContext) -> None:
        """Run after a row."""

    def _before(self, rows: Iterator, run: Run) -> Iterator:
        """Yield the input rows of operations, and notify callbacks of each."""
        if run.is_first:
            self._begun = DSRunContext(run.epoch + 1, 0, self._ended.cur_step_num)
        for row in rows:
            if self._counted(self._begun):
                self.ds_step_begin(self._begun)
            yield row

    def _counted(self, context: DSRunContext) -> bool:
        """Count one more step; return whether callbacks are notified of it."""
        context.cur_step_num_in_epoch += 1
        context.cur_step_num += 1
        return (context.cur_step_num_in_epoch - 1) % self.step_size == 0


def around(callbacks: Sequence[DSCallback], rows: Iterator, run: Run) -> Iterator:
    """Yield output rows; notify callbacks of each, and of the epochs: all passes of a repeat are one."""
    if run.is_first:
        for callback in callbacks:
            callback._ended = DSRunContext(run.epoch + 1, 0, callback._ended.cur_step_num)
            if not callback._has_begun:
                callback._has_begun = True
                callback.ds_begin(DSRunContext())  # before the first epoch
        for callback in callbacks:
            callback.ds_epoch_begin(callback._ended)
    for row in rows:
        for callback in callbacks:
            if callback._counted(callback._ended):
                callback.ds_step_end(callback._ended)
        yield row
    if run.is_last:
        for callback in callbacks:
            callback.ds_epoch_end(callback._ended)


class WaitedDSCallback(Callback, DSCallback):
    """Coupling of the pipeline to training: override `sync_epoch_begin` and `sync_step_begin`.

    The pipeline runs in the training thread, on demand (on a GPU too, where others are read one batch ahead), so it
    never is ahead of training and the sync methods are called at once; `train_run_context` is the one of the last
    training hook, None before the first.
    """

    def __init__(self, step_size: int = 1) -> None:
        super().__init__(step_size)
        self.train_run_context: Any = None
        self._timeout = config.get_callback_timeout()

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: DSRunContext) -> None:
        """Run before the first row of an epoch but the first epoch."""

    def sync_step_begin(self, train_run_context: Any, ds_run_context: DSRunContext) -> None:
        """Run before a row but the first."""

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        if ds_run_context.cur_epoch_num > 1:
            self.sync_epoch_begin(self.train_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        if ds_run_context.cur_step_num > self.step_size:
            self.sync_step_begin(self.train_run_context, ds_run_context)

    def begin(self, run_context: Any) -> None:
        """Keep the context as training begins."""
        self.train_run_context = run_context

    def epoch_end(self, run_context: Any) -> None:
        """Keep the context as a training epoch ends."""
        self.train_run_context = run_context

    def step_end(self, run_context: Any) -> None:
        """Keep the context as a training step ends."""
        self.train_run_context = run_context


def check_callbacks(callbacks: Any) -> list[DSCallback]:
    """Return a list of callbacks from one, several or None."""
    if callbacks is None:
        return []
    refuse_if_independent("Dataset Callbacks")
    if isinstance(callbacks, (list, tuple)):
        type_check_list(callbacks, DSCallback, "callbacks")
        return list(callbacks)
    type_check(callbacks, DSCallback, "callbacks")
    return [callbacks]
