"""Child of train_step.py: the training step on whatever ``mindspore`` is here, or ``Model.train`` with its usual
callbacks.

PYTHON [-m mindspore_compat] _step_mindspore.py NET graph|pynative|model [TARGET]
"""

import sys
import tempfile

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
from _turns import Batches, serve
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint, TimeMonitor
from nets_mindspore import NETS, batch

name, mode, target = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "CPU"
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE, device_target=target)
ms.set_seed(1)
net = NETS[name]()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
if mode == "model":
    data = ds.GeneratorDataset(Batches(*batch(name)), ["x", "y"], shuffle=False, python_multiprocessing=False)
    with tempfile.TemporaryDirectory() as folder:
        saver = ModelCheckpoint(
            name, folder, CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=2, async_save=True)
        )
        Model(net, loss, optimizer).train(
            1, data, callbacks=[LossMonitor(1000), TimeMonitor(), saver], dataset_sink_mode=False
        )
else:
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer)
    step.set_train()
    x, y = (ms.Tensor(item) for item in batch(name))
    serve(lambda: step(x, y).asnumpy())
