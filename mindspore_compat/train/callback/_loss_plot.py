"""A live plot of the loss; MindSpore has none."""

from __future__ import annotations

import math
import os
import sys
import time
from typing import Any

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat._runtime.files import replacing
from mindspore_compat.train._figures import new_figure, picture_of
from mindspore_compat.train.callback._callback import Callback, RunContext, _handle_loss
from mindspore_compat.train.callback._progress_bar import is_notebook


class LossPlot(Callback):
    """Plot of the loss over the steps, and in ``Model.fit`` of the metrics over the epochs: under the cell of a
    notebook, in a file, or both.

    MindSpore has no such callback. It needs matplotlib, and changes none of its settings.

    Args:
        file: the picture's path (``.png``, ``.svg``, ``.pdf``); None: only in the notebook.
        steps: n: the loss of every n-th step is read from the device and drawn.
        seconds: time between two drawings. The end of the training is always drawn.

    ``losses`` holds (step, loss), ``metrics`` {name: [(step, value)]}; steps count from 1 over the whole run, and go on
    in a second run.

    Raises:
        TypeError, ValueError: for wrong arguments, or if there is neither a notebook nor a file. ImportError: without
            matplotlib.
    """

    def __init__(self, file: str | os.PathLike[str] | None = None, steps: int = 1, seconds: float = 2.0) -> None:
        check_positive_int(steps, "steps", "LossPlot")
        if file is None and not is_notebook():
            raise ValueError("For 'LossPlot', there is no notebook to show the plot in: give 'file'.")
        path = None if file is None else os.fspath(file)
        kind = None if path is None else os.path.splitext(path)[1][1:].lower()
        if kind is not None and kind not in ("png", "svg", "pdf"):
            raise ValueError(f"For 'LossPlot', the 'file' must end with .png, .svg or .pdf, but is {path!r}.")
        new_figure("LossPlot")
        self._file, self._kind, self._steps, self._seconds = file, kind, steps, float(seconds)
        self.losses: list[tuple[int, float]] = []
        self.metrics: dict[str, list[tuple[int, float]]] = {}
        self._first = 0  # steps of runs before this one
        self._drawn, self._shown = -math.inf, False
        self._display: Any = None

    def on_train_begin(self, run_context: RunContext) -> None:
        self._first = max(
            [step for step, _ in self.losses] + [step for points in self.metrics.values() for step, _ in points],
            default=0,
        )
        self._display = None  # under the cell that trains now

    def on_train_step_end(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        step = cb_params.cur_step_num
        if step % self._steps == 0 or cb_params.get("dataset_sink_mode"):
            loss = _handle_loss(cb_params.net_outputs)
            if isinstance(loss, float):
                self.losses.append((self._first + step, loss))
                self._shown = False
        if time.perf_counter() - self._drawn >= self._seconds:
            self._draw()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        for name, value in (cb_params.get("metrics") or {}).items():
            if isinstance(value, (int, float)) or getattr(value, "ndim", None) == 0:
                self.metrics.setdefault(name, []).append((self._first + cb_params.cur_step_num, float(value)))
                self._shown = False

    def __exit__(self, *err: Any) -> None:
        self._draw()

    def figure(self) -> Any:
        """Return the plot, as a ``matplotlib.figure.Figure``."""
        figure = new_figure("LossPlot", figsize=(8, 6 if self.metrics else 3), layout="constrained")
        rows = figure.subplots(2 if self.metrics else 1, sharex=True, squeeze=False)[:, 0]
        rows[0].plot(*zip(*self.losses or [(0, math.nan)]), linewidth=1)
        rows[0].set_ylabel("loss")
        if self.metrics:
            for name, points in self.metrics.items():
                rows[1].plot(*zip(*points), marker="o", markersize=3, label=name)
            rows[1].legend()
            rows[1].set_ylabel("metrics")
        rows[-1].set_xlabel("step")
        for row in rows:
            row.grid(alpha=0.3)
        return figure

    def _draw(self) -> None:
        if self._shown or not (self.losses or self.metrics):
            return
        figure = self.figure()
        if self._file is not None:
            with replacing(os.fspath(self._file)) as file:
                file.write(picture_of(figure, str(self._kind)))
        if is_notebook():
            display = sys.modules["IPython"].display
            picture = display.Image(data=picture_of(figure))
            if self._display is None:
                self._display = display.display(picture, display_id=True)
            else:
                self._display.update(picture)
        self._shown, self._drawn = True, time.perf_counter()
