"""Wording and types of the errors that all layers share."""

from __future__ import annotations

import logging
import sys
import types
from typing import Any

import pytest

from mindspore_compat._api import errors, validate
from mindspore_compat._api.placeholders import STUB_MARK, module_getattr, placeholder


def test_placeholder_can_be_imported_and_says_why_when_called() -> None:
    stub = placeholder("mindspore_compat.nn.Fancy", "it needs Ascend; use nn.Dense.")
    with pytest.raises(errors.UnsupportedError, match=r"'mindspore\.nn\.Fancy' is not supported.*use nn\.Dense.*docs/"):
        stub(1, axis=2)
    assert getattr(stub, STUB_MARK)
    assert issubclass(errors.UnsupportedError, NotImplementedError)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = types.ModuleType("mindspore_compat.fake")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.__getattr__ = module_getattr(
        module.__name__,
        lazy={"warn_once": "_api.errors", "other": "_api.errors:absent_message", "validate": "_api.validate"},
        unsupported={"Stub": "there is no such device."},
    )
    return module


def test_lazy_names_are_loaded_on_first_use_and_kept(module: Any) -> None:
    assert "warn_once" not in vars(module)
    assert module.warn_once is errors.warn_once
    assert vars(module)["warn_once"] is errors.warn_once
    assert module.other is errors.absent_message
    assert module.validate is validate


def test_unsupported_name_is_one_placeholder(module: Any) -> None:
    assert module.Stub is module.Stub
    with pytest.raises(errors.UnsupportedError, match=r"mindspore\.fake\.Stub.*no such device"):
        module.Stub()


def test_absent_name_raises_by_the_way_it_was_asked_for(module: Any) -> None:
    with pytest.raises(AttributeError, match=r"'mindspore\.fake\.nosuch' is not available"):
        module.nosuch
    with pytest.raises(ImportError, match=r"cannot import name 'nosuch'.*'mindspore\.fake\.nosuch'.*docs/coverage"):
        exec("from mindspore_compat.fake import nosuch")


def test_warn_once_warns_once_a_key(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="mindspore_compat"):
        for _ in range(3):
            errors.warn_once("test_errors.key", "this has no effect here")
    assert [record.getMessage() for record in caplog.records] == ["this has no effect here"]


REFUSED: list[tuple[Any, tuple[Any, ...], type[Exception], str]] = [
    (validate.check_int, (1.0,), TypeError, "type of 'kernel_size' must be 'int', but got 'float'"),
    (validate.check_int, (True,), TypeError, "type of 'kernel_size' must be 'int', but got 'bool'"),
    (
        validate.check_positive_int,
        (-1,),
        ValueError,
        "'kernel_size' must be int and must > 0, but got '-1' with type 'int'",
    ),
    (validate.check_positive_int, ("3",), TypeError, "'kernel_size' must be int, but got 'str'"),
    (
        validate.check_positive_int,
        (True,),
        TypeError,
        "'kernel_size' must be int and must > 0, but got 'True' with type 'bool'",
    ),
    (
        validate.check_non_negative_int,
        (-1,),
        ValueError,
        "'kernel_size' must be int and must >= 0, but got '-1' with type 'int'",
    ),
    (validate.check_bool, (1,), TypeError, "'kernel_size' must be a bool, but got int"),
    (validate.check_str, (1,), TypeError, "type of 'kernel_size' should be 'str', but got type 'int'"),
    (validate.check_float, (1,), TypeError, "type of 'kernel_size' must be 'float', but got 'int'"),
    (validate.check_float, (float("nan"),), ValueError, "'kernel_size' must be a legal float, but got 'nan'"),
    (
        validate.check_positive_float,
        (0.0,),
        ValueError,
        "'kernel_size' must be float and must > 0, but got '0.0' with type 'float'",
    ),
    (
        validate.check_non_negative_float,
        (-0.5,),
        ValueError,
        "'kernel_size' must be float and must >= 0, but got '-0.5' with type 'float'",
    ),
]


@pytest.mark.parametrize(("check", "arguments", "kind", "message"), REFUSED)
def test_bad_argument_is_named_with_rule_and_value(check: Any, arguments: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=f"For 'Conv2d', the {message}"):
        check(*arguments, "kernel_size", "Conv2d")


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (validate.check_int, -3),
        (validate.check_positive_int, 3),
        (validate.check_non_negative_int, 0),
        (validate.check_bool, False),
        (validate.check_float, -1.5),
        (validate.check_positive_float, 0.5),
        (validate.check_non_negative_float, 0.0),
        (validate.check_str, "same"),
    ],
)
def test_good_argument_comes_back(check: Any, value: Any) -> None:
    assert check(value, "x", "Owner") is value


def test_places_where_upstream_names_less() -> None:
    with pytest.raises(TypeError, match=r"^The input value must be a bool, but got int\. It is the 'x' of Owner\.$"):
        validate.check_bool(1, "x", "Owner", named=False)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError,
        match=r"^The type of 'x' should be one of '\['float', 'int'\]', but got type 'str'\. It is an argument of "
        r"Owner\.$",
    ):
        validate.check_type("a", "x", (float, int), "Owner", named=False)
    with pytest.raises(ValueError, match=r"^The 'x' must be int and must > 0, but got '0' with type 'int'\.$"):
        validate.check_positive_int(0, "x", "")
    with pytest.raises(
        ValueError,
        match=r"^The parameter 'x' must be isinstance of <class 'bool'>, but got 1\. It is an argument of Owner\.$",
    ):
        validate.check_isinstance(1, "x", bool, "Owner")


def test_choices_and_ranges() -> None:
    assert validate.check_str_in("same", "pad_mode", ["same", "valid"], "Conv2d") == "same"
    with pytest.raises(
        ValueError, match=r"'pad_mode' must be str and must be in '\['same', 'valid'\]', but got 'full'"
    ):
        validate.check_str_in("full", "pad_mode", ["same", "valid"], "Conv2d")
    assert validate.check_float_range(1, "p", "Dropout", 0.0, 1.0) == 1
    with pytest.raises(ValueError, match=r"'p' must be in range of \[0.0, 1.0\), but got 1.0"):
        validate.check_float_range(1.0, "p", "Dropout", 0.0, 1.0, (True, False))
    with pytest.raises(ValueError, match="'axis' must be in range of \\[-2, 1\\], but got 2"):
        validate.check_int_range(2, "axis", "Softmax", -2, 1)
    with pytest.raises(TypeError, match=r"type of 'x' should be one of '\['list', 'tuple'\]', but got type 'int'"):
        validate.check_type(3, "x", (list, tuple), "Owner")
