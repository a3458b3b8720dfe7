"""What is in a `Cell`: its Parameters and children, in order, and their names."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.common.parameter import Parameter

__all__ = ["Listing"]


class Listing(torch.nn.Module):
    """Base of `Cell`."""

    def __dir__(self) -> list[str]:
        """Names without those of children and Parameters, as upstream: libraries go through them for operators."""
        return list(object.__dir__(self))

    # --- listing ------------------------------------------------------------------------------------------------------

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """(path, Parameter) of this Cell and, with ``expand``, all below; each Parameter once, at its first place."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for path, cell in cells:
            for name, parameter in cell._parameters.items():
                if parameter is not None and id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{path}.{name}" if path else name, parameter

    def cells_and_names(self, cells: set | None = None, name_prefix: str = "") -> Iterator[tuple[str, Any]]:
        """(path, Cell) of this Cell and all below, each once.

        Examples:
            >>> net = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())
            >>> print([name for name, _ in net.cells_and_names()])
            ['', '0', '1']
        """
        seen = cells if cells else set()
        yield from _walk(self, seen, name_prefix)

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The Parameters of `parameters_and_names`.

        Examples:
            >>> print([item.name for item in nn.Dense(3, 2).get_parameters()])
            ['weight', 'bias']
        """
        for _, parameter in self.parameters_and_names(expand=expand):
            yield parameter

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters with ``requires_grad``.

        Examples:
            >>> print([item.name for item in nn.Dense(3, 2).trainable_params()])
            ['weight', 'bias']
        """
        return [parameter for parameter in self.get_parameters(expand=recurse) if parameter.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters without ``requires_grad``."""
        return [parameter for parameter in self.get_parameters(expand=recurse) if not parameter.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """{Parameter.name: Parameter}."""
        return OrderedDict((parameter.name, parameter) for parameter in self.get_parameters(expand=recurse))

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter] | None:
        """The Parameters that are the same on all devices: all that are not layerwise_parallel; None if
        there are none.
        """
        found = OrderedDict((p.name, p) for p in self.get_parameters(expand=recurse) if not p.layerwise_parallel)
        return found or None

    def name_cells(self) -> OrderedDict[str, Any]:
        """{name: child} of the immediate children, each once."""
        found: OrderedDict[str, Any] = OrderedDict()
        seen: set[int] = set()
        for name, cell in self._modules.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells(self) -> Any:
        """The immediate children."""
        return self.name_cells().values()

    def get_sub_cell(self, target: str) -> Any:
        """The Cell at a dotted path."""
        return self.get_submodule(target)

    # --- names --------------------------------------------------------------------------------------------------------

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every Parameter by its path below this Cell, with ``prefix`` in front."""
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + path

    _update_local_parameters_name = update_parameters_name  # of Cells of programs; upstream's too renames all

    def update_cell_prefix(self) -> None:
        """Set ``param_prefix`` of all Cells below."""
        for path, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = path

    def update_cell_type(self, cell_type: str) -> None:
        """Mark the Cell, e.g. as "quant" or "second-order"."""
        self.__dict__["cell_type"] = cell_type

    def check_names(self) -> None:
        """Raise a ValueError if two Parameters have one name."""
        names = set()
        for path, parameter in self.parameters_and_names():
            if parameter.name in names:
                raise ValueError(
                    f"The value of {path} is {parameter}, its name '{parameter.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
            names.add(parameter.name)

    def check_names_and_refresh_name(self) -> None:
        """Rename all Parameters by their paths if two have one name."""
        names = [parameter.name for parameter in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    def _name_at_first_call(self) -> None:
        """What upstream does before the first call: where two Parameters have one name, as in Cells put together by
        ``append``, all get their paths for names.
        """
        if not all(isinstance(parameter, Parameter) for parameter in self.get_parameters()):
            return  # torch.func.functional_call has put other tensors in their place
        self.check_names_and_refresh_name()
        for _, cell in self.cells_and_names():  # whose names differ from now on
            if isinstance(cell, Listing):
                cell.__dict__["_unnamed"] = False

    def get_scope(self) -> str | None:
        """The scope set by `generate_scope`."""
        return self._scope

    def generate_scope(self) -> None:
        """Give each Cell below a scope such as ``Default/layer1-Dense``."""
        for name, cell in _scopes(self, "Default"):
            if isinstance(cell, Listing) and cell._scope in (None, "recompute_"):
                cell.__dict__["_scope"] = (cell._scope or "") + name


def _walk(module: torch.nn.Module, seen: set, path: str) -> Iterator[tuple[str, Any]]:
    if module in seen:
        return
    seen.add(module)
    yield path, module
    for name, child in module._modules.items():
        if child is not None:
            yield from _walk(child, seen, f"{path}.{name}" if path else name)


def _scopes(cell: Any, parent: str) -> Iterator[tuple[str, Any]]:
    children = [(f"{parent}/{name}-{type(child).__name__}", child) for name, child in cell.named_children()]
    yield from children
    for scope, child in children:
        yield from _scopes(child, scope)
