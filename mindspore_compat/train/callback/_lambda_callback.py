"""The callback `LambdaCallback`. MindSpore: ``mindspore.train.LambdaCallback``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.train.callback._callback import _HOOKS, _STAGES, Callback

__all__ = ["LambdaCallback"]

Hook = Callable[[Any], Any]


class LambdaCallback(Callback):
    """A callback from functions of the `RunContext`.

    Accepts 2.x's names (``on_train_epoch_begin=...``) and 1.x's (``epoch_begin``, ``epoch_end``, ``step_begin``,
    ``step_end``, ``begin``, ``end``), for training and evaluation.
    """

    _trains_only = True

    def __init__(
        self,
        on_train_epoch_begin: Hook | None = None,
        on_train_epoch_end: Hook | None = None,
        on_train_step_begin: Hook | None = None,
        on_train_step_end: Hook | None = None,
        on_train_begin: Hook | None = None,
        on_train_end: Hook | None = None,
        on_eval_epoch_begin: Hook | None = None,
        on_eval_epoch_end: Hook | None = None,
        on_eval_step_begin: Hook | None = None,
        on_eval_step_end: Hook | None = None,
        on_eval_begin: Hook | None = None,
        on_eval_end: Hook | None = None,
        epoch_begin: Hook | None = None,
        epoch_end: Hook | None = None,
        step_begin: Hook | None = None,
        step_end: Hook | None = None,
        begin: Hook | None = None,
        end: Hook | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in (*_HOOKS, *_STAGES)}
        for name, function in given.items():
            if function is not None:
                setattr(self, name, function)
