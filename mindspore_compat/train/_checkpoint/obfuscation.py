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
from mindspore_compat.train.serialization import load_checkpoint, save_checkpoint

_NAME = "obf_metadata"


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
        TypeError, ValueError, KeyError: for wrong arguments, and paths that are not there. FileNotFoundError: without
            the folder.
    """
    config = _config(network, target_modules, obf_config)
    if obfuscate_scale <= 1:
        raise ValueError(f"The obfuscate_scale must be above 1, but is {obfuscate_scale}.")
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
    config = _config(network, target_modules, obf_config)
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
                _multiply_output(cell, Tensor(np.asarray(_numbers(ratios[name]))))
    return network


def _numbers(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, Tensor) else value


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


def _config(network: Cell, target_modules: Any, given: Any) -> dict[str, Any]:
    if given is None:
        return _of_targets(network, target_modules)
    for item in given.get("obf_metadata_config", []):
        if item.get("type", "random") not in ("random", "rearrange"):
            raise TypeError(f"The 'type' must be 'random' or 'rearrange', but is {item['type']!r}.")
        if item.get("metadata_op") not in (None, "invert"):
            raise KeyError(f"The 'metadata_op' must be 'invert' or None, but is {item['metadata_op']!r}.")
    return given


def _of_targets(network: Cell, targets: Any) -> dict[str, Any]:
    """Return the configuration for ``target_modules``."""
    path, names = targets[:2]
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
        raise ValueError(f"The third of the target_modules must be obfuscate_layers:all or :NUMBER, but is {wanted!r}.")
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
