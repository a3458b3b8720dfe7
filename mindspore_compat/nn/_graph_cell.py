"""`GraphCell`: a network from a file as a Cell. MindSpore: ``mindspore.nn.GraphCell``."""

from __future__ import annotations

from typing import Any

from torch.utils._pytree import tree_leaves

from mindspore_compat.nn.cell import Cell


class FuncGraph:
    """Result of ``mindspore.load``: ``parameters`` is {name: Parameter}, and a call computes the graph's outputs."""

    parameters: dict[str, Any]

    def __call__(self, *inputs: Any) -> Any:
        raise NotImplementedError


class GraphCell(Cell):
    """Cell of a graph from ``mindspore.load``; its Parameters have the file's names and are trainable.

    Args:
        graph: what ``mindspore.load`` gives.
        params_init: {name: Tensor or Parameter} of values that replace the file's; names that are not in it are
            ignored.
        obf_random_seed: of obfuscated files, which do not exist here: None.

    Raises:
        TypeError: for arguments of other types. ValueError: for values of another shape or dtype. NotImplementedError:
            for a seed.
    """

    def __init__(
        self, graph: Any, params_init: dict[str, Any] | None = None, obf_random_seed: int | None = None
    ) -> None:
        super().__init__(auto_prefix=True)
        if obf_random_seed is not None:
            raise NotImplementedError(
                "For 'GraphCell', obfuscated files ('obf_random_seed') are not available, here and in MindSpore. Pass "
                "None."
            )
        self.graph = graph
        for name, parameter in graph.parameters.items():
            value = (params_init or {}).get(name)
            if value is not None:
                if (tuple(value.shape), value.dtype) != (tuple(parameter.shape), parameter.dtype):
                    raise ValueError(
                        "Only support update parameter by Tensor or Parameter with same shape and dtype as it. For "
                        f"'GraphCell', '{name}' in 'params_init' has shape {tuple(value.shape)} and type "
                        f"{value.dtype}, the file's {tuple(parameter.shape)} and {parameter.dtype}."
                    )
                parameter.set_data(value)
            self._parameters[name] = parameter

    def construct(self, *inputs: Any) -> Any:
        if any(isinstance(item, (tuple, list)) for item in inputs):  # the file has an input for each of their Tensors
            inputs = tuple(tree_leaves(inputs))
        return self.graph(*inputs)
