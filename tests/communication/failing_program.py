"""Three ranks, of which rank 1 dies at its fourth step; rank 2 does something else meanwhile."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, nn

kind, note = sys.argv[1], Path(sys.argv[2])
ms.communication.init()
rank = ms.communication.get_rank()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True)
network = nn.Dense(4, 3)
step = nn.TrainOneStepCell(network, nn.SGD(network.trainable_params(), 0.1))
for number in range(6):
    if number == 3 and rank == 1:
        note.write_text(str(time.time()))
        if kind == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise ValueError("boom")
    if number == 3 and rank == 2:
        time.sleep(60)
    try:
        step(Tensor(np.ones((2, 4), np.float32)))
    except RuntimeError:
        note.with_suffix(".noticed").write_text(str(time.time() - float(note.read_text())))
        raise
