"""Cell: names, insertion, dtypes, hooks, recomputation, and the forward that a gradient call takes over."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn, ops


class Counting(nn.Cell):
    """A network that counts its forwards and moves a statistic in each."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.bn = nn.Dense(4, 4), nn.BatchNorm1d(4)
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return self.bn(self.fc(x))


def _x(rows: int = 6) -> Tensor:
    return Tensor(np.random.RandomState(0).randn(rows, 4).astype(np.float32))


# --- the model zoo's training cells -----------------------------------------------------------------------------------


class ZooStep(nn.TrainOneStepCell):
    def construct(self, x):
        weights = self.weights
        loss = self.network(x)
        sens = ops.Fill()(ops.DType()(loss), ops.Shape()(loss), self.sens)
        grads = self.grad(self.network, weights)(x, sens)
        grads = self.grad_reducer(grads)
        return ops.depend(loss, self.optimizer(grads))


class SumOf(nn.Cell):
    def __init__(self, net) -> None:
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x):
        return (self.net(x) ** 2).sum()


def test_a_training_cell_of_the_zoo_runs_one_forward_a_step_and_equals_ours() -> None:
    ms.set_seed(1)
    zoo, ours = Counting(), Counting()
    ms.load_param_into_net(ours, {p.name: p.clone() for p in zoo.get_parameters()})
    a = ZooStep(SumOf(zoo), nn.Momentum(zoo.trainable_params(), 0.01, 0.9)).set_train()
    b = nn.TrainOneStepCell(SumOf(ours), nn.Momentum(ours.trainable_params(), 0.01, 0.9)).set_train()
    for _ in range(3):
        assert float(a(_x())) == pytest.approx(float(b(_x())), rel=1e-6)
    assert zoo.calls == ours.calls == 3
    for p, q in zip(zoo.get_parameters(), ours.get_parameters()):
        np.testing.assert_allclose(p.asnumpy(), q.asnumpy(), rtol=1e-5, atol=1e-6, err_msg=p.name)


def test_a_kept_forward_serves_only_the_same_arguments_and_only_once() -> None:
    net = SumOf(Counting()).set_train()
    net.set_grad()
    gradient = ops.GradOperation(get_by_list=True)(net, net.trainable_params())
    x = _x()
    net(x)
    gradient(x)
    assert net.net.calls == 1
    gradient(x)
    assert net.net.calls == 2
    net(x)
    gradient(_x())
    assert net.net.calls == 4


# --- dtypes -----------------------------------------------------------------------------------------------------------


def test_to_float_computes_in_half_and_leaves_the_parameters() -> None:
    net = nn.SequentialCell(nn.Dense(4, 4), nn.BatchNorm1d(4), nn.Dense(4, 2)).to_float(ms.float16).set_train()
    out = net(_x())
    assert out.dtype is ms.float16 and all(p.dtype is ms.float32 for p in net.get_parameters())
    assert np.abs(net[1].moving_mean.asnumpy()).sum() > 0, "the moving mean itself moved, not a copy of it"
    net[1].to_float(ms.float32)
    net[2].to_float(ms.float32)
    assert net(_x()).dtype is ms.float32
    with pytest.raises(ValueError, match="must be mstype.float32, mstype.float16 or"):
        net.to_float(ms.int32)


def test_gradients_of_a_half_cell_are_single() -> None:
    net = nn.Dense(4, 2).to_float(ms.float16)
    gradients = ops.GradOperation(get_by_list=True)(net, net.trainable_params())(_x())
    assert [g.dtype for g in gradients] == [ms.float32, ms.float32]


# --- hooks and recomputation ------------------------------------------------------------------------------------------


def test_hooks_see_tensors() -> None:
    net, seen = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU()), []
    net[1].register_forward_pre_hook(lambda cell, inputs: seen.extend(inputs))
    net[1].register_forward_hook(lambda cell, inputs, output: seen.extend([*inputs, output]))
    net[1].register_backward_pre_hook(lambda cell, grad_output: seen.extend(grad_output))
    net[1].register_backward_hook(lambda cell, grad_input, grad_output: seen.extend(grad_input + grad_output))
    ms.grad(net)(_x())
    assert [type(value) for value in seen] == [Tensor] * 6
    x = Tensor(np.ones(2, np.float32)).requires_grad_(True)
    y = x * 2
    y.register_hook(lambda gradient: seen.append(gradient))
    y.sum().backward()
    assert type(seen[-1]) is Tensor and len(seen) == 7


def test_forward_and_backward_hooks_see_and_change_values() -> None:
    net, seen = nn.Dense(4, 2), []
    before = net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2,))
    after = net.register_forward_hook(lambda cell, inputs, output: output + 1)
    backward = net.register_backward_hook(lambda cell, grad_input, grad_output: seen.append(grad_output[0].shape))
    x = _x().requires_grad_(True)
    plain = x.asnumpy() * 2 @ net.weight.asnumpy().T + net.bias.asnumpy() + 1
    out = net(x)
    np.testing.assert_allclose(out.asnumpy(), plain, rtol=1e-5, atol=1e-6)
    assert type(out) is Tensor
    out.sum().backward()
    assert [tuple(shape) for shape in seen] == [(6, 2)]
    for handle in (before, after, backward):
        handle.remove()
    np.testing.assert_allclose(
        net(x).asnumpy(), x.asnumpy() @ net.weight.asnumpy().T + net.bias.asnumpy(), rtol=1e-5, atol=1e-6
    )


def test_recomputed_cells_have_the_same_gradients() -> None:
    net = nn.SequentialCell(Counting(), nn.Dense(4, 2)).set_train()
    gradient = ops.GradOperation(get_by_list=True)(net, net.trainable_params())
    expected = [g.asnumpy() for g in gradient(_x())]
    net[0].recompute()
    calls = net[0].calls
    for g, e in zip(gradient(_x()), expected):
        np.testing.assert_allclose(g.asnumpy(), e, rtol=1e-5, atol=1e-6)
    assert net[0].calls == calls + 2


def test_a_cells_own_bprop_gives_the_gradient() -> None:
    class Double(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return dout * 100, dout * y

    a, b = ms.grad(Double(), (0, 1))(Tensor([2.0]), Tensor([3.0]))
    assert a.asnumpy() == 100 and b.asnumpy() == 3


# --- devices ----------------------------------------------------------------------------------------------------------


def test_gpu_and_ascend_scripts_run_on_the_cpu_and_it_is_said_once(caplog, monkeypatch: pytest.MonkeyPatch) -> None:
    from mindspore_compat._runtime import device

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(device, "_said", set())
    with caplog.at_level(logging.WARNING, logger="mindspore_compat"):
        for _ in range(2):
            ms.set_context(mode=ms.GRAPH_MODE, device_target="Ascend", device_id=3)
    ms.set_context(device_target="CPU", device_id=0, mode=ms.PYNATIVE_MODE)
    assert [record.message for record in caplog.records] == [
        "device_target 'Ascend': PyTorch sees no CUDA device here, running on the CPU."
    ]


@pytest.mark.parametrize(("kwargs", "error"), [({"mode": 5}, ValueError), ({"foo": 1}, ValueError)])
def test_wrong_contexts(kwargs, error) -> None:
    with pytest.raises(error):
        ms.set_context(**kwargs)


def test_contexts_are_kept_and_parallel_ones_reset() -> None:
    ms.set_context(save_graphs=True, enable_graph_kernel=True)
    assert ms.get_context("save_graphs") == 2
    ms.set_context(save_graphs=False, enable_graph_kernel=False)
    assert ms.get_context("save_graphs") == 0
    assert ms.get_context("memory_optimize_level") == 0
    assert ms.get_context("dataset_broadcast_opt_level") == 0  # upstream's inner parameters are keys, too
    ms.set_context(dataset_broadcast_opt_level=1)
    assert ms.get_context("dataset_broadcast_opt_level") == 1
    ms.set_context(dataset_broadcast_opt_level=0)
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=8)
    assert (
        ms.get_auto_parallel_context("parallel_mode") == "data_parallel"
        and ms.get_auto_parallel_context("device_num") == 8
    )
    ms.reset_auto_parallel_context()
    assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"
    assert (ms.communication.get_rank(), ms.communication.get_group_size()) == (0, 1)


# --- layers that user code takes apart --------------------------------------------------------------------------------


def test_operators_inside_of_layers_serve_subclasses() -> None:
    conv, norm = nn.Conv2d(3, 4, 3, stride=2, has_bias=True), nn.LayerNorm((5,))
    x, y = Tensor(np.random.randn(2, 3, 8, 8).astype(np.float32)), Tensor(np.random.randn(2, 5).astype(np.float32))
    np.testing.assert_allclose(
        conv.bias_add(conv.conv2d(x, conv.weight), conv.bias).asnumpy(), conv(x).asnumpy(), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        norm.layer_norm(y, norm.gamma, norm.beta)[0].asnumpy(), norm(y).asnumpy(), rtol=1e-5, atol=1e-6
    )


def test_old_forms_of_pad_and_interpolate() -> None:
    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    assert ops.pad(x, paddings=((0, 0), (0, 0), (1, 0), (0, 2))).shape == (1, 1, 5, 6)
    assert ops.pad(x, (1, 1), mode="reflect").asnumpy()[0, 0, 0].tolist() == [1, 0, 1, 2, 3, 2]
    resized = ops.interpolate(
        x, roi=None, scales=None, sizes=(2, 2), coordinate_transformation_mode="align_corners", mode="bilinear"
    )
    assert resized.asnumpy()[0, 0].tolist() == [[0, 3], [12, 15]]


def test_a_training_cell_loads_its_own_state_dict() -> None:
    def cell() -> nn.TrainOneStepCell:
        net = nn.Dense(3, 2)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
        step(Tensor(np.ones((1, 3), np.float32)), Tensor(np.ones((1, 2), np.float32)))
        return step

    one, other = cell(), cell()
    assert not any(other.load_state_dict(one.state_dict()))
    np.testing.assert_array_equal(other.optimizer.moments[0].asnumpy(), one.optimizer.moments[0].asnumpy())
    with pytest.raises(RuntimeError, match="nonsense"):
        other.load_state_dict({**one.state_dict(), "nonsense.weight": one.optimizer.moments[0]})


def test_to_float_reaches_the_parameters_of_children() -> None:
    class Tied(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Dense(3, 4)

        def construct(self, x: Tensor) -> Tensor:
            return ops.matmul(x, self.fc.weight.T)

    net = Tied().to_float(ms.float16)
    assert net(Tensor(np.ones((2, 3), np.float32))).dtype is ms.float16  # as real MindSpore in PyNative mode
    assert net.fc.weight.dtype is ms.float32


def test_cells_move_to_another_dtype_as_torch_modules_do() -> None:
    net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3))
    assert {parameter.dtype for parameter in net.to(torch.float64).get_parameters()} == {torch.float64}


@pytest.mark.parametrize(
    "write, expected",
    [
        (lambda cell: ops.assign(cell.sum, Tensor(1.0009765625)), 1.0009765625),
        (lambda cell: ops.assign_add(cell.sum, Tensor([2.0])), 3.0),
        (lambda cell: ops.assign_sub(cell.sum, Tensor([2.0])), -1.0),
        (lambda cell: ops.AssignAdd()(cell.sum, Tensor([2.0])), 3.0),
        (lambda cell: ops.scatter_update(cell.sum, Tensor([0]), Tensor([5.0], ms.float16)), 5.0),
        (lambda cell: ops.index_add(cell.sum, Tensor([0]), Tensor([5.0], ms.float16), 0), 6.0),
        (lambda cell: setattr(cell, "sum", cell.sum + 4.0), 5.0),
    ],
)
def test_what_a_cell_with_another_dtype_writes_is_written_to_its_parameter(write: Any, expected: float) -> None:
    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.sum = Parameter(Tensor([1.0]), name="sum", requires_grad=False)

        def construct(self, x: Any) -> Any:
            write(self)
            return x + self.sum

    cell = Counting().to_float(ms.float16)
    result = cell(Tensor([0.0]))
    assert cell.sum.dtype is ms.float32 and float(cell.sum[0]) == expected
    assert float(result[0]) == pytest.approx(expected, 1e-3)


def test_backward_hooks_of_the_first_layer_are_called_under_a_kept_forward(recwarn: pytest.WarningsRecorder) -> None:
    net = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), nn.Dense(3, 1)).set_grad()
    seen: list[str] = []
    net[0].register_backward_hook(lambda cell, grad_input, grad_output: seen.append("first"))
    net[2].register_backward_hook(lambda cell, grad_input, grad_output: seen.append("last"))
    x, weights = Tensor(np.ones((2, 3), np.float32)), ParameterTuple(net.trainable_params())
    for options in ({"get_by_list": True}, {"get_all": True}):
        net(x)
        ops.GradOperation(**options)(net, weights if "get_by_list" in options else None)(x)
    assert seen == ["last", "first"] * 2
    assert not [warning for warning in recwarn if "backward hook" in str(warning.message)]


@pytest.mark.parametrize(
    "make", [lambda: nn.Dense(4, 4), lambda: nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 4))]
)
def test_recomputation_in_float16_gives_the_gradients_of_the_plain_cell(make):
    ms.set_seed(1)  # with some weights nothing passes the ReLU
    x = Tensor(np.random.RandomState(0).randn(2, 4).astype(np.float32))
    plain, again = make().to_float(ms.float16), make().to_float(ms.float16)
    for one, other in zip(plain.get_parameters(), again.get_parameters()):
        other.set_data(Tensor(one.asnumpy()))
    again.recompute()
    found = [ms.grad(lambda x, net=net: net(x).sum(), None, net.trainable_params())(x) for net in (plain, again)]
    for one, other in zip(*found):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
        assert np.abs(one.asnumpy()).max() > 0


def test_compile_refuses_what_the_cell_refuses_and_changes_nothing() -> None:
    from mindspore_compat.common.api import _cell_graph_executor, _executor

    assert _executor is _cell_graph_executor  # its name until MindSpore 1.5
    net = nn.SequentialCell(nn.BatchNorm2d(2), nn.Dropout(p=0.5)).set_train()
    x = Tensor(np.random.RandomState(0).randn(2, 2, 3, 3).astype(np.float32))
    before, state = net[0].moving_mean.asnumpy().copy(), torch.get_rng_state()
    assert _cell_graph_executor.compile(net, x) == ("predict", True)
    np.testing.assert_array_equal(net[0].moving_mean.asnumpy(), before)
    assert torch.equal(torch.get_rng_state(), state)
    with pytest.raises(ValueError, match="one shape"):
        _cell_graph_executor.compile(nn.SSIM(), Tensor(np.ones((2, 3, 16, 16, 1), np.float32)), x)
    net(x)
    assert not np.array_equal(net[0].moving_mean.asnumpy(), before)


def test_errors_in_a_cell_are_those_that_were_raised() -> None:
    class Net(nn.Cell):
        def construct(self, compute):
            return compute()

    x = Tensor(np.ones((2, 3), np.float32))
    for compute, kind in (
        (lambda: x.sum(5), IndexError),
        (lambda: torch.cat((x, x[:, :1])), RuntimeError),
        (lambda: torch.nn.functional.linear(x, x.double()), RuntimeError),
    ):
        with pytest.raises(kind) as caught:
            Net()(compute)
        assert type(caught.value) is kind
    error = RuntimeError("of the program itself")

    def fails():
        raise error

    with pytest.raises(RuntimeError) as own:
        Net()(fails)
    assert own.value is error and own.value.__cause__ is None


def test_a_repr_of_ones_own_is_printed() -> None:
    class Named(nn.Cell):
        def __repr__(self) -> str:
            return "named"

    assert str(Named()) == f"{Named()}" == "named"
    assert str(nn.SequentialCell(Named())) == "SequentialCell(\n  (0): named\n)"


def test_local_parameters_are_renamed_by_their_paths() -> None:
    net = nn.Cell()
    net.dense = nn.Dense(2, 2)
    net._update_local_parameters_name(prefix="actor.")
    assert [parameter.name for parameter in net.get_parameters()] == ["actor.dense.weight", "actor.dense.bias"]


class _Scored(nn.Cell):
    """As the conditional random field of mindnlp 0.1.1."""

    def construct(self, x, scores=None):
        return x if scores is None else self._construct(x, scores)

    def _construct(self, x, scores):
        return (x * scores).sum()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_program_may_call_a_method_of_its_own_construct_with_an_underscore(mode: int) -> None:
    ms.set_context(mode=mode)
    x = ops.ones((2, 3))
    assert float(_Scored()(x, x * 2)) == 12.0
    assert _Scored().set_train()(x).shape == (2, 3)
