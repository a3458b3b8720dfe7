"""ProgressBar and LossPlot in a notebook, and LossPlot's files."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat import Model, nn
from mindspore_compat.train.callback import LossPlot, ProgressBar


def _data(rows: int = 12) -> Any:
    draw = np.random.RandomState(0)
    return ds.NumpySlicesDataset(
        (draw.randn(rows, 4).astype(np.float32), draw.randint(0, 3, rows).astype(np.int32)), ["x", "y"], shuffle=False
    ).batch(4)


def _model(**options: Any) -> Any:
    net = nn.Dense(4, 3)
    return Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Momentum(net.trainable_params(), 0.1, 0.9),
        **options,
    )


class _Notebook:
    """What a Jupyter kernel is, as far as the callbacks ask: an IPython with a shell that has a kernel, and
    a display.
    """

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.updates: list[Any] = []

    def module(self) -> Any:
        return SimpleNamespace(
            get_ipython=lambda: SimpleNamespace(kernel=self),
            display=SimpleNamespace(Image=lambda data: data, display=self.display),
        )

    def display(self, picture: Any, display_id: bool) -> Any:
        assert display_id
        self.shown.append(picture)
        return SimpleNamespace(update=self.updates.append)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> _Notebook:
    result = _Notebook()
    monkeypatch.setitem(sys.modules, "IPython", result.module())
    return result


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_plot_is_written_to_a_file(kind: str, start: bytes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = LossPlot(tmp_path / f"loss.{kind}", seconds=1000)
    _model(metrics={"acc"}).fit(2, _data(), _data(8), callbacks=plot)
    assert (tmp_path / f"loss.{kind}").read_bytes().startswith(start) and [
        path.name for path in tmp_path.iterdir()
    ] == [f"loss.{kind}"]
    assert [step for step, _ in plot.losses] == [1, 2, 3, 4, 5, 6] and [step for step, _ in plot.metrics["acc"]] == [
        3,
        6,
    ]


def test_the_plot_draws_what_was_measured(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot = LossPlot(tmp_path / "loss.png", steps=2)
    _model(metrics={"acc"}).fit(2, _data(), _data(8), callbacks=plot)
    losses, metrics = plot.figure().axes
    assert [tuple(point) for point in losses.lines[0].get_xydata()] == plot.losses and [
        step for step, _ in plot.losses
    ] == [2, 4, 6]
    assert [tuple(point) for point in metrics.lines[0].get_xydata()] == plot.metrics["acc"]
    assert (losses.get_ylabel(), metrics.get_xlabel()) == ("loss", "step") and metrics.get_legend().get_texts()[
        0
    ].get_text() == "acc"


def test_a_second_run_goes_on_behind_the_first(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot, model = LossPlot(tmp_path / "loss.png", seconds=1000), _model()
    model.train(1, _data(), callbacks=plot)
    before = (tmp_path / "loss.png").read_bytes()
    model.train(1, _data(), callbacks=plot)
    assert [step for step, _ in plot.losses] == [1, 2, 3, 4, 5, 6] and (tmp_path / "loss.png").read_bytes() != before


def test_the_plot_is_drawn_when_the_training_breaks_off(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")

    class Break(ProgressBar):
        def on_train_step_end(self, run_context: Any) -> None:
            raise KeyboardInterrupt

    plot = LossPlot(tmp_path / "loss.png", seconds=1000)
    plot._drawn = float("inf")  # no drawing by time
    with pytest.raises(KeyboardInterrupt):
        _model().train(1, _data(), callbacks=[plot, Break()])
    assert len(plot.losses) == 1 and (tmp_path / "loss.png").exists()


def test_the_plot_grows_under_the_cell_of_a_notebook(notebook: _Notebook) -> None:
    pytest.importorskip("matplotlib")
    plot = LossPlot(seconds=0)
    _model().train(1, _data(), callbacks=plot)
    assert (
        len(notebook.shown) == 1
        and len(notebook.updates) == 2
        and all(picture.startswith(b"\x89PNG") for picture in notebook.shown + notebook.updates)
    )
    _model().train(1, _data(), callbacks=plot)  # another cell
    assert len(notebook.shown) == 2


@pytest.mark.parametrize(("arguments", "error"), [({}, ValueError), ({"file": "a.gif"}, ValueError)])
def test_wrong_arguments_of_the_plot(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        LossPlot(**arguments)


def test_progress_is_a_bar_in_a_notebook(notebook: _Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []

    class Bar:
        def __init__(self, **options: Any) -> None:
            made.append(options)

        def set_postfix_str(self, text: str, refresh: bool) -> None:
            pass

        def update(self, steps: int) -> None:
            pass

        def close(self) -> None:
            pass

    monkeypatch.setitem(sys.modules, "tqdm", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Bar))
    _model().train(2, _data(), callbacks=ProgressBar())
    assert made == [
        {"total": 3, "desc": f"epoch {epoch}/2", "leave": True} for epoch in (1, 2)
    ]  # tqdm finds its own place


@pytest.mark.slow
def test_a_real_notebook_shows_both(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for package in ("ipykernel", "ipywidgets", "tqdm", "matplotlib"):
        pytest.importorskip(package)
    root = Path(__file__).parents[2]
    cell = f"""import sys; sys.path.insert(0, {str(root)!r})
from tests.train.test_notebook_callbacks import _data, _model
from mindspore_compat.train.callback import LossPlot, ProgressBar
_model().train(2, _data(), callbacks=[ProgressBar(), LossPlot(seconds=0)])"""
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell)],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = [set(output.get("data", {})) for output in book.cells[0].outputs]
    assert sum("application/vnd.jupyter.widget-view+json" in kind for kind in kinds) == 2, kinds  # a bar an epoch
    assert sum("image/png" in kind for kind in kinds) == 1, kinds
