"""Checkpoints on a device: their Parameters stay on the host until they are used."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.gpu
LAYERS, WIDTH = 32, 64
SIZE = LAYERS * 4 * (WIDTH * WIDTH + WIDTH)


def network() -> nn.Cell:
    return nn.SequentialCell(*[nn.Dense(WIDTH, WIDTH) for _ in range(LAYERS)])


def in_16_bits() -> nn.Cell:
    net = network()
    for item in net.get_parameters():
        item.set_dtype(ms.float16)
    return net


def of_torch() -> torch.nn.Module:
    return torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)]).to("cuda")


@pytest.fixture(scope="module", params=["ckpt", "safetensors"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """(a file of the network, its format)."""
    path = str(tmp_path_factory.mktemp("saved") / f"net.{request.param}")
    ms.save_checkpoint(network(), path, format=request.param)
    return path, request.param


@pytest.mark.parametrize("in_one_call", [False, True])
@pytest.mark.parametrize(("make", "part"), [(network, 1.0), (in_16_bits, 0.5), (of_torch, 1.0)])
def test_loading_takes_the_network_and_one_tensor(
    make: Callable[[], Any], part: float, in_one_call: bool, saved: tuple[str, str]
) -> None:
    gc.collect()
    others = torch.cuda.memory_allocated()
    net = make()
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    values = ms.load_checkpoint(saved[0], net if in_one_call else None, format=saved[1])
    if not in_one_call:
        assert ms.load_param_into_net(net, values) == ([], [])
    peak = torch.cuda.max_memory_allocated() - others
    assert peak <= part * SIZE + 4 * WIDTH * WIDTH + LAYERS * 512  # a block has 512 bytes or a multiple of that
    for item in net.parameters():
        assert item.device.type == "cuda"
    expected = ms.load_checkpoint(saved[0], format=saved[1])["7.weight"].asnumpy()
    found = [item for item in net.parameters() if item.dim() == 2][7]
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected, rtol=1e-3 if part < 1 else 0)


def test_what_is_loaded_shares_its_memory_with_the_network(saved: tuple[str, str]) -> None:
    net = network()
    values = ms.load_checkpoint(saved[0], net, format=saved[1])
    weight = values["3.weight"]
    assert weight.data_ptr() == net[3].weight.data_ptr()
    assert type(weight) is Parameter


USES: dict[str, Callable[[Any, Any], Any]] = {
    "an operator": lambda loaded, weight: weight + loaded,
    "an operator in place": lambda loaded, weight: ops.assign_add(weight, loaded),
    "a list of tensors": lambda loaded, weight: ops.stack([weight, loaded]),
    "a method": lambda loaded, weight: loaded.sum() * weight,
    "set_data": lambda loaded, weight: weight.set_data(loaded),
    "a slice": lambda loaded, weight: loaded[1:] + weight[1:],
    "a Parameter of its values": lambda loaded, weight: Parameter(loaded, name="other") + weight,
    "a clone": lambda loaded, weight: loaded.clone() + weight,
    "a copy": lambda loaded, weight: copy.deepcopy(loaded) + weight,
    "an assignment": lambda loaded, weight: loaded.__setitem__(0, weight[1]) or loaded + weight,
    "kernels over lists": lambda loaded, weight: torch._foreach_add([loaded], [weight]),
    "a gradient": lambda loaded, weight: ops.grad(lambda x: (x * loaded).sum())(weight),
    "another dtype": lambda loaded, weight: loaded.astype(ms.float16) + weight.astype(ms.float16),
}


@pytest.mark.parametrize("name", USES)
def test_a_loaded_parameter_moves_when_it_is_used(name: str, saved: tuple[str, str]) -> None:
    values = ms.load_checkpoint(saved[0], format=saved[1])
    loaded, same = values["0.weight"], Tensor(values["0.weight"].asnumpy().copy())
    assert isinstance(loaded, Parameter)
    assert loaded.shape == (WIDTH, WIDTH) and loaded.dtype == ms.float32 and loaded.name == "0.weight"
    fresh = ms.load_checkpoint(saved[0], format=saved[1])["0.weight"]
    weight = Parameter(np.ones((WIDTH, WIDTH), np.float32), name="w")
    results = [USES[name](item, weight.clone()) for item in (fresh, Parameter(same, name="0.weight"))]
    found, expected = (item[0] if isinstance(item, (list, tuple)) else item for item in results)
    np.testing.assert_array_equal(found.detach().cpu().numpy(), expected.detach().cpu().numpy())
    assert fresh.device.type == "cuda"
    assert type(fresh) is Parameter


def test_a_loaded_parameter_is_pickled_and_shown_as_others(saved: tuple[str, str]) -> None:
    loaded = ms.load_checkpoint(saved[0], format=saved[1])["0.weight"]
    assert str(loaded) == f"Parameter (name=0.weight, shape=({WIDTH}, {WIDTH}), dtype=Float32, requires_grad=True)"
    assert str(type(loaded)) == str(Parameter)
    again = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(again.asnumpy(), loaded.asnumpy())


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_loaded_parameter_is_trained_as_a_part_of_a_cell(mode: int, saved: tuple[str, str]) -> None:
    values = ms.load_checkpoint(saved[0], format=saved[1])
    net = nn.Dense(WIDTH, WIDTH)
    net.weight = values["0.weight"]
    before = ms.load_checkpoint(saved[0], format=saved[1])["0.weight"].asnumpy()
    ms.set_context(mode=mode)
    try:
        step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
        step.set_train()
        for _ in range(8):
            step(Tensor(np.ones((1, WIDTH), np.float32)))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert net.weight.device.type == "cuda"
    assert np.abs(net.weight.asnumpy() - before).min() > 0.1


def test_a_device_that_changes_after_loading_is_that_of_use(saved: tuple[str, str]) -> None:
    loaded = ms.load_checkpoint(saved[0], format=saved[1])["0.weight"]
    ms.set_context(device_target="CPU")
    try:
        assert (loaded + 1).device.type == "cpu"
    finally:
        ms.set_context(device_target="GPU")
    assert (loaded + 1).device.type == "cuda"
