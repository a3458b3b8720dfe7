"""The fake CUDA device is as CUDA where a program can tell: devices, waits, pinned memory, streams, graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.support import fakecuda

pytestmark = pytest.mark.skipif(not fakecuda.installed(), reason="the fake device is not installed (--device cuda)")


def kinds(call: Callable[[], Any]) -> list[str]:
    with fakecuda.recorded() as traffic:
        call()
    return [event.kind for event in traffic]


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(3, 4, device="cuda")


def test_devices_do_not_mix(x: torch.Tensor) -> None:
    message = "Expected all tensors to be on the same device"
    for call in (
        lambda: x + torch.ones(3, 4),
        lambda: x @ torch.ones(4, 4),
        lambda: torch.cat([x, torch.ones(3, 4)]),
        lambda: x + x.to("cuda:1"),
        lambda: torch.nn.functional.linear(x, torch.ones(2, 4)),
    ):
        with pytest.raises(RuntimeError, match=message):
            call()
    assert (x * torch.tensor(2.0)).device == x.device and x.to("cuda:1").device.index == 1
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor"):
        torch._C.TensorBase.numpy(x)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: x.sum().item(), ["sync"]),
        (lambda x: bool(x.any()), ["sync"]),
        (lambda x: x.cpu(), ["d2h"]),
        (lambda x: x[x > 0], ["sync"]),
        (lambda x: x.nonzero(), ["sync"]),
        (lambda x: torch.unique(x), ["sync"]),
        (lambda x: torch.equal(x, x), ["sync"]),
        (lambda x: torch.tensor([1.0], device="cuda"), ["h2d"]),
        (lambda x: torch.ones(3).cuda(non_blocking=True), ["h2d"]),
        (lambda x: torch.ones(3).pin_memory().cuda(non_blocking=True), ["pin", "h2d_nb"]),
        (lambda x: torch.ones(3).pin_memory().cuda(), ["pin", "h2d"]),
        (lambda x: torch.empty(3, 4, pin_memory=True).copy_(x, non_blocking=True), ["pin", "d2h_nb"]),
        (lambda x: x.repeat_interleave(torch.ones(3, dtype=torch.int64, device="cuda"), 0), ["sync"]),
        (lambda x: torch.linalg.inv(x[:, :3]), ["sync"]),
        (lambda x: torch.cuda.synchronize(), ["sync"]),
        (lambda x: x * torch.tensor(2.0), ["mix0"]),
        (lambda x: x.masked_fill(x > 0, 0.0) + x.sum() * 2, []),
        (lambda x: torch.full((3,), 2.0, device="cuda"), []),
        (lambda x: torch.nn.functional.one_hot(x.argmax(1), 4), []),
    ],
)
def test_waits_and_copies_are_reported(x: torch.Tensor, call: Callable[[Any], Any], expected: list[str]) -> None:
    assert kinds(lambda: call(x)) == expected


def test_where_a_wait_came_from(x: torch.Tensor) -> None:
    with fakecuda.recorded() as traffic:
        x.sum().item()
    (event,) = traffic.waits
    assert event.stack[0].startswith("tests/gpu/test_fakecuda.py:") and "test_where_a_wait" in event.stack[0]


def test_pinned_memory() -> None:
    pinned = torch.ones(5).pin_memory()
    assert pinned.is_pinned() and pinned[2:].is_pinned() and not torch.ones(5).is_pinned()
    plain = torch.ones(1000)
    runtime: Any = torch.cuda.cudart()
    assert runtime.cudaHostRegister(plain.data_ptr(), 4000, 0) == 0 and plain.is_pinned()
    assert runtime.cudaHostUnregister(plain.data_ptr()) == 0 and not plain.is_pinned()


def test_streams_and_events(x: torch.Tensor) -> None:
    side = torch.cuda.Stream()
    assert side != torch.cuda.current_stream() == torch.cuda.default_stream()
    with fakecuda.recorded() as traffic:
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            assert torch.cuda.current_stream() == side
            x.record_stream(side)
        torch.cuda.current_stream().wait_event(side.record_event())
    assert [event.kind for event in traffic] == [
        "record_event",
        "wait_event",
        "record_stream",
        "record_event",
        "wait_event",
    ]
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record(), last.record()
    assert first.elapsed_time(last) >= 0 and kinds(last.synchronize) == ["sync"]


def test_generators() -> None:
    torch.cuda.manual_seed(3)
    first = torch.rand(4, device="cuda")
    state = torch.cuda.get_rng_state()
    torch.rand(4, device="cuda")
    torch.cuda.set_rng_state(state)
    second = torch.rand(4, device="cuda")
    torch.cuda.manual_seed_all(3)
    assert torch.equal(first, torch.rand(4, device="cuda")) and torch.equal(second, torch.rand(4, device="cuda"))
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator"):
        torch.rand(3, device="cuda", generator=torch.Generator())


def test_memory_is_counted() -> None:
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    large = torch.empty(1000, device="cuda")
    assert torch.cuda.memory_allocated() - before == 4096  # in blocks of 512 bytes
    del large
    assert torch.cuda.memory_allocated() == before and torch.cuda.max_memory_allocated() >= before + 4096


def test_what_cuda_has_no_kernel_for(x: torch.Tensor) -> None:
    with pytest.raises(NotImplementedError):
        torch.histogram(x, 4)
    with pytest.raises(NotImplementedError):
        x.long() @ x.long().T


def test_an_empty_view_grows_where_it_lies() -> None:
    """torch.fft.fftfreq writes its second half so."""
    torch.testing.assert_close(torch.fft.fftfreq(5, device="cuda").cpu(), torch.fft.fftfreq(5))
    whole = torch.zeros(6, device="cuda")
    part = whole[2:2]
    torch.arange(3.0, out=part)
    assert whole.tolist() == [0, 0, 0, 1, 2, 0] and part.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers_are_the_cpus(kind: str) -> None:
    torch.manual_seed(0)
    ours, theirs = (getattr(torch.nn, kind)(3, 4, 2, bidirectional=True) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    ours, data = ours.cuda(), torch.randn(5, 2, 3)
    (ours(data.cuda())[0] ** 2).sum().backward(), (theirs(data)[0] ** 2).sum().backward()
    for a, b in zip(ours.parameters(), theirs.parameters()):
        torch.testing.assert_close(a.grad.cpu(), b.grad)


# --- graphs -----------------------------------------------------------------------------------------------------------


def captured(call: Callable[[], Any]) -> Any:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph


def test_a_graph_repeats_a_training_step() -> None:
    torch.manual_seed(0)
    nets = [torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).cuda() for _ in "ab"]
    nets[1].load_state_dict(nets[0].state_dict())
    optimizers = [torch.optim.Adam(net.parameters(), 0.01, capturable=True) for net in nets]
    batches, static = torch.randn(8, 16, 4, device="cuda"), torch.zeros(16, 4, device="cuda")

    def step(place: int, batch: torch.Tensor) -> torch.Tensor:
        optimizers[place].zero_grad()
        loss = nets[place](batch).square().mean()
        loss.backward()
        optimizers[place].step()
        return loss.detach()

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for batch in batches[:3]:
            step(0, batch)
    graph, kept = torch.cuda.CUDAGraph(), []
    with torch.cuda.graph(graph):
        kept.append(step(0, static))
    losses = []
    for batch in batches[3:]:
        static.copy_(batch)
        graph.replay()
        losses.append(kept[0].item())
    assert losses == pytest.approx([step(1, batch).item() for batch in batches][3:], rel=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sum().item(),
        lambda x: torch.ones(3).cuda(),
        lambda x: torch.ones(3).cuda(non_blocking=True),
        lambda x: x.cpu(),
        lambda x: x[x > 0],
        lambda x: torch.cuda.synchronize(),
        lambda x: torch.rand(3, device="cuda", generator=torch.Generator("cuda")),
    ],
)
def test_what_a_capture_refuses(x: torch.Tensor, call: Callable[[Any], Any]) -> None:
    with pytest.raises(RuntimeError) as caught:
        captured(lambda: call(x))
    texts = str(caught.value) + str(caught.value.__context__)
    assert "not permitted when stream is capturing" in texts or "not in capture mode" in texts
    captured(lambda: x + 1).replay()  # the next one works


def test_streams_in_a_capture(x: torch.Tensor) -> None:
    def forked(joins: bool) -> None:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            x.mul_(2)
        if joins:
            torch.cuda.current_stream().wait_stream(side)

    before = x.clone()
    graph = captured(lambda: forked(True))
    assert torch.equal(x, before)  # a capture only records
    graph.replay()
    assert torch.equal(x, before * 2)
    with pytest.raises(RuntimeError, match="unjoined work"):
        captured(lambda: forked(False))


def test_pinned_copies_and_numbers_of_the_host_in_a_graph(x: torch.Tensor) -> None:
    source, factor, out = torch.ones(3).pin_memory(), torch.tensor(2.0), torch.zeros(3, device="cuda")
    graph = captured(lambda: out.copy_(source.cuda(non_blocking=True) * factor))
    source.fill_(5.0), factor.fill_(100.0)
    graph.replay()
    assert out.tolist() == [10.0] * 3  # memory is read again, a number is a constant
    graph.reset()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()
