"""`GraphData`: a graph in MindRecord files. Upstream: ``mindspore.dataset.engine.graphdata`` of MindSpore 1.x and 2.0; 2.10 dropped it.

A row of the file is a node (``attribute`` "n": ``first_id`` is its id) or an edge ("e": ``first_id`` its id, ``second_id`` and
``third_id`` the nodes it goes from and to); ``type`` is a number. ``node_feature_index`` and ``edge_feature_index`` list the numbers of
the fields ``node_feature_1``, ``edge_feature_1``, … that it has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore_compat._api.placeholders import describe_partial
from mindspore_compat.dataset.core.randomness import current_rng

__all__ = ["GraphData", "SamplingStrategy"]


class SamplingStrategy(IntEnum):
    """How neighbors are drawn: all alike, or by the weight of the edge."""

    RANDOM = 0
    EDGE_WEIGHT = 1


def _ids(values: Any, name: str) -> list[int]:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"Input {name} should be a list or 1-D array of int, but got {values!r}.")
    return array.tolist()


@describe_partial("in this process only: no server and clients; neighbors as a padded array only, not as COO or CSR")
class GraphData:
    """Nodes, edges, neighbors, features and random walks of a graph.

    Args:
        dataset_file: a MindRecord file; one name stands for all shards.
        num_parallel_workers: accepted; everything is in memory.
        working_mode: "local"; "client" and "server" are not available.
        hostname, port, num_client, auto_shutdown: of the other modes.

    Raises:
        ValueError: for another working mode.
    """

    def __init__(self, dataset_file: str, num_parallel_workers: int | None = None, working_mode: str = "local", hostname: str = "127.0.0.1",
                 port: int = 50051, num_client: int = 1, auto_shutdown: bool = True) -> None:
        from mindspore_compat.mindrecord.filereader import FileReader

        if working_mode not in ("local", "client", "server"):
            raise ValueError(f"Invalid working mode, please enter 'local', 'client' or 'server', but got {working_mode!r}.")
        if working_mode != "local":
            raise NotImplementedError(f"working_mode {working_mode!r} is not available; every process can read the graph by itself, as 'local'.")
        self._nodes: dict[int, list[int]] = defaultdict(list)  # type -> ids
        self._edges: dict[int, list[int]] = defaultdict(list)
        self._type: dict[int, int] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        self._weights: dict[int, float] = {}
        self._neighbors: dict[int, dict[int, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
        self._features: dict[str, dict[int, dict[int, np.ndarray]]] = {"node": defaultdict(dict), "edge": defaultdict(dict)}
        reader = FileReader(dataset_file)
        for row in reader.get_next():
            self._add(row)
        reader.close()
        self._link()

    def _add(self, row: dict[str, Any]) -> None:
        is_node = str(row["attribute"]) == "n"
        kind, number, place = "node" if is_node else "edge", int(row["first_id"]), int(row["type"])
        (self._nodes if is_node else self._edges)[place].append(number)
        if is_node:
            self._type[number] = place
        else:
            self._ends[number] = (int(row["second_id"]), int(row["third_id"]))
            self._weights[number] = float(row.get("weight", 1.0))
        for index in np.atleast_1d(row.get(f"{kind}_feature_index", ())).tolist():
            if index > 0 and f"{kind}_feature_{index}" in row:
                self._features[kind][index][number] = np.asarray(row[f"{kind}_feature_{index}"])

    def _link(self) -> None:
        for edge, (start, end) in self._ends.items():
            self._neighbors[start][self._type[end]].append((end, self._weights[edge]))

    # --- what there is ------------------------------------------------------------------------------------------------------

    def get_all_nodes(self, node_type: int) -> np.ndarray:
        """Ids of the nodes of a type. Raises: RuntimeError if there is none."""
        return self._of_type(self._nodes, node_type, "node")

    def get_all_edges(self, edge_type: int) -> np.ndarray:
        """Ids of the edges of a type. Raises: RuntimeError if there is none."""
        return self._of_type(self._edges, edge_type, "edge")

    @staticmethod
    def _of_type(table: dict[int, list[int]], kind: int, what: str) -> np.ndarray:
        if isinstance(kind, bool) or not isinstance(kind, (int, np.integer)):
            raise TypeError(f"Argument {what}_type with value {kind!r} is not of type [int], but got {type(kind)}.")
        if int(kind) not in table:
            raise RuntimeError(f"Invalid {what} type: {kind}. The graph has {sorted(table)}.")
        return np.array(table[int(kind)], np.int32)

    def get_nodes_from_edges(self, edge_list: Sequence[int]) -> np.ndarray:
        """(edges, 2) ids of the nodes that each edge goes from and to."""
        return np.array([self._ends_of(edge) for edge in _ids(edge_list, "edge_list")], np.int32)

    def _ends_of(self, edge: int) -> tuple[int, int]:
        if edge not in self._ends:
            raise RuntimeError(f"Invalid edge id: {edge}.")
        return self._ends[edge]

    def get_edges_from_nodes(self, node_list: Sequence[tuple[int, int]]) -> np.ndarray:
        """The edge between the nodes of each pair. Raises: RuntimeError if there is none."""
        by_ends = {ends: edge for edge, ends in self._ends.items()}
        missing = [pair for pair in map(tuple, node_list) if pair not in by_ends]
        if missing:
            raise RuntimeError(f"Invalid pair of nodes: there is no edge from {missing[0][0]} to {missing[0][1]}.")
        return np.array([by_ends[tuple(pair)] for pair in node_list], np.int32)  # type: ignore[index]

    def graph_info(self) -> dict[str, Any]:
        """Types, numbers and features of nodes and edges."""
        return {
            "node_type": sorted(self._nodes), "edge_type": sorted(self._edges),
            "node_num": {kind: len(ids) for kind, ids in self._nodes.items()}, "edge_num": {kind: len(ids) for kind, ids in self._edges.items()},
            "node_feature_type": sorted(self._features["node"]), "edge_feature_type": sorted(self._features["edge"]),
        }

    # --- neighbors ----------------------------------------------------------------------------------------------------------

    def _node(self, node: int) -> dict[int, list[tuple[int, float]]]:
        if node not in self._type:
            raise RuntimeError(f"Invalid node id: {node}.")
        return self._neighbors[node]

    def get_all_neighbors(self, node_list: Sequence[int], neighbor_type: int, output_format: Any = None) -> np.ndarray:
        """Each node and its neighbors of a type; rows are filled up with -1.

        Raises:
            RuntimeError: for a node that is not there. NotImplementedError: for an ``output_format`` other than NORMAL.
        """
        if output_format is not None and int(output_format) != 0:
            raise NotImplementedError("get_all_neighbors gives the NORMAL format only; scipy.sparse makes the others of it.")
        rows = [[node, *(found for found, _ in self._node(node)[neighbor_type])] for node in _ids(node_list, "node_list")]
        width = max(map(len, rows))
        return np.array([row + [-1] * (width - len(row)) for row in rows], np.int32)

    def get_sampled_neighbors(self, node_list: Sequence[int], neighbor_nums: Sequence[int], neighbor_types: Sequence[int],
                              strategy: SamplingStrategy = SamplingStrategy.RANDOM) -> np.ndarray:
        """Each node, drawn neighbors of the first type, for each of them neighbors of the second type, and so on; -1 where there is none."""
        if len(neighbor_nums) != len(neighbor_types) or not neighbor_nums:
            raise ValueError("The sizes of neighbor_nums and neighbor_types should be the same and at least 1, "
                             f"but got {len(neighbor_nums)} and {len(neighbor_types)}.")
        return np.array([self._hops(node, neighbor_nums, neighbor_types, strategy) for node in _ids(node_list, "node_list")], np.int32)

    def _hops(self, node: int, counts: Sequence[int], kinds: Sequence[int], strategy: SamplingStrategy) -> list[int]:
        row, last = [node], [node]
        self._node(node)
        for count, kind in zip(counts, kinds, strict=True):
            last = [found for start in last for found in self._draw(start, count, kind, strategy)]
            row += last
        return row

    def _draw(self, node: int, count: int, kind: int, strategy: SamplingStrategy) -> list[int]:
        near = self._neighbors[node][kind] if node != -1 else []
        if not near:
            return [-1] * count
        weights = np.array([weight for _, weight in near])
        chance = weights / weights.sum() if strategy == SamplingStrategy.EDGE_WEIGHT else None
        rng = current_rng()
        picks: list[int] = []
        while len(picks) < count:  # every neighbor once before one comes again
            size = min(count - len(picks), len(near))
            picks += rng.choice(len(near), size, replace=chance is not None, p=chance).tolist()
        return [near[pick][0] for pick in picks]

    def get_neg_sampled_neighbors(self, node_list: Sequence[int], neg_neighbor_num: int, neg_neighbor_type: int) -> np.ndarray:
        """Each node and drawn nodes of a type that are not its neighbors; -1 where there is none."""
        pool = self.get_all_nodes(neg_neighbor_type)
        rows = []
        for node in _ids(node_list, "node_list"):
            near = [found for found, _ in self._node(node)[neg_neighbor_type]]
            far = np.setdiff1d(pool, [*near, node])
            drawn = current_rng().choice(far, neg_neighbor_num, replace=len(far) < neg_neighbor_num).tolist() if len(far) else [-1] * neg_neighbor_num
            rows.append([node, *drawn])
        return np.array(rows, np.int32)

    def random_walk(self, target_nodes: Sequence[int], meta_path: Sequence[int], step_home_param: float = 1.0, step_away_param: float = 1.0,
                    default_node: int = -1) -> np.ndarray:
        """Walks from each node over nodes of the types of ``meta_path``, as node2vec: ``step_home_param`` makes going back rarer,
        ``step_away_param`` going to nodes that are no neighbors of the one before; ``default_node`` where a walk ends.
        """
        return np.array([self._walk(node, meta_path, step_home_param, step_away_param, default_node)
                         for node in _ids(target_nodes, "target_nodes")], np.int32)

    def _walk(self, node: int, kinds: Sequence[int], home: float, away: float, default: int) -> list[int]:
        self._node(node)
        walk = [node]
        for kind in kinds:
            near = [found for found, _ in self._neighbors[walk[-1]][kind]] if walk[-1] != default else []
            if not near:
                walk.append(default)
                continue
            weights = np.ones(len(near))
            if len(walk) > 1:
                before = {found for found, _ in self._neighbors[walk[-2]][kind]}
                weights = np.array([1 / home if found == walk[-2] else 1.0 if found in before else 1 / away for found in near])
            walk.append(int(current_rng().choice(near, p=weights / weights.sum())))
        return walk

    # --- features -----------------------------------------------------------------------------------------------------------

    def get_node_feature(self, node_list: Any, feature_types: Sequence[int]) -> list[np.ndarray]:
        """For each feature an array (shape of ``node_list``, shape of the feature); zeros for nodes without it and for -1."""
        return [self._feature("node", node_list, kind) for kind in feature_types]

    def get_edge_feature(self, edge_list: Any, feature_types: Sequence[int]) -> list[np.ndarray]:
        """For each feature an array (shape of ``edge_list``, shape of the feature); zeros for edges without it."""
        return [self._feature("edge", edge_list, kind) for kind in feature_types]

    def _feature(self, kind: str, ids: Any, number: int) -> np.ndarray:
        table = self._features[kind]
        if number not in table:
            raise RuntimeError(f"Invalid feature type: {number}. The {kind}s have {sorted(table)}.")
        places = np.asarray(ids)
        nothing = np.zeros_like(next(iter(table[number].values())))
        rows = [table[number].get(place, nothing) for place in places.ravel().tolist()]
        return np.stack(rows).reshape(*places.shape, *nothing.shape)
