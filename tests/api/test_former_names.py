"""Arguments by the names that earlier releases had for them."""

from __future__ import annotations

import inspect
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat import dataset as ds

FORMER = json.loads(Path(__file__).with_name("former_arguments.json").read_text(encoding="utf-8"))

#: names that are refused, and why
REFUSED = {
    ("choice_with_mask", "seed2"): "a second seed; 2.10 has one",
    ("dropout", "seed0"): "a pair of seeds; 2.10 has one",
    ("dropout", "seed1"): "a pair of seeds; 2.10 has one",
    ("random_gamma", "seed2"): "a second seed; 2.10 has one",
    ("sequence_mask", "prim_name"): "of upstream's own use",
    ("standard_laplace", "seed2"): "a second seed; 2.10 has one",
    ("standard_normal", "seed2"): "a second seed; 2.10 has one",
}


def _is_refused(name: str, argument: str) -> bool:
    try:
        getattr(ops, name)(**{argument: object()})
    except Exception as error:
        return "unexpected keyword" in str(error) and repr(argument) in str(error)
    return False


def test_functions_take_former_names() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {(name, one) for name, names in FORMER.items() for one in names if _is_refused(name, one)} == {*REFUSED}


def test_signatures_show_todays_names() -> None:
    assert list(inspect.signature(ops.add).parameters) == ["input", "other"]
    assert list(inspect.signature(ops.concat).parameters) == ["tensors", "axis"]


_x = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("former", "today"),
    [
        (lambda x: ops.mul(x=x, y=x), lambda x: x * x),
        (lambda x: ops.concat(input_x=(x, x), axis=1), lambda x: ops.concat((x, x), 1)),
        (lambda x: ops.logsumexp(x, axis=1, keep_dims=True), lambda x: ops.logsumexp(x, 1, True)),
        (lambda x: ops.where(x > 2, x=x, y=-x), lambda x: ops.where(x > 2, x, -x)),
        (lambda x: ops.std(input_x=x, axis=1, unbiased=True), lambda x: ops.std(x, 1, 1)),
        (lambda x: ops.max(x=x, axis=1, keep_dims=True)[0], lambda x: ops.max(x, 1, True)[0]),
        (lambda x: ops.transpose(input_x=x, input_perm=(1, 0)), lambda x: x.T),
        (lambda x: ops.tile(input_x=x, multiples=(2, 1)), lambda x: ops.tile(x, (2, 1))),
        (lambda x: ops.ones(shape=(2,), type=ms.float16), lambda x: ops.ones((2,), ms.float16)),
        (lambda x: ops.AvgPool(ksize=2, strides=1, padding="same")(x[None, None]), lambda x: _pooled(ops.AvgPool, x)),
        (lambda x: ops.MaxPool(ksize=2, strides=1, padding="same")(x[None, None]), lambda x: _pooled(ops.MaxPool, x)),
        (lambda x: x.pow(power=2), lambda x: x * x),
        (lambda x: x.gt(x=2), lambda x: x > 2),
        (lambda x: x.true_divide(value=2), lambda x: x / 2),
        (lambda x: x.atan2(y=x + 1), lambda x: ops.atan2(x, x + 1)),
        (lambda x: x.addcmul(x1=x, x2=x, value=Tensor(2.0)), lambda x: x + 2 * x * x),
        # of earlier signatures
        (lambda x: x.split(axis=1, output_num=3)[2], lambda x: x[:, 2:]),
        (lambda x: x.norm(axis=1, p=1, keep_dims=True), lambda x: x.abs().sum(1, keepdims=True)),
        (lambda x: x.norm(1, keep_dims=True), lambda x: ops.norm(x, 2, 1, True)),
        (lambda x: ops.norm(x, axis=(0, 1), p=1), lambda x: x.abs().sum()),
        (lambda x: ops.norm(0 * x, axis=1, epsilon=0.5), lambda x: Tensor([0.5, 0.5])),
        (lambda x: ops.LpNorm(1, 2, epsilon=10.0)(x), lambda x: Tensor([10.0, 10.0])),
        (lambda x: x.median(global_median=True)[0], lambda x: Tensor(2.0)),
        (lambda x: ops.median(x, keep_dims=True)[0], lambda x: x[:1]),
        (lambda x: ops.argmax(x, axis=0, output_type=ms.int32), lambda x: Tensor([1, 1, 1], ms.int32)),
        (lambda x: ops.matmul(x, x.T, dtype=ms.float16), lambda x: (x @ x.T).astype(ms.float16)),
        (lambda x: ops.arange(0, 3, rtype=ms.float16), lambda x: Tensor([0, 1, 2], ms.float16)),
        (lambda x: ops.avg_pool2d(x[None, None], 2, 1, pad_mode="same"), lambda x: _pooled(ops.AvgPool, x)),
        (
            lambda x: ops.avg_pool2d(x=x[None, ..., None], kernel_size=2, data_format="NHWC")[..., 0],
            lambda x: ops.AvgPool(2)(x[None, None])[0],
        ),
        (lambda x: ops.vjp(lambda x: x * x, inputs=x, v=x)[1], lambda x: 2 * x * x),
        (lambda x: ops.vjp(lambda x, y: x * y, inputs=(x, x + 0), v=x)[1][1], lambda x: x * x),
        (lambda x: ops.grad(lambda x, y: x * y, grad_first_param=True)(x, x + 1), lambda x: x + 1),
        (lambda x: ops.grad(lambda x, y: x * y, grad_first_param=False)(x, x + 1)[1], lambda x: x),
        (lambda x: ops.grad(lambda x, y: x * y, False)(x, x + 1)[1], lambda x: x),
        (lambda x: ops.grad(lambda x, y: x * y, True)(x, x + 1), lambda x: x + 1),
        (lambda x: ops.argmax(x, 0, ms.int32), lambda x: Tensor([1, 1, 1], ms.int32)),
        (lambda x: ops.median(x, False, 1)[0], lambda x: x[:, 1]),
        (lambda x: x.median(True)[0], lambda x: Tensor(2.0)),
        (lambda x: ops.avg_pool2d(x[None, None], 2, 1, "same"), lambda x: _pooled(ops.AvgPool, x)),
        (
            lambda x: ops.conv2d(x[None, None], x[None, None], "same", 0, 1),
            lambda x: ops.Conv2D(1, (2, 3), pad_mode="same")(x[None, None], x[None, None]),
        ),
        (lambda x: ops.unique_consecutive(x > 1, axis=0), lambda x: x > 1),
        (lambda x: x.div(value=2, rounding_mode="floor"), lambda x: x // 2),
        (lambda x: x.mul(value=x), lambda x: x * x),
        (lambda x: x.add(y=x), lambda x: x + x),
        (lambda x: x.bernoulli(p=1.0, seed=1), ops.ones_like),
        (lambda x: x.broadcast_to(shape=(2, 2, 3)), lambda x: ops.stack([x, x])),
        (lambda x: x.tile(multiples=(2, 1)), lambda x: ops.concat([x, x])),
        (lambda x: x.repeat(repeats=2, axis=0), lambda x: x.repeat(2, axis=0)),
        (lambda x: x.swapaxes(axis1=0, axis2=1), lambda x: x.T),
        (lambda x: x.logsumexp(axis=1, keepdims=True), lambda x: ops.logsumexp(x, 1, True)),
        (lambda x: x.masked_scatter(mask=x > 3, x=x), lambda x: Tensor([[0.0, 1, 2], [3, 0, 1]])),
        (lambda x: x[0].ger(x=x[0]), lambda x: ops.outer(x[0], x[0])),
        (lambda x: (x + 1).prod(axis=(0, 1)), lambda x: Tensor(720.0)),
        (lambda x: ops.Roll(shift=1, axis=1)(x), lambda x: ops.roll(x, 1, 1)),
        (lambda x: ops.Cummax(dim=1)(x)[0], lambda x: x),
        (lambda x: ops.SearchSorted(out_int32=True)(x, x), lambda x: Tensor([[0, 1, 2], [0, 1, 2]], ms.int32)),
        (lambda x: ops.SearchSorted(False)(x, x), lambda x: Tensor([[0, 1, 2], [0, 1, 2]], ms.int64)),
        (lambda x: ops.UniqueConsecutive(return_counts=True, axis=0)(x)[2], lambda x: Tensor([1, 1], ms.int64)),
        (lambda x: ops.MatMul().shard(strategy=((1, 1), (1, 1)))(x, x.T), lambda x: x @ x.T),
    ],
)
def test_former_names_mean_what_todays_do(former: Any, today: Any) -> None:
    x = Tensor(_x)
    ours, expected = former(x), today(x)
    assert ours.dtype == expected.dtype
    np.testing.assert_array_equal(ours.asnumpy(), expected.asnumpy())


def _pooled(kind: Any, x: Any) -> Any:
    return kind(2, 1, "same")(x[None, None])


def test_operators_of_earlier_releases() -> None:
    x = Tensor(_x)
    assert ops.control_depend(x, x + 1) is x and ops.operations.ControlDepend(depend_mode=1)(x, x + 1) is x
    assert ops.operations.IsInstance()(x, ms.common.dtype.tensor) and not ops.operations.IsInstance()(1, ms.int32)
    assert ops.functional.issubclass_(ops.functional.typeof(x), ms.tensor_type)
    assert ms.issubclass_(ms.float16, ms.number) and not ms.issubclass_(ms.float16, ms.int_)
    assert ops.operations.SameTypeShape()(x, x) is x
    with pytest.raises(TypeError, match="SameTypeShape"):
        ops.functional.same_type_shape(x, x[0])
    np.testing.assert_array_equal(ops.functional.pack([x, x]).asnumpy(), np.stack([_x, _x]))
    replaced = ops.operations.ScatterElements(1)(Tensor([[1, 2, 3, 4, 5]]), Tensor([[2, 4]]), Tensor([[8, 8]]))
    np.testing.assert_array_equal(replaced.asnumpy(), [[1, 2, 8, 4, 8]])
    mean, variance = ms.Parameter(np.zeros(3, np.float32)), ms.Parameter(np.ones(3, np.float32))
    ones, zeros = Tensor(np.ones(3, np.float32)), Tensor(np.zeros(3, np.float32))
    for operator, count in ((ops.operations.FusedBatchNorm, 5), (ops.operations.FusedBatchNormEx, 6)):
        mean.set_data(zeros), variance.set_data(ones)
        found = operator(mode=1, epsilon=0.0, momentum=0.1)(x, ones, zeros, mean, variance)
        assert len(found) == count
        np.testing.assert_allclose(found[0].asnumpy(), [[-1, -1, -1], [1, 1, 1]], rtol=1e-6)
        np.testing.assert_allclose(found[1].asnumpy(), 0.1 * _x.mean(0), rtol=1e-6)
        np.testing.assert_allclose(mean.asnumpy(), 0.1 * _x.mean(0), rtol=1e-6)


def test_cells_of_earlier_releases() -> None:
    class Half(nn.Cell):
        def construct(self, x: Any) -> Any:
            return self.cast(x, ms.float16)

    class Own(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.cast = nn.Dense(3, 1)

    assert Half()(Tensor(_x)).dtype == ms.float16
    assert isinstance(Own().cast, nn.Dense) and len(Own().trainable_params()) == 2
    np.testing.assert_array_equal(nn.LinSpace(1, 10, 5)().asnumpy(), [1, 3.25, 5.5, 7.75, 10])
    assert nn.GlobalBatchNorm(3)(Tensor(_x)).shape == (2, 3) and issubclass(nn.GraphKernel, nn.Cell)
    of_1_7 = nn.TransformerEncoder(
        batch_size=2, num_layers=1, hidden_size=8, ffn_hidden_size=16, seq_length=4, num_heads=2
    )
    assert isinstance(of_1_7, nn.transformer.TransformerEncoder) and not isinstance(of_1_7, nn.TransformerEncoder)
    assert isinstance(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2), nn.TransformerEncoder)
    np.testing.assert_array_equal(Tensor(shape=(2,), dtype=ms.int32, init="ones").asnumpy(), [1, 1])


def test_a_name_and_its_former_one() -> None:
    with pytest.raises(TypeError):
        ops.add(x=Tensor(_x), input=Tensor(_x), other=Tensor(_x))


def test_groups_of_convolutions() -> None:
    x, weight = Tensor(np.ones((1, 4, 5, 5), np.float32)), Tensor(np.ones((4, 2, 3, 3), np.float32))
    ours = ops.conv2d(inputs=x, weight=weight, group=2)
    np.testing.assert_array_equal(ours.asnumpy(), ops.conv2d(x, weight, groups=2).asnumpy())


def test_the_next_row_of_an_iterator() -> None:
    rows = ds.NumpySlicesDataset({"a": [1, 2]}, shuffle=False)
    assert int(rows.create_dict_iterator().get_next()["a"].asnumpy()) == 1
    assert int(rows.create_tuple_iterator().get_next()[0].asnumpy()) == 1


def test_decode_of_arrays_takes_rgb() -> None:
    from mindspore_compat.dataset.vision import c_transforms
    from mindspore_compat.dataset.vision.utils import encode_png

    picture = np.random.RandomState(0).randint(0, 255, (8, 6, 3), np.uint8)
    encoded = encode_png(picture)
    for decode in (c_transforms.Decode(), c_transforms.Decode(True), c_transforms.Decode(rgb=True)):
        ours = decode(encoded)
        assert isinstance(ours, np.ndarray)
        np.testing.assert_array_equal(ours, picture)
        described = ds.serialize(ds.NumpySlicesDataset({"x": [encoded]}).map(decode, ["x"]))
        assert described["operations"][0]["tensor_op_name"] == "Decode"
        assert described["operations"][0]["tensor_op_params"]["rgb"] is True
    with pytest.raises(ValueError, match="'rgb' must be True"):
        c_transforms.Decode(rgb=False)


def test_sparse_tensors() -> None:
    sparse = ms.SparseTensor(indices=Tensor([[0, 1]]), values=Tensor([2.0]), dense_shape=(2, 3))
    assert sparse.shape == (2, 3)
    rows = ms.RowTensor(indices=Tensor([0]), values=Tensor([[1.0, 2.0]]), dense_shape=(3, 2))
    assert rows.dense_shape == (3, 2)
    matrix = ms.CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 1], ms.int32), Tensor([2.0, 3.0]), (2, 2))
    vector = Tensor([[1.0], [2.0]])
    np.testing.assert_array_equal(matrix.mv(dense_vector=vector).asnumpy(), [[2.0], [6.0]])
    np.testing.assert_array_equal(matrix.mm(matrix=vector).asnumpy(), [[2.0], [6.0]])


def test_cells_and_transformers() -> None:
    from mindspore_compat.nn.wrap.loss_scale import _grad_scale
    from mindspore_compat.parallel.nn import Transformer, TransformerEncoderLayer

    assert Transformer is nn.transformer.Transformer
    assert TransformerEncoderLayer is nn.transformer.TransformerEncoderLayer
    scaled = _grad_scale(Tensor(4.0), Tensor([8.0], ms.float16))
    assert scaled.dtype == ms.float16 and float(scaled) == 2.0
    cell = nn.Cell()
    cell.insert_child_to_cell(child_name="inner", child=nn.ReLU())
    assert isinstance(cell.inner, nn.ReLU)
    cell.register_backward_hook(fn=lambda *_: None).remove()
    assert ds.audio.FrequencyMasking(frequency_mask_param=3).freq_mask_param == 3


def test_reduce_prod() -> None:
    assert float(ops.reduce_prod(Tensor([2.0, 3.0]))) == 6.0
