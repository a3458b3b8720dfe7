"""What upstream's compiler keeps about a Cell and programs read: nothing is compiled here, so all of it is empty. A
program may set any of it. Upstream: ``mindspore.nn.Cell``.
"""

from __future__ import annotations

import functools
import logging
import time
from typing import Any

from mindspore_compat._api.validate import check_non_negative_int, check_str_in
from mindspore_compat.common.saved_tensors import saved_tensors_hooks

__all__ = ["Insides"]

_log = logging.getLogger("mindspore_compat")


class Insides:
    """Mixin of `Cell`."""

    bprop_debug = False
    compile_phase: Any = None
    compiled = False
    parallel_parameter_name_list: tuple[str, ...] = ()

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
