"""What upstream's compiler keeps about a Cell and programs read: nothing is compiled here, so all of it is empty. A
program may set any of it. Upstream: ``mindspore.nn.Cell``.
"""

from __future__ import annotations

import functools
import logging
import time
import weakref
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.validate import check_non_negative_int, check_str_in
from mindspore_compat.common.saved_tensors import saved_tensors_hooks
from mindspore_compat.nn import _parameter_hooks
from mindspore_compat.nn._cell_dtype import FLAG_DTYPES, MixedPrecisionType, let_methods_compute

__all__ = ["Insides"]

_log = logging.getLogger("mindspore_compat")


class Insides:
    """Mixin of `Cell`."""

    #: names under which upstream keeps what belongs to the Cell itself
    IGNORE_LIST = """
        _scope _cell_init_args _auto_prefix _cells _params _create_time _func_graph_flags _parameter_layout_dict
        _params_list _phase _bprop_debug _forward_pre_hook _forward_hook _backward_pre_hook _backward_hook
        _cell_backward_pre_hook _cell_backward_hook _param_prefix requires_grad cell_type _in_strategy _out_strategy
    """.split()
    bprop_debug = False
    compile_phase: Any = None
    compiled = False
    parallel_parameter_name_list: tuple[str, ...] = ()
    #: Cells with the arguments that they were made of, for graphs that share them: none
    global_cells: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    @property
    def cell_init_args(self) -> str:
        """The class and what it was made of as a text, where ``cell_attr_register`` keeps it or a program sets it;
        AttributeError otherwise, as upstream.
        """
        if "_cell_init_args" not in self.__dict__:
            raise AttributeError(f"The '{type(self).__name__}' object has no attribute 'cell_init_args'.")
        return self.__dict__["_cell_init_args"]

    @cell_init_args.setter
    def cell_init_args(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(
                f"For 'Cell', the property 'cell_init_args' must be string type, but got type {type(value)}."
            )
        self.__dict__["_cell_init_args"] = value

    @functools.cached_property
    def phase_cache(self) -> dict[Any, Any]:
        """Graphs by phase: none."""
        return {}

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The options of `set_jit_config`, by name."""
        level = self.__dict__.get("_jit_level")
        return {"jit_level": level} if level else {}

    @functools.cached_property
    def parameter_layout_dict(self) -> dict[str, Any]:
        """Layouts of sharded Parameters, by name: none before they are asked of `Model.infer_train_layout`."""
        return {}

    @functools.cached_property
    def parallel_parameter_merge_net_dict(self) -> dict[str, Any]:
        """Networks that put slices of Parameters together: none."""
        return {}

    @functools.cached_property
    def exist_names(self) -> set[str]:
        """Names that the compiler has seen: none."""
        return set()

    @functools.cached_property
    def exist_objs(self) -> set[Any]:
        """Objects that the compiler has seen: none."""
        return set()

    @functools.cached_property
    def create_time(self) -> int:
        """When the Cell was first asked, in ns: part of upstream's keys of compiled graphs, which are no keys here."""
        return time.time_ns()

    def get_func_graph_proto(self) -> None:
        """The compiled graph: None. ``mindspore.export`` writes one."""

    def run_construct(self: Any, cast_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``construct`` with these inputs, without hooks."""
        return self.construct(*cast_inputs, **kwargs)

    def cast_inputs(self, inputs: Any, dst_type: Any) -> None:
        """Nothing, as upstream since 2.9; `to_float` casts."""
        _log.warning("'cast_inputs' will be deprecated in future versions.")

    def remove_redundant_parameters(self) -> None:
        """Nothing, as upstream since 2.9."""
        _log.warning("'remove_redundant_parameters' will be deprecated in future versions.")

    def set_data_parallel(self) -> None:
        """Operators without a strategy of their own split the batch: they do so here."""

    def offload(self: Any, backward_prefetch: str | int = "Auto") -> None:
        """Keep what the backward pass needs in the host's memory. Accepted without effect: it changes no result.

        Raises:
            ValueError: for a ``backward_prefetch`` that is neither "Auto" nor an int from 0 on.
        """
        if isinstance(backward_prefetch, str):
            check_str_in(backward_prefetch, "backward_prefetch", ["Auto"], type(self).__name__)
        else:
            check_non_negative_int(backward_prefetch, "backward_prefetch", type(self).__name__)

    def register_saved_tensors_hooks(self: Any, pack_hook: Any, unpack_hook: Any) -> None:
        """`mindspore.saved_tensors_hooks` around each ``construct`` of this Cell."""
        inner = self.construct

        @functools.wraps(inner)
        def construct(*args: Any, **kwargs: Any) -> Any:
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return inner(*args, **kwargs)

        self.construct = construct

    def register_parameter_forward_hook(self, hook: Callable[[Any], Any] | list[dict[str, Any]]) -> None:
        """Where upstream compiles (GRAPH_MODE, `mindspore.jit`), ``construct`` computes with ``hook(parameter)`` in
        place of a Parameter, and is differentiated through it; elsewhere nothing changes.

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

    @property
    def pipeline_segment(self) -> int:
        """The segment of its pipeline stage that the Cell belongs to, for upstream's scheduler "zero_bubble_v". Kept,
        without effect: stages run one after the other here.
        """
        if "_pipeline_segment" not in self.__dict__:
            raise AttributeError(f"The '{type(self).__name__}' object has no attribute 'pipeline_segment'.")
        return self.__dict__["_pipeline_segment"]

    @pipeline_segment.setter
    def pipeline_segment(self, value: int) -> None:
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(
                f"For 'Cell', the property 'pipeline_segment' must be int type, but got type : {type(value)}"
            )
        if value < 0:
            raise ValueError(f"For 'Cell', the property 'pipeline_segment' can not be less than 0, but got {value}")
        self.__dict__["_pipeline_segment"] = value

    @property
    def mixed_precision_type(self) -> MixedPrecisionType | None:
        """What `to_float` set; None without it."""
        dtype = self.__dict__["_cast_dtype"]
        return next((MixedPrecisionType[name.upper()] for name, item in FLAG_DTYPES.items() if item is dtype), None)

    @mixed_precision_type.setter
    def mixed_precision_type(self: Any, value: MixedPrecisionType | None) -> None:
        self._changed()
        self.__dict__["_cast_dtype"] = None if value is None else FLAG_DTYPES.get(value.name.lower())
        let_methods_compute(self)

    def get_mixed_precision_type(self) -> MixedPrecisionType:
        """What `to_float` or `set_mixed_precision_type` set."""
        return self.__dict__.get("_compiled_type") or self.mixed_precision_type or MixedPrecisionType.NOTSET

    def set_mixed_precision_type(self: Any, mixed_type: MixedPrecisionType) -> None:
        """Where upstream compiles, inputs and own Parameters of this Cell are cast, not those of its children, which
        `to_float` casts, too; without effect elsewhere, as upstream.

        Raises:
            TypeError: if it is no ``MixedPrecisionType`` (of ``mindspore._c_expression``).
        """
        if not isinstance(mixed_type, MixedPrecisionType):
            raise TypeError(
                "set_mixed_precision_type(): incompatible function arguments. The argument 'mixed_type' must be a "
                f"MixedPrecisionType, but got {mixed_type!r}."
            )
        self._changed()
        self.__dict__.update(_compiled_type=mixed_type, _special_call=True)
        let_methods_compute(self)
