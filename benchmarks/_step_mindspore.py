"""Child of train_step.py: prints one JSON line with the milliseconds of a training step, on whatever ``mindspore`` is here.

    PYTHON [-m mindspore_compat] _step_mindspore.py NET graph|pynative SECONDS
"""
import json
import sys
import time

import mindspore as ms
import mindspore.nn as nn
from nets_mindspore import NETS, batch

name, mode, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE, device_target=sys.argv[4] if len(sys.argv) > 4 else "CPU")
ms.set_seed(1)
net = NETS[name]()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.01, 0.9))
step.set_train()
x, y = (ms.Tensor(item) for item in batch(name))
for _ in range(5):
    value = step(x, y)
value.asnumpy()
times = []
end = time.perf_counter() + seconds
while time.perf_counter() < end or len(times) < 20:
    start = time.perf_counter()
    step(x, y).asnumpy()
    times.append(time.perf_counter() - start)
times.sort()
print(json.dumps({"ms": 1000 * times[len(times) // 2], "best": 1000 * times[0], "steps": len(times)}))
