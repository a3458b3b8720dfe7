"""`mindspore._checkparam`, dtype families and other private helpers that libraries import."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from mindspore_compat._c_expression import MSContext, typing

import mindspore_compat as ms
from mindspore_compat import _checkparam as V
from mindspore_compat import nn
from mindspore_compat.common import dtype as mstype
from mindspore_compat.log import _LogActionOnce
from mindspore_compat.nn.wrap.cell_wrapper import _MicroBatch
from mindspore_compat.train._utils import get_parameter_redundancy, remove_param_redundancy


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: V.check("a", 2, "b", 3, V.GE), ValueError),
        (lambda: V.check_int(2, 3, V.GT), ValueError),
        (lambda: V.check_is_int(True), TypeError),
        (lambda: V.check_type_name("dtype", ms.int32, (ms.float16, ms.float32), "Op"), TypeError),
        (lambda: V.check_element_type_of_iterable("a", [1, "b"], [int]), TypeError),
    ],
)
def test_what_a_check_refuses(call, error) -> None:
    with pytest.raises(error):
        call()


def test_what_checks_pass() -> None:
    assert V.check("a", 2, "b", (1, 2), V.IN) == 2
    assert V.check_negative_int(-1) == -1 and V.check_is_float(0.5) == 0.5
    assert V.check_type_name("dtype", mstype.TensorType(ms.float16), [ms.float16], "Op") == ms.float16
    assert V.check_subclass("dtype", ms.float32, mstype.number_type, "Op") is None
    assert V.twice(3) == (3, 3) and V.triple((1, 2, 3)) == (1, 2, 3)
    assert V.Validator.check_type_name is V.check_type_name
    assert (
        V.Validator.check("a", 2, "b", 2, rel=V.Validator.EQ) == 2
    )  # for code that takes 1.x's class for 2.x's module


def test_types_of_arguments_are_checked_by_name() -> None:
    @V.args_type_check(size=int, names=(list, tuple))
    def made(size, names=None):
        return size, names

    assert made(1) == (1, None) and made(1, names=["a"]) == (1, ["a"])
    with pytest.raises(TypeError):
        made("1")


def test_families_of_dtypes() -> None:
    assert isinstance(ms.float16, mstype.Float) and not isinstance(ms.bfloat16, mstype.Float)
    assert isinstance(ms.bfloat16, typing.BFloat) and isinstance(ms.bool_, typing.Number)
    assert mstype.Float(32) is ms.float32 and mstype.Int(8) is ms.int8
    assert mstype.TensorType(ms.float32) == mstype.TensorType(ms.float32) != mstype.tensor_type
    assert mstype._issubclass_(ms.int8, mstype.int_) and not mstype._issubclass_(ms.uint8, mstype.int_)
    assert mstype.type_size_in_bytes(ms.float64) == 8
    with pytest.raises(ValueError, match="no Float of 7 bits"):
        mstype.Float(7)


def test_a_warning_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("test_borrowed_checks")

    @_LogActionOnce(logger=logger, key="test_borrowed_checks")
    def speaks():
        logger.warning("once")

    speaks(), speaks()
    logger.warning("again")
    assert [record.message for record in caplog.records] == ["once", "again"]


def test_parts_of_a_batch() -> None:
    part = _MicroBatch(2)(1, ms.Tensor(np.arange(4)), ms.Tensor(np.ones((4, 2))))
    assert part[0].asnumpy().tolist() == [2, 3] and part[1].shape == (2, 2)
    with pytest.raises(ValueError, match="must be divided by micro size"):
        _MicroBatch(3)(0, ms.Tensor(np.arange(4)))


def test_who_saves_which_parameter() -> None:
    assert get_parameter_redundancy(nn.Dense(2, 3)) == {"bias": ((0,),), "weight": ((0,),)}
    groups = {"a": ((0, 1), (2, 3)), "b": ((0, 1), (2, 3)), "c": ((0, 1, 2, 3),)}
    assert remove_param_redundancy(groups) == {0: {"a", "c"}, 1: {"b"}, 2: {"a"}, 3: {"b"}}
    assert remove_param_redundancy({"a": ((0, 1),)}, 2) == {0: {"a"}, 1: {"a"}}
    with pytest.raises(ValueError, match=r"strategy\.ckpt"):
        get_parameter_redundancy("strategy.ckpt")


def test_no_ascend_chip() -> None:
    assert MSContext.get_instance() is MSContext.get_instance()
    assert MSContext.get_instance().get_ascend_soc_version() == ""


def test_sparse_forms_and_bytes_of_a_tensor() -> None:
    values = np.array([[0, 1, 2], [0, 0, 0], [3, 0, 4]], np.float32)
    made = ms.Tensor(values)
    rows = made.to_csr()
    assert (rows.indptr.asnumpy().tolist(), rows.indices.asnumpy().tolist()) == ([0, 2, 2, 4], [1, 2, 0, 2])
    np.testing.assert_array_equal(rows.to_dense().asnumpy(), values)
    np.testing.assert_array_equal(made.to_coo().to_dense().asnumpy(), values)
    with pytest.raises(ValueError, match="2-D"):
        ms.Tensor([1.0]).to_csr()
    again = ms.Tensor.convert_bytes_to_tensor(values.tobytes(), (3, 3), ms.float32)
    np.testing.assert_array_equal(again.asnumpy(), values)
    assert ms.Tensor.from_dlpack(made.to_dlpack()).asnumpy()[2, 2] == 4


def test_param_info_carries_the_name() -> None:
    old, new = (
        ms.Parameter(ms.Tensor([1.0]), name="old", requires_grad=False),
        ms.Parameter(ms.Tensor([2.0]), name="new"),
    )
    new.param_info = old.param_info.clone()
    assert (new.name, new.requires_grad, new.asnumpy().tolist()) == ("old", False, [2.0])
    new.param_info.name = "again"
    assert (new.name, old.name) == ("again", "old")


def test_param_info_of_a_tensor_and_what_is_untold() -> None:
    parameter, x = ms.Parameter(ms.Tensor([1.0]), name="p"), ms.Tensor([1.0])
    assert x.param_info is None
    x.set_param_info(parameter.param_info)
    assert x.param_info.name == "p"
    ms.Tensor.set_param_info(x, None)
    assert x.param_info is None
    for info in (parameter.param_info, type(parameter.param_info)()):
        assert (info.is_param_init, info.key, info.storage_format, info.tensor_map) == (False, -1, "", [])
        info.is_param_init = True
        assert info.is_param_init is True
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            info.nothing


@pytest.mark.parametrize("check", ["check_positive_float", "check_non_negative_float"])
def test_an_int_is_no_float(check: str) -> None:
    with pytest.raises(TypeError, match="must be float, but got 1"):
        getattr(V, check)(1, "a", "P")


def test_a_range_of_floats_takes_no_int_but_numbers_of_numpy() -> None:
    """As real MindSpore 2.10."""
    with pytest.raises(TypeError, match="must be float"):
        V.check_float_range(1, 0, 1, V.INC_BOTH, "a", "P")
    for value in (np.float32(0.5), np.int32(1)):
        assert V.check_float_range(value, 0, 1, V.INC_BOTH, "a", "P") == value
        assert V.check_int_range(value, 0, 3, V.INC_BOTH, "a", "P") == value


def test_types_of_sequences_hold_types() -> None:
    made = typing.Tuple((typing.Int(64), typing.Float(32)))
    assert made == typing.Tuple([typing.Int(64), typing.Float(32)]) != typing.Tuple((typing.Int(64),))
    assert made != typing.List((typing.Int(64), typing.Float(32))) and len({made, typing.Tuple(), typing.Tuple()}) == 2
    assert typing.is_subclass(typing.Tuple(), typing.Tuple()) and str(typing.List()) == "List"
    with pytest.raises(TypeError, match="takes a tuple or list of types"):
        typing.Tuple((1, 2))
