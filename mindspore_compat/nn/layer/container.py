"""Containers of Cells. MindSpore: ``mindspore.nn.layer.container``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from mindspore_compat._runtime.module_tree import named_parameters
from mindspore_compat.nn.cell import Cell, adopt

__all__ = ["SequentialCell", "CellList", "CellDict"]


def _rename(cell: torch.nn.Module, prefix: str) -> None:
    if not isinstance(cell, torch.nn.Module):
        raise TypeError(f"Each element of a container must be a Cell, but got {type(cell).__name__}.")
    if isinstance(cell, Cell):
        cell.update_parameters_name(prefix)
    else:
        adopt(cell, prefix)


def _prefix(cells: Any) -> tuple[str, int]:
    """Return (prefix before the child's names, its number of dotted parts), derived from the parameters of ``cells``.

    MindSpore derives it in the same way: children appended to an empty container keep names without its prefix.
    """
    found = []
    for key, cell in cells.items():
        _, parameter = next(named_parameters(cell), ("", None))
        if parameter is not None:
            found.append((key, parameter.name.split(".")))
        if len(found) == 2:
            break
    prefix, count = "", 0
    if found:
        key, parts = found[0]
        for position, part in enumerate(parts):
            if part == key:
                prefix, count = "".join(item + "." for item in parts[:position]), position
                if len(found) == 2 and found[1][1][position : position + 1] == [found[1][0]]:
                    break
    return prefix, count


class _CellSequence(Cell):
    """Base of `SequentialCell` and `CellList`: children under "0", "1", ... with names by their positions."""

    def __bool__(self) -> bool:
        return len(self._modules) != 0

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def set_grad(self, flag: bool = True) -> Cell:  # type: ignore[override]
        self.__dict__["requires_grad"] = flag
        for cell in self._modules.values():
            if isinstance(cell, Cell):
                cell.set_grad(flag)
        return self

    def _replace(self, cells: list[Any], prefix: str, count: int, start: int = 0) -> None:
        """Set new children, in order; those from ``start`` on get the names of their positions."""
        self._restructured()
        self._modules.clear()
        for position, cell in enumerate(cells):
            if self._auto_prefix and position >= start:
                for _, parameter in named_parameters(cell):
                    parameter.name = prefix + ".".join([str(position), *parameter.name.split(".")[count + 1 :]])
            self._modules[str(position)] = cell
        self._relist()

    def _relist(self) -> None:
        """Renew the list of children after a change."""

    def insert(self, index: int, cell: Any) -> None:
        """Insert ``cell`` before position ``index``."""
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"The 'index' must be in range [{-length}, {length}], but got {index}.")
        position = index % length if length and index != length else index
        prefix, count = _prefix(self._modules)
        if self._auto_prefix:
            _rename(cell, f"{prefix}{position}.")
        cells = list(self._modules.values())
        self._replace([*cells[:position], cell, *cells[position:]], prefix, count, start=position + 1)

    def append(self, cell: Any) -> None:
        """Append ``cell``."""
        self.extend([cell])

    def extend(self, cells: Any) -> Any:
        """Append all Cells of a list (or another container)."""
        prefix, _ = _prefix(self._modules)  # once: of one child that holds a list, MindSpore derives another
        for cell in list(cells):
            if self._auto_prefix:
                _rename(cell, f"{prefix}{len(self)}.")
            self._exchange_child(str(len(self)), cell)
        return self

    def add_module(self, name: str, module: Any) -> None:
        """Add a named child, as torch; its parameters' names begin with its name, as always in a container."""
        if self._auto_prefix:
            _rename(module, f"{_prefix(self._modules)[0]}{name}.")
        self._restructured()
        super().add_module(name, module)
        self._relist()

    def __delitem__(self, index: Any) -> None:
        keys = list(self._modules)
        doomed = keys[index] if isinstance(index, slice) else [keys[index]]
        self._restructured()
        for key in doomed:
            del self._modules[key]
        prefix, count = _prefix(self._modules)
        if all(key.isdigit() for key in keys):
            self._replace(list(self._modules.values()), prefix, count)
        self._relist()


class SequentialCell(_CellSequence):
    """Cells called one after the other. Takes Cells as arguments, one list, or one OrderedDict of names.

    Examples:
        >>> net = nn.SequentialCell(nn.Flatten(), nn.ReLU())
        >>> print(net(Tensor([[[-1.0], [2.0]]])))
        [[0. 2.]]
    """

    #: the Cells that are called. As MindSpore a list beside the children, which only methods of this class renew: what
    #: an attribute, `insert_child_to_cell` or `_cells` adds or exchanges is a child, but not called
    cell_list: list[Any]

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], (OrderedDict, dict)):
            items: Iterable[tuple[str, Any]] = args[0].items()
        else:
            cells = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
            if len(args) == 1 and isinstance(args[0], CellList):
                cells = list(args[0])
            items = ((str(position), cell) for position, cell in enumerate(cells))
        for name, cell in items:
            self.insert_child_to_cell(name, cell)
            _rename(cell, name + ".")
        self._relist()

    def _relist(self) -> None:
        self.cell_list = list(self._modules.values())

    def _exchange_child(self, name: str, child: Any) -> None:
        super()._exchange_child(name, child)
        self._relist()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return list(self._modules.values())[index]

    def __setitem__(self, index: int, cell: Any) -> None:
        prefix, _ = _prefix(self._modules)
        key = list(self._modules)[index]
        self._exchange_child(key, cell)
        _rename(cell, f"{prefix}{key}.")

    def _exchange(self, cells: list[Any]) -> None:
        """Replace the Cells; new ones are named by their places."""
        known, (prefix, _) = {id(cell) for cell in self._modules.values()}, _prefix(self._modules)
        self._restructured()
        self._modules.clear()
        self._modules.update({str(place): cell for place, cell in enumerate(cells)})
        for key, cell in self._modules.items():
            if id(cell) not in known:
                _rename(cell, f"{prefix}{key}.")
        self._relist()

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_CellSequence):
    """List of Cells; not callable itself.

    Examples:
        >>> layers = nn.CellList([nn.Dense(3, 2), nn.ReLU()])
        >>> print(len(layers), [item.name for item in layers.get_parameters()])
        2 ['0.weight', '0.bias']
    """

    _is_ensemble = True  # `ops.vmap` gives each Cell its element

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if args:
            self.extend(*args)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return CellList(list(self._modules.values())[index], auto_prefix=False)
        return list(self._modules.values())[index]

    def __setitem__(self, index: int, cell: Any) -> None:
        position = range(len(self))[index]
        if self._auto_prefix:
            _rename(cell, f"{_prefix(self._modules)[0]}{position}.")
        self._restructured()
        self._modules[str(position)] = cell

    def __iadd__(self, cells: Any) -> CellList:
        return self.extend(cells)

    def construct(self, *inputs: Any) -> Any:
        raise NotImplementedError("A CellList cannot be called; call its elements.")


class CellDict(Cell):
    """Cells under string keys."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.pop("auto_prefix", True))
        if len(args) == 1:
            self.update(args[0])

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, cell: Any) -> None:
        if not key or "." in key:
            raise KeyError(f"The key of a Cell must not be empty or have a dot, but got {key!r}.")
        if self._auto_prefix:
            _rename(cell, f"{_prefix(self._modules)[0]}{key}.")
        self._restructured()
        self._modules[key] = cell

    def __delitem__(self, key: str) -> None:
        self._restructured()
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __bool__(self) -> bool:
        return len(self._modules) != 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        self._restructured()
        self._modules.clear()

    def pop(self, key: str) -> Any:
        self._restructured()
        return self._modules.pop(key)

    def keys(self) -> Any:
        return self._modules.keys()

    def values(self) -> Any:
        return self._modules.values()

    def items(self) -> Any:
        return self._modules.items()

    def update(self, cells: Any) -> None:
        """Add the Cells of a mapping or of pairs (key, Cell); replace those under the same keys.

        Raises:
            TypeError: for what is no Cell. KeyError: for a key that is empty or has a dot.
        """
        pairs = cells.items() if hasattr(cells, "items") else cells
        for key, cell in pairs:
            self[key] = cell

    def construct(self, *inputs: Any) -> Any:
        raise NotImplementedError("A CellDict cannot be called; call its elements.")
