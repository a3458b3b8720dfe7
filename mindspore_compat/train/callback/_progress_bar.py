"""A progress bar; MindSpore has none."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

import torch

from mindspore_compat.train.callback._callback import Callback, RunContext, _handle_loss


class ProgressBar(Callback):
    """Progress of an epoch, with loss, learning rate and samples per second.

    A tqdm bar if that is installed and the output is a terminal or a notebook (there a widget, with ipywidgets), else
    lines. The loss is read from the device only for output. MindSpore has no such callback.

    Args:
        seconds: time between two updates; None is 0.2 for a bar and 10 for lines. The end of an epoch is always shown.
        file: where to write; None is stderr for a bar, and stdout for lines.
    """

    def __init__(self, seconds: float | None = None, file: TextIO | None = None) -> None:
        self._file = file
        is_shown = getattr(file or sys.stderr, "isatty", lambda: False)() or (file is None and is_notebook())
        bar = _tqdm() if is_shown else None
        self._make_bar: Any = bar
        self._seconds: float = seconds if seconds is not None else (0.2 if bar else 10.0)
        self._bar: Any = None
        self._title, self._open, self._first_epoch = "", False, 1
        self._samples = self._first_step = self._shown_step = 0
        self._started = self._shown = 0.0

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        self._start(run_context, "epoch {cur_epoch_num}/{last}")

    def on_train_step_end(self, run_context: RunContext) -> None:
        self._step(run_context, "train_dataset_element", "train_dataset")

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._finish(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        self.__exit__()  # in fit the epoch's bar is still open
        self._start(run_context, "eval")

    def on_eval_step_end(self, run_context: RunContext) -> None:
        self._step(run_context, "eval_dataset_element", "valid_dataset")

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        self._finish(run_context)

    def __exit__(self, *err: Any) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _start(self, run_context: RunContext, title: str) -> None:
        cb_params = run_context.original_args()
        if cb_params.get("mode") == "train" and cb_params.get("cur_step_num") == 0:
            self._first_epoch = cb_params.get("cur_epoch_num", 1)
        last = self._first_epoch - 1 + cb_params.get("epoch_num", 1)
        self._title = title.format(cur_epoch_num=cb_params.get("cur_epoch_num", 1), last=last)
        self._started = self._shown = time.perf_counter()
        self._samples, self._shown_step, self._open = 0, 0, True
        self._first_step = cb_params.cur_step_num
        if self._make_bar is not None:
            self._bar = self._make_bar(
                total=cb_params.batch_num,
                desc=self._title,
                leave=True,
                **({"file": self._file or sys.stderr} if self._file or not is_notebook() else {}),
            )

    def _step(self, run_context: RunContext, element: str, dataset: str) -> None:
        cb_params = run_context.original_args()
        self._samples += _batch_size(cb_params.get(element), cb_params.get(dataset), cb_params)
        now = time.perf_counter()
        if now - self._shown >= self._seconds or cb_params.cur_step_num - self._first_step >= cb_params.batch_num:
            self._show(cb_params, now)

    def _finish(self, run_context: RunContext) -> None:
        if not self._open:
            return
        self._open = False
        cb_params = run_context.original_args()
        if cb_params.cur_step_num - self._first_step > self._shown_step:
            self._show(cb_params, time.perf_counter())
        self.__exit__()

    def _show(self, cb_params: Any, now: float) -> None:
        step = cb_params.cur_step_num - self._first_step
        facts = _facts(cb_params)
        speed = self._samples / max(now - self._started, 1e-9)
        if self._bar is not None:
            self._bar.set_postfix_str(", ".join([*facts, f"{speed:.1f} samples/s"]), refresh=False)
            self._bar.update(step - self._shown_step)
        else:
            print(
                ", ".join([f"{self._title} step {step}/{cb_params.batch_num}", *facts, f"{speed:.1f} samples/s"]),
                file=self._file or sys.stdout,
                flush=True,
            )
        self._shown, self._shown_step = now, step


def is_notebook() -> bool:
    """Return whether a Jupyter kernel runs this, so that its page shows displayed objects."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _tqdm() -> Any:
    try:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a notebook has no ipywidgets: its bar is then of letters
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


def _batch_size(element: Any, dataset: Any, cb_params: Any) -> int:
    """Return the samples of the step; a sink's hooks get no elements."""
    if element:
        first = element[0]
        return int(first.shape[0]) if isinstance(first, torch.Tensor) and first.dim() else 1
    size = getattr(dataset, "get_batch_size", None)
    return (size() or 1) * cb_params.batch_num if size is not None else cb_params.batch_num


def _facts(cb_params: Any) -> list[str]:
    """Return loss and learning rate, as far as known."""
    found = []
    outputs = cb_params.get("net_outputs")
    if outputs is not None:
        loss = _handle_loss(outputs)
        if isinstance(loss, torch.Tensor):
            loss = _handle_loss(loss)
        if isinstance(loss, float):
            found.append(f"loss {loss:.4g}")
    optimizer = cb_params.get("optimizer") if cb_params.get("mode") == "train" else None
    rate = None
    if isinstance(optimizer, torch.optim.Optimizer):
        rate = float(optimizer.param_groups[0]["lr"])
    elif optimizer is not None:
        rate = getattr(optimizer, "learning_rate", None)
        rate = float(rate) if isinstance(rate, torch.Tensor) and rate.numel() == 1 else None
    return found if rate is None else [*found, f"lr {rate:.4g}"]
