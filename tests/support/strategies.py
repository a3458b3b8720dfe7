"""Strategy files for tests, by our message classes or real MindSpore's (tests/golden/make_unified.py runs
under that).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def write_strategy(message: Any, path: Path, layouts: dict[str, tuple], stage: int = 0) -> str:
    """Write {name: (dev_matrix, tensor_map[, opt shard step, opt shard size])} as a ``ParallelStrategyMap``; returns
    the path.
    """
    whole = message(current_stage=stage)
    node = whole.parallel_strategy_item.add(node_name=f"MatMul-op{stage}")
    node.parallel_strategys.stage = stage
    for name, (dev_matrix, tensor_map, *opt) in layouts.items():
        layout = whole.parallel_layout_item.add(param_name=name).parallel_layouts
        layout.dev_matrix.add().dim.extend(dev_matrix)
        layout.tensor_map.add().dim.extend(tensor_map)
        layout.param_split_shape.add()
        layout.indices_offset.add()
        layout.field, layout.opt_weight_shard_step, layout.opt_weight_shard_size = 0, *(opt or (0, 0))
    path.write_bytes(whole.SerializeToString())
    return str(path)
