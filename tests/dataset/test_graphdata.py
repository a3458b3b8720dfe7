"""`GraphData` of MindSpore 1.x over a MindRecord file as its graph converter writes it."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.mindrecord import FileWriter

SCHEMA = {
    "first_id": {"type": "int64"}, "second_id": {"type": "int64"}, "third_id": {"type": "int64"}, "type": {"type": "int32"},
    "attribute": {"type": "string"}, "weight": {"type": "float32"}, "node_feature_index": {"type": "int32", "shape": [-1]},
    "edge_feature_index": {"type": "int32", "shape": [-1]}, "node_feature_1": {"type": "float32", "shape": [-1]},
    "node_feature_2": {"type": "int32"}, "edge_feature_1": {"type": "float32", "shape": [-1]},
}
#: from, to, weight: two papers (type 1) and their three words (type 2)
EDGES = [(1, 2, 1.0), (2, 1, 1.0), (1, 10, 3.0), (1, 11, 0.0), (2, 12, 1.0)]


def row(kind: str, ids: tuple[int, int, int], number: int, weight: float, features: list[int], vector: Any, label: int) -> dict[str, Any]:
    index = np.array(features or [-1], np.int32)
    return {"first_id": ids[0], "second_id": ids[1], "third_id": ids[2], "type": number, "attribute": kind, "weight": weight,
            "node_feature_index": index if kind == "n" else np.array([-1], np.int32),
            "edge_feature_index": index if kind == "e" else np.array([-1], np.int32), "node_feature_1": np.array(vector, np.float32),
            "node_feature_2": label, "edge_feature_1": np.array(vector, np.float32)}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ds.GraphData:
    path = str(tmp_path_factory.mktemp("graph") / "graph.mindrecord")
    writer = FileWriter(path, 1)
    writer.add_schema(SCHEMA, "graph")
    nodes = [row("n", (node, 0, 0), 1 if node < 10 else 2, 0.0, [1, 2] if node < 10 else [], [node, -node], node % 2) for node in (1, 2, 10, 11, 12)]
    edges = [row("e", (20 + i, start, end), 0, weight, [1], [i], 0) for i, (start, end, weight) in enumerate(EDGES)]
    writer.write_raw_data(nodes + edges)
    writer.commit()
    return ds.GraphData(path)


def test_nodes_and_edges(graph: ds.GraphData) -> None:
    assert graph.get_all_nodes(1).tolist() == [1, 2] and graph.get_all_nodes(2).tolist() == [10, 11, 12]
    assert graph.get_all_edges(0).tolist() == [20, 21, 22, 23, 24]
    assert graph.get_nodes_from_edges([20, 24]).tolist() == [[1, 2], [2, 12]]
    assert graph.get_edges_from_nodes([(1, 10), (2, 1)]).tolist() == [22, 21]
    assert graph.graph_info() == {"node_type": [1, 2], "edge_type": [0], "node_num": {1: 2, 2: 3}, "edge_num": {0: 5},
                                  "node_feature_type": [1, 2], "edge_feature_type": [1]}


def test_neighbors_by_type_are_filled_up(graph: ds.GraphData) -> None:
    assert graph.get_all_neighbors([1, 2], 2).tolist() == [[1, 10, 11], [2, 12, -1]]
    assert graph.get_all_neighbors([10], 1).tolist() == [[10]]


def test_drawn_neighbors(graph: ds.GraphData) -> None:
    found = graph.get_sampled_neighbors([1], [1, 2], [1, 2])
    assert found.tolist() == [[1, 2, 12, 12]] and found.dtype == np.int32
    assert sorted(graph.get_sampled_neighbors([1], [2], [2])[0].tolist()) == [1, 10, 11]
    assert graph.get_sampled_neighbors([12], [2], [1]).tolist() == [[12, -1, -1]]
    assert graph.get_sampled_neighbors([1], [4], [2], ds.SamplingStrategy.EDGE_WEIGHT).tolist() == [[1, 10, 10, 10, 10]]


def test_nodes_that_are_no_neighbors(graph: ds.GraphData) -> None:
    assert graph.get_neg_sampled_neighbors([1], 2, 2).tolist() == [[1, 12, 12]]
    assert set(graph.get_neg_sampled_neighbors([2], 2, 2)[0, 1:].tolist()) == {10, 11}


def test_features(graph: ds.GraphData) -> None:
    vectors, labels = graph.get_node_feature([1, 2], [1, 2])
    assert vectors.tolist() == [[1, -1], [2, -2]] and vectors.dtype == np.float32 and labels.tolist() == [1, 0]
    assert graph.get_node_feature(np.array([[2, 10], [-1, 1]]), [1])[0].tolist() == [[[2, -2], [0, 0]], [[0, 0], [1, -1]]]
    assert graph.get_edge_feature([21, 20], [1])[0].tolist() == [[1], [0]]


def test_random_walks(graph: ds.GraphData) -> None:
    assert graph.random_walk([1], [1, 1, 1]).tolist() == [[1, 2, 1, 2]]
    assert graph.random_walk([12], [1, 1], default_node=-7).tolist() == [[12, -7, -7]]
    there = graph.random_walk([2], [1, 2], step_home_param=0.5, step_away_param=2.0)[0]
    assert there[1] == 1 and there[2] in (10, 11)


@pytest.mark.parametrize(("call", "error", "message"), [
    (lambda g: g.get_all_nodes(9), RuntimeError, "Invalid node type: 9"), (lambda g: g.get_all_nodes("1"), TypeError, "node_type"),
    (lambda g: g.get_all_neighbors([99], 1), RuntimeError, "Invalid node id: 99"), (lambda g: g.get_node_feature([1], [5]), RuntimeError, "feature type: 5"),
    (lambda g: g.get_sampled_neighbors([1], [1], [1, 2]), ValueError, "should be the same"),
    (lambda g: g.get_all_neighbors([1], 1, 1), NotImplementedError, "NORMAL"), (lambda g: g.get_edges_from_nodes([(1, 12)]), RuntimeError, "no edge from 1 to 12"),
    (lambda g: g.get_all_neighbors([1.5], 1), TypeError, "node_list"), (lambda g: ds.GraphData("x", working_mode="client"), NotImplementedError, "'local'"),
    (lambda g: ds.GraphData("x", working_mode="far"), ValueError, "working mode"),
])
def test_errors(graph: ds.GraphData, call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(graph)
