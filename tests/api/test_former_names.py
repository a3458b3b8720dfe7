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
    ("arange", "rtype"): "of upstream's own use",
    ("choice_with_mask", "seed2"): "a second seed; 2.10 has one",
    ("dropout", "seed0"): "a pair of seeds; 2.10 has one",
    ("dropout", "seed1"): "a pair of seeds; 2.10 has one",
    ("grad", "grad_first_param"): "said whether, not by which input",
    ("matmul", "dtype"): "cast the result",
    ("norm", "epsilon"): "2.10's norm adds nothing",
    ("random_gamma", "seed2"): "a second seed; 2.10 has one",
    ("sequence_mask", "prim_name"): "of upstream's own use",
    ("standard_laplace", "seed2"): "a second seed; 2.10 has one",
    ("standard_normal", "seed2"): "a second seed; 2.10 has one",
    ("unique_consecutive", "axis"): "counted among the calls that 2.10 refuses",
    ("vjp", "v"): "of 1.x, where vjp gave the product; today it gives a function",
}


@pytest.mark.parametrize(("name", "argument"), [(name, one) for name, names in FORMER.items() for one in names])
def test_functions_take_former_names(name: str, argument: str) -> None:
    refused = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            getattr(ops, name)(**{argument: object()})
        except Exception as error:
            refused = "unexpected keyword" in str(error) and repr(argument) in str(error)
    assert refused == ((name, argument) in REFUSED)


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


def test_a_name_and_its_former_one() -> None:
    with pytest.raises(TypeError, match="by its old name and by its new one"):
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
