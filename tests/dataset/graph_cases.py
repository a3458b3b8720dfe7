"""Two graphs and the calls that are asked of them: of MindSpore 2.0.0 by golden/make_graphdata.py, of ours by
test_graphdata.py.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

SCHEMA: dict[str, dict[str, Any]] = {
    "first_id": {"type": "int64"},
    "second_id": {"type": "int64"},
    "third_id": {"type": "int64"},
    "type": {"type": "int32"},
    "attribute": {"type": "string"},
    "weight": {"type": "float32"},
    "node_feature_index": {"type": "int32", "shape": [-1]},
    "edge_feature_index": {"type": "int32", "shape": [-1]},
    "node_feature_1": {"type": "float32", "shape": [-1]},
    "node_feature_2": {"type": "int32", "shape": [-1]},
    "node_feature_3": {"type": "float64", "shape": [2, 2]},
    "edge_feature_1": {"type": "float32", "shape": [-1]},
    "edge_feature_2": {"type": "int64", "shape": [-1]},
}
_NONE = np.array([-1], np.int32)


def _row(
    kind: str, ids: tuple[int, int, int], number: int, weight: float, features: list[int], weighted: bool
) -> dict[str, Any]:
    index = np.array(features, np.int32) if features else _NONE
    base = ids[0]
    row = {
        "first_id": base,
        "second_id": ids[1],
        "third_id": ids[2],
        "type": number,
        "attribute": kind,
        "weight": weight,
        "node_feature_index": index if kind == "n" else _NONE,
        "edge_feature_index": index if kind == "e" else _NONE,
        "node_feature_1": np.array([base, -base, 0.5], np.float32),
        "node_feature_2": np.array([base % 3], np.int32),
        "node_feature_3": np.arange(4, dtype=np.float64).reshape(2, 2) + base,
        "edge_feature_1": np.array([weight, base], np.float32),
        "edge_feature_2": np.array([base * 10**10], np.int64),
    }
    return row if weighted else {key: value for key, value in row.items() if key != "weight"}


def _citations(weighted: bool) -> list[dict[str, Any]]:
    """Papers 101..103 (type 1), words 201..205 (type 2), a lonely author 301 (type 3); citations are edges of type 0,
    words of type 1.
    """
    node_features: dict[int, list[int]] = {
        101: [1, 2, 3],
        102: [1, 2],
        103: [1],
        201: [2],
        202: [2],
        203: [],
        204: [],
        205: [],
        301: [],
    }
    edges = [
        (1, 101, 102, 0, 1.0),
        (2, 102, 101, 0, 2.0),
        (3, 101, 103, 0, 3.0),
        (4, 103, 101, 0, 0.5),
        (11, 101, 201, 1, 4.0),
        (12, 101, 202, 1, 1.0),
        (13, 102, 202, 1, 1.0),
        (14, 103, 203, 1, 1.0),
        (15, 202, 102, 1, 1.0),
        (16, 101, 203, 1, 0.0),
        (17, 202, 103, 1, 1.0),
        (18, 202, 101, 1, 1.0),
        (19, 205, 201, 1, 0.0),
    ]
    rows = [_row("n", (node, 0, 0), node // 100, 0.0, features, weighted) for node, features in node_features.items()]
    return rows + [
        _row("e", (edge, start, end), kind, weight, [1, 2] if kind == 0 else [1] if edge < 13 else [], weighted)
        for edge, start, end, kind, weight in edges
    ]


GRAPHS = {"weighted": _citations(True), "plain": _citations(False)}

#: ``method: arguments | arguments | …``, or a whole expression
_TABLE = """
graph_info:
get_all_nodes: 1 | 2 | 3 | 9 | '1' | True | np.int32(1) | node_type=1 | [1] | None
get_all_edges: 0 | 1 | 5 | edge_type=0 | 1.0
get_nodes_from_edges: [1, 16] | np.array([2, 2], np.int32) | [99] | [] | np.array([2]) | (1,) | ['1']
get_nodes_from_edges: g.get_all_edges(1)
get_edges_from_nodes: [(101, 102), (101, 203)] | np.array([[101, 102]], np.int32) | [(101, 204)] | [(101, 999)] | []
get_edges_from_nodes: [[101, 102]] | [(101, 102, 103)] | [('101', 102)] | np.array([[101, 102]])
get_edges_from_nodes: np.array([101, 102], np.int32) | ((101, 102),)
get_all_neighbors: [101, 102, 103], 1 | [101, 102, 103], 1, ds.OutputFormat.NORMAL
get_all_neighbors: [101, 102, 103], 1, ds.OutputFormat.COO | [101, 102, 103], 1, output_format=ds.OutputFormat.CSR
get_all_neighbors: [101, 102, 103], 2 | [101, 102, 103], 2, ds.OutputFormat.NORMAL
get_all_neighbors: [101, 102, 103], 2, ds.OutputFormat.COO | [101, 102, 103], 2, output_format=ds.OutputFormat.CSR
get_all_neighbors: np.array([103, 101], np.int32), 1 | np.array([103, 101], np.int32), 1, ds.OutputFormat.NORMAL
get_all_neighbors: np.array([103, 101], np.int32), 1, ds.OutputFormat.COO
get_all_neighbors: np.array([103, 101], np.int32), 1, output_format=ds.OutputFormat.CSR
get_all_neighbors: np.array([103, 101], np.int32), 2 | np.array([103, 101], np.int32), 2, ds.OutputFormat.NORMAL
get_all_neighbors: np.array([103, 101], np.int32), 2, ds.OutputFormat.COO
get_all_neighbors: np.array([103, 101], np.int32), 2, output_format=ds.OutputFormat.CSR | [301], 1
get_all_neighbors: [301], 1, ds.OutputFormat.NORMAL | [301], 1, ds.OutputFormat.COO
get_all_neighbors: [301], 1, output_format=ds.OutputFormat.CSR | [301], 2 | [301], 2, ds.OutputFormat.NORMAL
get_all_neighbors: [301], 2, ds.OutputFormat.COO | [301], 2, output_format=ds.OutputFormat.CSR | [204, 101], 1
get_all_neighbors: [204, 101], 1, ds.OutputFormat.NORMAL | [204, 101], 1, ds.OutputFormat.COO
get_all_neighbors: [204, 101], 1, output_format=ds.OutputFormat.CSR | [204, 101], 2
get_all_neighbors: [204, 101], 2, ds.OutputFormat.NORMAL | [204, 101], 2, ds.OutputFormat.COO
get_all_neighbors: [204, 101], 2, output_format=ds.OutputFormat.CSR | [101, 101], 2
get_all_neighbors: [101, 101], 2, ds.OutputFormat.COO | [101], 3 | [101, 101], 2, ds.OutputFormat.CSR
get_all_neighbors: [103], 1, ds.OutputFormat.COO | [301, 204], 2, ds.OutputFormat.CSR | [-1], 1
get_all_neighbors: [103], 1, ds.OutputFormat.CSR | g.get_all_nodes(3), 1 | (101,), 1
get_sampled_neighbors: [205], [3], [2], ds.SamplingStrategy.EDGE_WEIGHT | [-1], [1], [1] | [101], (1,), [1]
get_neg_sampled_neighbors: [-1], 1, 1
random_walk: [-1], [1]
get_edges_from_nodes: [(-1, 101)]
g.random_walk([102], [1, 1], default_node=101)[1]
get_all_neighbors: [101, 301, 103], 1, ds.OutputFormat.COO | [101], 9 | [999], 1 | [], 1 | [], 1, ds.OutputFormat.COO
get_all_neighbors: [101], '1' | 101, 1 | [1.5], 1 | np.array([101]), 1 | [101], 1, 1 | [101], 1, 'COO' | [101], 1, 7
get_all_neighbors: np.array([[101]], np.int32), 1
get_sampled_neighbors: [301], [2], [1] | [301], [2, 2], [1, 1] | [103], [2], [1] | [103], [1, 1], [2, 1]
get_sampled_neighbors: [103, 301], [2, 1], [2, 2] | [103], np.array([2], np.int32), np.array([2], np.int32)
get_sampled_neighbors: [103], [2], [2], ds.SamplingStrategy.EDGE_WEIGHT
get_sampled_neighbors: [204], [2], [2], ds.SamplingStrategy.EDGE_WEIGHT | [101], [1], [1], 0
get_sampled_neighbors: [101], [1], [1], 'RANDOM' | [101], [], [] | [101], [1] * 7, [1] * 7 | [101], [1, 2], [1]
get_sampled_neighbors: [101], [0], [1] | [101], [-1], [1] | [101], [1], [9] | [999], [1], [1] | [], [1], [1]
get_sampled_neighbors: [101], ['1'], [1] | [101], [1.0], [1] | 101, [1], [1]
get_neg_sampled_neighbors: [301], 1, 3
g.get_neg_sampled_neighbors([103, 102], 3, 1).shape
get_neg_sampled_neighbors: [101], 2, 1
sorted(g.get_neg_sampled_neighbors([101], 2, 2))
get_neg_sampled_neighbors: [101], 0, 1 | [101], -1, 1 | [999], 1, 1 | [101], 1, 9 | [101], '1', 1 | [101], 1.0, 1
get_neg_sampled_neighbors: [], 1, 1 | [101], 1, '1'
get_node_feature: [101, 102], [1] | [101, 102, 103, 201, 203], [2] | [101, 102], [1, 2, 3]
get_node_feature: np.array([[102, 301], [-1, 103]], np.int32), [1, 2] | [[101, 102], [103, -1]], [2]
get_node_feature: [[101, 102], [103]], [2] | [101, [102]], [2] | [999], [1] | [101], [7] | [101], [0] | [101], []
get_node_feature: [], [1] | np.array([101]), [1] | [101.0], [1] | 101, [1] | [101], ['1'] | [101], 1
get_node_feature: g.get_all_nodes(1), np.array([1], np.int32) | np.array(101, np.int32), [1]
get_edge_feature: [1, 2, 11, 13], [1] | [1, 2], [1, 2] | [[1, 2], [3, 4]], [2] | [99], [1] | [-1, 1], [1] | [1], [7]
get_edge_feature: np.array([1]), [1] | (1,), [1]
random_walk: [301], [1, 1] | [301], [1, 1], default_node=7 | [204, 301], [2], 2.0, 0.5 | [102], [1] | [102], [1, 3, 1]
random_walk: np.array([102], np.int32), np.array([1], np.int32) | [999], [1] | [101], [9] | [101], [] | [], [1]
random_walk: [101], [1], 1 | [101], [1], 1.0, 1 | [101], [1], 0.0 | [101], [1], -1.0 | [101], [1], 1.0, 0.0
random_walk: [101], [1], default_node=-2 | [101], [1], default_node='x' | [101], ['1'] | 101, [1]
g.random_walk([101], [1] * 11).shape
"""
CALLS = [
    call
    for line in _TABLE.strip().split("\n")
    for name, _, alternatives in [line.partition(":")]
    for call in (
        [f"g.{name}({arguments.strip()})" for arguments in alternatives.split("|")] if name.isidentifier() else [line]
    )
]


def draw_all(graph: Any, ds: Any) -> dict[str, Any]:
    """How often each row comes in many draws."""
    asked = {
        "sampled": lambda: graph.get_sampled_neighbors([101] * 300, [2], [2]),
        "sampled more than there are": lambda: graph.get_sampled_neighbors([101] * 900, [5], [2]),
        "sampled twice": lambda: graph.get_sampled_neighbors([101] * 300, [2, 2], [1, 2]),
        "by weight": lambda: graph.get_sampled_neighbors([101] * 600, [2], [2], ds.SamplingStrategy.EDGE_WEIGHT),
        "by weight, papers": lambda: graph.get_sampled_neighbors(
            [101] * 600, [1], [1], ds.SamplingStrategy.EDGE_WEIGHT
        ),
        "negative": lambda: graph.get_neg_sampled_neighbors([102] * 300, 2, 2),
        "negative, more than there are": lambda: graph.get_neg_sampled_neighbors([102] * 300, 5, 2),
        "negative papers": lambda: graph.get_neg_sampled_neighbors([102] * 300, 3, 1),
        "walk": lambda: graph.random_walk([102] * 600, [1, 1, 1]),
        "walk home": lambda: graph.random_walk([102] * 600, [1, 1], 0.25, 4.0),
        "walk between types": lambda: graph.random_walk([101] * 900, [2, 1], 1.0, 4.0),
        "walk between types, back": lambda: graph.random_walk([103] * 600, [1, 2, 1], 0.25, 1.0),
        "walk away": lambda: graph.random_walk([102] * 600, [1, 1], 4.0, 0.25),
    }
    found = {}
    for name, ask in asked.items():
        try:
            counts = Counter(map(tuple, ask().tolist()))
            found[name] = sorted([*row, count] for row, count in counts.items())
        except RuntimeError as error:
            found[name] = [type(error).__name__, str(error).split("\n")[0][:120]]
    return found
