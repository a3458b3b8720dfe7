"""Upstream's files whose names live elsewhere here: a table, and the modules that are made from it."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from .errors import PACKAGE
from .placeholders import module_getattr

__all__ = ["MOVED", "register"]

#: module -> its names, each with the module that holds it
MOVED: dict[str, dict[str, str]] = {
    module: {name: home for names, home in rows.items() for name in names.split()}
    for module, rows in {
        "common.jit_config": {"JitConfig": "common.api"},
        "common.lazy_inline": {"lazy_inline": "common.api"},
        "common.mutable": {"mutable": "common.api"},
        "_c_dataengine": {"BasicTokenizerOperation LookupOperation Vocab": "_legacy.data_engine"},
        "_c_expression": {
            "Cell_ MSContext MixedPrecisionType ParamInfo TensorPy _random_normal "
            "disable_multi_thread init_exec_dataset is_reboot_node swap_cache": "_legacy.core",
        },
        "_c_expression.amp": {
            "AmpLevel AmpStrategy create_amp_strategy pop_amp_strategy push_amp_strategy": "train._amp_strategy",
        },
        "_c_expression.typing": {
            "BFloat Bool Complex Dict Float Int List Number String TensorType Tuple TypeNone UInt is_subclass": (
                "common._dtype_families"
            ),
            "Type type_size_in_bytes": "common.dtype",
        },
        "common._stub_tensor": {"StubTensor": "_legacy.stub_tensor"},
        "dataset.transforms.validators": {"check_random_transform_ops": "_legacy.data_checks"},
        "dataset.vision.py_transforms_util": {
            "adjust_brightness adjust_contrast adjust_saturation augment_error_message hwc_to_chw is_numpy is_pil "
            "random_crop rotate": "_legacy.image_functions",
        },
        "mindrecord.tools": {},
        "mindrecord.tools.cifar10": {"Cifar10": "_legacy.cifar10"},
        "ops._grad_experimental": {},
        "ops._grad_experimental.grad_comm_ops": {"get_squared_device_local_norm_param": "_legacy.gradient_norms"},
        "ops.operations._rl_inner_ops": {"CudnnGRU": "ops.operations._recurrent_ops"},
        "parallel._auto_parallel_context": {"auto_parallel_context": "_legacy.parallel"},
        "parallel._cost_model_context": {
            "set_cost_model_context _set_multi_subgraphs _set_rp_matmul_mem_coef": "_legacy.parallel",
        },
        "parallel._ps_context": {"_is_role_pserver": "_legacy.parallel"},
        "train.mind_ir_pb2": {"GraphProto ModelProto": "_format.proto.mindir"},
        "_extends": {"cell_attr_register": "_legacy.cell_init_args"},
        "ops.op_info_register": {
            "op_info_register custom_info_register RegOp CustomRegOp TBERegOp AiCPURegOp CpuRegOp DataType": (
                "_legacy.operator_descriptions"
            ),
        },
        "ops.composite.multitype_ops": {},
        "ops.composite.multitype_ops.zeros_like_impl": {"zeros_like": "ops.functional"},
        "device_manager": {"set_device get_current_device set_deterministic": "context"},
        "mint.nn.layer": {
            "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d BatchNorm1d BatchNorm2d "
            "BatchNorm3d GroupNorm LayerNorm LogSigmoid SiLU SyncBatchNorm Threshold": "mint.nn",
        },
        "safeguard": {},
        "safeguard.rewrite_obfuscation": {
            "obfuscate_ckpt load_obf_params_into_net": "train._checkpoint.obfuscation",
        },
        "scipy.optimize.line_search": {"line_search": "scipy.optimize"},
        "scipy.optimize.linear_sum_assignment": {"linear_sum_assignment": "scipy.optimize"},
        "scipy.optimize.minimize": {"minimize OptimizeResults": "scipy.optimize"},
        "parallel.auto_parallel": {"AutoParallel": "nn.wrap.auto_parallel"},
        "parallel.algo_parameter_config": {
            "set_algo_parameters get_algo_parameters reset_algo_parameters": "context",
        },
        "parallel.transform_safetensors": {
            "load_distributed_checkpoint unified_safetensors": "train.serialization",
        },
        "parallel.nn.parallel_cell_wrapper": {
            "PipelineCell MicroBatchInterleaved GradAccumulationCell": "nn.wrap.cell_wrapper",
        },
    }.items()
}


def register() -> None:
    """Puts the modules where ``import`` looks first; their names are looked up when they are used."""
    for module, names in MOVED.items():
        full = f"{PACKAGE}.{module}"
        made = ModuleType(full, "Names that live elsewhere here.")
        lazy = {name: f"{home}:{name}" for name, home in names.items()}
        made.__dict__.update(
            __all__=list(names), __path__=[], __spec__=ModuleSpec(full, None), __getattr__=module_getattr(full, lazy)
        )
        sys.modules[full] = made
        parent, _, name = full.rpartition(".")
        if parent in sys.modules and name not in names:  # a function of that name is the parent's attribute
            vars(sys.modules[parent]).setdefault(name, made)
