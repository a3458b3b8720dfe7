"""Checkpoints with weights multiplied or permuted by secret numbers, and networks that undo it. MindSpore:
``mindspore.safeguard.rewrite_obfuscation``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from string import Template
from typing import Any

import numpy as np

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList
from mindspore_compat.train._checkpoint.load import load_checkpoint
from mindspore_compat.train._checkpoint.save import save_checkpoint

__all__ = ["load_obf_params_into_net", "obfuscate_ckpt"]

_NAME = "obf_metadata"
_PATH, _TARGETS = re.compile(r"[A-Za-z0-9_/]*"), re.compile(r"[A-Za-z0-9_|]+")


def obfuscate_ckpt(
    network: Cell,
    ckpt_files: str,
    target_modules: list[str] | None = None,
    obf_config: dict[str, Any] | None = None,
    saved_path: str = "./",
    obfuscate_scale: float = 100,
) -> dict[str, np.ndarray]:
    """Write ``NAME_obf.ckpt`` for every ``NAME.ckpt`` of a folder and the folders in it, with weights that are useless
    without the result.

    Args:
        network: the network of the checkpoints.
        ckpt_files: the folder.
        target_modules: ["A/B", "c|d"]: ``weight`` and ``bias`` of the Cells A.B.c and A.B.d are multiplied by a number;
            with "obfuscate_layers:3" or "obfuscate_layers:all" as third, by one for each of the first Cells of the
            CellList in the path.
        obf_config: what to do, in place of it: lists under "obf_metadata_config" ({"name", "shape", "type": "random" or
            "rearrange", "save_metadata", "metadata_op": "invert" or None, "layers"}) and "weight_obf_config"
            ({"target": "A/B/weight", "layers", "weight_obf_ops": [{"name": "mul", "matmul" or "permuate", "input_x",
            "input_y", "transpose_a", "transpose_b"}]}).
        saved_path: the folder to write to.
        obfuscate_scale: numbers are drawn from 1 to below it.

    Returns:
        {name: the numbers, inverted where asked for}: keep them, for `load_obf_params_into_net`.

    Raises:
        TypeError, ValueError, KeyError: for wrong arguments, folders and paths that are not there.
    """
    _check_network(network)
    for name, path in (("ckpt_files", ckpt_files), ("saved_path", saved_path)):
        if not isinstance(path, str):
            raise TypeError(f"{name} must be string, but got {type(path)}.")
        if not os.path.exists(path):
            raise ValueError(f"{path} is not exist, please check the input {name}.")
        if not os.path.isdir(path):
            raise TypeError(f"{name} must be a directory path, but got {path}.")
    config = _config(network, target_modules, obf_config, "weight_obf_config")
    if isinstance(obfuscate_scale, bool) or not isinstance(obfuscate_scale, (int, float)) or obfuscate_scale <= 1:
        raise ValueError(f"obfuscate_scale must be float or int, and larger than 1, but got {obfuscate_scale}.")
    secret: dict[str, np.ndarray] = {}
    kept: dict[str, np.ndarray] = {}
    for item in config.get("obf_metadata_config", []):
        for name in _layered(item["name"], item):
            secret[name] = _drawn(item, obfuscate_scale)
            if item.get("save_metadata", False):
                kept[name] = 1 / secret[name] if item.get("metadata_op") == "invert" else secret[name]
    for folder, into in _folders(ckpt_files, saved_path):
        for file in sorted(os.listdir(folder)):
            if file.endswith(".ckpt"):
                values = load_checkpoint(os.path.join(folder, file))
                _obfuscate(values, config["weight_obf_config"], secret)
                os.makedirs(into, mode=0o700, exist_ok=True)
                target = os.path.join(into, file.split(".")[0] + "_obf.ckpt")
                save_checkpoint([{"name": name, "data": value} for name, value in values.items()], target)
    return kept


def load_obf_params_into_net(
    network: Cell,
    target_modules: list[str] | None = None,
    obf_ratios: Any = None,
    obf_config: dict[str, Any] | None = None,
    data_parallel_num: int = 1,
    **kwargs: Any,
) -> Cell:
    """Return the network with the inverse of `obfuscate_ckpt`: outputs of the Cells are multiplied by ``obf_ratios``.

    Args:
        network: with the obfuscated values.
        target_modules: as there.
        obf_ratios: what `obfuscate_ckpt` returned, or its one Tensor; None: the network as it is, which MindSpore 2.10
            returns always.
        obf_config: in place of ``target_modules``: a list under "network_obf_config" ({"module": "/A/B", "target": "c",
            "layers", "insert_ops": [{"name": "mul", "input_x", "input_y"}]}).
        data_parallel_num: accepted without effect.

    Raises:
        TypeError, ValueError, KeyError: as `obfuscate_ckpt`; for other operations than "mul".
    """
    _check_network(network)
    config = _config(network, target_modules, obf_config, "network_obf_config")
    if isinstance(data_parallel_num, bool) or not isinstance(data_parallel_num, int) or data_parallel_num <= 0:
        raise ValueError(f"data_parallel_num must be positive number, but got {data_parallel_num}.")
    if obf_ratios is None:
        return network
    ratios = obf_ratios if isinstance(obf_ratios, dict) else {_NAME: obf_ratios}
    for item in config["network_obf_config"]:
        for layer in item.get("layers") or [None]:
            cell = _cell_at(network, _filled(f"{item['module']}/{item['target']}", layer))
            for operation in item.get("insert_ops", ()):
                if operation.get("name") != "mul":
                    raise ValueError(f"The inserted operation must be 'mul', but got {operation.get('name')!r}.")
                name = _filled(operation["input_y"], layer)
                if name not in ratios:
                    raise KeyError(f"obf_ratios must have {name!r}, but has {sorted(ratios)}.")
                _multiply_output(cell, Tensor(np.asarray(_numbers(ratios[name]))))
    return network


def _numbers(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, Tensor) else value


def _check_network(network: Any) -> None:
    if not isinstance(network, Cell):
        raise TypeError(f"network must be nn.Cell, but got {type(network)}.")


def _multiply_output(cell: Cell, ratio: Tensor) -> None:
    inner = cell.construct

    def construct(*args: Any, **kwargs: Any) -> Any:
        result = inner(*args, **kwargs)
        return result * ratio.astype(result.dtype)

    cell.construct = construct  # type: ignore[method-assign]


def _cell_at(network: Cell, path: str) -> Any:
    found: Any = network
    for part in path.strip("/").split("/") if path.strip("/") else ():
        found = getattr(found, part, None)
        if not isinstance(found, Cell):
            raise ValueError(f"the path {path} does not exist.")
    return found


def _config(network: Cell, target_modules: Any, given: Any, needed: str) -> dict[str, Any]:
    if given is None:
        return _of_targets(network, target_modules)
    if not isinstance(given, dict):
        raise TypeError(f"obf_config type should be dict, but got {type(given)}.")
    kinds = ("obf_metadata_config", "weight_obf_config") if needed == "weight_obf_config" else (needed,)
    for kind in given:
        if kind not in _FIELDS:
            raise TypeError(f"config_type must be str, and in {list(_FIELDS)}, but got {kind}.")
    if not given:
        raise ValueError("'obf_config' is empty or not valid, please check the input.")
    for kind in kinds:
        _check_items(kind, given.get(kind, None if kind == needed else []))
    for item in given.get("obf_metadata_config", []):
        if item.get("type", "random") not in ("random", "rearrange"):
            raise TypeError(
                f"obf_config[][]['type'] should be str and must in ['random', 'rearrange'], but got {item['type']!r}."
            )
        if item.get("metadata_op") not in (None, "invert"):
            raise KeyError(f"The 'metadata_op' must be 'invert' or None, but got {item['metadata_op']!r}.")
    return given


#: field -> (type, of its elements, whether it is required)
_Fields = dict[str, tuple[type, type | None, bool]]
_LAYERS: _Fields = {"layers": (list, int, False)}
#: of the items that an ``obf_config`` may hold
_FIELDS: dict[str, _Fields] = {
    "obf_metadata_config": {
        "name": (str, None, True),
        "shape": (list, int, True),
        "save_metadata": (bool, None, False),
        **_LAYERS,
    },
    "weight_obf_config": {"target": (str, None, True), "weight_obf_ops": (list, dict, False), **_LAYERS},
    "network_obf_config": {
        "target": (str, None, True),
        "module": (str, None, True),
        "insert_new_input": (list, dict, False),
        "insert_ops": (list, dict, False),
        **_LAYERS,
    },
}
_OPERATION: _Fields = {
    **dict.fromkeys(("name", "input_x", "input_y"), (str, None, True)),
    **dict.fromkeys(("transpose_a", "transpose_b"), (bool, None, False)),
}


def _check_items(kind: str, items: Any) -> None:
    """Raise TypeError for items that do not match `_FIELDS` and `_OPERATION`."""
    _check_type("obf_config[]", items, list, "type of")
    for item in items:
        _check_type("obf_config[][]", item, dict)
        _check_fields(item, _FIELDS[kind], "obf_config[][]['{}']")
        for operation in (*item.get("weight_obf_ops", ()), *item.get("insert_ops", ())):
            _check_fields(operation, _OPERATION, "{}")


def _check_fields(item: dict[str, Any], fields: _Fields, place: str) -> None:
    for name, (kind, inner, is_needed) in fields.items():
        value = item.get(name)
        if value is not None or is_needed:
            _check_type(place.format(name), value, kind)
        if inner is not None:
            for element in value or ():
                _check_type(place.format(name) + "[]", element, inner)


def _check_type(place: str, value: Any, kind: type, what: str = "type") -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{place} {what} should be {kind.__name__}, but got {type(value)}.")


def _of_targets(network: Cell, targets: Any) -> dict[str, Any]:
    """Return the configuration for ``target_modules``."""
    if not isinstance(targets, list):
        raise TypeError(f"target_modules type should be list, but got {type(targets)}.")
    if len(targets) < 2:
        raise ValueError(
            f"target_modules should contain at least two string values, in the form of ['A/B/C', 'D1|D2'], but got "
            f"{targets}."
        )
    if not all(isinstance(item, str) for item in targets):
        raise TypeError(f"The values of target_modules should be string, but got {targets}.")
    path, names = targets[:2]
    if not _PATH.fullmatch(path) or not _TARGETS.fullmatch(names):
        raise ValueError(
            f"please check the input 'target_modules'{targets},it should be in the form of ['A/B/C', 'D1|D2']."
        )
    layers: list[int] = []
    if len(targets) > 2:
        path, layers = _layers(network, path, targets[2])
    name = _NAME + ("_${layer}" if layers else "")
    place = _cell_at(network, _filled(path, layers[0] if layers else None))
    found = [item for item in names.split("|") if isinstance(getattr(place, item, None), Cell)]
    if not found:
        raise ValueError(f"all targets {names.split('|')} do not exist in the path {path}.")
    common = {"layers": layers}
    multiply = [{"name": "mul", "input_x": "weight", "input_y": name}]
    start = f"{path}/" if path else ""
    return {
        "obf_metadata_config": [
            {"name": name, "shape": [1], "type": "random", "save_metadata": True, "metadata_op": "invert", **common}
        ],
        "weight_obf_config": [
            {"target": f"{start}{item}/{kind}", "weight_obf_ops": multiply, **common}
            for item in found
            for kind in ("weight", "bias")
        ],
        "network_obf_config": [
            {"module": f"/{path}", "target": item, "insert_ops": multiply, **common} for item in found
        ],
    }


def _layers(network: Cell, path: str, wanted: str) -> tuple[str, list[int]]:
    """Return (the path with ``${layer}`` behind the CellList in it, the layers)."""
    if not re.fullmatch(r"obfuscate_layers:(all|[1-9][0-9]*)", wanted):
        raise ValueError(
            f"The third value of target_modules should be in the format of 'obfuscate_layers:all' or "
            f"'obfuscate_layers:int', but got {wanted!r}."
        )
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        cells = _cell_at(network, "/".join(parts[:count]))
        if isinstance(cells, CellList):
            number = len(cells) if wanted.endswith("all") else int(wanted.partition(":")[2])
            if number > len(cells):
                raise ValueError(f"There are only {len(cells)} layers in {path}, but got {wanted!r}.")
            return "/".join([*parts[:count], "${layer}", *parts[count:]]), list(range(number))
    raise ValueError(f"There is no CellList in the path {path}, for {wanted!r}.")


def _filled(text: str, layer: int | None) -> str:
    return text if layer is None else Template(text).safe_substitute(layer=str(layer))


def _layered(text: str, item: dict[str, Any]) -> list[str]:
    return [_filled(text, layer) for layer in item.get("layers") or [None]]


def _drawn(item: dict[str, Any], scale: float) -> np.ndarray:
    shape = item["shape"]
    if item.get("type", "random") == "random":
        return np.random.randint(1, max(int(scale), 2), size=shape).astype(np.float32)
    if len(shape) == 1:
        return np.random.permutation(shape[0])
    return np.identity(shape[0], np.float32)[:, np.random.permutation(shape[1])]


def _folders(source: str, target: str) -> Iterator[tuple[str, str]]:
    yield source, target
    for name in sorted(os.listdir(source)):
        if os.path.isdir(os.path.join(source, name)):
            yield os.path.join(source, name), os.path.join(target, name)


def _obfuscate(values: dict[str, Any], config: list[dict[str, Any]], secret: dict[str, np.ndarray]) -> None:
    for item in config:
        for layer in item.get("layers") or [None]:
            name = _filled(item["target"], layer).strip("/").replace("/", ".")
            if name in values:
                changed = values[name].asnumpy()
                for operation in item.get("weight_obf_ops", ()):
                    changed = _applied(operation, changed, layer, secret)
                values[name].set_data(Tensor(changed.astype(values[name].asnumpy().dtype)))


def _applied(operation: dict[str, Any], weight: np.ndarray, layer: int | None, secret: dict[str, np.ndarray]) -> Any:
    def given(key: str) -> Any:
        name = _filled(operation[key], layer)
        if name.startswith(_NAME) and name not in secret:
            raise KeyError(f"The operation {operation} needs {name!r}, but there is only {sorted(secret)}.")
        return secret.get(name, weight)

    kind = operation.get("name")
    if kind == "mul":
        return weight * given("input_y")
    if kind == "permuate":
        return weight[given("input_x")]
    if kind == "matmul":
        a, b = given("input_x"), given("input_y")
        return (a.T if operation.get("transpose_a") else a) @ (b.T if operation.get("transpose_b") else b)
    raise ValueError(f"The operation must be one of ['mul', 'permuate', 'matmul'], but got {kind!r}.")
