"""Rank and size of this process: the only module that reads the launchers' environment variables.

=====================  ================================================================================================
launcher               variables
=====================  ================================================================================================
torchrun               RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT
msrun, dynamic         MS_ROLE, MS_WORKER_NUM, MS_NODE_ID, MS_SCHED_HOST, MS_SCHED_PORT; RANK_ID and DEVICE_ID of msrun
cluster
OpenMPI                OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
MVAPICH2               MV2_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
MPICH, Intel MPI       PMI_RANK, PMI_SIZE; MPI_LOCALRANKID, MPI_LOCALNRANKS
scripts of 1.x         RANK_ID, RANK_SIZE, DEVICE_ID; RANK_TABLE_FILE (or MINDSPORE_HCCL_CONFIG_PATH)
Slurm                  SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID, SLURM_JOB_NODELIST
=====================  ================================================================================================

The first launcher found counts. Only torchrun and msrun set the rendezvous address. For others it is MASTER_ADDR and
MASTER_PORT if they are set, else the first host that the launcher names, else this host if all processes are on it. The
default port is 8118, msrun's; under a launcher that numbers its jobs, 20000 + CRC-32 of the number modulo 10000.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mindspore_compat._format.source import read_json

_LOCALHOST, _PORT = "127.0.0.1", 8118
_Env = Mapping[str, str]


@dataclass(frozen=True)
class Launch:
    """Launch configuration of this process, from the environment.

    Attributes:
        launcher: its name for messages; "" if there is none.
        rank: this process's number; None if the rendezvous assigns it, or if ``missing`` is set.
        size: the number of processes.
        local_rank, local_size: the same on this machine; None if nothing says so.
        host, port: the rendezvous address; None if nothing sets it.
        scheduler: a process beside the ``size`` ones serves the meeting (MS_SCHED).
        is_scheduler: this is that process.
        device_id: the device that the environment names, if any.
        timeout_s: how long to wait for the others.
        missing: the variables to set before these processes can meet; "" if none.
    """

    launcher: str = ""
    rank: int | None = 0
    size: int = 1
    local_rank: int | None = None
    local_size: int | None = None
    host: str | None = None
    port: int | None = None
    scheduler: bool = False
    is_scheduler: bool = False
    device_id: int | None = None
    timeout_s: float = 600.0
    missing: str = ""


def launch_of(environ: _Env = os.environ) -> Launch:
    """Return the `Launch` that the environment describes."""
    for read in (_torchrun, _dynamic_cluster, _openmpi, _mvapich, _pmi, _rank_id, _slurm):
        found = read(environ)
        if found is not None:
            return _checked(found)
    return Launch(device_id=_number(environ, "DEVICE_ID"))


def _checked(launch: Launch) -> Launch:
    for name, rank, size in (("rank", launch.rank, launch.size), ("local rank", launch.local_rank, launch.local_size)):
        if rank is not None and size is not None and not launch.missing and not 0 <= rank < size:
            raise ValueError(
                f"{launch.launcher} gives this process the {name} {rank}, but the number of processes is {size}: a "
                f"{name} must be in [0, {size}). Correct the environment variables of the launcher."
            )
    return launch


def _number(environ: _Env, *names: str) -> int | None:
    """Return the first of the variables that is set, as a number."""
    for name in names:
        text = environ.get(name, "")
        if text:
            try:
                return int(text)
            except ValueError:
                raise ValueError(f"The environment variable {name} must be a whole number, but got {text!r}.") from None
    return None


def _of_numbers(launcher: str, environ: _Env, rank: str, size: str, **known: Any) -> Launch | None:
    """Return the launch from the variables named ``rank`` and ``size``; None if none of them is set."""
    number, count = _number(environ, rank), _number(environ, size)
    if count is None and not number:
        return None  # rank 0 of an unknown number is no launcher's
    known.setdefault("device_id", _number(environ, "DEVICE_ID"))
    known.setdefault("timeout_s", float(_number(environ, "MS_TOPO_TIMEOUT") or 600))
    if number is None or count is None:
        if count == 1:
            return Launch(launcher, **known)
        lacking, there = (rank, f"{size}={count}") if number is None else (size, f"{rank}={number}")
        return Launch(launcher, None, count or 2, **{**known, "missing": f"{there} is set, but {lacking} is not"})
    return Launch(launcher, number, count, **known)


def _meeting(
    environ: _Env, local_size: int | None, size: int | None, job: str | None, host: str = ""
) -> dict[str, Any]:
    """Return host and port where the launcher itself names none, and the missing variables."""
    host = environ.get("MASTER_ADDR") or environ.get("MS_SCHED_HOST") or host
    port = _number(environ, "MASTER_PORT", "MS_SCHED_PORT")
    if port is None:
        port = 20000 + zlib.crc32(job.encode()) % 10000 if job else _PORT
    if not host and local_size is not None and size is not None and local_size < size:
        missing = f"the {size} processes are on several machines, but MASTER_ADDR, the address of rank 0's, is not set"
        return {"port": port, "missing": missing}
    return {"host": host or _LOCALHOST, "port": port}


def _torchrun(environ: _Env) -> Launch | None:
    found = _of_numbers(
        "torchrun",
        environ,
        "RANK",
        "WORLD_SIZE",
        local_rank=_number(environ, "LOCAL_RANK"),
        local_size=_number(environ, "LOCAL_WORLD_SIZE"),
        device_id=None,
        host=environ.get("MASTER_ADDR") or None,
        port=_number(environ, "MASTER_PORT"),
    )
    if found is not None and found.size > 1 and not found.missing and (found.host is None or found.port is None):
        lacking = "MASTER_ADDR" if found.host is None else "MASTER_PORT"
        return replace(found, missing=f"RANK and WORLD_SIZE are set, but {lacking} is not")
    return found


def _dynamic_cluster(environ: _Env) -> Launch | None:
    role, size = environ.get("MS_ROLE", ""), _number(environ, "MS_WORKER_NUM")
    if not role:
        if size is not None and size > 1:
            return Launch("msrun", None, size, missing=f"MS_WORKER_NUM={size} is set, but MS_ROLE is not")
        return None
    if role not in ("MS_WORKER", "MS_SCHED"):
        raise ValueError(f"The environment variable MS_ROLE must be MS_WORKER or MS_SCHED, but got {role!r}.")
    host, port = environ.get("MS_SCHED_HOST") or None, _number(environ, "MS_SCHED_PORT")
    lacking = [
        name
        for name, value in (("MS_WORKER_NUM", size), ("MS_SCHED_HOST", host), ("MS_SCHED_PORT", port))
        if value is None
    ]
    node = environ.get("MS_NODE_ID", "")
    rank = int(node) if node.isdigit() else _number(environ, "RANK_ID")
    return Launch(
        "msrun",
        rank if role == "MS_WORKER" else None,
        size or 2,
        host=host,
        port=port,
        scheduler=True,
        is_scheduler=role == "MS_SCHED",
        device_id=_number(environ, "DEVICE_ID"),
        timeout_s=float(_number(environ, "MS_TOPO_TIMEOUT") or 600),
        missing=f"MS_ROLE={role} is set, but {' and '.join(lacking)} is not" if lacking else "",
    )


def _mpi(
    name: str, rank: str, size: str, local_rank: str, local_size: str, *jobs: str
) -> Callable[[_Env], Launch | None]:
    """Return a reader of one MPI's variables; ``jobs`` are those that number its jobs."""

    def read(environ: _Env) -> Launch | None:
        local, job = _number(environ, local_size), next((environ[item] for item in jobs if environ.get(item)), None)
        meeting = _meeting(environ, local, _number(environ, size), job)
        return _of_numbers(
            name, environ, rank, size, local_rank=_number(environ, local_rank), local_size=local, **meeting
        )

    return read


_openmpi = _mpi(
    "OpenMPI",
    *[f"OMPI_COMM_WORLD_{name}" for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")],
    "PMIX_NAMESPACE",
    "OMPI_MCA_ess_base_jobid",
)
_mvapich = _mpi("MVAPICH2", *[f"MV2_COMM_WORLD_{name}" for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE")])
_pmi = _mpi("PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_ID", "SLURM_JOB_ID")


def _rank_id(environ: _Env) -> Launch | None:
    path = environ.get("RANK_TABLE_FILE") or environ.get("MINDSPORE_HCCL_CONFIG_PATH")
    rank, size = _number(environ, "RANK_ID"), _number(environ, "RANK_SIZE")
    if path and rank is not None and size != 1:  # one process needs no table, which may be an old one
        return _rank_table(environ, path, rank)
    if size is None:
        return None  # RANK_ID alone numbers logs of one process
    return _of_numbers("RANK_SIZE", environ, "RANK_ID", "RANK_SIZE", **_meeting(environ, None, size, None))


def _rank_table(environ: _Env, path: str, rank: int) -> Launch:
    """Return the machines of an Ascend rank table in order, each with its devices and their ranks."""
    try:
        table = read_json(path)
    except FileNotFoundError:
        raise ValueError(
            f"RANK_TABLE_FILE and RANK_ID={rank} are set, but there is no file {path!r}. Correct RANK_TABLE_FILE, or "
            "unset it to run one process."
        ) from None
    try:
        places = {
            int(device["rank_id"]): (str(server["server_id"]), int(device["device_id"]))
            for server in table["server_list"]
            for device in server["device"]
        }
        own, device = places[rank]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"The rank table {path!r} must have a 'server_list', each server a 'server_id' and a list 'device', each "
            f"device a 'device_id' and a 'rank_id', one of them RANK_ID={rank}: {type(error).__name__} {error}."
        ) from None
    there = sorted(number for number, (server, _) in places.items() if server == own)
    host = places[min(places)][0] if len(there) < len(places) else ""
    meeting = _meeting(environ, len(there), len(places), None, host)
    given = _number(environ, "DEVICE_ID")
    return Launch(
        "RANK_TABLE_FILE",
        rank,
        len(places),
        there.index(rank),
        len(there),
        device_id=device if given is None else given,
        **meeting,
    )


def _slurm(environ: _Env) -> Launch | None:
    size = _number(environ, "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS")
    nodes = environ.get("SLURM_STEP_NODELIST") or environ.get("SLURM_JOB_NODELIST") or ""
    per_node = environ.get("SLURM_STEP_TASKS_PER_NODE") or environ.get("SLURM_TASKS_PER_NODE") or ""
    every_node_alike = re.fullmatch(r"(\d+)(\(x\d+\))?", per_node)
    local = int(every_node_alike[1]) if every_node_alike else None
    name = "SLURM_STEP_NUM_TASKS" if environ.get("SLURM_STEP_NUM_TASKS") else "SLURM_NTASKS"
    if "SLURM_PROCID" not in environ:  # a shell in an allocation: no launcher started processes
        return None
    meeting = _meeting(environ, local, size, environ.get("SLURM_JOB_ID"), _first_node(nodes))
    return _of_numbers(
        "Slurm",
        environ,
        "SLURM_PROCID",
        name,
        local_rank=_number(environ, "SLURM_LOCALID"),
        local_size=local,
        **meeting,
    )


def _first_node(nodes: str) -> str:
    """Return the first host of a list: "gpu[003-007,9],other" -> "gpu003"."""
    found = re.match(r"([^\[,]+)(?:\[([^\],-]+))?", nodes)
    return (found[1] + (found[2] or "")) if found else ""
