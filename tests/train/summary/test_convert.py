"""Reading and converting runs that real MindSpore wrote, and the command line."""
from __future__ import annotations

import argparse
import json

import pytest

from mindspore_compat._summary_cli import add_parser
from mindspore_compat.train.summary import read_summary, to_tensorboard
from tests.train.summary.support import GOLDEN, tensorboard


@pytest.mark.parametrize("name", ["basic", "lineage", "collector_fixed", "collector_graph", "landscape", "export_npy", "prefix_suffix"])
def test_a_run_of_real_mindspore_shows_in_tensorboard_with_equal_values(tmp_path, name):
    to_tensorboard(str(GOLDEN / name), str(tmp_path))
    board, data = tensorboard(tmp_path), read_summary(GOLDEN / name)
    for tag, points in data.scalars.items():
        shown = {event.step: event.value for event in board.Scalars(tag)}
        assert shown == pytest.approx(points, nan_ok=True)
    tags = board.Tags()
    assert set(data.images) <= set(tags["images"])
    assert len(tags["histograms"]) == len(data.histograms) + len(data.tensors)
    assert tags["graph"] == bool(data.graphs)
    assert all(f"{tag}/{kind}" in tags["images"] for tag in data.landscapes for kind in ("contour", "surface"))
    assert ("lineage/train_lineage/text_summary" in tags["tensors"]) == ("train_lineage" in data.lineage)


def test_the_reader_gives_arrays(tmp_path):
    data = read_summary(GOLDEN / "basic")
    steps, values = data.curve("f64")
    assert steps.tolist() == [1, 2] and values.tolist() == pytest.approx([0.001, 0.001])
    assert data.tensors["i32"][5].dtype == "int32" and data.tensors["i32"][5].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert data.histograms["nonfinite"][4].nan == 2
    with pytest.raises(KeyError, match="there are"):
        data.curve("nothing")
    with pytest.raises(FileNotFoundError, match="no summary files"):
        read_summary(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_summary(tmp_path / "x")


def _command(*arguments):
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    options = parser.parse_args(["summary", *map(str, arguments)])
    return options.handler(options)


def test_the_command_inspects(capsys, tmp_path):
    assert _command("inspect", GOLDEN / "collector_graph") == 0
    shown = capsys.readouterr().out
    assert "loss/auto: 4 points, steps 1 to 6" in shown and "60 nodes" in shown and "train_lineage:" in shown
    assert _command("inspect", "--json", GOLDEN / "basic") == 0
    assert json.loads(capsys.readouterr().out)["scalars"]["f32"] == [[1, 0.25], [2, 0.25]]
    assert _command("inspect", tmp_path) == 2
    assert "no summary files" in capsys.readouterr().err


def test_the_command_converts_and_will_not_do_it_twice(capsys, tmp_path):
    assert _command("to-tensorboard", GOLDEN / "basic", "--output", tmp_path) == 0
    assert "tfevents" in capsys.readouterr().out
    assert _command("to-tensorboard", GOLDEN / "basic", "--output", tmp_path) == 2
    assert "already holds" in capsys.readouterr().err
