"""Working modes "server" and "client" of `GraphData`: one process holds the graph, others ask it over TCP.

A message is its length (8 bytes, big endian) and an NPZ archive without pickled objects, so that a peer can send data and nothing
else; a request names one of `METHODS`. There is no authentication (upstream has none either): listen where only your jobs connect.
"""

from __future__ import annotations

import io
import json
import socket
import struct
import threading
import time
from typing import Any

import numpy as np

from mindspore_compat.dataset.engine._graph_store import GraphStore

__all__ = ["RemoteStore", "serve"]

METHODS = frozenset({"get_all_nodes", "get_all_edges", "get_nodes_from_edges", "get_edges_from_nodes", "graph_info", "get_all_neighbors",
                     "get_sampled_neighbors", "get_neg_sampled_neighbors", "random_walk", "features"})
_ERRORS = {error.__name__: error for error in (RuntimeError, ValueError, TypeError, KeyError)}
_WAIT = 60.0  # seconds that a client waits for its server


def _send(peer: socket.socket, head: dict[str, Any], arrays: list[np.ndarray]) -> None:
    buffer = io.BytesIO()
    parts: dict[str, Any] = {str(i): array for i, array in enumerate(arrays)}
    np.savez(buffer, head=np.array(json.dumps(head)), **parts)
    peer.sendall(struct.pack(">Q", buffer.tell()) + buffer.getbuffer())


def _receive(peer: socket.socket) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Raises: ConnectionError where the peer has gone."""
    (length,) = struct.unpack(">Q", _exactly(peer, 8))
    with np.load(io.BytesIO(_exactly(peer, length)), allow_pickle=False) as archive:
        return json.loads(str(archive["head"])), [archive[str(i)] for i in range(len(archive.files) - 1)]


def _exactly(peer: socket.socket, length: int) -> bytes:
    content = bytearray()
    while len(content) < length:
        part = peer.recv(min(length - len(content), 1 << 20))
        if not part:
            raise ConnectionError("the other side of the graph's connection has closed it")
        content += part
    return bytes(content)


def _pairs(info: Any) -> Any:
    """A dict as pairs: JSON would make texts of its keys."""
    return [[key, _pairs(value)] for key, value in info.items()] if isinstance(info, dict) else info


class _Server:
    def __init__(self, store: GraphStore, num_client: int) -> None:
        self._store, self._num_client = store, num_client
        self._lock = threading.Lock()
        self.connected = self.seen = 0

    def answer(self, peer: socket.socket) -> None:
        with self._lock:
            welcome = self.connected < self._num_client
            self.connected += 1
            self.seen += welcome
        try:
            with peer:
                _send(peer, {"error": None if welcome else ["RuntimeError", f"the graph's server takes {self._num_client} clients"]}, [])
                while welcome:
                    _send(peer, *self._reply(*_receive(peer)))
        except OSError:  # the client has gone
            pass
        finally:
            with self._lock:
                self.connected -= 1

    def _reply(self, head: dict[str, Any], arrays: list[np.ndarray]) -> tuple[dict[str, Any], list[np.ndarray]]:
        try:
            if head["method"] not in METHODS:
                raise RuntimeError(f"a graph's server has no method {head['method']!r}")
            arguments = [arrays[value["array"]] if isinstance(value, dict) else value for value in head["arguments"]]
            with self._lock:
                found = getattr(self._store, head["method"])(*arguments)
        except Exception as error:  # it goes to the client
            return {"error": [type(error).__name__, str(error)]}, []
        if isinstance(found, dict):
            return {"error": None, "form": "info", "info": _pairs(found)}, []
        form = type(found).__name__ if isinstance(found, (list, tuple)) else "array"
        return {"error": None, "form": form}, [found] if form == "array" else list(found)


def serve(store: GraphStore, hostname: str, port: int, num_client: int, auto_shutdown: bool) -> None:
    """Answer clients; return when `num_client` have come and all have gone, never without `auto_shutdown`."""
    server = _Server(store, num_client)
    with socket.create_server((hostname, port)) as listener:
        listener.settimeout(0.2)
        while not (auto_shutdown and server.seen >= num_client and server.connected == 0):
            try:
                peer, _ = listener.accept()
            except TimeoutError:
                continue
            peer.settimeout(None)
            threading.Thread(target=server.answer, args=(peer,), daemon=True).start()


class RemoteStore:
    """A `GraphStore` in a server's process. Raises: RuntimeError if there is none within a minute, or it takes no more clients."""

    def __init__(self, hostname: str, port: int) -> None:
        end = time.monotonic() + _WAIT
        while True:
            try:
                self._peer = socket.create_connection((hostname, port), timeout=_WAIT)
                self._peer.settimeout(None)
                head, _ = _receive(self._peer)
                break
            except (OSError, EOFError) as error:
                if time.monotonic() > end:
                    raise RuntimeError(f"no graph server answers at {hostname}:{port}; start one with working_mode='server' first.") from error
                time.sleep(0.2)
        self._lock = threading.Lock()
        self._raise(head)

    @staticmethod
    def _raise(head: dict[str, Any]) -> None:
        if head["error"]:
            name, text = head["error"]
            raise _ERRORS.get(name, RuntimeError)(text)

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"'RemoteStore' object has no attribute '{name}'")
        return lambda *arguments: self._ask(name, arguments)

    def _ask(self, method: str, arguments: tuple[Any, ...]) -> Any:
        arrays = [value for value in arguments if isinstance(value, np.ndarray)]
        places = iter(range(len(arrays)))
        request = {"method": method, "arguments": [{"array": next(places)} if isinstance(value, np.ndarray) else value for value in arguments]}
        with self._lock:
            _send(self._peer, request, arrays)
            head, found = _receive(self._peer)
        self._raise(head)
        if head["form"] == "info":
            return {key: dict(value) if key.endswith("_num") else value for key, value in head["info"]}
        return {"array": lambda: found[0], "list": lambda: found, "tuple": lambda: tuple(found)}[head["form"]]()

    def close(self) -> None:
        """Leave the server."""
        self._peer.close()
