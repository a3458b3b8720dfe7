"""Cells that run a network on parts of a batch. MindSpore: ``GradAccumulationCell``, ``PipelineCell``,
``MicroBatchInterleaved``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mindspore_compat._graph.program import program
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.container import CellList


class _MicroBatch(Cell):
    """Part ``i`` of ``micro_size`` equal ones of each input, along axis 0: a tuple."""

    def __init__(self, micro_size: int) -> None:
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i: int, *inputs: Any) -> tuple[Any, ...]:
        return part_of(inputs, i, self.micro_size)


def part_of(inputs: tuple[Any, ...], part: int, count: int) -> tuple[Any, ...]:
    """Return that part of ``count`` equal ones of every input."""
    for value in inputs:
        if value.shape[0] % count:
            raise ValueError(
                f"For micro batch initialization, the 0th dimension shape of input({value.shape[0]}) must be "
                f"divided by micro size({count})"
            )
    return tuple([value[part * (value.shape[0] // count) : (part + 1) * (value.shape[0] // count)] for value in inputs])


class _PartsOfABatch(Cell):
    """``network`` on equal parts of the batch (axis 0 of every input), with summed outputs."""

    _inputs_name = "micro_inputs"

    def __init__(self, network: Any, micro_size: int) -> None:
        super().__init__(auto_prefix=False)
        if micro_size <= 0:
            raise ValueError(f"For '{type(self).__name__}', a batch cannot be cut into {micro_size} parts.")
        self.network = network
        self.micro_size = micro_size
        setattr(self, self._inputs_name, CellList([_MicroBatch(micro_size) for _ in range(micro_size)]))

    def parts(self, inputs: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield the inputs of each part."""
        for part in range(self.micro_size):
            yield part_of(inputs, part, self.micro_size)

    def construct(self, *inputs: Any) -> Any:
        total = None
        for part in self.parts(inputs):
            outputs = self.network(*part)
            total = outputs if total is None else total + outputs
        return total


class GradAccumulationCell(_PartsOfABatch):
    """Sum of the losses of ``micro_size`` parts of the batch.

    `Model`'s training Cell around it runs forward and backward part by part, and updates once with the mean gradient.
    So memory holds the activations of only one part at a time.
    """


class PipelineCell(_PartsOfABatch):
    """The sum of the outputs of ``micro_size`` parts of the batch, as `GradAccumulationCell`'s forward. With
    ``pipeline_stages`` as many as there are processes, each runs its stage, part by part (docs/design/parallel.md).

    Args:
        stage_config, segment_config: {name of a Cell: number}; kept on the Cells as ``pipeline_stage`` and
            ``pipeline_segment``.

    Raises:
        KeyError: for a Cell that the network does not have.
    """

    def __init__(
        self,
        network: Any,
        micro_size: int,
        stage_config: dict[str, int] | None = None,
        segment_config: dict[str, int] | None = None,
    ) -> None:
        super().__init__(network, micro_size)
        cells = dict(network.cells_and_names())
        for name, number in (stage_config or {}).items():
            cells[name].pipeline_stage = number
        for name, number in (segment_config or {}).items():
            cells[name].__dict__["pipeline_segment"] = number

    def construct(self, *inputs: Any) -> Any:
        if program.parallel is not None:
            total = program.parallel.micro_batches(self.parts(inputs), self.network)
            if total is not None:
                return total
        return super().construct(*inputs)


class MicroBatchInterleaved(_PartsOfABatch):
    """The sum of the outputs of ``interleave_num`` parts of the batch."""

    _inputs_name = "interleave_inputs"

    def __init__(self, network: Any, interleave_num: int = 2) -> None:
        super().__init__(network, interleave_num)
        self.interleave_num = interleave_num


class _VirtualDatasetCell(Cell):
    """Backbone itself: it marks where MindSpore's parallel modes split the data."""

    def __init__(self, backbone: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*inputs)


class VirtualDatasetCellTriple(_VirtualDatasetCell):
    """`_VirtualDatasetCell` of three inputs."""
