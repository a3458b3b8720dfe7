"""Strategies of operators and layers, as placements of their inputs, with axes that are cut together."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat import log
from mindspore_compat.common._strategy import Layout
from mindspore_compat.context import ParallelMode, get_auto_parallel_context
from mindspore_compat.parallel._sharding._mesh import Devices, Placements


def input_placements(devices: Devices, ndims: Sequence[int]) -> list[Placements]:
    """Return the placements of a network's inputs, by ``full_batch`` and ``dataset_strategy``."""
    strategy = get_auto_parallel_context("dataset_strategy")
    if isinstance(strategy, tuple):
        if len(strategy) < len(ndims):
            raise RuntimeError(
                f"The 'dataset_strategy' {strategy} must have an element for each of the network's {len(ndims)} inputs."
            )
        return [_of_one(devices, item, "dataset_strategy") for item in strategy[: len(ndims)]]
    if strategy == "full_batch" or get_auto_parallel_context("full_batch"):
        return [devices.replicated for _ in ndims]
    if strategy != "data_parallel":
        raise RuntimeError(
            "The 'dataset_strategy' must be 'data_parallel', 'full_batch' or a tuple with the cuts of each input, but "
            f"got {strategy!r}."
        )
    return [devices.batch() if ndim else devices.replicated for ndim in ndims]


def is_searching() -> bool:
    """Return whether MindSpore searches for strategies in this mode; here the batch is cut, which is logged once."""
    search = get_auto_parallel_context("search_mode")
    if get_auto_parallel_context("parallel_mode") != ParallelMode.AUTO_PARALLEL or search == "sharding_propagation":
        return False
    if "search" not in _said:
        _said.add("search")
        log.warning(
            f"parallel_mode='auto_parallel' with search_mode={search!r} searches for no strategies here: the batch is "
            "cut over all processes, and operators that have a 'shard' as that says."
        )
    return True


def _of_one(devices: Devices, item: Any, where: str) -> Placements:
    return devices.of_layout(item, where) if isinstance(item, Layout) else devices.of_cuts(item, where)


def operator_placements(
    devices: Devices, name: str, attributes: dict[str, Any], strategy: Sequence[Any], shapes: Sequence[Sequence[int]]
) -> list[Placements]:
    """Return the placements of an operator's tensors by its strategy."""
    where = f"For '{name}'"
    if len(strategy) > len(shapes):
        raise RuntimeError(
            f"{where}: the strategy {tuple(strategy)} is for {len(strategy)} tensors, but there are {len(shapes)}."
        )
    shapes = shapes[: len(strategy)]
    if name == "OneHot" and isinstance(strategy[0], tuple) and len(strategy[0]) == len(shapes[0]) + 1:
        strategy = (strategy[0][:-1], *strategy[1:])  # it is that of the output
    if strategy and isinstance(strategy[0], Layout):
        found = [devices.of_layout(item, where) for item in strategy]
        for places, shape in zip(found, shapes):
            _check_cuts(where, devices.cuts(places, len(shape)), shape)
        return found
    for cuts, shape in zip(strategy, shapes):
        if len(cuts) != len(shape):
            raise RuntimeError(
                f"{where}: the strategy {tuple(strategy)} must have a number for each axis of the shape {tuple(shape)}."
            )
        _check_cuts(where, cuts, shape)
    letters = _letters(name, attributes, shapes)
    if letters is None:
        return [devices.of_cuts(cuts, where) for cuts in strategy]
    return devices.of_letters(letters, strategy, where, shapes)


def _check_cuts(where: str, cuts: Sequence[int], shape: Sequence[int]) -> None:
    for cut, size in zip(cuts, shape):
        if cut < 1 or size % cut:
            raise RuntimeError(
                f"{where}: the shape {tuple(shape)} cannot be cut into {tuple(cuts)} pieces: it must be divisible."
            )


def _letters(name: str, attributes: dict[str, Any], shapes: Sequence[Sequence[int]]) -> list[list[str]] | None:
    """Return a name for each axis of each tensor, shared by axes cut together. None: each tensor is cut by itself."""
    if name in ("MatMul", "BatchMatMul", "MatMulExt", "BatchMatMulExt") and len(shapes) == 2:
        first, second = _batch(len(shapes[0]) - 2), _batch(len(shapes[1]) - 2)
        a, b = ["m", "k"], ["k", "n"]
        if attributes.get("transpose_a") or attributes.get("transpose_x1"):
            a.reverse()
        if attributes.get("transpose_b") or attributes.get("transpose_x2"):
            b.reverse()
        return [first + a, second + b]
    if name == "BiasAdd":
        x = list(string.ascii_lowercase[: len(shapes[0])])
        return [x, [x[-1] if attributes.get("data_format") == "NHWC" else x[1]]]
    if name in ("Gather", "GatherV2", "SparseGatherV2", "EmbeddingLookup"):
        return [
            [f"table {axis}" for axis in range(len(shapes[0]))],
            *([f"ids {axis}" for axis in range(len(shape))] for shape in shapes[1:]),
        ]
    if name in ("LayerNorm", "RmsNorm"):
        return [_batch(len(shape)) for shape in shapes]
    if name in ("Conv2D", "Conv2DTranspose"):
        return [["n", "i", "h", "w"], ["o", "i", "kh", "kw"]][: len(shapes)]
    if name.startswith("UnsortedSegment"):
        return [list(string.ascii_lowercase[: len(shape)]) for shape in shapes]
    if name in ("BatchNorm", "PReLU"):
        return [list("nchw")[: len(shapes[0])], *(["c"] for _ in shapes[1:])]
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        if len({shape[-axis] for shape in shapes if len(shape) >= axis} - {1}) > 1:
            return None
    return [_batch(len(shape)) for shape in shapes]  # broadcast from the right


def _batch(count: int) -> list[str]:
    return [f"right {axis}" for axis in range(count, 0, -1)]


# --- layers with sharded operators ------------------------------------------------------------------------------------

#: layer -> (attribute, its tensors: "x" is the input, others the layer's Parameters)
_LAYERS: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "Dense": [("matmul", ("x", "weight")), ("bias_add", ("", "bias"))],
    "Embedding": [("gather", ("embedding_table", "x"))],
    "LayerNorm": [("layer_norm", ("x", "gamma", "beta"))],
    "Softmax": [("softmax", ("x",))],
    "LogSoftmax": [("log_softmax", ("x",))],
    "Dropout": [("dropout", ("x",))],
    "ReLU": [("relu", ("x",))],
    "GELU": [("gelu", ("x",))],
    "Tanh": [("tanh", ("x",))],
    "Sigmoid": [("sigmoid", ("x",))],
    "Conv2d": [("conv2d", ("x", "weight"))],
}
_said: set[str] = set()


def layer_strategies(region: Any, cell: Any, args: tuple) -> tuple:
    """Return the inputs of a layer that computes without its operators, placed by the strategies of those; its
    Parameters will be cut so.
    """
    known: set[str] = set()
    bases: tuple[Any, ...] = type(cell).__mro__
    for base in bases:
        for attribute, roles in (
            _LAYERS.get(base.__name__, ()) if base.__module__.startswith("mindspore_compat.nn") else ()
        ):
            operator = cell.__dict__.get(attribute)
            if getattr(operator, "in_strategy", None) is not None and type(cell).construct is base.construct:
                known.add(attribute)
                if all(role in ("x", "") or cell._parameters.get(role) is not None for role in roles):
                    args = _apply(region, cell, operator, roles, args)
    if str(type(cell).construct.__module__).startswith("mindspore_compat.nn."):
        for name, value in cell.__dict__.items():
            if name not in known and getattr(value, "in_strategy", None) is not None:
                text = f"{type(cell).__name__}.{name}"
                if text not in _said:
                    _said.add(text)
                    log.warning(f"The strategy of '{text}' is not used: the layer computes without that operator.")
    return args


def _apply(region: Any, cell: Any, operator: Any, roles: tuple[str, ...], args: tuple) -> tuple:
    places = operator_strategies(region.devices, operator, cell, roles, args)
    for role, place in zip(roles, places):
        if role == "x" and place is not None and args:
            args = (region.place(args[0], place), *args[1:])
        elif role and role != "x" and place is not None:
            region.wish(cell._parameters[role], place)
    return args


def operator_strategies(
    devices: Devices, operator: Any, cell: Any, roles: tuple[str, ...], args: tuple
) -> list[Placements | None]:
    """Return placements by role; None for an input that MindSpore would reshape first."""
    shapes: list[list[int]] = []
    for role, item in zip(roles, operator.in_strategy):
        if role == "x":
            shapes.append(list(args[0].shape))
        elif role:
            shapes.append(list(region_shape(cell._parameters[role])))
        else:
            shapes.append([0] * (len(item) if isinstance(item, tuple) else len(item.to_dict()["tensor_map"])))
    strategy = list(operator.in_strategy)
    reshaped = [
        number
        for number, (shape, item) in enumerate(zip(shapes, strategy))
        if roles[number] in ("x", "") and isinstance(item, tuple) and len(shape) != len(item)
    ]
    for number in reshaped:  # the leading axes become one
        shapes[number] = [0] * len(strategy[number])
    placed: list[Placements | None] = list(
        operator_placements(devices, operator.name, operator.attrs, strategy, shapes)
    )
    for number in reshaped:
        placed[number] = None
    return placed


def region_shape(parameter: Any) -> tuple[int, ...]:
    """Return the whole shape of a Parameter."""
    cut = parameter.__dict__.get("_cut")
    return cut.shape if cut is not None else tuple(torch._C.TensorBase.size(parameter))
