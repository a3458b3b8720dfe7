"""A network with its own parallel settings as methods of a Cell. MindSpore: ``mindspore.parallel.auto_parallel``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.errors import warn_once
from mindspore_compat.context import reset_auto_parallel_context, set_auto_parallel_context
from mindspore_compat.nn.cell import Cell

__all__ = ["AutoParallel"]

_MODES = {
    "semi_auto": {"parallel_mode": "semi_auto_parallel"},
    "sharding_propagation": {"parallel_mode": "auto_parallel", "search_mode": "sharding_propagation"},
    "recursive_programming": {"parallel_mode": "auto_parallel", "search_mode": "recursive_programming"},
}


class AutoParallel(Cell):
    """Network (Cell or function) over several processes. Its settings are those of `set_auto_parallel_context`: the
    constructor resets them and methods set them. They hold for all later computations, not for this network alone.

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
        """Set the form of batches: "data_parallel" (a part for each process), "full_batch", or splits of each input."""
        self._set(dataset_strategy=config, full_batch=config == "full_batch")

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler: str = "1f1b"
    ) -> None:
        """Set the number of stages, and their order of micro batches."""
        self._set(
            pipeline_stages=stages,
            pipeline_result_broadcast=output_broadcast,
            pipeline_config={"pipeline_interleave": interleave, "pipeline_scheduler": scheduler},
        )

    def get_pipeline_stages(self) -> int:
        """Return the number of stages of the network."""
        return self._settings.get("pipeline_stages", 1)

    # --- the optimizer and gradients ----------------------------------------------------------------------------------

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Split Parameters and the optimizer's state over ``shard_size`` processes (-1: all with the same data), except
        those below ``threshold`` KB.
        """
        config = {"parallel_optimizer_threshold": threshold, "optimizer_weight_shard_size": shard_size}
        self._set(enable_parallel_optimizer=True, parallel_optimizer_config=config)

    def enable_gradients_mean(self) -> None:
        """Average gradients over the processes instead of summing them."""
        self._set(gradients_mean=True)

    def disable_gradient_fp32_sync(self) -> None:
        """Reduce float16 gradients as such."""
        self._set(gradient_fp32_sync=False)

    def disable_loss_repeated_mean(self) -> None:
        """Do not average a loss that several processes compute alike."""
        self._set(loss_repeated_mean=False)

    def enable_fp32_communication(self) -> None:
        """Run reductions in float32."""
        self._set(force_fp32_communication=True)

    def comm_fusion(self, config: dict[str, Any] | None) -> None:
        """Store which communications to join; torch decides."""
        self._set(comm_fusion=config or {})

    # --- files --------------------------------------------------------------------------------------------------------

    def load_param_strategy_file(self, file_path: str) -> None:
        """Set the file with the sharding of Parameters to load."""
        self._set(strategy_ckpt_load_file=file_path)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Set the file for the sharding of Parameters."""
        self._set(strategy_ckpt_save_file=file_path)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Write all Parameters to strategy files."""
        self._set(strategy_ckpt_config={"only_trainable_params": False})

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Set the file for the process groups."""
        self._set(group_ckpt_save_file=file_path)

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Do nothing: there is no search for strategies."""
        self._operator_file("save_operator_strategy_file", file_path)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Do nothing: there is no search for strategies."""
        self._operator_file("load_operator_strategy_file", file_path)

    def _operator_file(self, method: str, file_path: str) -> None:
        self._without_effect(method, "operators follow the strategies that the script gives.")

    # --- hints to MindSpore's compiler --------------------------------------------------------------------------------

    def no_init_parameters_in_compile(self) -> None:
        """Do not initialize Parameters in compilation, which does not happen here."""
        self._set(init_param_in_compile=False)

    def transformer_opt(self, file_path: str | None) -> None:
        """Store hints for overlapping communication on Ascend."""
        self._without_effect("transformer_opt", "the hints are Ascend's.")

    def print_local_norm(self) -> None:
        """Store the setting."""
        self._set(dump_local_norm=True)
        self._without_effect("print_local_norm", "norms are not printed. Print ops.norm of the gradients.")

    def dump_local_norm(self, file_path: str) -> None:
        """Store the setting."""
        self._set(dump_local_norm=True, dump_local_norm_path=file_path)
        self._without_effect("dump_local_norm", "norms are not written. Save ops.norm of the gradients.")

    def enable_device_local_norm(self) -> None:
        """Store the setting."""
        self._set(dump_device_local_norm=True)
        self._without_effect("enable_device_local_norm", "norms are not printed. Print ops.norm of the gradients.")
