"""Two workers and the scheduler of MindSpore's dynamic cluster, as its shell scripts start them: all run this script."""

import os
import sys

number, port = int(os.environ.pop("RANK")), os.environ.pop("MASTER_PORT")
for name in ("WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR"):
    os.environ.pop(name)
os.environ |= {"MS_WORKER_NUM": "2", "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": port}
os.environ["MS_ROLE"] = "MS_SCHED" if number == 2 else "MS_WORKER"
if sys.argv[1] == "numbered" and number < 2:
    os.environ["MS_NODE_ID"] = str(1 - number)

import numpy as np  # noqa: E402

from mindspore_compat import Tensor, communication, ops  # noqa: E402

communication.init()
assert number < 2, "the scheduler ends in init"
rank = communication.get_rank()
assert sys.argv[1] != "numbered" or rank == 1 - number
assert os.environ["RANK_ID"] == str(rank)
assert communication.get_local_rank() == rank
print(ops.AllGather()(Tensor(np.array([10 * rank], np.float32))).asnumpy().tolist())
