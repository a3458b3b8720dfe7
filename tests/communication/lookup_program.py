"""Two ranks train an embedding by `LazyAdam` with other ids each; prints the table."""

import json

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, nn

ms.communication.init()
rank, size = ms.communication.get_rank(), ms.communication.get_group_size()
if size > 1:
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.EmbeddingLookup(8, 4, Tensor(np.arange(32, dtype=np.float32).reshape(8, 4) / 10))

    def construct(self, ids):
        return (self.table(ids) ** 2).sum() * (size / 2)  # the mean over the ranks; half of it in one process


net = Net()
step = nn.TrainOneStepCell(net, nn.LazyAdam(net.trainable_params(), 0.1, weight_decay=0.1)).set_train()
for ids in np.array([[[1, 1], [2, 5]], [[3, 1], [0, 1]], [[5, 5], [5, 6]]]):
    step(Tensor(ids[rank] if size > 1 else ids, ms.int32))
print(json.dumps(net.table.embedding_table.asnumpy().tolist()))
