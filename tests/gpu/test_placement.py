"""What was made before the device was chosen moves to it, as upstream's: Cells, Tensors, optimizers, torch modules in
Cells and under Model. What the context says of the GPU reaches torch.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.optim import thor_inverse
from tests.support import fakecuda

pytestmark = pytest.mark.gpu
X = np.random.RandomState(0).randn(6, 4).astype(np.float32)
Y = np.array([0, 1, 0, 1, 0, 1], np.int32)


@pytest.fixture(autouse=True)
def late() -> Iterator[None]:
    """Tests begin on the CPU."""
    before = ms.get_context("device_target")
    ms.set_context(device_target="CPU")
    yield
    ms.set_context(device_target=before)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.norm = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)
        self.body = nn.SequentialCell(nn.Dense(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 2))
        self.shift = Tensor(np.ones(4, np.float32))
        self.kept = [Tensor(np.ones(4, np.float32))]

    def construct(self, x: Any) -> Any:
        return self.body(self.norm(self.inner(x)) + self.shift * self.kept[0])


def _trained(late: bool, make_optimizer: Any) -> list[np.ndarray]:
    if not late:
        ms.set_context(device_target="GPU")
    ms.set_seed(3)
    torch.manual_seed(3)
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), make_optimizer(net.trainable_params())).set_train()
    batch = Tensor(X), Tensor(Y)
    losses = [step(*batch)] if not late else []
    ms.set_context(device_target="GPU")
    losses += [step(*batch) for _ in range(3 if late else 2)]
    assert {item.device.type for item in (*step.get_parameters(), *step.buffers(), *losses, *batch)} <= {"cuda", "cpu"}
    assert all(item.device.type == "cuda" for item in (*net.get_parameters(), *net.buffers(), *losses, *batch))
    ms.set_context(device_target="CPU")
    return [item.asnumpy() for item in [*losses, *net.get_parameters()]]


@pytest.mark.parametrize("kind", ["Momentum", "Adam", "AdamWeightDecay", "SGD"])
def test_cells_and_optimizers_made_before_train_as_those_made_after(kind: str) -> None:
    options = {"momentum": 0.9} if kind == "Momentum" else {}
    found, expected = (_trained(late, lambda p: getattr(nn, kind)(p, 0.05, **options)) for late in (True, False))
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


def test_a_parameter_stays_the_same_object_with_its_gradient_and_its_views() -> None:
    dense = nn.Dense(4, 2).set_train()
    weight, part, alias = dense.weight, dense.weight[:1], dense.weight.T
    dense(Tensor(X)).sum().backward()
    grad = weight.grad
    ms.set_context(device_target="GPU")
    assert dense.weight is weight and weight.device.type == weight.grad.device.type == "cuda" and weight.grad is grad
    with torch.no_grad():
        weight.zero_()
    assert not part.any() and not alias.any()


def test_a_model_of_torch_trains_where_the_context_says() -> None:
    for order in ("context first", "model first"):
        ms.set_context(device_target="GPU" if order == "context first" else "CPU")
        net = torch.nn.Sequential(torch.nn.Linear(4, 2))
        weight, average = net[0].weight, torch.optim.swa_utils.AveragedModel(net)
        step = ms.train.TorchTrainStep(
            net, torch.nn.CrossEntropyLoss(), torch.optim.Adam(net.parameters(), 0.1), amp_level="O2", ema=average
        )
        model = ms.Model(step)
        data = ms.dataset.NumpySlicesDataset((X, Y.astype(np.int64)), shuffle=False).batch(2)
        if order == "model first":
            model.train(1, data, dataset_sink_mode=False)
        ms.set_context(device_target="GPU")
        model.train(1, data, dataset_sink_mode=False)
        assert net[0].weight is weight
        assert {item.device.type for item in (*net.parameters(), *average.parameters())} == {"cuda"}
        assert model.predict(Tensor(X)).device.type == "cuda"


def test_export_leaves_everything_in_its_memory(tmp_path: Path) -> None:
    ms.set_context(device_target="GPU")
    net = Net().set_train(False)
    net(Tensor(X))
    places = [item.data_ptr() for item in (*net.get_parameters(), net.shift)]
    ms.export(net, Tensor(X), file_name=str(tmp_path / "net"), file_format="MINDIR")
    assert places == [item.data_ptr() for item in (*net.get_parameters(), net.shift)]
    again = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    np.testing.assert_allclose(again(Tensor(X)).asnumpy(), net(Tensor(X)).asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(not fakecuda.installed(), reason="waits are seen on the fake device")
def test_numbers_and_lists_reach_the_device_without_a_wait() -> None:
    ms.set_context(device_target="GPU")
    x = Tensor(X)
    with fakecuda.recorded() as traffic:
        ms.ops.clip_by_value(x, -0.5, 0.5), ms.ops.maximum(x, 2), Tensor(2.0), Tensor([1.0, 2.0]), x + 1
        nn.OneHot(depth=3)(Tensor(Y))
    assert not traffic.waits


# --- the context's settings -------------------------------------------------------------------------------------------


def test_gpu_config() -> None:
    cudnn, products = torch.backends.cudnn, torch.backends.cuda.matmul
    before = cudnn.allow_tf32, cudnn.benchmark, products.allow_tf32
    try:
        ms.set_context(
            gpu_config={"conv_allow_tf32": False, "matmul_allow_tf32": True, "conv_fprop_algo": "performance"}
        )
        assert (cudnn.allow_tf32, cudnn.benchmark, products.allow_tf32) == (False, True, True)
        ms.set_context(gpu_config={"conv_fprop_algo": "normal", "conv_dgrad_algo": "algo_1"})
        assert not cudnn.benchmark
        with pytest.raises(ValueError, match="key of argument 'gpu_config' must be one of"):
            ms.set_context(gpu_config={"conv_algo": "normal"})
        with pytest.raises(ValueError, match="value of argument conv_allow_tf32 must be one of"):
            ms.set_context(gpu_config={"conv_allow_tf32": "yes"})
    finally:
        cudnn.allow_tf32, cudnn.benchmark, products.allow_tf32 = before


def test_deterministic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    try:
        ms.set_context(deterministic="ON")
        assert torch.are_deterministic_algorithms_enabled() and torch.backends.cudnn.deterministic
    finally:
        ms.set_context(deterministic="OFF")
    assert not torch.are_deterministic_algorithms_enabled() and not torch.backends.cudnn.deterministic
    with pytest.raises(ValueError, match="'deterministic' must be one of"):
        ms.set_context(deterministic="yes")


# --- cuDNN and the kernel ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_recurrent_weights_are_put_together_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ms.set_context(device_target="GPU")
    calls: list[Any] = []
    monkeypatch.setattr(torch.backends.cudnn, "is_acceptable", lambda tensor: True)
    monkeypatch.setattr(torch.backends.cudnn.rnn, "get_cudnn_mode", lambda name: name)
    monkeypatch.setattr(torch, "_cudnn_rnn_flatten_weight", lambda *args: calls.append(args))
    net, x = getattr(nn, kind)(3, 4, num_layers=2, bidirectional=True), Tensor(np.ones((2, 5, 3), np.float32))
    for _ in range(3):
        net(x, None if kind != "LSTM" else (Tensor(np.zeros((4, 5, 4), np.float32)),) * 2)
    ((weights, stride, width, mode, hidden, projected, layers, batch_first, both),) = calls
    assert len(weights) == 16 and (stride, width, hidden, projected, layers, batch_first, both) == (
        4,
        3,
        4,
        0,
        2,
        False,
        True,
    )
    assert mode == ("RNN_TANH" if kind == "RNN" else kind)
    net.get_parameters().__next__().set_data(
        Tensor(np.zeros((16 if kind == "LSTM" else 12 if kind == "GRU" else 4, 3), np.float32))
    )
    copy.deepcopy(net)(x, None if kind != "LSTM" else (Tensor(np.zeros((4, 5, 4), np.float32)),) * 2)
    assert len(calls) == 2  # a copy lies elsewhere


@pytest.mark.parametrize("code", [35, 209, 222])
def test_thor_goes_torchs_way_where_its_kernel_does_not_run(
    code: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    library = SimpleNamespace(msc_damped_inverse=lambda *args: code)
    monkeypatch.setattr(thor_inverse, "library", lambda: library)
    thor_inverse._say_once.cache_clear()
    factor, inverse = torch.eye(5, device="cuda") * 4, torch.zeros(1, 5, 5, device="cuda")
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        for _ in range(2):
            info = thor_inverse._invert_with_library([inverse], [factor], [1.0], [1.0], [1.0])
    assert info.tolist() == [0] and torch.allclose(inverse[0], torch.eye(5, device="cuda") / 5)
    assert len([item for item in caplog.records if "does not run" in item.message]) == 1
    library.msc_damped_inverse = lambda *args: 700
    with pytest.raises(RuntimeError, match="cudaError 700"):
        thor_inverse._invert_with_library([inverse], [factor], [1.0], [1.0], [1.0])
