"""Working modes "server" and "client" of `GraphData`: one process holds the graph, others ask it over TCP.

A client greets with `_GREETING`. A message is its length and that of its head (8 and 4 bytes, big endian), a head of
JSON, and the bytes of the arrays that the head describes, so that a peer can send data and nothing else; a request
names one of `METHODS`. There is no
authentication (upstream has none either): listen where only your jobs connect. Whoever does not greet is no client and
ends nothing, what is begun must go on within a minute, and requests, answers and what they make the server compute have
bounds.
"""

from __future__ import annotations

import json
import math
import re
import socket
import struct
import threading
import time
from typing import Any

import numpy as np

from mindspore_compat.dataset.engine._graph.store import GraphStore

__all__ = ["RemoteStore", "serve"]

METHODS = frozenset(
    {
        "get_all_nodes",
        "get_all_edges",
        "get_nodes_from_edges",
        "get_edges_from_nodes",
        "graph_info",
        "get_all_neighbors",
        "get_sampled_neighbors",
        "get_neg_sampled_neighbors",
        "random_walk",
        "features",
    }
)
_ERRORS = {error.__name__: error for error in (RuntimeError, ValueError, TypeError, KeyError)}
_GREETING = b"mindspore_compat graph 2\n"
_WAIT = 60.0  # seconds that a client waits for its server, and that either side waits within a message
_GREETING_WAIT = 10.0
_MOST_GUESTS = 64  # connections that have not greeted yet
_MOST_HEAD, _MOST_REQUEST, _MOST_REPLY = 1 << 24, 1 << 26, 1 << 30
_MOST_VALUES = 1 << 25  # of an answer
_DTYPE = re.compile(r"[<>|][biufSU]\d{1,9}")


def _send(peer: socket.socket, head: dict[str, Any], arrays: list[np.ndarray]) -> None:
    text = json.dumps({**head, "arrays": [[array.dtype.str, list(array.shape)] for array in arrays]}).encode()
    peer.settimeout(_WAIT)
    peer.sendall(struct.pack(">QI", len(text) + sum(array.nbytes for array in arrays), len(text)) + text)
    for array in arrays:
        peer.sendall(array.tobytes())


def _receive(peer: socket.socket, most: int, wait: float | None) -> tuple[dict[str, Any], list[np.ndarray]]:
    """A message that begins within ``wait`` seconds. Raises: ConnectionError where the peer has gone or sends something
    else.
    """
    peer.settimeout(wait)
    first = _exactly(peer, 1)
    peer.settimeout(_WAIT)
    length, head_length = struct.unpack(">QI", first + _exactly(peer, 11))
    if not head_length <= min(length, _MOST_HEAD) <= length <= most:
        raise ConnectionError(
            f"the other side of the graph's connection sends {length} bytes, at most {most} are taken"
        )
    data = _exactly(peer, length)
    try:
        head = json.loads(data[:head_length])
        return head, _arrays(head["arrays"], memoryview(data)[head_length:])
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise ConnectionError(f"the other side of the graph's connection sends no message: {error}") from error


def _arrays(forms: list[Any], data: memoryview) -> list[np.ndarray]:
    """The arrays behind a head. Raises: ValueError and the like."""
    found, place = [], 0
    for name, shape in forms:
        if not _DTYPE.fullmatch(name):  # other texts are little programs to numpy
            raise ValueError(f"an array of {name}")
        dtype = np.dtype(name)
        if any(not isinstance(size, int) or size < 0 for size in shape):
            raise ValueError(f"an array of {name} and shape {shape}")
        count = math.prod(shape)
        if count * dtype.itemsize > len(data) - place:
            raise ValueError(f"an array of shape {shape} in {len(data)} bytes")
        found.append(
            np.frombuffer(data, dtype, count, place).reshape(shape).copy()
            if count and dtype.itemsize
            else np.zeros(shape, dtype)
        )
        place += count * dtype.itemsize
    return found


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
        self._guests = threading.BoundedSemaphore(_MOST_GUESTS)
        self.connected = self.seen = 0

    def accept(self, peer: socket.socket) -> None:
        """Serve a connection in a thread; one too many is closed."""
        if not self._guests.acquire(blocking=False):
            peer.close()
            return
        threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: socket.socket) -> None:
        is_client = False
        try:
            with peer:
                try:
                    is_greeted = self._is_greeted(peer)
                finally:
                    self._guests.release()
                if not is_greeted:
                    return
                with self._lock:
                    is_client = self.connected < self._num_client
                    self.connected += is_client
                    self.seen += is_client
                _send(
                    peer,
                    {
                        "error": None
                        if is_client
                        else ["RuntimeError", f"the graph's server takes {self._num_client} clients"]
                    },
                    [],
                )
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                while is_client:
                    _send(
                        peer, *self._reply(*_receive(peer, _MOST_REQUEST, None))
                    )  # a client may compute for hours in between
        except OSError:  # the client has gone, or is none
            pass
        finally:
            with self._lock:
                self.connected -= is_client

    @staticmethod
    def _is_greeted(peer: socket.socket) -> bool:
        peer.settimeout(_GREETING_WAIT)
        return _exactly(peer, len(_GREETING)) == _GREETING

    def _reply(self, head: dict[str, Any], arrays: list[np.ndarray]) -> tuple[dict[str, Any], list[np.ndarray]]:
        try:
            if head["method"] not in METHODS:
                raise RuntimeError(f"a graph's server has no method {head['method']!r}")
            arguments = [arrays[value["array"]] if isinstance(value, dict) else value for value in head["arguments"]]
            with self._lock:
                _check_size(self._store, head["method"], arguments)
                found = getattr(self._store, head["method"])(*arguments)
        except Exception as error:  # it goes to the client
            return {"error": [type(error).__name__, f"{error!s:.1000}"]}, []
        if isinstance(found, dict):
            return {"error": None, "form": "info", "info": _pairs(found)}, []
        form = type(found).__name__ if isinstance(found, (list, tuple)) else "array"
        return {"error": None, "form": form}, [found] if form == "array" else list(found)


def _check_size(store: GraphStore, method: str, arguments: list[Any]) -> None:
    """Raise RuntimeError for a request whose answer would be too large to compute; the product of numbers in it says
    how large.
    """
    size = 0
    if method in ("get_all_neighbors", "get_neg_sampled_neighbors"):
        nodes, kind = arguments[0], arguments[1] if method == "get_all_neighbors" else arguments[2]
        widest = max((store.count_neighbors(node, kind) for node in set(nodes)), default=0)
        size = len(nodes) * (widest + (arguments[1] if method == "get_neg_sampled_neighbors" else 1))
    elif method == "get_sampled_neighbors":
        size = len(arguments[0]) * sum(math.prod(arguments[1][:end]) for end in range(len(arguments[1]) + 1))
    elif method == "random_walk":
        size = len(arguments[0]) * (len(arguments[1]) + 1)
    elif method == "features":
        size = arguments[1].size * sum(store.feature_width(arguments[0], number) for number in arguments[2])
    if size > _MOST_VALUES:
        raise RuntimeError(
            f"The graph's server answers with at most {_MOST_VALUES} values, but {method} would give {size}. Ask for "
            "less at once."
        )


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
            server.accept(peer)


class RemoteStore:
    """A `GraphStore` in a server's process. Raises: RuntimeError if there is none within a minute, or it takes no more
    clients.
    """

    def __init__(self, hostname: str, port: int) -> None:
        end = time.monotonic() + _WAIT
        while True:
            try:
                self._peer = socket.create_connection((hostname, port), timeout=_WAIT)
                self._peer.sendall(_GREETING)
                head, _ = _receive(self._peer, _MOST_REPLY, _WAIT)
                break
            except (OSError, EOFError) as error:
                if time.monotonic() > end:
                    raise RuntimeError(
                        f"no graph server answers at {hostname}:{port}; start one with working_mode='server' first."
                    ) from error
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
        request = {
            "method": method,
            "arguments": [{"array": next(places)} if isinstance(value, np.ndarray) else value for value in arguments],
        }
        with self._lock:
            _send(self._peer, request, arrays)
            head, found = _receive(self._peer, _MOST_REPLY, None)  # the server may compute for long
        self._raise(head)
        if head["form"] == "info":
            return {key: dict(value) if key.endswith("_num") else value for key, value in head["info"]}
        return {"array": lambda: found[0], "list": lambda: found, "tuple": lambda: tuple(found)}[head["form"]]()

    def close(self) -> None:
        """Leave the server."""
        self._peer.close()
