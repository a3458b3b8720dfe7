"""What a replay would get wrong: it runs eagerly, or is recorded anew."""

from __future__ import annotations

import copy
import functools
import gc
import pickle
import sys
import threading
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from mindspore_compat import Parameter, Tensor, context, nn, ops
from mindspore_compat._graph.program import program
from mindspore_compat.train.train_thor import ConvertNetUtils
from tests.graph.replaying import (
    EAGER,
    GRAPH,
    Counting,
    StepOfItsOwn,
    alike,
    all_replays,
    batches,
    calls_of,
    compared,
    replays,
    rows,
    trained,
)

pytestmark = pytest.mark.usefixtures("free_recordings")


def test_a_branch_on_a_value() -> None:
    compared(body=lambda net, x: x * 2 if x.sum() > 8 else x)


def test_a_value_read_by_numpy() -> None:
    compared(body=lambda net, x: x * float(np.abs(x.asnumpy()).max()))


def test_a_value_read_as_a_list() -> None:
    compared(body=lambda net, x: x * (x.flatten().tolist()[0] + 1))


def test_random_numbers_of_numpy() -> None:
    compared(body=lambda net, x: x * float(np.random.rand()))


def test_a_number_that_changes_at_each_call() -> None:
    numbers = iter([0.1 * step for step in range(len(batches()))] * 2)
    compared(body=lambda net, x: x * (1 + next(numbers)))


def test_what_is_printed_is_printed_at_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    def body(net: Any, x: Any) -> Any:
        print("called")
        return x

    compared(body=body)
    assert capsys.readouterr().out.count("called") == 2 * len(batches())


def test_an_attribute_set_by_the_network() -> None:
    def body(net: Any, x: Any) -> Any:
        net.scale = net.scale * 0.9
        return x

    compared(body=body)


def test_a_layer_made_by_the_network() -> None:
    def body(net: Any, x: Any) -> Any:
        return nn.ClipByNorm()(nn.Softmax()(x), Tensor(0.5))

    assert all_replays(compared(body=body)) >= len(batches()) - 4


def test_a_layer_made_by_the_network_and_kept() -> None:
    def body(net: Any, x: Any) -> Any:
        net.made = nn.Softmax()
        return net.made(x)

    assert not all_replays(compared(body=body))


def test_a_layer_with_random_weights_made_by_the_network() -> None:
    assert not all_replays(trained(GRAPH, body=lambda net, x: nn.Dense(8, 8)(x))[2])


def test_an_attribute_set_from_outside() -> None:
    def between(step: int, net: Any, cell: Any) -> None:
        if step == 7:
            net.scale = 0.5

    assert all_replays(compared(between=between))


def test_a_layer_replaced_by_another_of_its_kind() -> None:
    def run(mode: int) -> list[float]:
        parts = [nn.Dense(6, 6, weight_init=start, bias_init="zeros") for start in ("ones", "zeros", "ones")]
        net, found = nn.SequentialCell(parts[0], nn.ReLU(), nn.Dense(6, 3, weight_init="ones", bias_init="zeros")), []
        grad_of = ops.value_and_grad(lambda x: net(x).sum(), 0)
        for step, (x, _) in enumerate(batches()):
            if step in (5, 9):
                net[0] = parts[step // 4]
            context.set_context(mode=mode)
            found.append(float(grad_of(x)[0]))
        return found

    assert run(EAGER) == run(GRAPH)

    def between(step: int, net: Any, cell: Any) -> None:
        if step == 6:
            net.dense2 = nn.Dense(8, 3, weight_init="ones", bias_init="zeros")

    compared(between=between)


def test_evaluation_between_steps_and_back() -> None:
    def between(step: int, net: Any, cell: Any) -> None:
        cell.set_train(step not in (5, 6))

    assert all_replays(compared(between=between)) >= 4


def test_frozen_parameters() -> None:
    def between(step: int, net: Any, cell: Any) -> None:
        if step == 6:
            net.dense1.weight.requires_grad = False

    compared(between=between)


def test_parameters_with_other_memory_and_other_values() -> None:
    def between(step: int, net: Any, cell: Any) -> None:
        if step == 5:
            net.dense1.weight.data = net.dense1.weight.data * 0.5
        if step == 8:
            net.dense2.weight.set_data(net.dense2.weight * 0.5)
        if step == 10:
            with torch.no_grad():
                net.dense1.bias.set_(Tensor(np.ones(8, np.float32)))

    compared(between=between)


def test_another_learning_rate() -> None:
    def between(step: int, net: Any, cell: Any) -> None:
        if step == 7:
            cell.optimizer.learning_rate.set_data(Tensor(0.01))
        if step == 9:
            cell.optimizer.momentum.set_data(Tensor(0.5))

    compared(between=between)


def test_other_shapes() -> None:
    data = [(x[: 5 - step % 2], y[: 5 - step % 2]) for step, (x, y) in enumerate(batches(20))]
    cell = compared(data=data)
    assert len([calls for calls in calls_of(cell) if calls.replayed]) == 2, "both shapes are replayed in the end"


def test_the_same_tensor_twice_and_a_parameter_as_input() -> None:
    context.set_context(mode=GRAPH)
    grad_of, weight = ops.grad(lambda a, b: (a * b).sum(), (0, 1)), Parameter(Tensor([3.0]), name="w")
    for value in range(1, 8):
        x, y = Tensor([float(value)]), Tensor([2.0])
        assert [float(item) for item in grad_of(x, x)] == [value, value]
        assert [float(item) for item in grad_of(x, y)] == [2, value]
        assert [float(item) for item in grad_of(x, weight)] == [3, value]


def test_an_input_that_is_also_used_from_outside() -> None:
    context.set_context(mode=GRAPH)
    kept = Tensor([5.0])
    grad_of = ops.grad(lambda a: (a * kept).sum())
    assert [float(grad_of(kept)) for _ in range(4)] == [5.0] * 4
    assert [float(grad_of(Tensor([float(value)]))) for value in range(4)] == [5.0] * 4


def test_a_tensor_made_in_the_network_and_written_to() -> None:
    def body(net: Any, x: Any) -> Any:
        total = Tensor(np.zeros(8, np.float32))
        total += x.sum(0)
        return x + total

    compared(body=body)


def test_a_tensor_made_from_numpy_memory_and_written_to() -> None:
    def body(net: Any, x: Any) -> Any:
        total = Tensor.from_numpy(np.zeros(8, np.float32))
        torch.Tensor.add_(total, x.detach().sum(0))
        return x + total

    compared(body=body)


def test_a_buffer_that_grows_with_each_call() -> None:
    def body(net: Any, x: Any) -> Any:
        ops.assign_add(net.norm.moving_mean, Tensor(np.ones(8, np.float32)))
        return x + net.norm.moving_mean

    assert all_replays(compared(body=body))


class Clipped(nn.Cell):
    """Its own backward pass looks at values, which are the same in the first steps only."""

    def construct(self, x: Any) -> Any:
        return x * 2

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        return (Tensor(np.minimum(x.asnumpy(), 5.0)),)


def test_python_in_the_backward_pass() -> None:
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:  # type: ignore[override]
            ctx.x = x
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:  # type: ignore[override]
            return Tensor(np.minimum(ctx.x.tolist(), 5.0).astype(np.float32))

    def hooked(x: Any) -> Any:
        y = x * 1
        y.register_hook(lambda gradient: torch.from_numpy(np.minimum(x.detach().numpy(), 5.0)).to(gradient.device))
        return y

    context.set_context(mode=GRAPH)
    for function in (Clipped(), Function.apply, lambda x: Function.apply(x), hooked):
        grad_of = ops.grad(function)
        assert [float(grad_of(Tensor([value]))) for value in (7.0, 8.0, 9.0, 10.0, 1.0, 2.0)] == [5, 5, 5, 5, 1, 2]


def test_a_tensor_that_changed_its_type() -> None:
    context.set_context(mode=GRAPH)
    factor = Tensor([2.0])
    grad_of = ops.grad(lambda x: (x * factor).sum())
    assert [float(grad_of(Tensor([1.0]))) for _ in range(5)] == [2.0] * 5
    factor.set_dtype(torch.float64)
    torch.Tensor.fill_(factor, 3.0)
    assert [float(grad_of(Tensor([1.0]))) for _ in range(5)] == [3.0] * 5


def test_summary_operators() -> None:
    from mindspore_compat._ops import debug as debug_ops

    seen: list[str] = []

    def hook(kind: str, name: str, value: Any) -> None:
        seen.append(name)

    debug_ops.summary_hooks.append(hook)
    try:
        compared(body=lambda net, x: (ops.ScalarSummary()("total", x.sum()), x)[1])
    finally:
        debug_ops.summary_hooks.remove(hook)
    assert len(seen) == 2 * len(batches())


def test_thor_keeps_its_schedule() -> None:
    losses = {}
    for mode in (EAGER, GRAPH):
        context.set_context(mode=mode)
        net = nn.SequentialCell(
            nn.Dense(6, 8, weight_init="ones", bias_init="zeros"),
            nn.ReLU(),
            nn.Dense(8, 3, weight_init="ones", bias_init="zeros"),
        )
        ConvertNetUtils().convert_to_thor_net(net)
        optimizer = nn.thor(net, Tensor([0.01] * 40), Tensor([0.05] * 40), 0.9, batch_size=5, frequency=5)
        cell = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")), optimizer
        ).set_train()
        losses[mode] = [float(cell(*batch)) for batch in batches()]
    assert losses[EAGER] == losses[GRAPH]


def test_a_wrong_input_raises_what_it_raises_eagerly() -> None:
    _, _, cell = trained(GRAPH)
    with pytest.raises(RuntimeError):
        cell(Tensor(np.ones((5, 7), np.float32)), batches()[0][1])


class Pair(NamedTuple):
    x: Any
    y: Any


def test_recomputed_layers_draw_the_same_numbers() -> None:
    net = nn.SequentialCell(nn.Dense(6, 6, weight_init="ones"), nn.Dropout(p=0.5)).set_train()
    net[1].recompute()
    net.recompute()
    alike(net, rows())


def test_named_tuples_as_arguments() -> None:
    alike(lambda x, pair: (x * pair.x + pair.y).sum(), [(x, Pair(x * 2, x * 3)) for x in rows()])


def test_tensors_of_torch_as_arguments() -> None:
    seen: list[Any] = []

    def forward(x: Any, other: Any) -> Any:
        seen.append(type(other))
        return (x * other.std()).sum()  # torch's is unbiased, MindSpore's is not

    alike(forward, [(x, torch.ones(5, 6).cumsum(0) if step % 2 else x.copy()) for step, x in enumerate(rows(12))])
    assert set(seen) == {Tensor, torch.Tensor}


def test_errors_of_operators_whose_result_nobody_uses() -> None:
    def forward(x: Any) -> Any:
        return ops.cholesky(x).sum()

    good, bad = Tensor(np.eye(3, dtype=np.float32)), Tensor(-np.eye(3, dtype=np.float32))
    for mode in (GRAPH, EAGER):
        grad_of = ops.grad(forward)
        context.set_context(mode=mode)
        for _ in range(5):
            grad_of(good)
        with pytest.raises(RuntimeError):
            grad_of(bad)


def test_a_sum_looked_at_after_a_write() -> None:
    def forward(x: Any) -> Any:
        h = x * 2
        total = ops.ReduceSum(keep_dims=True)(h, 0)
        h += 1
        return (total.reshape(6) * h).sum()

    alike(forward, rows())


def test_numbers_that_only_their_sign_tells_apart() -> None:
    alike(
        lambda x, number: (x * ops.atan2(Tensor(number), Tensor(-1.0))).sum(),
        [(x, 0.0 if step % 2 else -0.0) for step, x in enumerate(rows(12))],
    )


def test_an_optimizer_called_with_a_keyword() -> None:
    class Keyword(StepOfItsOwn):
        def construct(self, x: Any, y: Any) -> Any:
            loss = self.network(x, y)
            grads = self.grad(self.network, self.weights)(x, y)
            self.optimizer(gradients=grads)
            return loss, grads[0]

    compared(wrap=Keyword, optimizer=Counting)


def test_training_in_other_threads() -> None:
    expected, found = trained(EAGER)[0], []
    threads = [threading.Thread(target=lambda: found.append(trained(GRAPH)[0])) for _ in range(1)]
    stdout = sys.stdout
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] and sys.stdout is stdout and program.recorder is None


@pytest.mark.parametrize("mode", [GRAPH, EAGER])
def test_nothing_of_a_dropped_network_is_kept(mode: int) -> None:
    _, _, cell = trained(mode)
    net, weight = weakref.ref(cell), weakref.ref(cell.network.backbone_network.dense1.weight)
    assert bool(replays(cell)) is (mode == GRAPH)
    del cell
    gc.collect()
    assert net() is None and weight() is None


@pytest.mark.parametrize("mode", [GRAPH, EAGER])
def test_nothing_of_a_dropped_function_is_kept(mode: int) -> None:
    def run() -> Any:
        net = nn.Dense(6, 3)

        def forward(x: Any) -> Any:
            return net(x)

        grad_of = ops.value_and_grad(forward, None, net.trainable_params())
        context.set_context(mode=mode)
        for x, _ in batches():
            grad_of(x)
        assert bool(replays(forward)) is (mode == GRAPH)
        return weakref.ref(net)

    kept = run()
    gc.collect()
    assert kept() is None


def test_nothing_is_kept_of_a_function_that_its_closure_leads_back_to() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.scale, self.net = 2.0, nn.Dense(6, 3)
            self.grad_of = ops.value_and_grad(self.forward_of(), None, self.net.trainable_params())

        def forward_of(self) -> Any:
            trainer = self

            def forward(x: Any) -> Any:
                return trainer.net(x) * trainer.scale

            self.forward = forward
            return forward

    context.set_context(mode=GRAPH)
    trainer = Trainer()
    for x, _ in batches():
        trainer.grad_of(x)
    assert replays(trainer.forward)
    kept = weakref.ref(trainer.net)
    del trainer
    gc.collect()
    assert kept() is None


def test_copies_of_a_cell_and_wrappers_of_a_function_begin_anew() -> None:
    context.set_context(mode=GRAPH)
    net = nn.Dense(6, 3, weight_init="ones")

    def forward(x: Any) -> Any:
        return net(x).sum()

    @functools.wraps(forward)
    def doubled(x: Any) -> Any:
        return forward(x) * 2

    for x, _ in batches():
        ops.grad(net)(x), ops.grad(forward)(x)
    functools.update_wrapper(doubled, forward)
    copied, pickled = copy.deepcopy(net), pickle.loads(pickle.dumps(net))
    for other in (copied, pickled):
        other.weight.set_data(other.weight * 2)
    for x, _ in batches():
        plain = float(ops.grad(forward)(x).sum())
        assert [float(ops.grad(fn)(x).sum()) for fn in (net, copied, pickled, doubled)] == [
            plain,
            2 * plain,
            2 * plain,
            2 * plain,
        ]
    assert all(map(replays, (net, copied, pickled, forward)))


@pytest.mark.parametrize("mode", [GRAPH, EAGER])
def test_a_cell_that_only_holds_an_optimizer_gives_what_can_be_differentiated(mode: int) -> None:
    class Holder(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(6, 3)
            self.optimizer = nn.SGD(self.dense.trainable_params(), 0.1)

        def construct(self, x: Any) -> Any:
            return self.dense(x).sum()

    cell = Holder()
    for x, _ in batches():
        context.set_context(mode=mode)
        loss = cell(x)
        loss.backward()
    assert cell.dense.weight.grad is not None and not replays(cell)
