"""The server of `GraphData` against what is no client: scans, strange bytes, silence, and requests without measure."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset.engine._graph import server as _graph_server
from mindspore_compat.mindrecord import FileWriter


@pytest.fixture
def graph(tmp_path: Path) -> str:
    writer = FileWriter(str(tmp_path / "g"))
    number = {"type": "int32"}
    writer.add_schema(
        {
            "first_id": number,
            "second_id": number,
            "third_id": number,
            "type": number,
            "attribute": {"type": "string"},
            "node_feature_index": {"type": "int32", "shape": [-1]},
            "node_feature_1": {"type": "float32", "shape": [-1]},
        }
    )
    features = {"node_feature_index": np.array([1], np.int32), "node_feature_1": np.ones(3, np.float32)}
    rows = [{"first_id": i, "second_id": 0, "third_id": 0, "type": 1, "attribute": "n", **features} for i in range(4)]
    rows += [
        {"first_id": 10 + i, "second_id": 0, "third_id": i, "type": 5, "attribute": "e", **features} for i in (1, 2, 3)
    ]
    writer.write_raw_data(rows)
    writer.commit()
    return str(tmp_path / "g")


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def server(graph: str, port: int) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=lambda: ds.GraphData(graph, 1, "server", "127.0.0.1", port, 1, True), daemon=True)
    thread.start()
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()  # a scan
            break
        except OSError:
            time.sleep(0.1)
    yield thread


def _open(port: int, greeting: bytes = _graph_server._GREETING) -> socket.socket:
    peer = socket.create_connection(("127.0.0.1", port), timeout=20)
    peer.sendall(greeting)
    return peer


def _ends(peer: socket.socket) -> bool:
    try:
        return peer.recv(1) == b""
    except ConnectionError:
        return True


def test_scans_and_strange_bytes_end_nothing(graph: str, port: int, server: threading.Thread) -> None:
    for data in (b"", b"GET / HTTP/1.1\r\n\r\n" + bytes(20), bytes(1000), b"\xff" * 100):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as peer:
            peer.sendall(data)
    time.sleep(0.5)
    assert server.is_alive()
    client = ds.GraphData(graph, 1, "client", "127.0.0.1", port)
    assert client.get_all_neighbors([0], 1).tolist() == [0, 1, 2, 3]
    client._graph.close()
    server.join(20)
    assert not server.is_alive()


def test_who_does_not_greet_is_left_and_takes_no_place(
    graph: str, port: int, server: threading.Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_graph_server, "_GREETING_WAIT", 0.3)
    silent = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(5)]
    client = ds.GraphData(graph, 1, "client", "127.0.0.1", port)
    assert all(map(_ends, silent))
    client._graph.close()
    server.join(20)
    assert not server.is_alive()


@pytest.mark.parametrize(
    "message",
    [
        struct.pack(">QI", 1 << 62, 10),
        struct.pack(">QI", 5, 10),
        struct.pack(">QI", 4, 4) + b"abcd",
        struct.pack(">QI", 6, 6) + b'[[[[[["',
        struct.pack(">QI", 2, 2) + b"{}",
        *(
            struct.pack(">QI", len(head), len(head)) + head
            for head in (
                json.dumps({"arrays": [[dtype, shape]]}).encode()
                for dtype, shape in (("O", [1]), ("<i8", [1 << 60]), ("<i8", [-1]), ("x", [1]))
            )
        ),
    ],
)
def test_strange_messages_end_their_connection_only(
    graph: str, port: int, server: threading.Thread, message: bytes
) -> None:
    with _open(port) as peer:
        assert _graph_server._receive(peer, 1000, 20)[0]["error"] is None
        peer.sendall(message)
        assert _ends(peer)
    server.join(20)  # it was the one client, and has gone
    assert not server.is_alive()


def test_a_message_that_stops_is_given_up(
    graph: str, port: int, server: threading.Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_graph_server, "_WAIT", 0.3)
    with _open(port) as peer:
        _graph_server._receive(peer, 1000, 20)
        peer.settimeout(20)
        peer.sendall(struct.pack(">QI", 100, 100) + b"{")
        assert _ends(peer)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("get_neg_sampled_neighbors", [[0], 1 << 40, 1]),
        ("get_sampled_neighbors", [[0], [1 << 20, 1 << 20], [1, 1], False]),
        ("random_walk", [[0] * 5000, [1] * 10000, 1.0, 1.0, -1]),
    ],
)
def test_answers_have_a_bound(
    graph: str, port: int, server: threading.Thread, method: str, arguments: list[Any]
) -> None:
    client = ds.GraphData(graph, 1, "client", "127.0.0.1", port)
    with pytest.raises(RuntimeError, match=f"{method} would give.*Ask for less"):
        client._graph._ask(method, tuple(arguments))
    assert client.get_node_feature([0, 1], [1])[0].shape == (2, 3)
    client._graph.close()


def test_rows_that_are_no_graph_are_named(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "rows"))
    writer.add_schema({"a": {"type": "int32"}})
    writer.write_raw_data([{"a": 1}])
    writer.commit()
    with pytest.raises(RuntimeError, match="rows holds no graph"):
        ds.GraphData(str(tmp_path / "rows"))
