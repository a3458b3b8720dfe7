"""A learner that answers two actors by `MuxSend` and `MuxReceive`; run by test_rl_ops.py on three processes."""

from mindspore_compat import Tensor, communication, context, float32
from mindspore_compat._ops.buffers import MuxReceive, MuxSend

context.set_context(device_target="CPU")
communication.init()
rank = communication.get_rank()
receive = MuxReceive([(2,), (1,)], float32)
if rank == 0:
    answer, came = MuxSend(-1), []
    for _ in range(2):
        one, other = receive()
        came.append((one.asnumpy().tolist(), other.asnumpy().tolist()))
        answer((one * 10, other * 10))
    assert sorted(came) == [([1, 1.5], [-1]), ([2, 2.5], [-2])], came
else:
    MuxSend(0)((Tensor([rank, rank + 0.5], float32), Tensor([-rank], float32)))
    found = [item.asnumpy().tolist() for item in receive()]
    assert found == [[10 * rank, 10 * rank + 5], [-10 * rank]], found
print("OK")
