"""Names that few projects use: what Parameters carry for graph and cluster, seeds of random kernels, own initializers,
settings of sharding.
"""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest
from mindspore_compat._c_expression import typing

import mindspore_compat as ms
from mindspore_compat.common import initializer as init
from mindspore_compat.common.seed import _get_graph_seed
from mindspore_compat.parallel._utils import _get_pipeline_stages, _get_stage_device_num


@pytest.fixture
def parameter() -> ms.Parameter:
    return ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")


def test_load_gives_a_copy_of_the_values(parameter: ms.Parameter) -> None:
    copy = parameter.load(parameter, None)
    parameter.set_data(ms.Tensor([5.0, 6.0]))
    assert copy.asnumpy().tolist() == [1, 2]


def test_notes_for_cluster_and_pipeline(parameter: ms.Parameter) -> None:
    assert parameter.cache_shape == [] and parameter.requires_aggr is True
    parameter.cache_shape, parameter.requires_aggr = [1, 2], False
    assert parameter.cache_shape == [1, 2] and parameter.clone().requires_aggr is False
    parameter.add_pipeline_stage(1)


def test_set_dtype_changes_the_tensor_itself(parameter: ms.Parameter) -> None:
    assert parameter.set_dtype(ms.float16) is ms.float16 and parameter.dtype is ms.float16
    assert isinstance(parameter, ms.Parameter) and parameter.asnumpy().tolist() == [1, 2]


def test_seeds_of_random_kernels_are_those_of_mindspore() -> None:
    ms.set_seed(5)
    assert [_get_graph_seed(seed, "n") for seed in (0, 0, 3, 3)] == [(5, 0), (5, 533697028), (5, 3), (5, 533697031)]
    ms.set_seed(0)
    assert _get_graph_seed(None, "n") == (87654321, 0)
    with pytest.raises(ValueError, match="must >= 0"):
        _get_graph_seed(-1, "n")


def test_own_initializer_by_name() -> None:
    @init._register("sevens", "zeros")
    class Seven(init.Initializer):
        def _initialize(self, arr: np.ndarray) -> None:
            arr[...] = 7

    try:
        assert (
            init.initializer("seven", (2,)).asnumpy().tolist()
            == init.initializer("sevens", (2,)).asnumpy().tolist()
            == [7, 7]
        )
        assert init.initializer("zeros", (2,)).asnumpy().tolist() == [0, 0]
    finally:
        del init._INITIALIZER_ALIAS["seven"], init._INITIALIZER_ALIAS["sevens"]


def test_one_stage_with_one_device() -> None:
    assert _get_pipeline_stages() == 1 and _get_stage_device_num() == 1


def test_floor_division_has_the_gradient_zero() -> None:
    x = ms.Tensor([5.0, -5.0])
    gradients = ms.grad(lambda a, b: (a // b * a).sum(), grad_position=(0, 1))(x, ms.Tensor([3.0, 3.0]))
    assert [item.asnumpy().tolist() for item in gradients] == [[1, -2], [0, 0]]


class _Shifted(init.Initializer):
    """As user initializers of 1.x: the seeds of the base class, `random_normal` into a Tensor."""

    def __init__(self, mean: float, sigma: float) -> None:
        super().__init__(mean=mean, sigma=sigma)
        self.mean, self.sigma = mean, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        seed, seed2 = self.seed
        output = ms.Tensor(np.zeros(arr.shape, np.float32))
        init.random_normal(arr.shape, seed, seed2, output)
        arr[...] = output.asnumpy() * self.sigma + self.mean


def test_initializers_of_1_x_draw_by_seeds() -> None:
    first = init.initializer(_Shifted(1.0, 0.1), (100, 200)).asnumpy()
    assert abs(first.mean() - 1) < 0.005 and abs(first.std() - 0.1) < 0.005
    ms.set_seed(5)
    drawn = [init.initializer(_Shifted(0.0, 1.0), (4,)).asnumpy() for _ in range(2)]
    ms.set_seed(5)
    again = [init.initializer(_Shifted(0.0, 1.0), (4,)).asnumpy() for _ in range(2)]
    assert np.array_equal(drawn, again) and not np.array_equal(drawn[0], drawn[1])
    fixed = _Shifted(0.0, 1.0)
    fixed.seed = 7
    assert fixed.seed == (8, 0)


def test_copies_of_a_parameter_are_parameters(parameter: ms.Parameter) -> None:
    parameter.comm_fusion, parameter.key = 3, 5
    shallow = copy.copy(parameter)
    assert type(shallow) is ms.Parameter and shallow.name == "w" and shallow.param_info.name == "w"
    shallow.set_data(ms.Tensor([5.0, 6.0]))
    assert parameter.asnumpy().tolist() == [1, 2]
    clone = parameter.clone()
    assert (clone.comm_fusion, clone.key) == (3, 5)


def test_param_info_keeps_no_parameter_alive_and_starts_with_values(parameter: ms.Parameter) -> None:
    parameter.param_info.param_strategy = [1, 2]
    assert parameter.param_info.param_strategy == [1, 2]
    info = type(parameter.param_info)()
    info.name = "other"
    parameter.param_info = info
    assert (parameter.name, parameter.requires_grad) == ("other", True)
    made = parameter.clone()
    made.param_info.note = 1
    gone = weakref.ref(made)
    gc.disable()
    try:
        del made
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("type_", "printed", "shown"),
    [
        (ms.string, "String", "mindspore.string_"),
        (ms.int_, "Int", "mindspore.int"),
        (ms.float_, "Float", "mindspore.float"),
        (ms.number, "Number", "mindspore.number"),
        (ms.type_none, "None", "mindspore.type_none"),
        (ms.tensor_type, "Tensor", "mindspore.tensor"),
        (ms.list_, "List", "mindspore.list_"),
        (ms.hifloat8, "HiFloat8", "mindspore.hifloat8"),
        (ms.qint4x2, "Int4", "mindspore.int4"),
        (typing.Tuple([typing.List([ms.string])]), "Tuple[List[String]]", "mindspore.tuple_"),
        (typing.Dict(), "Dictionary", "mindspore.Dictionary"),
    ],
)
def test_types_that_no_tensor_has_print_as_upstream(type_: object, printed: str, shown: str) -> None:
    assert (str(type_), repr(type_)) == (printed, shown)
