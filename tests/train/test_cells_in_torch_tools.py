"""The table "torch's tools on a Cell" of docs/torch.md: each row a test."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.filterwarnings("ignore")
_random = np.random.RandomState(0)
X = _random.randn(6, 4).astype(np.float32)
BATCHES = [
    (torch.from_numpy(_random.randn(6, 4).astype(np.float32)), torch.from_numpy(_random.randint(0, 3, 6)))
    for _ in range(4)
]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc, self.norm, self.out = nn.Dense(4, 8), nn.BatchNorm1d(8), nn.Dense(8, 3)

    def construct(self, x: Any) -> Any:
        h = ops.relu(self.norm(self.fc(x)))
        h += 1
        return self.out(h).expand_dims(0).transpose(0, 2, 1).max(axis=0).T


def net() -> Any:
    made = Net().set_train()
    random = np.random.RandomState(1)
    for parameter in made.trainable_params():
        parameter.set_data(Tensor(random.randn(*parameter.shape).astype(np.float32)))
    return made


def losses(wrap: Callable[[Any], Any]) -> list[float]:
    made = net()
    body = wrap(made)
    optimizer, found = torch.optim.SGD(made.parameters(), 0.05), []
    for x, y in BATCHES:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(body(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


@pytest.fixture
def process_group(tmp_path: Path) -> Iterator[None]:
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
@pytest.mark.parametrize("given", [Tensor(X), torch.from_numpy(X)], ids=["Tensor", "torch.Tensor"])
def test_export(given: Any) -> None:
    made = net().set_train(False)
    program = torch.export.export(made, (given,), strict=True)
    np.testing.assert_allclose(program.module()(given).detach().numpy(), made(given).asnumpy(), 1e-5, 1e-6)


class Inverted(nn.Cell):
    def construct(self, x: Any) -> Any:
        return ~ops.relu(x)  # logical; torch's would be bitwise


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
def test_export_without_strict_is_refused_where_it_could_mean_something_else() -> None:
    with pytest.raises(RuntimeError):
        torch.export.export(Inverted(), (torch.tensor([1, 2]),), strict=False)
    exported = torch.export.export(Inverted(), (torch.tensor([1, 2]),), strict=True)
    assert exported.module()(torch.tensor([1, 2])).tolist() == [False, False]
    layers = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU())
    assert torch.export.export(layers, (torch.from_numpy(X),), strict=False).module()(torch.from_numpy(X)).shape == (
        6,
        3,
    )


def test_functional_call() -> None:
    made = net().set_train(False)
    parameters = {name: value.detach() for name, value in made.named_parameters()}
    found = torch.func.functional_call(made, parameters, (Tensor(X),))
    assert type(found) is Tensor and np.array_equal(found.asnumpy(), made(Tensor(X)).asnumpy())
    zeros = {name: torch.zeros_like(value) for name, value in parameters.items()}
    assert float(torch.func.functional_call(made, zeros, (Tensor(X),)).sum()) == 0.0 != float(made(Tensor(X)).sum())


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
def test_func_grad() -> None:
    made = nn.Dense(4, 3)
    parameters = {name: value.detach().as_subclass(torch.Tensor) for name, value in made.named_parameters()}
    found = torch.func.grad(lambda values: torch.func.functional_call(made, values, (torch.from_numpy(X),)).sum())(
        parameters
    )
    np.testing.assert_allclose(found["weight"].numpy(), np.tile(X.sum(0), (3, 1)), 1e-5)


def test_deepcopy() -> None:
    made = net()
    other = copy.deepcopy(made)
    assert (
        type(other.fc.weight) is Parameter
        and other.fc.weight.name == "fc.weight"
        and other.fc.weight is not made.fc.weight
    )
    assert np.array_equal(other(Tensor(X)).asnumpy(), made(Tensor(X)).asnumpy())
    assert type(copy.deepcopy(torch.compile(made, backend="eager"))(Tensor(X))) is Tensor


def test_state_dicts(tmp_path: Path) -> None:
    made, other = net(), Net()
    torch.save(made.state_dict(), tmp_path / "net.pt")
    other.load_state_dict(torch.load(tmp_path / "net.pt"))
    assert np.array_equal(other.set_train()(Tensor(X)).asnumpy(), made(Tensor(X)).asnumpy())
    torch.save(made, tmp_path / "whole.pt")
    whole = torch.load(tmp_path / "whole.pt", weights_only=False)
    assert np.array_equal(whole(Tensor(X)).asnumpy(), made(Tensor(X)).asnumpy())


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
@pytest.mark.parametrize(
    "wrap",
    [
        lambda made: DistributedDataParallel(made),
        lambda made: torch.compile(DistributedDataParallel(made), backend="aot_eager"),
    ],
    ids=["DDP", "DDP compiled"],
)
def test_ddp(wrap: Callable[[Any], Any], process_group: None) -> None:
    assert losses(wrap) == pytest.approx(losses(lambda made: made), rel=1e-5)


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
def test_fsdp(process_group: None) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    assert losses(lambda made: fully_shard(made, mesh=init_device_mesh("cpu", (1,)))) == pytest.approx(
        losses(lambda made: made), rel=1e-5
    )


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
@pytest.mark.parametrize("compiled", [False, True])
def test_fabric(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # importing Fabric sets it
    package = pytest.importorskip("lightning_fabric")
    fabric = package.Fabric(accelerator="cpu", devices=1)

    def wrap(made: Any) -> Any:
        return fabric.setup(torch.compile(made, backend="aot_eager") if compiled else made)

    assert losses(wrap) == pytest.approx(losses(lambda made: made), rel=1e-5)


@pytest.mark.cpu_only("tools of torch on the CPU, and Inductor, which needs Triton on a GPU")
def test_accelerate(monkeypatch: pytest.MonkeyPatch) -> None:
    package = pytest.importorskip("accelerate")
    accelerator, made = package.Accelerator(cpu=True), net()
    body, optimizer = accelerator.prepare(made, torch.optim.SGD(made.parameters(), 0.05))
    found = []
    for x, y in BATCHES:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(body(x), y)
        accelerator.backward(loss)
        optimizer.step()
        found.append(loss.item())
    assert found == pytest.approx(losses(lambda made: made), rel=1e-5)
    assert ms.Parameter is type(accelerator.unwrap_model(body).fc.weight)
