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
    with pytest.raises(AttributeError):
        module.nosuch
    with pytest.raises(ImportError):
        exec("from mindspore_compat.fake import nosuch")


def test_warn_once_warns_once_a_key(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="mindspore_compat"):
        for _ in range(3):
            errors.warn_once("test_errors.key", "this has no effect here")
    assert [record.getMessage() for record in caplog.records] == ["this has no effect here"]


REFUSED: list[tuple[Any, tuple[Any, ...], type[Exception]]] = [
    (validate.check_int, (1.0,), TypeError),
    (validate.check_positive_int, (0,), ValueError),
    (validate.check_positive_int, ("3",), TypeError),
    (validate.check_non_negative_int, (-1,), ValueError),
    (validate.check_bool, (1,), TypeError),
    (validate.check_float, (1,), TypeError),
    (validate.check_float, (float("nan"),), ValueError),
    (validate.check_positive_float, (0.0,), ValueError),
    (validate.check_non_negative_float, (-0.5,), ValueError),
]


@pytest.mark.parametrize(("check", "arguments", "kind"), REFUSED)
def test_bad_argument_is_named_with_rule_and_value(check: Any, arguments: Any, kind: Any) -> None:
    with pytest.raises(kind):
        check(*arguments, "kernel_size", "Conv2d")


def test_good_arguments_are_returned() -> None:
    assert validate.check_positive_int(3, "n", "Conv2d") == 3
    assert validate.check_bool(True, "b", "Conv2d") is True
    assert validate.check_str_in("same", "pad_mode", ["same", "valid"], "Conv2d") == "same"
    assert validate.check_float_range(1, "p", "Dropout", 0.0, 1.0) == 1
    with pytest.raises(ValueError):
        validate.check_str_in("full", "pad_mode", ["same", "valid"], "Conv2d")
    with pytest.raises(ValueError):
        validate.check_float_range(1.0, "p", "Dropout", 0.0, 1.0, (True, False))
    with pytest.raises(TypeError):
        validate.check_type(3, "x", (list, tuple), "Owner")
