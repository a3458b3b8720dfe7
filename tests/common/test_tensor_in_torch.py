"""Tensors and Cells inside torch's own machinery: copies, pickles, state dicts, torch layers, functional calls and
compilation.
"""

from __future__ import annotations

import copy
import io
import multiprocessing
import pickle

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from tests.support.versions import COMPILES


def _net() -> nn.Cell:
    return nn.SequentialCell(nn.Dense(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 3))


def test_copies_and_pickles_keep_class_values_name_and_gradient_flag() -> None:
    parameter = Parameter(Tensor([1.0, 2.0]), name="w", requires_grad=False)
    for again in (copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        assert type(again) is Parameter and again.name == "w" and not again.requires_grad
        assert again.asnumpy().tolist() == [1, 2] and again.data_ptr() != parameter.data_ptr()
    buffer = io.BytesIO()
    torch.save({"t": Tensor([3.0])}, buffer)
    buffer.seek(0)
    assert type(torch.load(buffer, weights_only=False)["t"]) is Tensor


def test_a_cell_is_copied_with_all_its_parameters() -> None:
    net = _net()
    again = copy.deepcopy(net)
    assert [p.name for p in again.get_parameters()] == [p.name for p in net.get_parameters()]
    assert all(
        a is not b and np.array_equal(a.asnumpy(), b.asnumpy())
        for a, b in zip(net.get_parameters(), again.get_parameters())
    )


def test_state_dict_of_a_cell_round_trips() -> None:
    net, again = _net(), _net()
    again.load_state_dict(net.state_dict())
    assert all(np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in zip(net.get_parameters(), again.get_parameters()))


def test_a_cell_trains_with_backward_and_a_torch_optimizer() -> None:
    net, x = _net().set_train(), Tensor(np.random.randn(8, 4).astype(np.float32))
    optimizer = torch.optim.SGD(list(net.parameters()), 0.1)
    before = net[0].weight.asnumpy().copy()
    net(x).sum().backward()
    optimizer.step()
    assert not np.array_equal(before, net[0].weight.asnumpy())


@pytest.mark.parametrize(
    "module",
    [
        torch.nn.Linear(4, 4),
        torch.nn.LayerNorm(4),
        torch.nn.BatchNorm1d(4),
        torch.nn.MultiheadAttention(4, 2),
        torch.nn.LSTM(4, 4),
        torch.nn.TransformerEncoderLayer(4, 2, 8, 0.0),
    ],
    ids=lambda m: type(m).__name__,
)
def test_torch_layers_take_our_tensors(module: torch.nn.Module) -> None:
    data = torch.randn(5, 4)
    arguments = 3 if isinstance(module, torch.nn.MultiheadAttention) else 1
    plain, ours = module(*[data] * arguments), module(*[Tensor(data)] * arguments)
    first = lambda value: value[0] if isinstance(value, tuple) else value
    module.eval()
    plain, ours = module(*[data] * arguments), module(*[Tensor(data)] * arguments)
    torch.testing.assert_close(torch._C.TensorBase.detach(first(ours)), first(plain).detach())


@pytest.mark.skipif(not COMPILES, reason="torch.compile and replays need a newer torch")
def test_functional_call_compiles_with_plain_leaves() -> None:
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 3))
    leaves = {name: torch._C.TensorBase.detach(parameter) for name, parameter in net.named_parameters()}
    data = torch.randn(5, 4, device=net[0].weight.device)
    compiled = torch.compile(lambda p, x: torch.func.functional_call(net, p, (x,)), backend="aot_eager")
    np.testing.assert_allclose(compiled(leaves, data).detach().cpu().numpy(), net(Tensor(data)).asnumpy(), rtol=1e-6)


def test_a_tensor_in_a_graph_keeps_its_class() -> None:
    x = Tensor([1.0, 2.0], ms.float32).requires_grad_(True)
    y = (x * 2).exp()
    assert type(y) is Tensor and y.requires_grad
    y.sum().backward()
    assert type(x.grad) is Tensor


def test_size_is_an_int_and_torchs_method() -> None:
    x = Tensor(np.zeros((2, 3), np.float32))
    assert (
        x.size == 6
        and isinstance(x.size, int)
        and x.size() == torch.Size([2, 3])
        and x.size(1) == 3
        and x.size + 1 == 7
    )
    assert pickle.loads(pickle.dumps(x.size)) == 6 and type(x.shape) is tuple


def _double(queue, tensor) -> None:
    queue.put((tensor * 2).asnumpy().tolist())


@pytest.mark.cpu_only("memory of a device reaches another process by CUDA IPC, which the fake device has not")
def test_a_tensor_reaches_another_process() -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_double, args=(queue, Tensor([1.0, 2.0])))
    process.start()
    assert queue.get(timeout=60) == [2.0, 4.0]
    process.join(timeout=60)


numbers = st.one_of(st.integers(-3, 3), st.floats(-3, 3, width=32))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["+", "-", "*", "<", ">=", "=="]), st.lists(numbers, min_size=1, max_size=4), numbers)
def test_operators_agree_with_numpy(operator: str, values: list, number) -> None:
    array = np.array(values, np.float32)
    number = np.float32(number).item()
    ours = eval(f"t {operator} n", {"t": Tensor(array), "n": number})
    np.testing.assert_array_equal(ours.asnumpy(), eval(f"a {operator} n", {"a": array, "n": np.float32(number)}))
    mirrored = eval(f"n {operator} t", {"t": Tensor(array), "n": number})
    np.testing.assert_array_equal(mirrored.asnumpy(), eval(f"n {operator} a", {"a": array, "n": np.float32(number)}))


indices = st.one_of(
    st.integers(-3, 2), st.slices(3), st.none(), st.just(Ellipsis), st.lists(st.integers(-3, 2), min_size=1, max_size=3)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(indices, min_size=1, max_size=3))
def test_indexing_agrees_with_numpy(parts: list) -> None:
    assume(parts.count(Ellipsis) < 2)  # torch lets more of them pass
    index = tuple(parts)
    array = np.arange(27, dtype=np.float32).reshape(3, 3, 3)
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises(IndexError):
            Tensor(array)[index]
        return
    np.testing.assert_array_equal(Tensor(array)[index].asnumpy(), expected)


def test_copies_take_the_memory_under_upstreams_name() -> None:
    """Which they leave to ``copy``: a program may give anything."""
    for value in (Tensor([1.0]), Parameter(Tensor([1.0]), name="p")):
        again = value.__deepcopy__(memodict=None)
        assert type(again) is type(value) and again is not value and again.asnumpy().tolist() == [1.0]
        first, second = copy.deepcopy([value, value])
        assert first is second and first is not value
