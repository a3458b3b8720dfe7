"""Layers and losses have the operators that projects shard, tag and call, and these compute what the layer computes."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.parallel.nn import TransformerEncoderLayer, VocabEmbedding


def _data(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32))


X2, X3, X4, X5 = _data(2, 3), _data(2, 2, 8), _data(2, 2, 8, 8), _data(2, 2, 6, 6, 6)


def _dense_of_mindpet(net: Any, x: ms.Tensor) -> ms.Tensor:
    """Compute as mindpet's LoRADense does, a class derived from Dense."""
    shape = net.shape_op(x)
    rows = net.bias_add(net.matmul(net.reshape(x, (-1, shape[-1])), net.weight), net.bias)
    return net.reshape(rows, shape[:-1] + (4,))


def _embedding_of_multisfs(net: Any, ids: ms.Tensor) -> ms.Tensor:
    """Compute as the method that MultiSFS puts in place of Embedding's ``construct``."""
    out_shape = net.get_shp(ids) + (net.embedding_size,)
    flat = net.reshape_flat(ids, net.shp_flat)
    one_hot = net.one_hot(flat, net.vocab_size, net.on_value, net.off_value)
    product, rows = net.array_mul(one_hot, net.embedding_table), net.gather(net.embedding_table, flat, 0)
    return net.reshape((product + rows) / 2, out_shape)


def _group_norm_of_stgan(net: Any, x: ms.Tensor) -> ms.Tensor:
    """Compute as STGAN's InstanceNorm2d does, a class derived from GroupNorm."""
    shape = net.shape(x)
    groups = net.reshape(x, (shape[0], net.num_groups, -1))
    mean = net.reduce_mean(groups, 2)
    variance = net.reduce_sum(net.square(groups - mean), 2) / (groups.size / shape[0] / net.num_groups)
    return net.reshape((groups - mean) / net.sqrt(variance + net.eps), shape)


CASES: list[tuple[Any, Any, Any]] = [
    (lambda: nn.GroupNorm(2, 2), X4, _group_norm_of_stgan),
    (
        lambda: nn.Conv2d(2, 4, 3, stride=2, has_bias=True),
        X4,
        lambda net, x: net.bias_add(net.conv2d(x, net.weight), net.bias),
    ),
    (lambda: nn.Conv1d(2, 4, 3), X3, lambda net, x: net.squeeze(net.conv2d(net.expand_dims(x, 2), net.weight))),
    (
        lambda: nn.Conv2dTranspose(2, 4, 3, stride=2),
        X4,
        lambda net, x: net.conv2d_transpose(x, net.weight, (2, 4, 16, 16)),
    ),
    (
        lambda: nn.Conv3d(2, 4, 3, pad_mode="pad", padding=1, dilation=2, has_bias=True),
        X5,
        lambda net, x: net.bias_add(net.conv3d(x, net.weight), net.bias),
    ),
    (lambda: nn.Embedding(6, 4), ms.Tensor([[1, 5], [0, 2]]), _embedding_of_multisfs),
    (lambda: nn.Dense(3, 4), X2, lambda net, x: net.bias_add(net.matmul(x, net.weight), net.bias)),
    (lambda: nn.Dense(3, 4), _data(2, 5, 3), _dense_of_mindpet),
    (
        lambda: VocabEmbedding(6, 4),
        ms.Tensor([[1, 5]]),
        lambda net, ids: net.gather.shard(((1, 1), (1, 1)))(net.embedding_table, ids, 0),
    ),
    (lambda: nn.MaxPool2d(3, 2, "same"), X4, lambda net, x: net.max_pool(x)),
    (lambda: nn.LayerNorm((3,)), X2, lambda net, x: net.layer_norm(x, net.gamma, net.beta)[0]),
    (
        lambda: nn.BatchNorm2d(2).set_train(False),
        X4,
        lambda net, x: net.bn_infer(x, net.gamma, net.beta, net.moving_mean, net.moving_variance)[0],
    ),
    (
        lambda: nn.BatchNorm2d(2).set_train(True),
        X4,
        lambda net, x: net.bn_train(x, net.gamma, net.beta, net.moving_mean, net.moving_variance)[0],
    ),
    (lambda: nn.Softmax(0), X2, lambda net, x: net.softmax(x)),
    (lambda: nn.LogSoftmax(0), X2, lambda net, x: net.log_softmax(x)),
    (lambda: nn.GELU(), X2, lambda net, x: net.gelu(x)),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_they_compute_what_the_layer_does(case: int) -> None:
    make, x, inner = CASES[case]
    net = make()
    result = net(x)
    result = result[0] if isinstance(result, tuple) else result
    np.testing.assert_allclose(inner(net, x).asnumpy(), result.asnumpy(), rtol=1e-5, atol=1e-6)


def test_what_is_tagged_stays_and_is_the_layers_own() -> None:
    dense, other = nn.Dense(3, 4), nn.Dense(3, 4)
    assert dense.matmul.shard(((2, 1), (1, 1))) is dense.matmul and dense.matmul.in_strategy == ((2, 1), (1, 1))
    assert other.matmul is not dense.matmul and other.matmul.in_strategy is None
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    loss.softmax_cross_entropy.shard(((1, 1), (1, 1))).add_prim_attr("primitive_target", "CPU")
    dropout = nn.Dropout(p=0.5)
    dropout.dropout_gen_mask.shard(((1,),)), dropout.dropout_do_mask.shard(((1,),)), dropout.dropout.shard(((1, 1),))
    copied = copy.deepcopy(dense)
    assert copied.matmul.in_strategy == ((2, 1), (1, 1)) and copied(X2).shape == (2, 4)
    assert [name for name, _ in dense.parameters_and_names()] == ["weight", "bias"] and len(
        list(dense.cells_and_names())
    ) == 1


def test_a_block_derived_from_the_encoders_adds_and_masks_by_its_operators() -> None:
    block = TransformerEncoderLayer(batch_size=2, hidden_size=8, ffn_hidden_size=16, num_heads=2, seq_length=4)
    kept = ms.Parameter(ms.Tensor([1.0, 2.0]), name="kept")
    block.assign(kept, block.mul(block.add(kept, 1.0), 2.0))
    np.testing.assert_array_equal(kept.asnumpy(), [4.0, 6.0])


def test_a_derived_cell_may_use_the_name() -> None:
    class Mine(nn.Dense):
        def __init__(self) -> None:
            super().__init__(3, 3)
            self.matmul = nn.Dense(3, 3)  # a Cell
            self.reshape = ms.Parameter(ms.Tensor(2.0), name="reshape")
            self.shape_op = 7

        def construct(self, x: Any) -> Any:
            return self.matmul(x) * self.reshape + self.shape_op

    net = Mine()
    assert isinstance(net.matmul, nn.Dense) and isinstance(net.reshape, ms.Parameter)
    np.testing.assert_allclose(net(X2).asnumpy(), net.matmul(X2).asnumpy() * 2 + 7, rtol=1e-6)

    class Dense(nn.Cell):  # a name of the table, but not upstream's layer
        pass

    assert not hasattr(Dense(), "matmul") and not hasattr(nn.ReLU(), "matmul") and not hasattr(nn.Dense, "matmul")


def test_own_losses_reduce_with_the_bases_operators() -> None:
    class Mine(nn.LossBase):
        def construct(self, a: Any, b: Any) -> Any:
            return self.reduce_mean(self.cast(self.mul(a, b), ms.float32), self.get_axis(a)) + self.reduce_sum(a)

    a, b = X2.asnumpy(), X2.asnumpy() + 1
    np.testing.assert_allclose(float(Mine()(ms.Tensor(a), ms.Tensor(b))), (a * b).mean() + a.sum(), rtol=1e-5)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_own_cross_entropies_compute_by_the_bases_operators(reduction: str) -> None:
    """As vega's CustomSoftmaxCrossEntropyWithLogits."""

    class Own(nn.SoftmaxCrossEntropyWithLogits):
        def construct(self, logits: Any, labels: Any) -> Any:
            if self.reduction == "mean":
                return self.sparse_softmax_cross_entropy(logits, labels)
            labels = self.one_hot(labels, logits.shape[-1], self.on_value, self.off_value)
            return self.get_loss(self.softmax_cross_entropy(logits, labels)[0])

    labels = ms.Tensor([2, 0], ms.int32)
    plain = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction=reduction)(X2, labels)
    np.testing.assert_allclose(Own(sparse=True, reduction=reduction)(X2, labels).asnumpy(), plain.asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("base", [nn.LossBase, nn.MSELoss, nn.MAELoss, nn.SoftmaxCrossEntropyWithLogits])
def test_losses_reduce_along_the_axes_and_by_the_operators_of_a_program(base: type, reduction: str) -> None:
    def of(reduction: str = reduction, **members: Any) -> Any:
        if base is nn.LossBase:
            members["construct"] = lambda self, a, b: self.get_loss(ops.abs(a - b))
        return type("Own", (base,), members)(reduction=reduction)(a, b).asnumpy()

    def __init__(self: Any, reduction: str) -> None:
        base.__init__(self, reduction=reduction)
        self.reduce_mean, self.reduce_sum = ops.ReduceMean(keep_dims=True), ops.ReduceSum(keep_dims=True)
        self.mul = ops.Add()

    a, b = X2, ms.Tensor(X2.asnumpy()[::-1].copy())
    plain = of("none")
    reduce = {"mean": np.mean, "sum": np.sum, "none": lambda x, axis=None, keepdims=False: x}[reduction]
    np.testing.assert_allclose(of(get_axis=lambda self, x: (0,)), reduce(plain, axis=0), rtol=1e-5)
    np.testing.assert_allclose(of(__init__=__init__), reduce(plain + 1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(of(get_loss=lambda self, x, weights=1.0: x * 3), plain * 3, rtol=1e-5)


def test_a_layer_tells_that_it_computes_without_the_operator(caplog: pytest.LogCaptureFixture) -> None:
    class Own(nn.Dense):
        def construct(self, x: Any) -> Any:
            return self.matmul(x, self.weight)

    own, layer, names_alike = Own(3, 4), nn.Dense(3, 4), nn.Cell()
    own.matmul = names_alike.matmul = ops.MatMul(transpose_b=True)
    assert own(X2).shape == (2, 4) and not caplog.text
    layer.matmul = ops.MatMul()
    assert "computes without its attribute 'matmul'" in caplog.text


def test_a_cell_of_a_program_without_a_name_sets_attributes() -> None:
    names: dict[str, Any] = {"nn": nn, "ops": ops}  # no __name__: such classes have no __module__
    exec(
        "class Net(nn.Cell):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.a, self.relu, self.reshape = nn.Dense(2, 2), ops.ReLU(), ops.Reshape()\n"
        "    def construct(self, x):\n"
        "        return self.reshape(self.relu(self.a(x)), (-1,))\n",
        names,
    )
    assert names["Net"]()(ms.Tensor([[1.0, 2.0]])).shape == (2,)


def test_a_cell_with_methods_alone_has_operators_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    class Actor(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.cast = ops.operations.Cast()

        def act(self, x: Any) -> Any:
            return self.cast(x, ms.int32)

    assert Actor().act(ms.Tensor([1.5])).dtype == ms.int32
    assert "computes without" not in caplog.text
