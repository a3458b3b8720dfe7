"""One of two processes that meet by one launcher's variables after the other; prints how many did."""

import json
import os
import sys
from pathlib import Path

rank, size, port = (int(os.environ.pop(name)) for name in ("RANK", "WORLD_SIZE", "MASTER_PORT"))
for name in ("LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR"):
    os.environ.pop(name)

import numpy as np  # noqa: E402

import mindspore_compat as ms  # noqa: E402
from mindspore_compat import Tensor, communication, ops  # noqa: E402

folder = Path(sys.argv[1])
table = {
    "server_list": [
        {
            "server_id": "127.0.0.1",
            "device": [{"device_id": str(4 + number), "rank_id": str(number)} for number in range(size)],
        }
    ]
}
if rank == 0:
    (folder / "new.json").write_text(json.dumps(table))
    os.replace(folder / "new.json", folder / "table.json")


def mpi(prefix: str, suffixes: str) -> dict[str, object]:
    values = (rank, size, rank, size)
    return {prefix + suffix: value for suffix, value in zip(suffixes.split(), values)}


LAUNCHERS: dict[str, dict[str, object]] = {
    "torchrun": {
        "RANK": rank,
        "WORLD_SIZE": size,
        "LOCAL_RANK": rank,
        "LOCAL_WORLD_SIZE": size,
        "MASTER_ADDR": "localhost",
    },
    "OpenMPI": mpi("OMPI_COMM_WORLD_", "RANK SIZE LOCAL_RANK LOCAL_SIZE"),
    "MVAPICH2": mpi("MV2_COMM_WORLD_", "RANK SIZE LOCAL_RANK LOCAL_SIZE"),
    "PMI": {"PMI_RANK": rank, "PMI_SIZE": size, "MPI_LOCALRANKID": rank, "MPI_LOCALNRANKS": size},
    "RANK_SIZE": {"RANK_ID": rank, "RANK_SIZE": size, "DEVICE_ID": rank},
    "RANK_TABLE_FILE": {"RANK_ID": rank, "RANK_TABLE_FILE": folder / "table.json"},
    "Slurm": {"SLURM_PROCID": rank, "SLURM_NTASKS": size, "SLURM_LOCALID": rank, "SLURM_JOB_NODELIST": "localhost"},
}
met = 0
for number, (launcher, variables) in enumerate(LAUNCHERS.items()):
    before = dict(os.environ)
    os.environ.update({name: str(value) for name, value in variables.items()})
    os.environ["MASTER_PORT"] = str(port if number == 0 else port + number)
    assert (communication.get_rank(), communication.get_group_size()) == (rank, size), launcher
    try:
        communication.create_group("early", [0])
    except RuntimeError as error:
        assert "Please call `init()` method first" in str(error)
    communication.init()
    communication.init()  # nothing happens
    world = communication.GlobalComm
    assert (world.BACKEND, world.WORLD_COMM_GROUP, world.INITED) == ("mccl", "mccl_world_group", True)
    local = communication.get_local_rank(), communication.get_local_rank_size()
    assert local == (rank, size), f"{launcher}: {local}"
    assert ops.AllReduce()(Tensor(np.ones(2, np.float32))).asnumpy().tolist() == [size, size]
    communication.create_group("back", [1, 0])
    assert communication.get_rank("back") == 1 - rank
    assert communication.get_process_group_ranks("back") == [1, 0]
    assert communication.get_world_rank_from_group_rank("back", 0) == 1
    assert communication.get_group_rank_from_world_rank(0, "back") == 1
    gathered = ops.AllGather("back")(Tensor(np.array([rank], np.float32)))
    assert gathered.asnumpy().tolist() == [1, 0]
    if rank == 0:  # members only
        communication.create_group("alone", [0])
        assert ops.AllReduce("sum", "alone")(Tensor([3.0])).asnumpy().tolist() == [3]
    for _ in range(2):  # rank 0 has made one more than the other
        communication.create_group("after", [0, 1])
        assert ops.AllReduce("sum", "after")(Tensor([3.0])).asnumpy().tolist() == [6]
        communication.destroy_group("after")
    for arguments, error, text in (
        (("g", []), ValueError, "must be different ranks"),
        (("g", [0, 0]), ValueError, "must be different ranks"),
        (("g", [0, 5]), RuntimeError, "Failed to create communication group for g"),
        (("back", [0, 1]), ValueError, "The group back has been created, the rank_list is [1, 0]"),
    ):
        try:
            communication.create_group(*arguments)  # type: ignore[arg-type]
        except error as raised:
            assert text in str(raised), raised
        else:
            raise AssertionError(f"no {error}")
    communication.destroy_group("back")
    try:
        communication.get_rank("back")
    except RuntimeError as raised:
        assert "The group back does not exist" in str(raised)
    communication.release()
    assert not world.INITED
    os.environ.clear()
    os.environ.update(before)
    met += 1
print(met, ms.get_context("device_target"))
