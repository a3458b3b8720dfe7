"""`GraphData`: a graph in MindRecord files, held in memory. MindSpore: ``mindspore.dataset.engine.graphdata`` of
MindSpore 1.x and 2.0, removed in 2.10.

A row of the file is a node (``attribute`` "n": ``first_id`` is its id) or an edge ("e": ``first_id`` its id,
``second_id`` and ``third_id`` its start and end nodes); ``type`` is a number, ``weight`` is optional.
``node_feature_index`` and ``edge_feature_index`` list the numbers of the fields ``node_feature_1``, ``edge_feature_1``,
… of the row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.mindrecord.filereader import FileReader

__all__ = ["GraphData", "OutputFormat", "SamplingStrategy"]


class SamplingStrategy(IntEnum):
    """Draw of neighbors: all alike, or by the weight of the edge."""

    RANDOM = 0
    EDGE_WEIGHT = 1


class OutputFormat(IntEnum):
    """Output form of neighbors: rows padded with -1, pairs, or offsets and neighbors."""

    NORMAL = 0
    COO = 1
    CSR = 2


def _array(values: Any) -> np.ndarray:
    return np.squeeze(np.array(values, np.int32))


def _numbers(values: Any) -> list[int]:
    return np.ravel(values).tolist()


class GraphData:
    """Nodes, edges, neighbors, features and random walks of a graph. Results have no axes of length 1, as in MindSpore.

    Args:
        dataset_file: a MindRecord file; one name stands for all shards.
        num_parallel_workers: without effect; everything is in memory and answered at once.
        working_mode: "local": the graph is in this process.
        hostname, port, num_client, auto_shutdown: without effect.

    Raises:
        UnsupportedError: for the working modes "client" and "server". RuntimeError: if the file is not there or holds
            no graph, and from methods for nodes and types that the graph does not have. KeyError: for edges and
            features that it does not have.
    """

    def __init__(
        self,
        dataset_file: str,
        num_parallel_workers: int | None = None,
        working_mode: str = "local",
        hostname: str = "127.0.0.1",
        port: int = 50051,
        num_client: int = 1,
        auto_shutdown: bool = True,
    ) -> None:
        if working_mode != "local":
            raise UnsupportedError(f"GraphData: working_mode {working_mode!r} is not supported; load the file locally.")
        self._nodes: dict[int, list[int]] = {}  # type -> ids
        self._edges: dict[int, list[int]] = {}
        self._type: dict[int, int] = {}
        self._ends: dict[int, tuple[int, int]] = {}
        self._between: dict[tuple[int, int], int] = {}
        self._neighbors: dict[int, dict[int, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
        self._features: dict[str, dict[int, dict[int, np.ndarray]]] = {"node": {}, "edge": {}}
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
        (self._nodes if is_node else self._edges).setdefault(place, []).append(number)
        if is_node:
            self._type[number] = place
        else:
            self._ends[number] = (int(np.int32(row["second_id"])), int(np.int32(row["third_id"])))
            weights[number] = float(row.get("weight", 1.0))
        for index in np.atleast_1d(row.get(f"{kind}_feature_index", ())).tolist():
            if index > 0 and f"{kind}_feature_{index}" in row:
                values = self._features[kind].setdefault(index, {})
                values[number] = np.ravel(row[f"{kind}_feature_{index}"])

    def _check(self, nodes: Sequence[int], types: Sequence[int]) -> None:
        """Raise RuntimeError for missing nodes and types, which would seem to have no neighbors."""
        for what, wanted, known in (("node id", nodes, self._type), ("node type", types, self._nodes)):
            unknown = [number for number in wanted if number not in known]
            if unknown:
                raise RuntimeError(f"Invalid {what}: {unknown[0]}.")

    def get_all_nodes(self, node_type: int) -> np.ndarray:
        """Return ids of the nodes of a type."""
        self._check((), [node_type])
        return _array(self._nodes[node_type])

    def get_all_edges(self, edge_type: int) -> np.ndarray:
        """Return ids of the edges of a type."""
        return _array(self._edges[edge_type])

    def get_nodes_from_edges(self, edge_list: list[int] | np.ndarray) -> np.ndarray:
        """Return (edges, 2) ids of the start and end node of each edge."""
        return _array([self._ends[edge] for edge in _numbers(edge_list)])

    def get_edges_from_nodes(self, node_list: list[tuple[int, int]] | np.ndarray) -> np.ndarray:
        """Return the edge from the first to the second node of each pair, -1 where there is none."""
        self._check([start for start, _ in node_list], ())
        return _array([self._between.get((start, end), -1) for start, end in node_list])

    def get_all_neighbors(
        self, node_list: list[int] | np.ndarray, neighbor_type: int, output_format: OutputFormat = OutputFormat.NORMAL
    ) -> Any:
        """Return the neighbors of a type of each node.

        Returns:
            NORMAL: a row for each node, the node and its neighbors, filled up with -1; COO: pairs of node and neighbor;
            CSR: two arrays, where each node's neighbors begin in the second one.
        """
        nodes, form = _numbers(node_list), OutputFormat(output_format)
        self._check(nodes, [neighbor_type])
        found = [[end for end, _ in self._neighbors[node][neighbor_type]] for node in nodes]
        if form is OutputFormat.COO:
            return _array(
                [(node, end) for node, ends in zip(nodes, found, strict=True) for end in ends] or np.empty((0, 2))
            )
        if form is OutputFormat.CSR:
            starts = np.cumsum([0, *map(len, found)])[:-1]
            return starts.astype(np.int32), np.array([end for ends in found for end in ends], np.int32)
        width = max(map(len, found))
        return _array([[node, *ends] + [-1] * (width - len(ends)) for node, ends in zip(nodes, found, strict=True)])

    def get_sampled_neighbors(
        self,
        node_list: list[int] | np.ndarray,
        neighbor_nums: Sequence[int] | np.ndarray,
        neighbor_types: Sequence[int] | np.ndarray,
        strategy: SamplingStrategy = SamplingStrategy.RANDOM,
    ) -> np.ndarray:
        """Return each node, drawn neighbors of the first type, for each of them neighbors of the second type, and so
        on; -1 for none.
        """
        nodes, counts, kinds = _numbers(node_list), _numbers(neighbor_nums), _numbers(neighbor_types)
        by_weight = SamplingStrategy(strategy) is SamplingStrategy.EDGE_WEIGHT
        self._check(nodes, kinds)
        if min(counts) < 1:
            raise RuntimeError(f"Input neighbor_nums should be positive, but got {counts}.")
        return _array([self._hops(node, counts, kinds, by_weight) for node in nodes])

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
        else:  # every neighbor once before a repetition
            picks = [pick for _ in range(-(-count // len(near))) for pick in rng.permutation(len(near)).tolist()]
        return [near[pick][0] for pick in picks[:count]]

    def get_neg_sampled_neighbors(
        self, node_list: list[int] | np.ndarray, neg_neighbor_num: int, neg_neighbor_type: int
    ) -> np.ndarray:
        """Return each node and drawn nodes of a type that are not its neighbors; -1 for none."""
        nodes = _numbers(node_list)
        self._check(nodes, [neg_neighbor_type])
        pool, rows = np.array(self._nodes[neg_neighbor_type]), []
        for node in nodes:
            near = {node, *(end for end, _ in self._neighbors[node][neg_neighbor_type])}
            some = current_rng().choice(
                pool, min(len(pool), neg_neighbor_num + len(near)), replace=False
            )  # enough, or all
            far = [end for end in some.tolist() if end not in near][:neg_neighbor_num]
            rows.append([node, *np.resize(far or [-1], neg_neighbor_num).tolist()])
        return _array(rows)

    def random_walk(
        self,
        target_nodes: list[int] | np.ndarray,
        meta_path: list[int] | np.ndarray,
        step_home_param: float = 1.0,
        step_away_param: float = 1.0,
        default_node: int = -1,
    ) -> np.ndarray:
        """Return walks from each node over nodes of the types of ``meta_path``, as node2vec: ``step_home_param`` makes
        steps back rarer, ``step_away_param`` steps to nodes that are no neighbors of the one before; ``default_node``
        after the end of a walk.
        """
        nodes, path = _numbers(target_nodes), _numbers(meta_path)
        self._check(nodes, path)
        if min(step_home_param, step_away_param) <= 0:
            raise RuntimeError(f"Steps should be above 0, but got {step_home_param} and {step_away_param}.")
        walks = [self._walk(node, path, step_home_param, step_away_param) for node in nodes]
        return _array([walk + [default_node] * (len(path) + 1 - len(walk)) for walk in walks])

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

    def get_node_feature(self, node_list: Any, feature_types: list[int] | np.ndarray) -> list[np.ndarray]:
        """Return for each feature an array (shape of ``node_list``, length of the feature); zeros for -1 and for nodes
        without it.
        """
        return self._feature_rows("node", node_list, feature_types)

    def get_edge_feature(self, edge_list: Any, feature_types: list[int] | np.ndarray) -> list[np.ndarray]:
        """Return for each feature an array (shape of ``edge_list``, length of the feature); zeros for -1 and for edges
        without it.
        """
        return self._feature_rows("edge", edge_list, feature_types)

    def _feature_rows(self, kind: str, ids: Any, numbers: Any) -> list[np.ndarray]:
        found, ids = [], np.asarray(ids)
        for number in _numbers(numbers):
            values = self._features[kind][number]
            nothing = np.zeros_like(next(iter(values.values())))
            rows = np.stack([values.get(place, nothing) for place in ids.ravel().tolist()])
            found.append(np.squeeze(rows.reshape(*ids.shape, -1)))
        return found

    def graph_info(self) -> dict[str, Any]:
        """Return types, numbers and features of nodes and edges."""
        return {
            "node_type": sorted(self._nodes),
            "edge_type": sorted(self._edges),
            "node_num": {kind: len(self._nodes[kind]) for kind in sorted(self._nodes)},
            "edge_num": {kind: len(self._edges[kind]) for kind in sorted(self._edges)},
            "node_feature_type": sorted(self._features["node"]),
            "edge_feature_type": sorted(self._features["edge"]),
            "graph_feature_type": [],
        }
