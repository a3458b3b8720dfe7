"""`GraphData`: a graph in MindRecord files. Upstream: ``mindspore.dataset.engine.graphdata`` of MindSpore 1.x and 2.0;
2.10 dropped it.

Here are the arguments' checks; `_graph_store` answers, in this process or, through `_graph_server`, in another one.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import (
    INT32_MAX,
    check_file,
    check_value,
    refused,
    type_check,
    type_check_list,
    workers_in_range,
)
from mindspore_compat.dataset.engine._graph.server import RemoteStore, serve
from mindspore_compat.dataset.engine._graph.store import GraphStore

__all__ = ["GraphData", "OutputFormat", "SamplingStrategy"]

_MOST_HOPS = 6


class SamplingStrategy(IntEnum):
    """How neighbors are drawn: all alike, or by the weight of the edge."""

    RANDOM = 0
    EDGE_WEIGHT = 1


class OutputFormat(IntEnum):
    """How all neighbors are given: rows filled up with -1, pairs, or offsets and neighbors."""

    NORMAL = 0
    COO = 1
    CSR = 2


def _ints(values: Any, name: str) -> list[int]:
    """A list of int, or an array of int32 or int64, as a list that is not empty."""
    type_check(values, (list, np.ndarray), name)
    if isinstance(values, list):
        type_check_list(values, int, name)
    elif values.dtype not in (np.int32, np.int64):
        raise refused(TypeError, f"Each member in {name} should be of type int32.", values.dtype)
    if not np.size(values):
        raise RuntimeError(f"Input {name} should not be empty.")
    return [int(value) for value in np.ravel(values)]


def _ids(values: Any, name: str) -> np.ndarray:
    """Ids of any shape: an array of int32 or int64, or nested lists of int that are aligned."""
    type_check(values, (list, np.ndarray), name)
    if isinstance(values, list):
        try:
            array = np.array(values)
        except ValueError as error:
            raise TypeError(
                f"The size or type of each member of the parameter {name} is inconsistent: {values!r}."
            ) from error
    else:
        array = values
    if not array.size:
        raise TypeError(f"Parameter {name} or its members are empty.")
    if array.dtype not in (np.int32, np.int64):
        raise refused(TypeError, f"Each member in {name} should be of type int32.", array.dtype)
    return array


def _pairs(values: Any) -> list[tuple[int, int]]:
    type_check(values, (list, np.ndarray), "node_list")
    if isinstance(values, np.ndarray):
        if values.ndim != 2 or values.shape[1] != 2:
            raise refused(ValueError, "Input node_list must have the shape (pairs, 2).", values.shape)
        _ints(values, "node_list")
        return [(start, end) for start, end in values.tolist()]
    for i, pair in enumerate(values):
        type_check(pair, tuple, f"node_list[{i}]")
        if len(pair) != 2:
            raise ValueError(
                f"Each member in node_list[{i}] must be a pair which means length == 2. Got length {len(pair)}."
            )
        type_check_list(pair, int, f"node_list[{i}]")
    if not values:
        raise RuntimeError("Input node_list should not be empty.")
    return values


class GraphData:
    """Nodes, edges, neighbors, features and random walks of a graph. Results have no axes of length 1, as upstream.

    Args:
        dataset_file: a MindRecord file; one name stands for all shards.
        num_parallel_workers: checked; everything is in memory and answered at once.
        working_mode: "local": the graph is in this process; "client": in a server's; "server": answers clients, and
            returns when ``num_client`` of them have come and gone (with ``auto_shutdown``; else never).
        hostname, port: of the server; without authentication, so listen where only your own jobs connect.

    Raises:
        ValueError: if the file is not there, or for a wrong mode, port (1024 to 65535) or number of clients (1 to 255).
        RuntimeError: from every method for ids and types that the graph does not have. TypeError: for arguments of
            other types.
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
        check_file(dataset_file)
        if num_parallel_workers is not None:
            workers_in_range(num_parallel_workers)
        self._check_server(hostname, port, num_client, auto_shutdown)
        type_check(working_mode, str, "working_mode")
        if working_mode not in ("local", "client", "server"):
            raise refused(ValueError, "Invalid working mode, please enter 'local', 'client' or 'server'.", working_mode)
        self._working_mode = working_mode
        self._graph: Any = None
        if working_mode == "client":
            self._graph = RemoteStore(hostname, port)
            atexit.register(self._graph.close)
        elif working_mode == "local":
            self._graph = GraphStore(dataset_file)
        else:
            try:
                serve(GraphStore(dataset_file), hostname, port, num_client, auto_shutdown)
            except KeyboardInterrupt:
                raise Exception("Graph data server receives KeyboardInterrupt.") from None

    @staticmethod
    def _check_server(hostname: str, port: int, num_client: int, auto_shutdown: bool) -> None:
        type_check(hostname, str, "hostname")
        if not re.fullmatch(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*\.?", hostname):
            raise ValueError(f"The hostname is illegal: {hostname!r}.")
        type_check(port, int, "port")
        check_value(port, (1024, 65535), "port")
        type_check(num_client, int, "num_client")
        check_value(num_client, (1, 255), "num_client")
        type_check(auto_shutdown, bool, "auto_shutdown")

    @property
    def _store(self) -> Any:
        if self._working_mode == "server":
            raise Exception("This method is not supported when working mode is server.")
        return self._graph

    def get_all_nodes(self, node_type: int) -> np.ndarray:
        """Ids of the nodes of a type."""
        type_check(node_type, int, "node_type")
        return self._store.get_all_nodes(node_type)

    def get_all_edges(self, edge_type: int) -> np.ndarray:
        """Ids of the edges of a type."""
        type_check(edge_type, int, "edge_type")
        return self._store.get_all_edges(edge_type)

    def get_nodes_from_edges(self, edge_list: list[int] | np.ndarray) -> np.ndarray:
        """(edges, 2) ids of the nodes that each edge goes from and to."""
        return self._store.get_nodes_from_edges(_ints(edge_list, "edge_list"))

    def get_edges_from_nodes(self, node_list: list[tuple[int, int]] | np.ndarray) -> np.ndarray:
        """The edge from the first to the second node of each pair, -1 where there is none."""
        return self._store.get_edges_from_nodes(_pairs(node_list))

    def get_all_neighbors(
        self, node_list: list[int] | np.ndarray, neighbor_type: int, output_format: OutputFormat = OutputFormat.NORMAL
    ) -> Any:
        """The neighbors of a type of each node.

        Returns:
            NORMAL: a row for each node, the node and its neighbors, filled up with -1; COO: pairs of node and neighbor;
            CSR: two arrays, where each node's neighbors begin in the second one.
        """
        nodes = _ints(node_list, "node_list")
        type_check(neighbor_type, int, "neighbour_type")
        return self._store.get_all_neighbors(
            nodes, neighbor_type, {form: form.value for form in OutputFormat}[output_format]
        )

    def get_sampled_neighbors(
        self,
        node_list: list[int] | np.ndarray,
        neighbor_nums: Sequence[int] | np.ndarray,
        neighbor_types: Sequence[int] | np.ndarray,
        strategy: SamplingStrategy = SamplingStrategy.RANDOM,
    ) -> np.ndarray:
        """Each node, drawn neighbors of the first type, for each of them neighbors of the second type, and so on; -1
        where there is none.
        """
        type_check(node_list, (list, np.ndarray), "node_list")
        for name, values in (("neighbor_nums", neighbor_nums), ("neighbor_types", neighbor_types)):
            type_check(values, (list, np.ndarray), name)
            if not 1 <= len(values) <= _MOST_HOPS:
                raise ValueError(
                    f"Wrong number of input members for {name}, should be between 1 and {_MOST_HOPS}, got "
                    f"{len(values)}."
                )
        if len(neighbor_nums) != len(neighbor_types):
            raise ValueError("The number of members of neighbor_nums and neighbor_types is inconsistent.")
        if not isinstance(strategy, SamplingStrategy):
            raise TypeError("Wrong input type for strategy, should be enum of 'SamplingStrategy'.")
        numbers = _ints(neighbor_nums, "neighbor_nums")
        if min(numbers) < 1:
            raise RuntimeError(f"Input neighbor_nums should be positive, but got {numbers}.")
        return self._store.get_sampled_neighbors(
            _ints(node_list, "node_list"),
            numbers,
            _ints(neighbor_types, "neighbor_types"),
            strategy == SamplingStrategy.EDGE_WEIGHT,
        )

    def get_neg_sampled_neighbors(
        self, node_list: list[int] | np.ndarray, neg_neighbor_num: int, neg_neighbor_type: int
    ) -> np.ndarray:
        """Each node and drawn nodes of a type that are not its neighbors; -1 where there is none."""
        nodes = _ints(node_list, "node_list")
        type_check(neg_neighbor_num, int, "neg_neighbor_num")
        type_check(neg_neighbor_type, int, "neg_neighbor_type")
        if neg_neighbor_num < 1:
            raise RuntimeError(f"Input neg_neighbor_num should be positive, but got {neg_neighbor_num}.")
        return self._store.get_neg_sampled_neighbors(nodes, neg_neighbor_num, neg_neighbor_type)

    def random_walk(
        self,
        target_nodes: list[int] | np.ndarray,
        meta_path: list[int] | np.ndarray,
        step_home_param: float = 1.0,
        step_away_param: float = 1.0,
        default_node: int = -1,
    ) -> np.ndarray:
        """Walks from each node over nodes of the types of ``meta_path``, as node2vec: ``step_home_param`` makes going
        back rarer, ``step_away_param`` going to nodes that are no neighbors of the one before; ``default_node`` where a
        walk ends.
        """
        nodes, path = _ints(target_nodes, "target_nodes"), _ints(meta_path, "meta_path")
        for name, value in (("step_home_param", step_home_param), ("step_away_param", step_away_param)):
            type_check(value, float, name)
            if value <= 0:
                raise RuntimeError(f"Input {name} should be above 0, but got {value}.")
        type_check(default_node, int, "default_node")
        check_value(default_node, (-1, INT32_MAX), "default_node")
        return self._store.random_walk(nodes, path, step_home_param, step_away_param, default_node)

    def get_node_feature(self, node_list: Any, feature_types: list[int] | np.ndarray) -> list[np.ndarray]:
        """For each feature an array (shape of ``node_list``, length of the feature); zeros for nodes without it and for
        -1.
        """
        return self._store.features("node", _ids(node_list, "node_list"), _ints(feature_types, "feature_types"))

    def get_edge_feature(self, edge_list: Any, feature_types: list[int] | np.ndarray) -> list[np.ndarray]:
        """For each feature an array (shape of ``edge_list``, length of the feature); zeros for edges without it and for
        -1.
        """
        return self._store.features("edge", _ids(edge_list, "edge_list"), _ints(feature_types, "feature_types"))

    def graph_info(self) -> dict[str, Any]:
        """Types, numbers and features of nodes and edges."""
        return self._store.graph_info()
