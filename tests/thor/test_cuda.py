"""The CUDA lane: ``pytest -m cuda tests/thor`` on a machine with a GPU; compute-sanitizer's command stands in
docs/design/thor.md.

Without a GPU, or without the compiled library, everything here is skipped.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mindspore_compat._runtime import extension
from mindspore_compat.nn.optim.thor_inverse import damped_inverse_
from tests.thor.test_inverse import SIZES, expected, initial, spd


def _has_kernel() -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key("mindspore_compat::damped_inverse_", "CUDA")


pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")]
with_kernel = pytest.mark.skipif(not _has_kernel(), reason=f"the CUDA library is not there: {extension.describe()}")


def invert(
    factors: list[torch.Tensor], inverses: list[torch.Tensor], scale: float, damping: float, multiplier: float
) -> list[int]:
    count = len(factors)
    return damped_inverse_(inverses, factors, [scale] * count, [damping] * count, [multiplier] * count).tolist()


@pytest.mark.parametrize("size", SIZES)
def test_every_block_is_the_damped_inverse(size: int) -> None:
    factor, block = spd(size), min(size, 128)
    inverse = initial(size, block).cuda()
    assert invert([factor.cuda()], [inverse], 2.0, 0.1, 0.5) == [0] * len(inverse)
    np.testing.assert_allclose(inverse.cpu().numpy(), expected(factor, block, 2.0, 0.1, 0.5), rtol=0, atol=5e-6)


@with_kernel
@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e7])
def test_error_grows_with_the_condition_as_it_must(condition: float) -> None:
    factor = spd(128, condition)
    inverse = initial(128, 128).cuda()
    assert invert([factor.cuda()], [inverse], 1.0, 0.0, 1.0) == [0]
    reference = expected(factor, 128, 1.0, 0.0, 1.0)
    assert np.linalg.norm(inverse.cpu().numpy() - reference) / np.linalg.norm(reference) <= 4e-8 * condition
    assert torch.equal(inverse, inverse.mT)


@with_kernel
@pytest.mark.parametrize("pivot", [1, 2, 64, 65, 127, 128])
def test_a_failed_block_keeps_its_inverse(pivot: int) -> None:
    factor = spd(136)
    factor[pivot - 1, pivot - 1] = -1.0
    inverse = torch.full((2, 128, 128), 7.0, device="cuda")
    assert invert([factor.cuda()], [inverse], 1.0, 0.01, 1.0) == [pivot, 0]
    assert torch.equal(inverse[0], torch.full((128, 128), 7.0, device="cuda"))


@with_kernel
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_nan_or_infinity_gets_into_an_inverse(value: float) -> None:
    factor = spd(100)
    factor[7, 3] = factor[3, 7] = value
    inverse = initial(100, 100).cuda()
    assert invert([factor.cuda()], [inverse], 1.0, 0.01, 1.0)[0] > 0
    assert torch.equal(inverse.cpu(), initial(100, 100))


@with_kernel
@pytest.mark.parametrize("count", [1, 7, 641, 900])
def test_any_number_of_factors_in_one_call(count: int) -> None:
    sizes = [(5, 128, 300, 64)[number % 4] for number in range(count)]
    factors = [spd(size).cuda() for size in sizes]
    inverses = [initial(size, min(size, 128)).cuda() for size in sizes]
    assert not any(invert(factors, inverses, 1.0, 0.1, 1.0))
    for number in {0, count // 2, count - 1}:
        reference = expected(factors[number].cpu(), inverses[number].shape[-1], 1.0, 0.1, 1.0)
        np.testing.assert_allclose(inverses[number].cpu().numpy(), reference, rtol=0, atol=5e-6)


@with_kernel
def test_whole_and_float64_factors_go_to_torch_in_the_same_call() -> None:
    small, whole = spd(64), spd(300)
    inverses = [initial(64, 64).cuda(), initial(300, 300).cuda()]
    assert invert([small.cuda(), whole.cuda()], inverses, 1.0, 0.1, 1.0) == [0, 0]
    np.testing.assert_allclose(inverses[1].cpu().numpy(), expected(whole, 300, 1.0, 0.1, 1.0), rtol=0, atol=1e-5)


@with_kernel
def test_work_is_queued_on_the_current_stream_and_nothing_waits() -> None:
    factor, inverse = spd(128).cuda(), initial(128, 128).cuda()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        damped_inverse_([inverse], [factor], [1.0], [0.1], [1.0])
        assert not stream.query()
    stream.synchronize()
    np.testing.assert_allclose(inverse.cpu().numpy(), expected(factor.cpu(), 128, 1.0, 0.1, 1.0), rtol=0, atol=5e-6)


@with_kernel
def test_a_cuda_graph_can_hold_it() -> None:
    factor, inverse = spd(128).cuda(), initial(128, 128).cuda()
    graph = torch.cuda.CUDAGraph()
    damped_inverse_([inverse], [factor], [1.0], [0.1], [1.0])
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        damped_inverse_([inverse], [factor], [1.0], [0.1], [1.0])
    factor.copy_(2 * spd(128))
    graph.replay()
    torch.cuda.synchronize()
    np.testing.assert_allclose(inverse.cpu().numpy(), expected(2 * spd(128), 128, 1.0, 0.1, 1.0), rtol=0, atol=5e-6)


@with_kernel
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one CUDA device")
def test_the_tensors_device_counts_not_the_current_one() -> None:
    factor, inverse = spd(128).cuda(1), initial(128, 128).cuda(1)
    assert invert([factor], [inverse], 1.0, 0.1, 1.0) == [0]
    np.testing.assert_allclose(inverse.cpu().numpy(), expected(factor.cpu(), 128, 1.0, 0.1, 1.0), rtol=0, atol=5e-6)


def test_opcheck() -> None:
    sizes = (6, 136)
    torch.library.opcheck(
        damped_inverse_,
        (
            [initial(size, min(size, 128)).cuda() for size in sizes],
            [spd(size).cuda() for size in sizes],
            [1.0, 2.0],
            [0.1, 0.2],
            [1.0, 0.5],
        ),
    )


def test_a_torch_module_trains_on_the_gpu_as_on_the_cpu() -> None:
    from tests.thor.networks import make_data
    from tests.thor.ours import make_thor

    weights = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(1)
        net = torch.nn.Sequential(
            torch.nn.Conv2d(2, 20, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(720, 10)
        ).to(device)
        optimizer = make_thor(net, np.full(6, 0.001, np.float32), dampings=np.full(6, 0.05, np.float32))
        for number in range(6):
            x, y = (torch.from_numpy(item).to(device) for item in make_data("conv", number))
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x), y.long()).backward()
            optimizer.step()
        assert optimizer.failed_inversions == 0
        weights.append([item.detach().cpu() for item in net.parameters()])
    for one, two in zip(*weights):
        torch.testing.assert_close(one, two, rtol=0, atol=2e-4)
