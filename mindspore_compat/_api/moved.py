"""MindSpore's modules whose names live elsewhere here: a table, and the modules made from it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

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
            "Cell_ MSContext MixedPrecisionType NoFallbackGuard ParamInfo Tensor TensorPy TensorTransform "
            "_framework_profiler_step_end "
            "_framework_profiler_step_start _random_normal disable_multi_thread init_exec_dataset is_reboot_node "
            "pyboost_empty swap_cache": "_legacy.core"
        },
        "_c_expression.amp": {
            "AmpLevel AmpStrategy create_amp_strategy pop_amp_strategy push_amp_strategy": "train.amp"
        },
        "_c_expression.typing": {
            "BFloat Bool Complex Dict Float Int List Number String TensorType Tuple TypeNone UInt is_subclass": (
                "_numerics.dtype_families"
            ),
            "Type type_size_in_bytes": "common.dtype",
        },
        "common._grad_function": {"_Function": "_autograd.grad_function"},
        "common._stub_tensor": {"StubTensor": "_legacy.stub_tensor"},
        "common._monad": {"U": "_legacy.core"},
        "dataset.engine.validators": {"check_batch": "_legacy.data_checks"},
        "dataset.transforms.validators": {"check_random_transform_ops": "_legacy.data_checks"},
        "dataset.vision.py_transforms_util": {
            "adjust_brightness adjust_contrast adjust_saturation augment_error_message hwc_to_chw is_numpy is_pil "
            "random_crop rotate": "_legacy.image_functions"
        },
        "mindrecord.tools": {},
        "mindrecord.tools.cifar10": {"Cifar10": "_legacy.cifar10"},
        "nn.probability.dpn.vae": {"ConditionalVAE VAE": "nn.probability.dpn"},
        "nn.probability.infer.variational": {"ELBO SVI": "nn.probability.infer"},
        "nn.probability.toolbox": {"UncertaintyEvaluation VAEAnomalyDetection": "train._bayesian_toolbox"},
        "ops._grad": {},
        "ops._grad.grad_base": {"bprop_getters": "_ops.own_bprop"},
        "ops._grad_experimental": {},
        "ops._grad_experimental.grad_base": {"bprop_getters": "_ops.own_bprop"},
        "ops._grad_experimental.grad_comm_ops": {"get_squared_device_local_norm_param": "_legacy.gradient_norms"},
        "parallel._auto_parallel_context": {"auto_parallel_context": "_legacy.parallel"},
        "parallel._cell_wrapper": {"destroy_allgather_cell": "_legacy.parallel"},
        "parallel._recovery_context": {"_get_recovery_context _set_recovery_context": "_legacy.parallel"},
        "parallel._cost_model_context": {
            "set_cost_model_context _set_multi_subgraphs _set_rp_matmul_mem_coef": "_legacy.parallel"
        },
        "parallel._ps_context": {"_is_role_pserver _is_role_sched": "_legacy.parallel"},
        "train.checkpoint_pb2": {"Checkpoint": "_format.proto.checkpoint"},
        "train.mind_ir_pb2": {"GraphProto ModelProto": "_format.proto.mindir"},
        "_extends": {"cell_attr_register": "_legacy.cell_init_args"},
        "ops._selected_ops": {"ReduceMean": "ops.operations"},
        "ops.op_info_register": {
            "op_info_register custom_info_register RegOp CustomRegOp TBERegOp AiCPURegOp CpuRegOp DataType": (
                "_legacy.operator_descriptions"
            )
        },
        "ops.composite.multitype_ops": {},
        "ops.operations.manually_defined.ops_def": {},
        "ops.composite.multitype_ops.zeros_like_impl": {"zeros_like": "ops.functional"},
        "device_manager": {"set_device get_current_device set_deterministic": "context"},
        "mint.nn.layer": {
            "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d BatchNorm1d BatchNorm2d "
            "BatchNorm3d GroupNorm LayerNorm LogSigmoid SiLU SyncBatchNorm Threshold": "mint.nn"
        },
        "safeguard": {},
        "safeguard.rewrite_obfuscation": {"obfuscate_ckpt load_obf_params_into_net": "train._checkpoint.obfuscation"},
        "scipy.optimize.line_search": {"line_search": "scipy.optimize"},
        "scipy.optimize.linear_sum_assignment": {"linear_sum_assignment": "scipy.optimize"},
        "scipy.optimize.minimize": {"minimize OptimizeResults": "scipy.optimize"},
        "parallel.auto_parallel": {"AutoParallel": "nn.wrap.auto_parallel"},
        "parallel.algo_parameter_config": {"set_algo_parameters get_algo_parameters reset_algo_parameters": "context"},
        "parallel.transform_safetensors": {"load_distributed_checkpoint unified_safetensors": "train.serialization"},
        "parallel.nn.parallel_cell_wrapper": {
            "PipelineCell MicroBatchInterleaved GradAccumulationCell": "nn.wrap.cell_wrapper"
        },
    }.items()
}

#: module that has the names -> modules of earlier releases where they were, too: a folder, and those in it
_FORMER = {
    "common.api": "common: no_inline",
    "common.dtype": "dtype: .",
    "dataset.vision": "dataset.transforms: vision",
    "dataset.vision.c_transforms": "dataset.transforms.vision: c_transforms",
    "dataset.vision.py_transforms": "dataset.transforms.vision: py_transforms",
    "dataset.vision.utils": "dataset.transforms.vision: utils",
    "experimental.optim": "nn: optim_ex",
    "experimental.optim.lr_scheduler": "nn: lr_scheduler",
    "hal": "hal: event stream",
    "mindrecord": "mindrecord.tools: cifar100_to_mr cifar10_to_mr csv_to_mr imagenet_to_mr mnist_to_mr tfrecord_to_mr",
    "mint": "ops.extend: . array_func math_func",
    "mint.nn": "nn.extend: . basic embedding layer pooling",
    "mint.nn.functional": "ops.extend: nn_func",
    "nn.grad": "nn.grad: cell_grad",
    "nn.layer": "nn.layer: lstm",
    "nn.probability.bijector": "nn.probability.bijector: exp",
    "nn.probability.distribution": """nn.probability.distribution: bernoulli beta cauchy exponential gamma geometric
        gumbel half_normal laplace log_normal logistic poisson student_t""",
    "nn.probability.dpn": "nn.probability.dpn.vae: cvae vae",
    "nn.probability.infer": "nn.probability.infer.variational: elbo svi",
    "nn.probability.transforms": "nn.probability.transforms: transform_bnn",
    "nn.recompute": "common: recompute",
    "nn.reinforcement": "nn.reinforcement: tensor_array",
    "nn.sparse": "nn.sparse: sparse",
    "nn.transformer": "parallel.nn: layers loss moe op_parallel_config transformer",
    "ops": "ops: deprecated",
    "ops.composite": "ops.composite: array_ops clip_ops random_ops",
    "ops.function": "ops.function: parameter_func reshard_func sparse_unary_func spectral_func vmap_func",
    "ops.operations": "ops.operations: control_ops reshard_ops spectral_ops",
    "parallel": "parallel: parameter_broadcast",
    "train._bayesian_toolbox": "nn.probability.toolbox: anomaly_detection uncertainty_evaluation vae_anomaly_detection",
    "train._export._write": "common: mindir_util",
    "train.metrics": """nn.metrics: accuracy auc bleu_score confusion_matrix cosine_similarity dice error fbeta
        hausdorff_distance loss mean_surface_distance occlusion_sensitivity perplexity precision recall roc
        root_mean_square_surface_distance topk""",
    "train.metrics.metric": "nn.metrics: metric",
}


def _names_of(home: str) -> Callable[[str], Any]:
    def __getattr__(name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        return getattr(importlib.import_module(f"{PACKAGE}.{home}"), name)

    return __getattr__


def register() -> None:
    """Register the modules with ``import``; their names are looked up on use."""
    found: dict[str, dict[str, Any]] = {}
    for home, places in _FORMER.items():
        folder, _, modules = places.partition(": ")
        for name in modules.split():
            found[f"{folder}.{name}".rstrip(".")] = {"__getattr__": _names_of(home)}
    for module, names in MOVED.items():
        lazy = {name: f"{home}:{name}" for name, home in names.items()}
        found[module] = {"__all__": list(names), "__getattr__": module_getattr(f"{PACKAGE}.{module}", lazy)}
    for module, members in found.items():
        full = f"{PACKAGE}.{module}"
        made = ModuleType(full, "Names that live elsewhere here.")
        made.__dict__.update(members, __path__=[], __spec__=ModuleSpec(full, None))
        sys.modules[full] = made
        parent, _, name = full.rpartition(".")
        # a function of that name is the parent's attribute
        if parent in sys.modules and name not in members.get("__all__", (name,)):
            vars(sys.modules[parent]).setdefault(name, made)
