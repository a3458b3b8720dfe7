"""What MindNLP 0.2.4, 0.3.1 and 0.4.1 borrow or set (tests/libraries/mindnlp_beside_transformers.py runs its models)."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mindspore_compat._c_expression import ParamInfo, pyboost_empty

import mindspore_compat as ms
from mindspore_compat import Tensor, _checkparam, mint, nn, ops
from mindspore_compat.common.api import _pynative_executor
from mindspore_compat.nn.layer.conv import _Conv, _deconv_output_length
from mindspore_compat.ops.function.nn_func import _scaled_dot_product_attention
from mindspore_compat.ops.function.random_func import _get_seed, _set_prim_op_user_data
from mindspore_compat.ops.operations._grad_ops import StridedSliceGrad
from mindspore_compat.train.serialization import _exec_save


class Weight(Tensor):
    """A class of Parameters as in `mindnlp.core.nn`."""

    def __init__(self, input_data: Any = None, requires_grad: bool = True) -> None:
        super().__init__(input_data)
        self.param_info = ParamInfo()
        self.requires_grad = requires_grad


def test_a_class_derived_from_tensor_gives_its_data_in_init() -> None:
    weight = Weight(Tensor([1, 2], ms.float16), requires_grad=False)
    assert isinstance(weight, Weight) and weight.dtype == ms.float16 and weight.asnumpy().tolist() == [1.0, 2.0]
    weight = Weight(np.array([3.0, 4.0], np.float32))
    weight[0] = 5.0  # a leaf that needs a gradient
    assert weight.asnumpy().tolist() == [5.0, 4.0] and weight.param_info.requires_grad
    still = Weight(Tensor([1.0, 2.0]), requires_grad=False)
    value = Tensor([3.0]).requires_grad_()
    still[0:1] = value * 2  # no leaf any more: the derivative passes
    assert still.requires_grad and still.asnumpy().tolist() == [6.0, 2.0]
    assert copy.deepcopy(weight).asnumpy().tolist() == [5.0, 4.0]
    assert Tensor([1.0]).param_info is None


def test_a_class_derived_from_parameter_has_its_data() -> None:
    class Scale(ms.Parameter):
        def __init__(self, data: Any, name: str = "scale") -> None:
            super().__init__(data, name=name)
            self.unit = 1

    assert Scale(Tensor([1.0, 2.0])).asnumpy().tolist() == [1.0, 2.0]


def test_the_executor_differentiates_the_last_forward() -> None:
    weights = [Weight(Tensor([2.0, 3.0])), Weight(Tensor([7.0]))]

    def forward(x: Any) -> Any:
        return (x * weights[0] ** 2).sum()

    x = Tensor([1.0, 10.0])
    _pynative_executor.set_grad_flag(True)
    _pynative_executor.new_graph(forward, x)
    value = forward(x)
    _pynative_executor.end_graph(forward, value, x)
    grads = _pynative_executor.grad(forward, ops.GradOperation(False, True, False), weights, None, x)
    assert [item.asnumpy().tolist() for item in grads] == [[4.0, 60.0], [0.0]]


@pytest.mark.parametrize("name", ["__ne__", "__add__", "__rmul__"])
def test_an_operator_of_tensor_may_call_the_function(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    function = {"__ne__": ops.ne, "__add__": ops.add, "__rmul__": ops.mul}[name]
    monkeypatch.setattr(Tensor, name, lambda self, other: function(self, other))
    x = Tensor([1, 2])
    found = {"__ne__": lambda: x != 1, "__add__": lambda: x + 1, "__rmul__": lambda: 2 * x}[name]()
    assert found.asnumpy().tolist() == {"__ne__": [False, True], "__add__": [2, 3], "__rmul__": [2, 4]}[name]


class Line(_Conv):
    def __init__(self, kernel: int) -> None:
        super().__init__(2, 3, (kernel,), (1, 2), "pad", 1, (1, 1), 1, True, None, None)
        self.conv2d = ops.Conv2D(3, (1, kernel), pad_mode="pad", pad=(0, 0, 1, 1), stride=(1, 2))

    def construct(self, x: Any) -> Any:
        return ops.bias_add(self.conv2d(x.expand_dims(2), self.weight.expand_dims(2)), self.bias).squeeze(2)


def test_a_convolution_of_a_program_has_its_own_axes() -> None:
    line = Line(3)
    assert line.weight.shape == (3, 2, 3) and line(ops.ones((1, 2, 6))).shape == (1, 3, 3)
    assert _Conv(2, 3, (3, 3), transposed=True).weight.shape == (2, 3, 3, 3)
    assert _deconv_output_length(False, False, True, 5, 4, 2, 1, 2) == 10
    assert [_deconv_output_length(*mode, 5, 1, 2, 1, 0) for mode in ((True, False, False), (False, True, False))] == [
        10,
        10,
    ]


def test_lists_of_cells_that_hold_lists_count_from_their_own_places() -> None:
    """Names as real MindSpore's; checkpoints find Parameters by them."""

    class Block(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.CellList([nn.Dense(1, 1, has_bias=False) for _ in range(2)])

    names = [f"{block}.layer.{layer}.weight" for block in range(3) for layer in range(2)]
    blocks = nn.CellList([Block() for _ in range(3)])
    assert [item.name for item in blocks.get_parameters()] == names
    blocks = nn.CellList()
    blocks.extend([Block(), Block()])
    assert [item.name for item in blocks.get_parameters()] == names[:4]
    blocks.insert(2, Block())
    assert [item.name for item in blocks.get_parameters()] == names
    del blocks[0]
    assert [item.name for item in blocks.get_parameters()] == names[:4]


def test_rows_of_a_repetition_differ_once_they_are_set() -> None:
    x = Tensor([0.0, 1.0, 2.0])
    y = x.broadcast_to((2, 3))
    y[:, :2] = Tensor([[7.0, 8.0], [5.0, 6.0]])
    assert y.asnumpy().tolist() == [[7.0, 8.0, 2.0], [5.0, 6.0, 2.0]]
    assert x.asnumpy().tolist() == [0.0, 1.0, 2.0]


def test_full_without_a_dtype_takes_any_number() -> None:
    """As real MindSpore: its integer part, the smallest int64 for others."""
    least = -(2**63)
    for value, expected in ((1.5, 1), (-3.4e38, least), (Tensor(-3.4e38), least), (float("nan"), least)):
        found = ops.full((2,), value)
        assert (found.dtype, found.asnumpy().tolist()) == (ms.int64, [expected] * 2)


def test_attention_without_a_fused_kernel() -> None:
    """A mask of bools is added as 0 and 1, as real MindSpore's."""
    query, value = Tensor([[[1.0], [0.0]]]), Tensor([[[1.0], [3.0]]])
    output, weights = _scaled_dot_product_attention(query, query * 0, value, None, 0.0, False, False, ms.float32)
    assert output.asnumpy().tolist() == [[[2.0], [2.0]]] and weights.shape == (1, 2, 2)
    share = np.exp(1) / (np.exp(1) + 1)
    for mask, is_causal in ((Tensor([[True, False], [True, True]]), False), (None, True)):
        _, weights = _scaled_dot_product_attention(query, query * 0, value, mask, 0.0, is_causal, False, ms.float32)
        np.testing.assert_allclose(weights.asnumpy(), [[[share, 1 - share], [0.5, 0.5]]], 1e-6)


def test_a_file_of_parameters_takes_dtypes_as_they_print(tmp_path: Path) -> None:
    """As MindNLP's adapters write it."""
    weight = Tensor([1.0, 2.0], ms.float16)
    _exec_save(str(tmp_path / "a.ckpt"), {"w": [[2], str(weight.dtype), weight.asnumpy()]})
    loaded = ms.load_checkpoint(str(tmp_path / "a.ckpt"))["w"]
    assert (loaded.dtype, loaded.asnumpy().tolist()) == (ms.float16, [1.0, 2.0])


def test_small_names() -> None:
    assert pyboost_empty([(2, 3), ms.float16, None]).shape == (2, 3)
    assert mint.empty(2, 3, device="CPU").shape == mint.empty((2, 3), dtype=ms.int32, device=None).shape == (2, 3)
    assert _checkparam.check_and_canonicalize_axes(-1, 3) == (2,)
    assert _checkparam.check_and_canonicalize_axes((0, -2), 3) == (0, 1)
    assert ms.context.K_CONTEXT.get_param("mode") == ms.get_context("mode")
    assert [getattr(ms, str(item)) for item in (ms.float32, ms.bool_)] == [ms.float32, ms.bool_]
    assert ms.common.parameter.PARAMETER_NAME_DEFAULT == "Parameter"
    assert len(_get_seed(1, "dropout")) == 2
    dropout = ops.Dropout(0.5)
    assert _set_prim_op_user_data(dropout, "random_cache", False) is dropout
    gradient = StridedSliceGrad(shrink_axis_mask=1)(Tensor([1.0, 2.0]), (2, 3), (1, 0), (2, 3), (1, 2))
    assert gradient.asnumpy().tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 2.0]]
