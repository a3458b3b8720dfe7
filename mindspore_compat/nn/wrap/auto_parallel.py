"""A network with parallel settings of its own as methods of a Cell. MindSpore: ``mindspore.parallel.auto_parallel``."""

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
        """How batches lie: "data_parallel" (each process has its part), "full_batch", or cuts of each input."""
        self._set(dataset_strategy=config, full_batch=config == "full_batch")

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler: str = "1f1b"
    ) -> None:
        """Return how many stages the network has, and in what order they take micro batches."""
        self._set(
            pipeline_stages=stages,
            pipeline_result_broadcast=output_broadcast,
            pipeline_config={"pipeline_interleave": interleave, "pipeline_scheduler": scheduler},
        )

    def get_pipeline_stages(self) -> int:
        """Return how many stages the network has."""
        return self._settings.get("pipeline_stages", 1)

    # --- the optimizer and gradients ----------------------------------------------------------------------------------

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Parameters and the optimizer's state are cut over ``shard_size`` processes (-1: all that share the data);
        those below ``threshold`` KB are not.

        """
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
        """Which communications are joined; kept, torch decides."""
        self._set(comm_fusion=config or {})

    # --- files --------------------------------------------------------------------------------------------------------

    def load_param_strategy_file(self, file_path: str) -> None:
        """The file that says how Parameters were cut."""
        self._set(strategy_ckpt_load_file=file_path)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Where to say how Parameters are cut."""
        self._set(strategy_ckpt_save_file=file_path)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Strategy files hold all Parameters."""
        self._set(strategy_ckpt_config={"only_trainable_params": False})

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Where to write the process groups."""
        self._set(group_ckpt_save_file=file_path)

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Accepted; no strategies are searched for."""
        self._operator_file("save_operator_strategy_file", file_path)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Accepted; no strategies are searched for."""
        self._operator_file("load_operator_strategy_file", file_path)

    def _operator_file(self, method: str, file_path: str) -> None:
        self._without_effect(method, "operators follow the strategies that the script gives.")

    # --- hints to MindSpore's compiler ---------------------------------------------------------------------------------

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
        """Kept."""
        self._set(dump_local_norm=True, dump_local_norm_path=file_path)
        self._without_effect("dump_local_norm", "norms are not written. Save ops.norm of the gradients.")

    def enable_device_local_norm(self) -> None:
        """Kept."""
        self._set(dump_device_local_norm=True)
        self._without_effect("enable_device_local_norm", "norms are not printed. Print ops.norm of the gradients.")
