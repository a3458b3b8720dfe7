"""Inner names of 1.x as scripts of the model zoo use them: a checkpoint loader of their own, checks."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, _checkparam, nn
from mindspore_compat.nn.layer.conv import _check_input_3d, _check_input_5dims
from mindspore_compat.train import serialization
from mindspore_compat.train.serialization import (  # type: ignore[attr-defined]
    Checkpoint,
    Validator,
    _check_checkpoint_param,
    _update_param,
    tensor_to_ms_type,
    tensor_to_np_type,
)


def load(name: str, net: nn.Cell, filter_prefix: Any = None, dec_key: Any = None) -> list[str]:
    name, filter_prefix = _check_checkpoint_param(name, filter_prefix)
    dec_key = Validator.check_isinstance("dec_key", dec_key, (type(None), bytes))
    message = Checkpoint()
    message.ParseFromString(Path(name).read_bytes())
    found = {}
    for element in message.value:
        if filter_prefix is not None and element.tag.startswith(filter_prefix):
            continue
        values = np.frombuffer(element.tensor.tensor_content, tensor_to_np_type[element.tensor.tensor_type]).reshape(
            element.tensor.dims
        )
        found[element.tag] = Parameter(Tensor(values, tensor_to_ms_type[element.tensor.tensor_type]), name=element.tag)
    for parameter in net.get_parameters():
        if parameter.name in found:
            _update_param(parameter, found[parameter.name])  # some of the zoo's projects name no strict_load
    return list(found)


def test_a_loader_of_ones_own(tmp_path: Path) -> None:
    source, target = (
        nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3)),
        nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3)),
    )
    name = str(tmp_path / "net.ckpt")
    ms.save_checkpoint(source, name)
    before = target[1].gamma.asnumpy().copy()
    assert load(name, target, "1.gamma") == ["0.weight", "0.bias", "1.moving_mean", "1.moving_variance", "1.beta"]
    assert np.array_equal(target[0].weight.asnumpy(), source[0].weight.asnumpy()) and np.array_equal(
        target[1].gamma.asnumpy(), before
    )


def test_types_of_the_file() -> None:
    assert (
        tensor_to_np_type["Float16"] is np.float16 is tensor_to_np_type("Float16")
        and tensor_to_ms_type["BFloat16"] == ms.bfloat16
    )
    assert (
        tensor_to_np_type("BFloat16") is np.float32
        and tensor_to_np_type["str"] == "U"
        and tensor_to_ms_type["str"] is ms.string
    )
    with pytest.raises(AttributeError):
        serialization.nothing


@pytest.mark.parametrize(
    ("arguments", "error"), [(("no.ckpt",), ValueError), (("file.txt",), ValueError), ((3,), TypeError)]
)
def test_wrong_file_names_and_prefixes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[Any, ...], error: type[Exception]
) -> None:
    monkeypatch.chdir(tmp_path)
    ms.save_checkpoint(nn.Dense(1, 1), "net.ckpt")
    with pytest.raises(error):
        _check_checkpoint_param(*arguments)
    assert _check_checkpoint_param("net.ckpt", ["a"]) == (str(tmp_path / "net.ckpt"), ["a"])


def test_the_checks_module_and_its_class_of_old() -> None:
    assert Validator is _checkparam and Validator.check_isinstance(
        "x", 3, int
    ) == 3 == _checkparam.Validator.check_isinstance("x", 3, (str, int))
    with pytest.raises(ValueError):
        Validator.check_isinstance("mode", 3, (str, bytes))


def test_what_loading_returns_is_false_where_all_was_loaded() -> None:
    """MindSpore 1.x returned the list of what was not loaded, and its scripts ask for its truth; later ones unpack the
    two lists.
    """
    net = nn.Dense(2, 1)
    whole = net.parameters_dict()
    assert not ms.load_param_into_net(nn.Dense(2, 1), dict(whole))
    part = ms.load_param_into_net(nn.Dense(2, 1), {"weight": whole["weight"], "more": whole["bias"]})
    assert part and part == (["bias"], ["more"]) and isinstance(part, tuple)
    assert not ms.load_param_into_net(nn.Dense(2, 1), {**whole, "more": whole["bias"]})


@pytest.mark.parametrize(("module", "name"), [("train.serialization", "ParamDictFuture")])
def test_names_that_upstreams_modules_hold_for_whoever_borrows_them(module: str, name: str) -> None:
    assert callable(getattr(importlib.import_module(f"mindspore_compat.{module}"), name))


def test_the_message_of_a_file(tmp_path: Path) -> None:
    """MindNLP 0.1 and 0.2 import it, and read files of torch's names with it."""
    path = str(tmp_path / "a.ckpt")
    items = [{"name": "w", "data": Tensor([[1.0, 2.0]])}, {"name": "n", "data": Tensor(3, ms.int32)}]
    ms.save_checkpoint(items, path, append_dict={"text": "ab"})
    message = serialization._parse_ckpt_proto(path, None, None, False)  # type: ignore[attr-defined]
    found = [(item.tag, item.tensor.tensor_type, list(item.tensor.dims)) for item in message.value]
    assert found == [("w", "Float32", [1, 2]), ("n", "Int32", []), ("text", "str", [0])]
    assert np.frombuffer(message.value[0].tensor.tensor_content, np.float32).tolist() == [1.0, 2.0]
    assert len(serialization._parse_ckpt_proto(path, None, None).value) == 3  # type: ignore[attr-defined]
    Path(path).write_bytes(b"\xff\xff")
    for name in (path, str(tmp_path / "none.ckpt")):
        with pytest.raises(ValueError):
            serialization._parse_ckpt_proto(name, None, None, False)  # type: ignore[attr-defined]


def test_a_map_parameter_of_a_message() -> None:
    message, found = Checkpoint(), {}
    for keys, values in (([1, 2], [[1.0], [2.0]]), ([3], [[3.0]])):
        element = message.value.add(tag="table")
        for data in (np.array(keys, np.int32), np.array(values, np.float32)):
            kind = {"i": "Int32", "f": "Float32"}[data.dtype.kind]
            element.maptensor.tensor.add(dims=data.shape, tensor_type=kind, tensor_content=data.tobytes())
    datas: list[Any] = []
    shapes: list[Any] = []
    for index, element in enumerate(message.value):
        serialization._load_map_parameter(message, element, index, datas, shapes, found)  # type: ignore[attr-defined]
    keys, values = found["table"]
    assert (keys.tolist(), values.tolist(), datas) == ([1, 2, 3], [[1.0], [2.0], [3.0]], [])


def test_a_checked_shape_needs_no_name() -> None:
    _check_input_3d((1, 2, 3))  # the zoo's SPADE, as in 1.x
    with pytest.raises(ValueError, match="3d"):
        _check_input_3d((1, 2, 3, 4))
    _check_input_5dims((1, 2, 3, 4, 5), "Conv3d")
    with pytest.raises(ValueError):
        _check_input_5dims((1, 2, 3, 4), "Conv3d")
