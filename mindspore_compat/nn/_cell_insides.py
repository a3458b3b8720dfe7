"""Attributes of a Cell that MindSpore's compiler fills; here they stay empty.

Borrowers: `mindformers/core/callback/callback.py` (``parameter_layout_dict``), `mindediting/utils/mixed_precision.py`
(``set_mixed_precision_type``), `mindone/diffusers/training_utils.py` (``jit_config_dict``). All are public names of
MindSpore 2.10. MindSpore: ``mindspore.nn.Cell``.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from typing import Any

from mindspore_compat.common.saved_tensors import saved_tensors_hooks
from mindspore_compat.nn import _parameter_hooks
from mindspore_compat.nn._cell_dtype import FLAG_DTYPES, MixedPrecisionType, let_methods_compute

__all__ = ["Insides"]

_log = logging.getLogger("mindspore_compat")


def _empty(make: Callable[[], Any]) -> Any:
    """An attribute of each Cell that is empty until a program fills it."""
    return functools.cached_property(lambda cell: make())


class Insides:
    """Mixin of `Cell`."""

    #: names of attributes that no Cell of a `CellDict` may have
    IGNORE_LIST = """
        _scope _cell_init_args _auto_prefix _cells _params _create_time _func_graph_flags _parameter_layout_dict
        _params_list _phase _bprop_debug _forward_pre_hook _forward_hook _backward_pre_hook _backward_hook
        _cell_backward_pre_hook _cell_backward_hook _param_prefix requires_grad cell_type _in_strategy _out_strategy
    """.split()
    bprop_debug = compiled = False
    compile_phase: Any = None
    parallel_parameter_name_list: tuple[str, ...] = ()
    global_cells: dict[Any, Any] = {}
    #: set by `_extends.cell_attr_register`
    cell_init_args = ""
    #: set by `nn.PipelineCell`, without effect: stages run one after the other
    pipeline_segment: int | None = None
    phase_cache, parameter_layout_dict, parallel_parameter_merge_net_dict = _empty(dict), _empty(dict), _empty(dict)
    exist_names, exist_objs, create_time = _empty(set), _empty(set), _empty(time.time_ns)

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The options of `set_jit_config`, by name."""
        level = self.__dict__.get("_jit_level")
        return {"jit_level": level} if level else {}

    def get_func_graph_proto(self) -> None:
        """Return None: there is no compiled graph. ``mindspore.export`` writes one."""

    def run_construct(self: Any, cast_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run ``construct`` without hooks."""
        return self.construct(*cast_inputs, **kwargs)

    def cast_inputs(self, inputs: Any, dst_type: Any) -> None:
        """Do nothing, as MindSpore since 2.9; `to_float` casts."""
        _log.warning("'cast_inputs' will be deprecated in future versions.")

    def flatten_weights(self, fusion_size: int = 0) -> None:
        """Do nothing: whether weights share one block of memory changes no result."""

    def remove_redundant_parameters(self) -> None:
        """Do nothing, as MindSpore since 2.9."""
        _log.warning("'remove_redundant_parameters' will be deprecated in future versions.")

    def set_data_parallel(self) -> None:
        """Do nothing: operators without a strategy split the batch anyway."""

    def offload(self: Any, backward_prefetch: str | int = "Auto") -> None:
        """Do nothing: whether activations stay in device memory changes no result."""

    def register_saved_tensors_hooks(self: Any, pack_hook: Any, unpack_hook: Any) -> None:
        """Use `mindspore.saved_tensors_hooks` around each ``construct`` of this Cell."""
        inner = self.construct

        @functools.wraps(inner)
        def construct(*args: Any, **kwargs: Any) -> Any:
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return inner(*args, **kwargs)

        self.construct = construct

    def register_parameter_forward_hook(self, hook: Callable[[Any], Any] | list[dict[str, Any]]) -> None:
        """In GRAPH_MODE and `mindspore.jit`, compute with ``hook(parameter)`` in place of a Parameter.

        Args:
            hook: for every Parameter of the Cell, or a list of {"params": Parameters, "hook": their function}. A
                Parameter keeps its last hook.

        Raises:
            TypeError: for what is neither. ValueError: if a dict lacks one of the keys.

        Examples:
            >>> class Net(nn.Cell):
            ...     def __init__(self):
            ...         super().__init__()
            ...         self.weight = Parameter(Tensor(2.0))
            ...     def construct(self, x):
            ...         return x * self.weight
            >>> net = Net()
            >>> net.register_parameter_forward_hook([{"params": [net.weight], "hook": lambda weight: weight * 10}])
            >>> print(ms.jit(lambda x: net(x))(Tensor(3.0)))
            60.0
        """
        _parameter_hooks.register(self, hook)

    def get_mixed_precision_type(self) -> MixedPrecisionType:
        """Return what `to_float` or `set_mixed_precision_type` set."""
        dtype = self.__dict__["_cast_dtype"]
        cast = (MixedPrecisionType[name.upper()] for name, item in FLAG_DTYPES.items() if item is dtype)
        return self.__dict__.get("_compiled_type") or next(cast, MixedPrecisionType.NOTSET)

    def set_mixed_precision_type(self: Any, mixed_type: MixedPrecisionType) -> None:
        """In GRAPH_MODE and `mindspore.jit`, cast inputs and own Parameters of this Cell, not those of its children."""
        self._changed()
        self.__dict__.update(_compiled_type=mixed_type, _special_call=True)
        let_methods_compute(self)
