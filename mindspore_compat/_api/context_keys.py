"""Keys of the contexts: types, defaults and named values. MindSpore: ``mindspore.context``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT, COMPATIBLE, LAX = 0, 1, 2
RELEASE, DEBUG = 0, 1  # of "debug_level"


class ParallelMode:
    """Names of the parallel modes.

    Examples:
        >>> print(ms.ParallelMode.DATA_PARALLEL)
        data_parallel
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


# key: (types, default). Keys that only 1.x knew are here too: scripts of that time set them.
KEYS: dict[str, tuple[Any, Any]] = {
    "mode": (int, PYNATIVE_MODE),
    "device_target": (str, "CPU"),
    "device_id": (int, 0),
    "save_graphs": ((bool, int), False),
    "save_graphs_path": (str, "."),
    "aoe_tune_mode": (str, ""),
    "aoe_config": (dict, {}),
    "auto_tune_mode": (str, "NO_TUNE"),
    "enable_reduce_precision": (bool, True),
    "precompile_only": (bool, False),
    "variable_memory_max_size": (str, "0GB"),
    "enable_auto_mixed_precision": (bool, False),
    "inter_op_parallel_num": (int, 0),
    "enable_graph_kernel": (bool, False),
    "reserve_class_name_in_scope": (bool, True),
    "check_bprop": (bool, False),
    "max_device_memory": (str, "1024GB"),
    "print_file_path": (str, ""),
    "max_call_depth": (int, 1000),
    "env_config_path": (str, ""),
    "graph_kernel_flags": (str, ""),
    "save_compile_cache": (bool, False),
    "load_compile_cache": (bool, False),
    "runtime_num_threads": (int, 30),
    "pynative_synchronize": (bool, False),
    "mempool_block_size": (str, "1GB"),
    "disable_format_transform": (bool, False),
    "op_timeout": (int, 900),
    "deterministic": (str, "OFF"),
    "ascend_config": (dict, {}),
    "gpu_config": (dict, {}),
    "jit_config": (dict, {}),
    "jit_level": (str, ""),
    "jit_syntax_level": (int, LAX),
    "debug_level": (int, 0),
    "jit_enable_inplace_ops": (bool, True),
    "enable_compile_cache": (bool, False),
    "compile_cache_path": (str, ""),
    "memory_optimize_level": (str, "O0"),
    "memory_offload": (str, "OFF"),
    "enable_sparse": (bool, False),
    "enable_profiling": (bool, False),
    "profiling_options": (str, ""),
    "enable_dump": (bool, False),
    "save_dump_path": (str, "."),
    "enable_mem_reuse": (bool, True),
    "enable_task_sink": (bool, True),
    "enable_hccl": (bool, False),
    "enable_loop_sink": (bool, True),
    "enable_gpu_summary": (bool, True),
    "grad_for_scalar": (bool, False),
    "memory_pool_size": (str, ""),
    "enable_recovery": (bool, False),
    "max_memory": (str, ""),
    "exec_order": (str, "bfs"),
    "enable_ge": (bool, False),
    # MindSpore's inner parameters, which libraries read and set by the same functions
    "aoe_job_type": (str, "2"),
    "atomic_clean_policy": (str, ""),
    "bias_add_comm_swap": (bool, False),
    "compute_communicate_fusion_level": (int, 0),
    "conv_allow_hf32": (str, ""),
    "cur_step_num": (int, 0),
    "dataset_broadcast_opt_level": (int, 0),
    "enable_allreduce_slice_to_reducescatter": (bool, False),
    "enable_begin_end_inline_opt": (bool, False),
    "enable_concat_eliminate_opt": (bool, False),
    "enable_flash_attention_load_balance": (bool, False),
    "enable_fused_cast_add_opt": (bool, False),
    "enable_grad_comm_opt": (bool, False),
    "enable_interleave_parallel_branch": (bool, False),
    "enable_interleave_split_concat_branch": (bool, False),
    "enable_offloading_packed_experts": (bool, True),
    "enable_opt_shard_comm_opt": (bool, False),
    "enable_parallel_split": (bool, False),
    "enable_task_opt": (bool, False),
    "ge_options": (str, ""),
    "hccl_watchdog": (bool, True),
    "host_scheduling_max_threshold": (str, ""),
    "infer_boost": (str, "off"),
    "interleaved_layernorm_comm": (bool, False),
    "interleaved_matmul_comm": (bool, False),
    "jit_compile": (str, ""),
    "last_triggered_step": (int, 0),
    "matmul_allow_hf32": (str, ""),
    "matmul_grad_comm_overlap": (str, ""),
    "need_ckpt": (bool, False),
    "op_debug_option": (str, ""),
    "op_precision_mode": (str, ""),
    "pp_1f1b_overlap": (str, ""),
    "precision_mode": (str, ""),
    "recompute_allgather_overlap_fagrad": (bool, False),
    "recompute_comm_overlap": (str, ""),
    "save_checkpoint_steps": (int, 0),
    "support_binary": (bool, False),
    "topo_order": (str, ""),
}
#: keys that are read as numbers, whatever they were set to
AS_NUMBERS: dict[str, Callable[[Any], int]] = {
    "save_graphs": lambda value: 2 if value is True else int(value),
    "memory_optimize_level": lambda value: int(value[1:]),
}
PARALLEL_KEYS: dict[str, tuple[Any, Any]] = {
    "device_num": (int, 1),
    "global_rank": (int, 0),
    "gradients_mean": (bool, False),
    "mirror_mean": (bool, False),
    "gradient_fp32_sync": (bool, True),
    "parallel_mode": (str, ParallelMode.STAND_ALONE),
    "auto_parallel_search_mode": (str, "recursive_programming"),
    "search_mode": (str, "recursive_programming"),
    "parameter_broadcast": (bool, False),
    "strategy_ckpt_load_file": (str, ""),
    "strategy_ckpt_save_file": (str, ""),
    "full_batch": (bool, False),
    "dataset_strategy": ((str, tuple), "data_parallel"),
    "enable_parallel_optimizer": (bool, False),
    "enable_alltoall": (bool, False),
    "all_reduce_fusion_config": (list, []),
    "pipeline_stages": (int, 1),
    "pipeline_segments": (int, 1),
    "pipeline_result_broadcast": (bool, False),
    "parallel_optimizer_config": (dict, {}),
    "pipeline_config": (dict, {}),
    "comm_fusion": (dict, {}),
    "strategy_ckpt_config": (dict, {}),
    "force_fp32_communication": (bool, False),
    "group_ckpt_save_file": (str, ""),
    "grad_accumulation_step": (int, 1),
    "loss_repeated_mean": (bool, True),
    "communi_parallel_mode": (str, "all_group_parallel"),
    "optimizer_weight_shard_size": (int, -1),
    "optimizer_weight_shard_aggregated_save": (bool, False),
    "sharding_propagation": (bool, False),
    "enable_fold_pipeline": (bool, False),
    "auto_pipeline": (bool, False),
    "dump_local_norm": (bool, False),
    "dump_local_norm_path": (str, ""),
    "dump_device_local_norm": (bool, False),
    "auto_parallel_new_interface": (bool, False),
    "init_param_in_compile": (bool, True),
}
#: read, never set: other keys decide them
PARALLEL_RESULTS: dict[str, tuple[Any, Any]] = {
    "pipeline_interleave": (bool, False),
    "pipeline_scheduler": (str, "1f1b"),
    "full_batch_is_set": (bool, False),
}
PS_KEYS: dict[str, tuple[Any, Any]] = {
    "enable_ps": (bool, False),
    "config_file_path": (str, ""),
    "scheduler_manage_port": (int, 11202),
    "enable_ssl": (bool, False),
    "client_password": (str, ""),
    "server_password": (str, ""),
}
ALGO_KEYS: dict[str, tuple[Any, Any]] = {
    "fully_use_devices": (bool, False),
    "elementwise_op_strategy_follow": (bool, False),
    "enable_algo_approxi": (bool, False),
    "algo_approxi_epsilon": (float, 0.1),
    "tensor_slice_align_enable": (bool, False),
    "tensor_slice_align_size": (int, 16),
}
