"""MindInsight 2.3.1's own code reads our folders, and finds in them what it finds in real MindSpore's for the same
calls.

It lives in an environment of its own (``python -m venv DIR``, ``DIR/bin/pip install mindinsight==2.3.1 "numpy<2"``,
Python 3.9):
MINDINSIGHT_PYTHON names its interpreter.
"""

from __future__ import annotations

import base64
import functools
import io
import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mindspore_compat as ms
import mindspore_compat.dataset
from mindspore_compat.train.callback._landscape import SummaryLandscape
from mindspore_compat.train.callback._summary_collector import SummaryCollector
from mindspore_compat.train.summary import read_summary
from tests.train.summary.collector_program import run
from tests.train.summary.support import GOLDEN, copy_landscape_checkpoints, record_basic, record_lineage
from tests.train.summary.test_landscape import make

PROGRAM = Path(__file__).with_name("mindinsight_program.py")


@functools.cache
def _python() -> str | None:
    named = os.environ.get("MINDINSIGHT_PYTHON", "/opt/mindinsight/venv/bin/python")
    return named if os.path.exists(named) else None


pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(_python() is None, reason="no MindInsight installed (MINDINSIGHT_PYTHON)"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What MindInsight shows of our runs, and of real MindSpore's under ``golden_…``; ``base`` is the folder."""
    base = tmp_path_factory.mktemp("runs")
    for name in ("basic", "lineage", "collector", "landscape"):
        (base / name).mkdir()
        shutil.copytree(GOLDEN / ("collector_fixed" if name == "collector" else name), base / f"golden_{name}")
    record_basic(base / "basic")
    record_lineage(base / "lineage")
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)  # a graph of operators
    run(ms, SummaryCollector, str(base / "collector"))
    ms.set_context(mode=before)
    copy_landscape_checkpoints(base / "landscape")
    np.random.seed(4)
    SummaryLandscape(str(base / "landscape")).gen_landscapes_with_multi_process(make)
    workspace = tmp_path_factory.mktemp("workspace")
    done = subprocess.run(
        [str(_python()), str(PROGRAM), str(base)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(workspace), "MINDINSIGHT_WORKSPACE": str(workspace)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return {**json.loads(done.stdout.split("MINDINSIGHT ")[-1]), "base": base}


def _assert_same(ours: Any, theirs: Any, tolerance: float, where: str = "") -> None:
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key in theirs:
            _assert_same(ours[key], theirs[key], tolerance, f"{where}.{key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), where
        for index, (a, b) in enumerate(zip(ours, theirs)):
            _assert_same(a, b, tolerance, f"{where}[{index}]")
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=tolerance, abs=tolerance, nan_ok=True), where
    else:
        assert ours == theirs, where


@pytest.mark.parametrize(
    "run_name, tolerance", [("basic", 0.0), ("lineage", 0.0), ("collector", 2e-6), ("landscape", 1e-4)]
)
@pytest.mark.parametrize("kind", ["scalar", "tensor", "histogram"])
def test_values_are_those_of_real_mindspores_files(
    found: dict[str, Any], run_name: str, tolerance: float, kind: str
) -> None:
    ours, theirs = found[run_name], found[f"golden_{run_name}"]
    if run_name == "landscape":  # the golden folder also holds the training run
        theirs = {**theirs, kind: {}}
    assert bool(theirs[kind]) == (run_name in ("basic", "collector") or (run_name, kind) == ("lineage", "scalar"))
    _assert_same(ours[kind], theirs[kind], tolerance)


@pytest.mark.parametrize("run_name", ["basic", "collector"])
def test_pictures_are_those_of_real_mindspores_files(found: dict[str, Any], run_name: str) -> None:
    ours, theirs = found[run_name]["image"], found[f"golden_{run_name}"]["image"]
    assert list(ours) == list(theirs) and ours
    for tag in theirs:
        assert [row[:3] for row in ours[tag]] == [row[:3] for row in theirs[tag]], tag
        for a, b in zip(ours[tag], theirs[tag]):
            assert np.array_equal(*(np.asarray(Image.open(io.BytesIO(base64.b64decode(row[3])))) for row in (a, b))), (
                tag
            )


def test_values_are_those_that_were_recorded(found: dict[str, Any]) -> None:
    inputs, shown = np.load(GOLDEN / "basic_inputs.npz"), found["basic"]
    for key in inputs.files:
        kind, tag = key.split(".", 1)
        if kind == "scalar":
            expected = float(np.float32(inputs[key].reshape(-1)[0]))
            assert all(value == pytest.approx(expected, nan_ok=True) for _, value in shown["scalar"][f"{tag}/scalar"])
            assert [step for step, _ in shown["scalar"][f"{tag}/scalar"]] == [1, 2]
        elif kind == "tensor":
            ((step, dims, _, values),) = shown["tensor"][f"{tag}/tensor"]
            assert step == 5 and dims == list(inputs[key].shape)
            np.testing.assert_array_equal(np.array(values, np.float32), inputs[key].astype(np.float32))
        elif kind == "histogram":
            ((step, count, low, high, buckets, _),) = shown["histogram"][f"{tag}/histogram"]
            finite = inputs[key][np.isfinite(inputs[key])]
            assert step == 4 and count == sum(bucket[2] for bucket in buckets) == finite.size
            if finite.size:
                assert (low, high) == (float(finite.min()), float(finite.max()))
        else:
            assert [row[0] for row in shown["image"][f"{tag}/image"]] == [3]


@pytest.mark.parametrize("run_name", ["lineage", "collector"])
def test_the_lineage_page_shows_what_it_shows_of_real_mindspores_run(found: dict[str, Any], run_name: str) -> None:
    ours, theirs = found[run_name]["lineage"], found[f"golden_{run_name}"]["lineage"]
    for lineage in (ours, theirs):
        lineage["model_lineage"].pop("dataset_mark")  # MindInsight numbers the datasets of all runs
        for graph in (lineage["dataset_graph"], *lineage["dataset_graph"].get("children", ())):
            graph.pop("num_parallel_workers", None)  # the machine's
    _assert_same(ours, theirs, 2e-6)
    model = ours["model_lineage"]
    assert model["metric"] and model["loss"] and model["learning_rate"] and model["user_defined"] and model["network"]


def test_landscapes_are_real_mindspores(found: dict[str, Any]) -> None:
    ours, theirs = found["landscape"]["landscape"], found["golden_landscape"]["landscape"]
    assert [bool(row.get("path")) for row in ours] == [True, False] == [bool(row.get("path")) for row in theirs]
    for a, b in zip(ours, theirs):
        for key in ("decomposition", "unit", "step_per_epoch"):
            assert a["metadata"][key] == b["metadata"][key]
    for key in ("points", "path", "convergence_point"):
        _assert_same(ours[0][key], theirs[0][key], 1e-4, key)
    assert ours[1]["points"]["x"] == theirs[1]["points"]["x"]  # random directions: only the axes agree
    assert np.shape(ours[1]["points"]["z"]) == np.shape(theirs[1]["points"]["z"]) and not math.isnan(
        np.sum(ours[1]["points"]["z"])
    )


def test_the_graph_page_shows_every_operator_with_its_edges_and_shapes(found: dict[str, Any]) -> None:
    (nodes,) = found["collector"]["graph"].values()
    by_name = {node["name"]: node for node in nodes}
    (graph,) = read_summary(found["base"] / "collector").graphs
    layers, constants = {node.name: node for node in graph.node}, {row.key for row in graph.const_vals}
    for node in graph.node:
        shown = by_name[node.full_name]
        assert shown["type"] == node.op_type
        for source in node.input:
            above = layers.get(source.name)
            # MindInsight moves a parameter into the scope of the layer that takes it
            name = above.full_name if above is not None else f"{node.scope}/{source.name}"
            assert name in by_name
            if source.name in constants:
                continue
            (row,) = [item for item in ([above] if above is not None else graph.parameters) if item.name == source.name]
            kind = row.output_type if above is not None else row.type
            assert shown["input"][name]["shape"] == [[dim.size for dim in kind.tensor_type.shape.dim]]
    assert len(by_name) == len(graph.node) + len(graph.parameters) + len(graph.const_vals) + sum(
        node["type"] == "name_scope" for node in nodes
    )
    assert {"Default", "Default/network-WithLossCell/_backbone-Small/conv-Conv2d"} <= {
        n["name"] for n in nodes if n["type"] == "name_scope"
    }
