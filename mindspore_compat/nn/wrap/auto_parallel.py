"""A network with parallel settings of its own as methods of a Cell. Upstream: ``mindspore.parallel.auto_parallel``."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat._api.errors import warn_once
from mindspore_compat.common._strategy import Layout
from mindspore_compat.context import reset_auto_parallel_context, set_auto_parallel_context
from mindspore_compat.nn.cell import Cell

__all__ = ["AutoParallel"]

_MODES = {
    "semi_auto": {"parallel_mode": "semi_auto_parallel"},
    "sharding_propagation": {"parallel_mode": "auto_parallel", "search_mode": "sharding_propagation"},
    "recursive_programming": {"parallel_mode": "auto_parallel", "search_mode": "recursive_programming"},
}
_SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
_LEVELS = ("level1", "level2", "level3")


def _check(method: str, name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(
            f"For 'AutoParallel.{method}', the argument '{name}' must be {kind.__name__} type, but got the type : "
            f"{type(value)}."
        )


class AutoParallel(Cell):
    """A network (Cell or function) over several processes. Its settings are those of `set_auto_parallel_context`, which
    making this sets back and its methods set: they hold for what runs afterwards, not for this network alone.

    Args:
        network: what is called.
        parallel_mode: "semi_auto" (operators are cut by their strategies), "sharding_propagation" or
            "recursive_programming" (no strategies are searched for here: docs/design/parallel.md).

    Raises:
        ValueError: for another mode.

    Examples:
        >>> from mindspore_compat.parallel.auto_parallel import AutoParallel
        >>> net = AutoParallel(nn.Dense(2, 2), parallel_mode="semi_auto")
        >>> net.dataset_strategy("full_batch")
        >>> print(net(Tensor([[1.0, 2.0]])).shape, ms.get_auto_parallel_context("parallel_mode"))
        (1, 2) semi_auto_parallel
        >>> ms.reset_auto_parallel_context()
    """

    def __init__(self, network: Any, parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        if parallel_mode not in _MODES:
            raise ValueError(
                f"the argument 'parallel_mode' must be one of {list(_MODES)}, but got the value : {parallel_mode} ."
            )
        self.network = network
        self._settings: dict[str, Any] = {}
        self._set(dataset_strategy="data_parallel", **_MODES[parallel_mode])

    def _set(self, **settings: Any) -> None:
        self._settings.update(settings)
        reset_auto_parallel_context()
        set_auto_parallel_context(**self._settings)

    def _without_effect(self, method: str, why: str) -> None:
        warn_once(f"AutoParallel.{method}", f"'AutoParallel.{method}' has no effect here: {why}")

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.network(*args, **kwargs)

    # --- data and stages ----------------------------------------------------------------------------------------------

    def dataset_strategy(self, config: Any) -> None:
        """How batches lie: "data_parallel" (each process has its part), "full_batch", or cuts of each input.

        Raises:
            ValueError: for None or another text. TypeError: for anything but tuples of ints or of Layouts.
        """
        if config is None:
            raise ValueError("dataset_strategy is none in config!")
        if isinstance(config, str) and config not in ("full_batch", "data_parallel"):
            raise ValueError(
                "For 'AutoParallel.dataset_strategy', the argument 'config' must be 'full_batch' or 'data_parallel', "
                f"but got the value : {config}."
            )
        if not isinstance(config, str):
            _check("dataset_strategy", "config", config, tuple)
        for item in () if isinstance(config, str) else config:
            if isinstance(item, Layout):
                continue
            if not isinstance(item, tuple) or not all(isinstance(size, int) for size in item):
                raise TypeError(
                    "For 'AutoParallel.dataset_strategy', the element of argument 'config' must be a tuple of int or a "
                    f"Layout, but got : {item!r} ."
                )
        self._set(dataset_strategy=config, full_batch=config == "full_batch")

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler: str = "1f1b"
    ) -> None:
        """How many stages the network has, and in what order they take micro batches.

        Raises:
            TypeError: for other types. ValueError: for no stages or another scheduler.
        """
        _check("pipeline", "stages", stages, int)
        if stages <= 0:
            raise ValueError(
                f"For 'AutoParallel.pipeline', the argument 'stages' must be larger than zero, but got value: {stages}."
            )
        _check("pipeline", "output_broadcast", output_broadcast, bool)
        _check("pipeline", "interleave", interleave, bool)
        _check("pipeline", "scheduler", scheduler, str)
        if scheduler not in _SCHEDULERS:
            raise ValueError(
                f"For 'AutoParallel.pipeline', the argument 'scheduler' must be one of {_SCHEDULERS}, but got the "
                f"value : {scheduler}."
            )
        self._set(
            pipeline_stages=stages,
            pipeline_result_broadcast=output_broadcast,
            pipeline_config={"pipeline_interleave": interleave, "pipeline_scheduler": scheduler},
        )

    def get_pipeline_stages(self) -> int:
        """How many stages the network has."""
        return self._settings.get("pipeline_stages", 1)

    # --- the optimizer and gradients ----------------------------------------------------------------------------------

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Parameters and the optimizer's state are cut over ``shard_size`` processes (-1: all that share the data);
        those below ``threshold`` KB are not.

        Raises:
            ValueError: for other numbers, or an ``optimizer_level`` that is not "level1", "level2" or "level3".
        """
        if not isinstance(shard_size, int) or (shard_size <= 0 and shard_size != -1):
            raise ValueError(f"shard_size must be a positive integer or -1, but got {shard_size}.")
        if not isinstance(threshold, int) or threshold < 0:
            raise ValueError(f"threshold must be a positive integer or 0, but got {threshold}.")
        if optimizer_level not in _LEVELS:
            raise ValueError(f"Optimizer level should in {list(_LEVELS)}, but got {optimizer_level}")
        config = {"parallel_optimizer_threshold": threshold, "optimizer_weight_shard_size": shard_size}
        self._set(enable_parallel_optimizer=True, parallel_optimizer_config=config)

    def enable_gradients_mean(self) -> None:
        """Gradients are averaged over the processes, not summed."""
        self._set(gradients_mean=True)

    def disable_gradient_fp32_sync(self) -> None:
        """float16 gradients are reduced as such."""
        self._set(gradient_fp32_sync=False)

    def disable_loss_repeated_mean(self) -> None:
        """A loss that several processes compute alike is not averaged."""
        self._set(loss_repeated_mean=False)

    def enable_fp32_communication(self) -> None:
        """Reductions are done in float32."""
        self._set(force_fp32_communication=True)

    def comm_fusion(self, config: dict[str, Any] | None) -> None:
        """Which communications are joined; kept, torch decides.

        Raises:
            TypeError: if it is no dict.
        """
        if config is not None:
            _check("comm_fusion", "config", config, dict)
        self._set(comm_fusion=config or {})

    # --- files --------------------------------------------------------------------------------------------------------

    def load_param_strategy_file(self, file_path: str) -> None:
        """The file that says how Parameters were cut. TypeError if it is no str."""
        _check("load_param_strategy_file", "file_path", file_path, str)
        self._set(strategy_ckpt_load_file=file_path)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Where to say how Parameters are cut. TypeError if it is no str."""
        _check("save_param_strategy_file", "file_path", file_path, str)
        self._set(strategy_ckpt_save_file=file_path)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Strategy files hold all Parameters."""
        self._set(strategy_ckpt_config={"only_trainable_params": False})

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Where to write the process groups. TypeError if it is no str."""
        _check("set_group_ckpt_save_file", "file_path", file_path, str)
        self._set(group_ckpt_save_file=file_path)

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Accepted; no strategies are searched for. TypeError or KeyError for what is no absolute path to a .json."""
        self._operator_file("save_operator_strategy_file", file_path)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Accepted; no strategies are searched for. TypeError or KeyError for what is no absolute path to a .json."""
        self._operator_file("load_operator_strategy_file", file_path)

    def _operator_file(self, method: str, file_path: str) -> None:
        _check(method, "file_path", file_path, str)
        if not os.path.isabs(file_path):
            raise KeyError(f"the argument 'file_path' must be an absolute path, but got the path : {file_path} .")
        if not file_path.endswith(".json"):
            raise KeyError(f"File type must be json, but got the path : {file_path} .")
        self._without_effect(method, "operators follow the strategies that the script gives.")

    # --- hints to upstream's compiler ---------------------------------------------------------------------------------

    def no_init_parameters_in_compile(self) -> None:
        """Parameters are not initialized when the network is compiled, which does not happen here."""
        self._set(init_param_in_compile=False)

    def transformer_opt(self, file_path: str | None) -> None:
        """Hints for overlapping communication on Ascend."""
        self._without_effect("transformer_opt", "the hints are Ascend's.")

    def print_local_norm(self) -> None:
        """Kept."""
        self._set(dump_local_norm=True)
        self._without_effect("print_local_norm", "norms are not printed. Print ops.norm of the gradients.")

    def dump_local_norm(self, file_path: str) -> None:
        """Kept. TypeError if it is no str."""
        _check("dump_local_norm", "file_path", file_path, str)
        self._set(dump_local_norm=True, dump_local_norm_path=file_path)
        self._without_effect("dump_local_norm", "norms are not written. Save ops.norm of the gradients.")

    def enable_device_local_norm(self) -> None:
        """Kept."""
        self._set(dump_device_local_norm=True)
        self._without_effect("enable_device_local_norm", "norms are not printed. Print ops.norm of the gradients.")
