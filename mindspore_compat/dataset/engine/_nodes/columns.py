"""Nodes that choose or rename columns: project, rename."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.validator_helpers import check_columns
from mindspore_compat.dataset.engine._dataset import Columns, Dataset, register_node
from mindspore_compat.dataset.engine._execution.columns import Row, positions
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._nodes._column_maps import column_map, inserted

__all__ = ["ProjectDataset", "RenameDataset"]


class _ColumnNode(Dataset):
    """Base of nodes with chosen or renamed columns; rows keep their numbers."""

    def _choose(self, row: Row) -> Row:
        return row

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def _stream(self, run: Run) -> Iterator[Row]:
        return (self._choose(row) for row in self.children[0]._stream(run))

    def _is_indexed(self) -> bool:
        return self.children[0]._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)

    def _step(self, value: Any) -> list[Any]:
        return list(self._choose(tuple(value)))


@register_node
class ProjectDataset(_ColumnNode):
    """Only some columns, in a given order."""

    def __init__(self, input_dataset: Dataset, columns: Columns) -> None:
        self.columns = check_columns(columns, "columns")
        super().__init__(input_dataset)

    def _places(self) -> list[int]:
        return positions(self.columns, self.children[0]._column_names(), "project")

    def _begin_session(self) -> None:
        self._chosen = self._places()

    def _column_names(self) -> list[str]:
        self._places()
        return self.columns

    def _column_map(self) -> list[str]:
        return inserted(self._column_names())

    def _choose(self, row: Row) -> Row:
        return tuple(row[i] for i in self._chosen)


@register_node
class RenameDataset(_ColumnNode):
    """Columns under other names."""

    def __init__(self, input_dataset: Dataset, input_columns: Columns, output_columns: Columns) -> None:
        self.input_columns = check_columns(input_columns, "input_columns")
        self.output_columns = check_columns(output_columns, "output_columns")
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError(f"Unequal number of columns: {self.input_columns} and {self.output_columns}.")
        super().__init__(input_dataset)

    def _column_names(self) -> list[str]:
        names = list(self.children[0]._column_names())
        places = positions(self.input_columns, names, "rename")
        for place, name in zip(places, self.output_columns, strict=True):
            names[place] = name
        if len(set(names)) != len(names):
            raise RuntimeError(f"Invalid column, rename gives two columns the same name: {names}.")
        return names

    def _column_map(self) -> list[str]:
        renamed = dict(zip(self.input_columns, self.output_columns, strict=True))
        return inserted(renamed.get(name, name) for name in column_map(self.children[0]))

    def _begin_session(self) -> None:
        self._column_names()
