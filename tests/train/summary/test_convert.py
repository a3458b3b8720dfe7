"""Reading and converting runs that real MindSpore wrote, and the command line."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from PIL import Image

from mindspore_compat.cli import main
from mindspore_compat.train.summary import read_summary, to_tensorboard
from tests.train.summary.support import GOLDEN, tensorboard


@pytest.mark.parametrize(
    "name", ["basic", "lineage", "collector_fixed", "collector_graph", "landscape", "export_npy", "prefix_suffix"]
)
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


@pytest.mark.parametrize("name", ["basic", "collector_fixed", "collector_graph", "landscape"])
def test_converted_histograms_and_pictures_are_those_of_the_files(tmp_path, name):
    to_tensorboard(str(GOLDEN / name), str(tmp_path))
    board, data = tensorboard(tmp_path), read_summary(GOLDEN / name)
    shared = set(data.images) | set(data.scalars)  # a tag of two kinds: TensorBoard wants one kind a tag
    for tag, points in data.histograms.items():
        shown = {
            event.step: event.histogram_value
            for event in board.Histograms(f"{tag}/histogram" if tag in shared else tag)
        }
        assert list(shown) == list(points)
        for step, ours in points.items():
            if ours.lefts:
                assert list(shown[step].bucket) == list(ours.counts)
                assert (shown[step].min, shown[step].max, shown[step].sum) == (ours.minimum, ours.maximum, ours.total)
                assert list(shown[step].bucket_limit) == pytest.approx(
                    [left + width for left, width in zip(ours.lefts, ours.widths)], abs=0
                )
    for tag, points in data.images.items():
        shown = {event.step: event for event in board.Images(tag)}
        for step, picture in points.items():
            decoded = np.asarray(Image.open(io.BytesIO(shown[step].encoded_image_string)))
            assert np.array_equal(decoded, picture) and (shown[step].height, shown[step].width) == picture.shape[:2]
    for tag, points in data.tensors.items():  # the spread of their values
        for event in board.Histograms(f"{tag}/tensor"):
            finite = points[event.step].astype(np.float64)
            assert event.histogram_value.num == np.isfinite(
                finite
            ).sum() and event.histogram_value.max == pytest.approx(np.nanmax(finite), rel=1e-6)


def test_a_converted_graph_and_lineage_say_what_the_files_say(tmp_path):
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    to_tensorboard(str(GOLDEN / "collector_graph"), str(tmp_path))
    board, data = tensorboard(tmp_path), read_summary(GOLDEN / "collector_graph")
    (source,), graph = data.graphs, GraphDef.FromString(board.Graph().SerializeToString())
    assert {node.name for node in graph.node} >= {node.full_name for node in source.node}
    assert len(graph.node) == len(source.node) + len(source.parameters) + len(source.const_vals)
    assert sum(len(node.input) for node in graph.node) == sum(len(node.input) for node in source.node)
    assert board.Scalars("lineage/loss")[0].value == data.lineage["train_lineage"][0].algorithm.loss
    metrics = json.loads(data.lineage["eval_lineage"][0].metric)
    assert {key: board.Scalars(f"lineage/eval_{key}")[0].value for key in metrics} == pytest.approx(metrics)
    assert (
        "| optimizer | Momentum |"
        in board.Tensors("lineage/train_lineage/text_summary")[0].tensor_proto.string_val[0].decode()
    )


def test_the_reader_gives_arrays(tmp_path):
    data = read_summary(GOLDEN / "basic")
    steps, values = data.curve("f64")
    assert steps.tolist() == [1, 2] and values.tolist() == pytest.approx([0.001, 0.001])
    assert data.tensors["i32"][5].dtype == "int32" and data.tensors["i32"][5].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert data.histograms["nonfinite"][4].nan == 2
    with pytest.raises(KeyError):
        data.curve("nothing")
    with pytest.raises(FileNotFoundError):
        read_summary(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_summary(tmp_path / "x")


def _command(*arguments):
    return main(["summary", *map(str, arguments)])


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
    assert "holds a TensorBoard file" in capsys.readouterr().err
