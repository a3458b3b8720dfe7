"""SyncBatchNorm over two gloo processes equals BatchNorm2d over the whole batch: outputs, gradients, moving
statistics.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.ranks import run_ranks

PROGRAM = """
import numpy as np, torch, torch.distributed as dist
from mindspore_compat import nn, Tensor

def data():
    return np.random.RandomState(0).randn(6, 3, 4, 2).astype(np.float32) * 2 + 1

def compare(rank, groups):
    half = slice(0, 2) if rank == 0 else slice(2, 6)          # halves of different size
    sync, whole = nn.SyncBatchNorm(3, process_groups=groups).set_train(), nn.BatchNorm2d(3).set_train()
    inputs, all_inputs = Tensor(data()[half]).requires_grad_(True), Tensor(data()).requires_grad_(True)
    weights = torch.from_numpy(np.cos(np.arange(data().size, dtype=np.float32)).reshape(data().shape))
    if groups is not None and len(groups[0]) == 1:            # every process for itself
        whole_out, all_inputs = whole(inputs.detach().requires_grad_(True)), None
        assert torch.allclose(sync(inputs), whole_out, atol=1e-5)
    else:
        out, expected = sync(inputs), whole(all_inputs)
        assert torch.allclose(out, expected[half], atol=1e-5)
        torch.sum(torch.mul(out, weights[half])).backward()
        torch.sum(torch.mul(expected, weights)).backward()
        assert torch.allclose(inputs.grad, all_inputs.grad[half], atol=1e-5)
        gamma = sync.gamma.grad.clone()
        dist.all_reduce(gamma)
        assert torch.allclose(gamma, whole.gamma.grad, atol=1e-4)
    assert torch.allclose(sync.moving_mean, whole.moving_mean, atol=1e-6)
    assert torch.allclose(sync.moving_variance, whole.moving_variance, atol=1e-5)

dist.init_process_group("gloo")
for groups in (None, [[0, 1]], [[0], [1]]):
    compare(dist.get_rank(), groups)
dist.destroy_process_group()
print("fine")
"""


def test_two_processes_share_their_statistics(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    assert run_ranks(tmp_path / "program.py", 2) == ["fine\n"] * 2
