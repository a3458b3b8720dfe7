"""Layouts of Parameters in MindSpore's form, and strategy files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.distributed.tensor import Shard

from mindspore_compat import log
from mindspore_compat._format.strategy import strategy_messages
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.common._strategy import Layout
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.parallel._sharding._parameters import Cut, cut_of


def layout_of(devices: Any, parameter: Parameter) -> TensorLayout:
    """Return the layout of a Parameter. Neighbouring device axes that cut one axis become one of the device matrix."""
    cut = cut_of(parameter)
    if cut is None:
        return TensorLayout((devices.count,), ((-1,),) * parameter.dim())
    matrix, axis_of = _merged(cut)
    last = len(matrix) - 1
    return TensorLayout(
        tuple(matrix),
        tuple(
            tuple(last - number for number, axis in enumerate(axis_of) if axis == item) or (-1,)
            for item in range(len(cut.shape))
        ),
    )


def _merged(cut: Cut) -> tuple[list[int], list[int]]:
    """Return (the device matrix, the axis cut by each of its axes, -1 for none)."""
    matrix: list[int] = []
    axis_of: list[int] = []
    for size, place in zip(cut.devices.sizes, cut.placements):
        axis = place.dim if isinstance(place, Shard) else -1
        if axis_of and axis_of[-1] == axis:
            matrix[-1] *= size
        else:
            matrix.append(size)
            axis_of.append(axis)
    return matrix, axis_of


def as_list(devices: Any, parameter: Parameter) -> list[Any]:
    """Return MindSpore's [device matrix, tensor map, slice shape, field size, uniform split, group]."""
    layout = layout_of(devices, parameter)
    flat = [item[0] if len(item) == 1 else item for item in layout.tensor_map]
    return [list(layout.dev_matrix), flat, list(parameter.shape), 0, True, ""]


def save_strategy(region: Any, parameters: Sequence[Parameter]) -> None:
    """Write the strategy file of the context, once."""
    config = get_auto_parallel_context("strategy_ckpt_config")
    name = get_auto_parallel_context("strategy_ckpt_save_file") or config.get("save_file", "")
    if not name or name in region.saved:
        return
    if get_auto_parallel_context("strategy_ckpt_load_file") or config.get("load_file"):
        log.warning("A strategy file is not loaded: operators are cut as their 'shard' says.")
    region.saved.add(name)
    found = strategy_messages().ParallelStrategyMap(current_stage=0)
    for number, (primitive, strategy) in enumerate(region.said.values()):
        item = found.parallel_strategy_item.add()
        item.node_name = f"Default/{primitive.name}-op{number}"
        item.parallel_strategys.stage = 0
        for cuts in strategy:
            given = _cuts(region.devices, cuts) if isinstance(cuts, Layout) else cuts
            item.parallel_strategys.parallel_strategy.add().dim.extend(given)
    for parameter in parameters:
        layout = layout_of(region.devices, parameter)
        item = found.parallel_layout_item.add()
        item.param_name = parameter.name
        said = item.parallel_layouts
        said.dev_matrix.add().dim.extend(layout.dev_matrix)
        if all(len(axes) == 1 for axes in layout.tensor_map):
            said.tensor_map.add().dim.extend(axes[0] for axes in layout.tensor_map)
        else:
            for axes in layout.tensor_map:
                said.tensor_map.add().dim.extend(axes)
        said.param_split_shape.add()
        said.indices_offset.add()
        said.field = said.opt_weight_shard_step = said.opt_weight_shard_size = 0
    write_atomically(name, [found.SerializeToString()])


def _cuts(devices: Any, layout: Layout) -> list[int]:
    return devices.cuts(devices.of_layout(layout, "Layout"), len(layout.to_dict()["tensor_map"]))
