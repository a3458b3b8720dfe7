"""Methods of `Cell` that tell upstream's compiler, pipelines and devices how to run it. Here they are kept or do
nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.communication.management import get_group_size, get_rank
from mindspore_compat.context import get_auto_parallel_context
from mindspore_compat.parallel.shard import shard

__all__ = ["Hints", "no_init_parameters"]


class Hints:
    """Mixin of `Cell`."""

    def compile_and_run(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Call it; there is no separate compilation."""
        return self(*args, **kwargs)

    def compile(self: Any, *args: Any, **kwargs: Any) -> None:
        """torch's ``compile(fullgraph=, dynamic=, backend=, mode=, options=)``: calls of the Cell run compiled from now
        on, here too.

        Upstream's, with inputs to compile for, has nothing to do.
        """
        if args or not kwargs.keys() <= {"fullgraph", "dynamic", "backend", "mode", "options", "disable"}:
            return
        self._changed()
        self.__dict__.update(_compiled_call_impl=torch.compile(self._call_cast_plainly, **kwargs), _special_call=True)

    def _call_cast_plainly(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._call_cast(args, kwargs)

    def _check_export(self: Any) -> None:
        """torch.export without ``strict`` runs Python with tensors of torch's own, on which ``~x``, ``x.max(axis=1)``
        and the like mean torch's.
        """
        if not type(self).__module__.startswith("mindspore_compat."):
            raise RuntimeError(
                f"torch.export.export of the Cell '{type(self).__name__}' needs strict=True: without it, operators and "
                "methods in 'construct' would have torch's meaning."
            )

    def set_broadcast_flag(self: Any, mode: bool = True) -> Any:
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_boost(self: Any, boost_type: str) -> Any:
        """Ascend's boost library: only ``"less_bn"`` is known; without effect here."""
        return self.add_flags_recursive(less_bn=True)

    def set_comm_fusion(self: Any, fusion_type: int, recurse: bool = True) -> Any:
        """A hint for fusing communication: kept on the Parameters, torch's buckets decide."""
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    @property
    def pipeline_stage(self: Any) -> Any:
        """The stage of a pipeline that the Cell belongs to, None unless set (docs/design/parallel.md)."""
        return self.__dict__.get("_pipeline_stage")

    @pipeline_stage.setter
    def pipeline_stage(self: Any, value: int) -> None:
        if value < 0:
            raise ValueError(f"For 'Cell', the property 'pipeline_stage' can not be less than 0, but got {value}")
        self.__dict__["_pipeline_stage"] = value

    def infer_param_pipeline_stage(self: Any) -> list[Any]:
        """The trainable Parameters that this process's stage has: of Cells of the stage, of Cells without one, and what
        `Parameter.add_pipeline_stage` gives to it.
        """
        stages = get_auto_parallel_context("pipeline_stages")
        stage = get_rank() // max(get_group_size() // stages, 1)
        found: dict[int, Any] = {}
        _collect(self, None, stage, found)
        return [item for item in self.trainable_params() if id(item) in found]

    @property
    def compile_cache(self: Any) -> set[str]:
        """What was compiled for the Cell: nothing, ever."""
        return set()

    #: the level of `auto_mixed_precision`, which keeps its own here
    _amp_level = ""

    def _get_attr_from_cell(self: Any, network: Any) -> None:
        """Take over the compiler's options and the level of mixed precision of the network inside."""
        for name in ("_jit_level", "_amp_level"):
            if name in getattr(network, "__dict__", {}):
                self.__dict__[name] = network.__dict__[name]

    def _parallel_optimizer_comm_recompute(self: Any, parallel_optimizer_comm_recompute: bool = False) -> None:
        """Mark the Parameters, as upstream does."""
        for parameter in self.trainable_params():
            parameter.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute

    def set_jit_config(self: Any, jit_config: Any) -> None:
        """In GRAPH_MODE, the ``jit_level`` of a training Cell: at "O1" and "O2" inductor compiles what is replayed.
        Other options have no effect.

        Raises:
            ValueError: for another level than "O0", "O1" and "O2".
        """
        level = jit_config.jit_config_dict["jit_level"]
        if level not in ("", "O0", "O1", "O2"):
            raise ValueError(
                f"For 'set_jit_config', the 'jit_level' must be one of ['O0', 'O1', 'O2'], but got {level!r}."
            )
        self._changed()
        self.__dict__["_jit_level"] = level

    def shard(self: Any, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None, **more: Any) -> Any:
        """The Cell with its inputs cut over processes, as `mindspore.shard`."""
        return shard(self, in_strategy, out_strategy, parameter_plan, **more)

    def set_inputs(self: Any, *inputs: Any, **kwargs: Any) -> None:
        """Shapes of dynamic inputs: kept for `get_inputs`; eager execution takes any shape."""
        self.__dict__["_inputs_spec"] = inputs or kwargs

    def get_inputs(self: Any) -> Any:
        """What `set_inputs` got.

        Examples:
            >>> net = nn.Dense(3, 2)
            >>> net.set_inputs(Tensor(shape=[None, 3], dtype=ms.float32))
            >>> print(net.get_inputs()[0].shape)
            (-1, 3)
        """
        return self._inputs_spec


def _collect(cell: Any, around: int | None, stage: int, found: dict[int, Any]) -> None:
    """Add the Parameters of ``stage``; a Cell without a stage is in that of the Cell around it."""
    own = getattr(cell, "pipeline_stage", None)
    own = around if own is None else own
    for item in cell._parameters.values():
        if item is not None and (own in (None, stage) or stage in item.__dict__.get("_pipeline_stages", ())):
            found[id(item)] = item
    for child in cell._modules.values():
        if child is not None:
            _collect(child, own, stage, found)


@contextlib.contextmanager
def no_init_parameters() -> Iterator[None]:
    """For networks whose values come from a checkpoint. Parameters have their first values here at once, so that a
    network that gets none runs with those, as it does upstream.
    """
    yield
