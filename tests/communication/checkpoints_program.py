"""One rank: data parallel training whose ranks all save into one folder, and each into its own; prints what is there."""

import json
import sys
from pathlib import Path

import numpy as np

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat.train import CheckpointConfig, ModelCheckpoint

folder = Path(sys.argv[1])
ms.communication.init()
rank, size = ms.communication.get_rank(), ms.communication.get_group_size()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True)
rows = [(np.full(4, i, np.float32), np.int32(i % 3)) for i in range(32)]
found = {}
for name, where in (("shared", folder / "shared"), ("own", folder / f"rank_{rank}")):
    network = nn.Dense(4, 3)
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False, num_shards=size, shard_id=rank).batch(2)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = ms.Model(network, loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    config = CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=3)
    model.train(2, data, callbacks=[ModelCheckpoint("net", str(where), config)], dataset_sink_mode=False)
    ms.ops.Barrier()()
    files = sorted(where.glob("*.ckpt"))
    for file in files:  # whole, all of them
        assert set(ms.load_checkpoint(str(file))) >= {"weight", "bias"}, file
    found[name] = [file.name for file in files]
    last = max(files, key=lambda file: file.stat().st_mtime)
    assert np.array_equal(ms.load_checkpoint(str(last))["weight"].asnumpy(), network.weight.asnumpy())
ms.communication.release()
print(json.dumps(found))
