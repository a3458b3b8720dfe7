"""Join and exit of this process in a distributed run."""

from __future__ import annotations

import atexit
import contextlib
import glob
import os
import secrets
import socket
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
import torch.distributed as dist

from mindspore_compat import log
from mindspore_compat._runtime.launch import Launch, launch_of
from mindspore_compat.communication._watch import Server, Watch

_PREFIX = "mindspore_compat"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_watch: Watch | None = None
_local: tuple[int, int] | None = None  # (local rank, local size)


def is_running() -> bool:
    """Return whether torch's default process group is open: by `join`, or by the user's own ``init_process_group``."""
    return dist.is_available() and dist.is_initialized()


def world_size() -> int:
    """Return the number of processes."""
    return dist.get_world_size() if is_running() else 1


def world_rank() -> int:
    """Return the world rank of this process."""
    return dist.get_rank() if is_running() else 0


def local_rank() -> int:
    """Return this process's rank on its machine."""
    launch = launch_of()
    return _local[0] if _local else (launch.local_rank or 0) if is_running() else 0


def local_size() -> int:
    """Return the number of processes on this machine."""
    launch = launch_of()
    return _local[1] if _local else (launch.local_size or 1) if is_running() else 1


def blame(wait_s: float = 2.0) -> str:
    """Return the rank that made a collective fail; "" if none is known."""
    return _watch.blame(wait_s) if _watch is not None else ""


def join(with_cuda: bool, timeout: timedelta | None = None) -> None:
    """Open torch's default process group by the launcher's variables. Do nothing in a single process, or if it is open.

    Args:
        with_cuda: NCCL for CUDA tensors beside gloo for those of the CPU.
        timeout: of collectives; None: torch's.

    Raises:
        RuntimeError: if the variables of a launcher are incomplete, or the others do not come.
    """
    launch = launch_of()
    if is_running() or launch.size == 1:
        return
    if launch.missing:
        raise RuntimeError(
            f"For 'init', {launch.missing}: this would be one of {launch.size} processes of {launch.launcher}. Set "
            "what is missing, start with torchrun, mpirun or 'mindspore-compat msrun', or unset these variables to run "
            "one process."
        )
    try:
        if launch.is_scheduler:
            _serve(launch)
        store, rank = _met(launch)
        backend = "cpu:gloo,cuda:nccl" if with_cuda and dist.is_nccl_available() else "gloo"
        dist.init_process_group(backend, store=store, rank=rank, world_size=launch.size, timeout=timeout)
    except dist.DistError as error:
        raise RuntimeError(
            f"For 'init', not all of the {launch.size} processes that {launch.launcher} names met at {launch.host}:"
            f"{launch.port} within {launch.timeout_s:g} s; this is rank {launch.rank}. See that each of them runs and "
            f"calls init(), and that the address is rank 0's.\n{error}"
        ) from error
    _settle(launch, store, rank)


def join_at(method: str | None, store: Any, rank: int, size: int, timeout: timedelta | None = None) -> None:
    """Join at an address from the program: a URL of torch's, or a store."""
    if is_running():
        return
    backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() and dist.is_nccl_available() else "gloo"
    try:
        dist.init_process_group(backend, method, timeout, size, rank, store)
    except dist.DistError as error:
        raise RuntimeError(
            f"For 'init_process_group', not all of the {size} processes met at {method or 'the store'}; this is rank "
            f"{rank}.\n{error}"
        ) from error
    if store is None:
        store = dist.distributed_c10d._get_default_store()
    host = urlsplit(method or "").hostname or getattr(store, "host", None)
    _settle(Launch("init_process_group", rank, size, host=host), store, rank)


def _met(launch: Launch) -> tuple[Any, int]:
    """Return (store shared by all processes, this one's rank)."""
    timeout = timedelta(seconds=launch.timeout_s)
    if launch.launcher == "torchrun":  # its agent may serve the store
        store, rank, _ = next(dist.rendezvous("env://", timeout=timeout))
        return store, rank
    assert launch.host is not None and launch.port is not None  # else it is missing
    is_master = launch.rank == 0 and not launch.scheduler
    store = dist.TCPStore(
        launch.host, launch.port, launch.size + launch.scheduler, is_master, timeout, wait_for_workers=False
    )
    store.set_timeout(timeout)
    rank = store.add(f"{_PREFIX}/came", 1) - 1 if launch.rank is None else launch.rank
    store.set(f"{_PREFIX}/rank/{rank}", "")
    store.wait([f"{_PREFIX}/rank/{number}" for number in range(launch.size)])
    return store, rank


def _serve(launch: Launch) -> None:
    """Run as the scheduler of a dynamic cluster: serve the rendezvous until all have left, then end this process."""
    assert launch.host is not None and launch.port is not None
    store = dist.TCPStore(launch.host, launch.port, launch.size + 1, True, wait_for_workers=False)
    server = _started_server(store, launch)
    server.join()
    time.sleep(0.2)  # the last one is still closing the store
    if server.failed:
        print(f"mindspore_compat: rank {server.failed[0]} has failed.", file=sys.stderr, flush=True)
    sys.exit(1 if server.failed else 0)


def _started_server(store: Any, launch: Launch) -> Server:
    token = secrets.token_hex(16)
    server = Server(launch.size, token, launch.host in _LOOPBACK)
    server.start()
    store.set(f"{_PREFIX}/watch", f"{server.port} {token}")
    return server


def _settle(launch: Launch, store: Any, rank: int) -> None:
    """Set up this process once all have joined."""
    global _watch, _local
    if rank == 0 and not launch.scheduler:
        _started_server(store, launch)
    port, _, token = store.get(f"{_PREFIX}/watch").decode().partition(" ")
    try:
        host = launch.host or "127.0.0.1"
        _watch = Watch(rank, host, int(port), token, None if launch.scheduler else 0)
    except OSError as error:
        log.warning("rank %s cannot watch over the other ranks: %s:%s %s.", rank, launch.host, port, error)
    atexit.register(_at_exit, os.getpid())
    if launch.local_rank is not None and launch.local_size is not None:
        _local = launch.local_rank, launch.local_size
    else:
        store.set(f"{_PREFIX}/host/{rank}", socket.gethostname())
        hosts = [store.get(f"{_PREFIX}/host/{number}") for number in range(launch.size)]
        _local = hosts[:rank].count(hosts[rank]), hosts.count(hosts[rank])
    if launch.device_id is None and launch.local_rank is None:
        os.environ["DEVICE_ID"] = str(_local[0])  # from now on the device of this process, see own_device_id
    for name, value in (("RANK_ID", rank), ("RANK_SIZE", launch.size)):  # MindSpore's, which scripts read after init
        os.environ.setdefault(name, str(value))


def _at_exit(process: int) -> None:
    if os.getpid() != process:  # forked off: neither the connection nor gloo's threads are its own
        return
    error = getattr(sys, "last_value", None)
    if error is None and is_running():
        _close()  # while the watch is there, which ends a wait for a dead rank
    if _watch is not None:
        _watch.leave(f"{type(error).__name__}: {error}" if error is not None else "")
    if error is not None and is_running():  # the group stays open: to close it may wait for the others
        _wait_for_gloo()


def _close() -> None:
    """Close the process group, so that gloo's threads end."""
    dist.destroy_process_group()
    _wait_for_gloo()


def _wait_for_gloo() -> None:
    """Wait until gloo's threads sleep: one that releases a tensor at the interpreter's exit aborts the process."""
    deadline, idle = time.monotonic() + 2, 0
    while idle < 3 and time.monotonic() < deadline:  # torch's caches may keep the group, whose threads then live on
        time.sleep(0.002)  # without Python's lock, for which they wait
        idle = 0 if _is_gloo_busy() else idle + 1


def _is_gloo_busy() -> bool:
    """Return whether a thread of gloo computes or is about to; False if the system does not show it."""
    for path in glob.glob("/proc/self/task/*/stat"):
        with contextlib.suppress(OSError):  # ended meanwhile
            name, _, rest = Path(path).read_text().partition("(")[2].rpartition(")")
            if "gloo" in name and rest.split()[0] != "S":
                return True
    return False


def leave() -> None:
    """Close the process group."""
    global _watch, _local
    if _watch is not None:
        _watch.leave()
    _watch = _local = None
    atexit.unregister(_at_exit)
    if is_running():
        _close()
