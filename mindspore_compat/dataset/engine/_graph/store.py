"""The graph that `GraphData` asks: read from MindRecord rows, held in memory. Arguments are checked by `GraphData`.

A row is a node (``attribute`` "n": ``first_id`` is its id) or an edge ("e": ``first_id`` its id, ``second_id`` and
``third_id`` the nodes it goes from and to); ``type`` is a number, ``weight`` may be lacking. ``node_feature_index`` and
``edge_feature_index`` list the numbers of the fields ``node_feature_1``, ``edge_feature_1``, … that the row has.

As upstream, every result comes without its axes of length 1: one node in, one axis less out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.mindrecord.filereader import FileReader

__all__ = ["GraphStore"]


def _array(values: Any) -> np.ndarray:
    return np.squeeze(np.array(values, np.int32))


class GraphStore:
    """Nodes, edges, neighbors and features; `query` is what a client of a server calls."""

    def __init__(self, dataset_file: str) -> None:
        self._nodes: dict[int, list[int]] = defaultdict(list)  # type -> ids
        self._edges: dict[int, list[int]] = defaultdict(list)
        self._type: dict[int, int] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        self._between: dict[tuple[int, int], int] = {}
        self._neighbors: dict[int, dict[int, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
        self._features: dict[str, dict[int, dict[int, np.ndarray]]] = {
            "node": defaultdict(dict),
            "edge": defaultdict(dict),
        }
        weights: dict[int, float] = {}
        reader = FileReader(dataset_file)
        try:
            for row in reader.get_next():
                self._add(row, weights)
            for edge, (start, end) in self._ends.items():
                self._between[start, end] = edge
                self._neighbors[start][self._type[end]].append((end, weights[edge]))
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise RuntimeError(
                f"{dataset_file} holds no graph: {type(error).__name__}: {error}. A field, or the node that an edge "
                "goes to, is not there or of another type."
            ) from error
        finally:
            reader.close()

    def _add(self, row: dict[str, Any], weights: dict[int, float]) -> None:
        is_node = str(row["attribute"]) == "n"
        kind, number, place = "node" if is_node else "edge", int(np.int32(row["first_id"])), int(np.int32(row["type"]))
        (self._nodes if is_node else self._edges)[place].append(number)
        if is_node:
            self._type[number] = place
        else:
            self._ends[number] = (int(np.int32(row["second_id"])), int(np.int32(row["third_id"])))
            weights[number] = float(row.get("weight", 1.0))
        for index in np.atleast_1d(row.get(f"{kind}_feature_index", ())).tolist():
            if index > 0 and f"{kind}_feature_{index}" in row:
                self._features[kind][index][number] = np.ravel(row[f"{kind}_feature_{index}"])

    # --- what there is ------------------------------------------------------------------------------------------------

    def get_all_nodes(self, node_type: int) -> np.ndarray:
        self._check_type(node_type)
        return _array(self._nodes[node_type])

    def get_all_edges(self, edge_type: int) -> np.ndarray:
        if edge_type not in self._edges:
            raise RuntimeError(f"Invalid edge type: {edge_type}. The graph has {sorted(self._edges)}.")
        return _array(self._edges[edge_type])

    def _check_type(self, node_type: int) -> None:
        if node_type not in self._nodes:
            raise RuntimeError(f"Invalid node type: {node_type}. The graph has {sorted(self._nodes)}.")

    def _check_nodes(self, nodes: Sequence[int]) -> None:
        unknown = [node for node in nodes if node not in self._type]
        if unknown:
            raise RuntimeError(f"Invalid node id: {unknown[0]}.")

    def get_nodes_from_edges(self, edge_list: Sequence[int]) -> np.ndarray:
        unknown = [edge for edge in edge_list if edge not in self._ends]
        if unknown:
            raise RuntimeError(f"Invalid edge id: {unknown[0]}.")
        return _array([self._ends[edge] for edge in edge_list])

    def get_edges_from_nodes(self, node_list: Sequence[Sequence[int]]) -> np.ndarray:
        self._check_nodes([start for start, _ in node_list])
        return _array([self._between.get((start, end), -1) for start, end in node_list])

    def graph_info(self) -> dict[str, Any]:
        return {
            "node_type": sorted(self._nodes),
            "edge_type": sorted(self._edges),
            "node_num": {kind: len(self._nodes[kind]) for kind in sorted(self._nodes)},
            "edge_num": {kind: len(self._edges[kind]) for kind in sorted(self._edges)},
            "node_feature_type": sorted(self._features["node"]),
            "edge_feature_type": sorted(self._features["edge"]),
            "graph_feature_type": [],
        }

    def count_neighbors(self, node: int, neighbor_type: int) -> int:
        """How many of a type there are; 0 for what the graph does not have."""
        return len(self._neighbors[node].get(neighbor_type, ())) if node in self._neighbors else 0

    def feature_width(self, kind: str, number: int) -> int:
        """Values of a feature of one node or edge; 0 where there is none."""
        values = self._features[kind].get(number) if kind in self._features else None
        return max(map(len, values.values()), default=0) if values else 0

    # --- neighbors ----------------------------------------------------------------------------------------------------

    def get_all_neighbors(self, node_list: Sequence[int], neighbor_type: int, output_format: int) -> Any:
        """`output_format` 0: a row for each node, filled up with -1; 1: pairs; 2: where each node's neighbors begin,
        and the neighbors.
        """
        self._check_nodes(node_list)
        self._check_type(neighbor_type)
        found = [[end for end, _ in self._neighbors[node][neighbor_type]] for node in node_list]
        if output_format == 1:
            return _array(
                [(node, end) for node, ends in zip(node_list, found, strict=True) for end in ends] or np.empty((0, 2))
            )
        if output_format == 2:
            starts = np.cumsum([0, *map(len, found)])[:-1]
            return starts.astype(np.int32), np.array([end for ends in found for end in ends], np.int32)
        width = max(map(len, found))
        return _array([[node, *ends] + [-1] * (width - len(ends)) for node, ends in zip(node_list, found, strict=True)])

    def get_sampled_neighbors(
        self, node_list: Sequence[int], neighbor_nums: Sequence[int], neighbor_types: Sequence[int], by_weight: bool
    ) -> np.ndarray:
        self._check_nodes(node_list)
        for kind in neighbor_types:
            self._check_type(kind)
        return _array([self._hops(node, neighbor_nums, neighbor_types, by_weight) for node in node_list])

    def _hops(self, node: int, counts: Sequence[int], kinds: Sequence[int], by_weight: bool) -> list[int]:
        row, last = [node], [node]
        for count, kind in zip(counts, kinds, strict=True):
            last = [found for start in last for found in self._draw(start, count, kind, by_weight)]
            row += last
        return row

    def _draw(self, node: int, count: int, kind: int, by_weight: bool) -> list[int]:
        near = self._neighbors[node][kind] if node != -1 else []
        if not near:
            return [-1] * count
        rng = current_rng()
        if by_weight:
            weights = np.array([weight for _, weight in near])
            picks = rng.choice(len(near), count, p=weights / weights.sum() if weights.any() else None).tolist()
        else:  # every neighbor once before one comes again
            picks = [pick for _ in range(-(-count // len(near))) for pick in rng.permutation(len(near)).tolist()]
        return [near[pick][0] for pick in picks[:count]]

    def get_neg_sampled_neighbors(
        self, node_list: Sequence[int], neg_neighbor_num: int, neg_neighbor_type: int
    ) -> np.ndarray:
        self._check_nodes(node_list)
        self._check_type(neg_neighbor_type)
        pool, rows = np.array(self._nodes[neg_neighbor_type]), []
        for node in node_list:
            near = {node, *(end for end, _ in self._neighbors[node][neg_neighbor_type])}
            some = current_rng().choice(
                pool, min(len(pool), neg_neighbor_num + len(near)), replace=False
            )  # enough, or all that there are
            far = [end for end in some.tolist() if end not in near][:neg_neighbor_num]
            rows.append([node, *np.resize(far or [-1], neg_neighbor_num).tolist()])
        return _array(rows)

    def random_walk(
        self, target_nodes: Sequence[int], meta_path: Sequence[int], home: float, away: float, default_node: int
    ) -> np.ndarray:
        self._check_nodes(target_nodes)
        for kind in meta_path:
            self._check_type(kind)
        walks = [self._walk(node, meta_path, home, away) for node in target_nodes]
        return _array([walk + [default_node] * (len(meta_path) + 1 - len(walk)) for walk in walks])

    def _walk(self, node: int, kinds: Sequence[int], home: float, away: float) -> list[int]:
        walk = [node]
        for step, kind in enumerate(kinds):
            near = [found for found, _ in self._neighbors[walk[-1]][kind]]
            if not near:
                break
            weights = np.ones(len(near))
            if step:
                before = {found for found, _ in self._neighbors[walk[-2]][kinds[step - 1]]}
                weights = np.array(
                    [1 / home if found == walk[-2] else 1.0 if found in before else 1 / away for found in near]
                )
            walk.append(int(current_rng().choice(near, p=weights / weights.sum())))
        return walk

    # --- features -----------------------------------------------------------------------------------------------------

    def features(self, kind: str, ids: np.ndarray, numbers: Sequence[int]) -> list[np.ndarray]:
        """For each feature of the "node" or "edge"s the flat values of each id; zeros where there is none."""
        table = self._features[kind]
        unknown = [number for number in numbers if number not in table]
        if unknown:
            raise RuntimeError(f"Invalid feature type: {unknown[0]}. The {kind}s have {sorted(table)}.")
        return [self._rows(table[number], ids) for number in numbers]

    @staticmethod
    def _rows(values: dict[int, np.ndarray], ids: np.ndarray) -> np.ndarray:
        nothing = np.zeros_like(next(iter(values.values())))
        rows = [values.get(place, nothing) for place in ids.ravel().tolist()]
        return np.squeeze(np.stack(rows).reshape(*ids.shape, -1))
