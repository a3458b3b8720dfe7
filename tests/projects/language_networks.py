"""One shipped map of a language model on the network it is for: published MindSpore code with random weights, its
checkpoint converted into transformers' network, the logits of both, 20 greedy tokens of both, and the way back. Run by
`language_maps.py`:

    python -m mindspore_compat tests/projects/language_networks.py CASE SOURCES     # prints one JSON object
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
import types
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import mindspore_compat as ms
from mindspore_compat.train.checkpoint_maps import convert_checkpoint

VOCABULARY, WIDTH, LAYERS, HEADS, GROUPS, HIDDEN, LENGTH = 128, 64, 2, 4, 2, 96, 32
PROMPT, NEW = 8, 20
CONSTANTS = (
    "inv_freq",
    "attn.bias",
    "masked_bias",
    "expert_load",
    "fi_accu",
    "cross_bias",
)  # made by the network, no weights
#: folder in SOURCES -> its commit or the wheel on PyPI
SOURCES = {
    "mindformers-v1.3.2": "MindFormers v1.3.2 (024279c2)",
    "mindformers-dev": "MindFormers dev (fd4deebc)",
    "mindformers-v1.7.0": "MindFormers v1.7.0 (8ccc49b3)",
    "mindnlp-0.1.1": "MindNLP 0.1.1 (PyPI)",
    "mindnlp-0.2.4": "MindNLP 0.2.4 (PyPI)",
    "mindone-0.5.0": "MindONE 0.5.0 (PyPI)",
}
FOLDERS: dict[str, str] = {}


def _source(name: str, *more: str) -> None:
    """Put a project's folder, and folders in it, on the path."""
    sys.path[:0] = [os.path.join(FOLDERS["sources"], name, *part.split("/")) for part in ("", *more)]


@dataclass
class Case:
    """``make`` gives the MindSpore network, ``config`` the class and the arguments of transformers' config, ``logits``
    the logits (1, length, words) of the network for a row of ids, ``generate`` the ids with those that it adds.
    """

    map: str
    source: str
    network: str
    make: Callable[[], Any]
    target: str
    config: tuple[str, dict[str, Any]]
    logits: Callable[[Any, np.ndarray], np.ndarray] = field(default=lambda net, ids: net(ms.Tensor(ids))[0].asnumpy())
    generate: Callable[[Any, np.ndarray], list[int]] | None = None
    rules: dict[str, Any] | None = None  # where the map needs a size that the checkpoint does not have
    inputs: dict[str, np.ndarray] | None = None  # of an encoder
    tie: bool = False


CASES: dict[str, Case] = {}

# --- MindFormers' LLaMA -----------------------------------------------------------------------------------------------

_FLOAT32 = {
    "compute_dtype": "float32",
    "softmax_compute_type": "float32",
    "layernorm_compute_type": "float32",
    "rotary_dtype": "float32",
    "param_init_type": "float32",
}
_LLAMA = {
    "batch_size": 1,
    "seq_length": LENGTH,
    "hidden_size": WIDTH,
    "num_layers": LAYERS,
    "num_heads": HEADS,
    "n_kv_heads": GROUPS,
    "vocab_size": VOCABULARY,
    "intermediate_size": HIDDEN,
    "rms_norm_eps": 1e-5,
    "eos_token_id": -1,
    "pad_token_id": 0,
    "use_flash_attention": False,
    "use_past": False,
    "do_sample": False,
    "max_decode_length": LENGTH,
    **_FLOAT32,
}
_HF = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS,
    "intermediate_size": HIDDEN,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 2048,
    "eos_token_id": None,
    "bos_token_id": None,
    "pad_token_id": None,
}


def _mindformers_llama(
    moe: dict[str, Any] | None = None, source: str = "mindformers-v1.3.2", **options: Any
) -> Callable[[], Any]:
    def make() -> Any:
        _source(source)
        mindformers = importlib.import_module("mindformers")
        if moe:
            options["moe_config"] = moe
        return mindformers.LlamaForCausalLM(mindformers.LlamaConfig(**{**_LLAMA, **options}))

    return make


def _mindformers_generate(net: Any, ids: np.ndarray) -> list[int]:
    return np.asarray(net.generate(ids.tolist(), max_length=ids.shape[1] + NEW, do_sample=False)[0]).tolist()


def _padded(length: int) -> Callable[[Any, np.ndarray], np.ndarray]:
    """Logits of a network that takes rows of one length only."""

    def logits(net: Any, ids: np.ndarray) -> np.ndarray:
        row = np.ones((1, length), np.int32)
        row[:, : ids.shape[1]] = ids
        found = net(ms.Tensor(row))
        found = (found[0] if isinstance(found, tuple) else found).asnumpy()
        return found.reshape(1, length, -1)[:, : ids.shape[1]]

    return logits


def _llama_case(name: str, label: str, target: str, config: str, *, hf: dict[str, Any] | None = None, **options: Any):
    concat = options.get("qkv_concat")
    CASES[name] = Case(
        f"mindformers-llama{'_concat' if concat else ''}-transformers",
        "mindformers-v1.3.2",
        label,
        _mindformers_llama(**options),
        target,
        (config, {**_HF, **(hf or {})}),
        _padded(LENGTH),
        _mindformers_generate,
        tie=bool(options.get("tie_word_embeddings")),
    )


_llama_case("mindformers-llama2", "LlamaForCausalLM", "LlamaForCausalLM", "LlamaConfig")
_llama_case(
    "mindformers-llama3",
    "LlamaForCausalLM, theta 500000",
    "LlamaForCausalLM",
    "LlamaConfig",
    hf={"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}},
    theta=500000.0,
)
_llama_case(
    "mindformers-llama2-concat", "LlamaForCausalLM, qkv_concat", "LlamaForCausalLM", "LlamaConfig", qkv_concat=True
)
_llama_case(
    "mindformers-mistral", "LlamaForCausalLM", "MistralForCausalLM", "MistralConfig", hf={"sliding_window": None}
)
_llama_case("mindformers-qwen2", "LlamaForCausalLM, qkv_has_bias", "Qwen2ForCausalLM", "Qwen2Config", qkv_has_bias=True)
_llama_case(
    "mindformers-qwen2-tied",
    "LlamaForCausalLM, qkv_has_bias, tie_word_embeddings",
    "Qwen2ForCausalLM",
    "Qwen2Config",
    hf={"tie_word_embeddings": True},
    qkv_has_bias=True,
    tie_word_embeddings=True,
)
_llama_case(
    "mindformers-qwen2-concat",
    "LlamaForCausalLM, qkv_has_bias, qkv_concat",
    "Qwen2ForCausalLM",
    "Qwen2Config",
    qkv_has_bias=True,
    qkv_concat=True,
)

for _target, _bias in (("Llama", False), ("Qwen2", True)):
    CASES[f"mindformers-{_target.lower()}-groups"] = Case(
        "mindformers-llama_groups-transformers",
        "mindformers-dev",
        f"LlamaForCausalLM, qkv_concat{', qkv_has_bias' * _bias}",
        _mindformers_llama(source="mindformers-dev", qkv_concat=True, qkv_has_bias=_bias),
        f"{_target}ForCausalLM",
        (f"{_target}Config", _HF),
        _padded(LENGTH),
        _mindformers_generate,
        {"head_dim": WIDTH // HEADS},
    )
_MOE = {
    "expert_num": 4,
    "capacity_factor": -1.0,
    "num_experts_chosen": 2,
    "routing_policy": "TopkRouterV2",
    "enable_sdrop": True,
    "router_dense_type": "float32",
    "use_fused_ops_topkrouter": False,
}
_EXPERTS = {
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "sliding_window": None,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
_llama_case(
    "mindformers-mixtral", "LlamaForCausalLM, experts", "MixtralForCausalLM", "MixtralConfig", hf=_EXPERTS, moe=_MOE
)
CASES["mindformers-mixtral"].map = "mindformers-mixtral-transformers"


def _without_float16(module: str) -> None:
    """Let a module of MindFormers that casts to float16 by itself cast to float32."""
    found = importlib.import_module(module)
    found.mstype = types.SimpleNamespace(**{**vars(found.mstype), "float16": ms.float32})


def _in_float32(net: Any) -> Any:
    """The network, where MindFormers' layers compute in float16 whatever the config says."""
    for _, cell in net.cells_and_names():
        for name, value in list(vars(cell).items()):
            if isinstance(value, torch.dtype) and value is ms.float16:
                setattr(cell, name, ms.float32)
    for parameter in net.get_parameters():
        parameter.set_dtype(ms.float32)
    return net


# --- MindFormers' GPT-2 -----------------------------------------------------------------------------------------------


def _mindformers_gpt2() -> Any:
    _source("mindformers-v1.3.2")
    mindformers = importlib.import_module("mindformers")
    config = mindformers.GPT2Config(
        batch_size=1,
        seq_length=LENGTH,
        max_position_embeddings=LENGTH,
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_layers=LAYERS,
        num_heads=HEADS,
        embedding_dropout_prob=0.0,
        hidden_dropout_rate=0.0,
        attention_dropout_rate=0.0,
        eos_token_id=-1,
        pad_token_id=0,
        max_decode_length=LENGTH,
        do_sample=False,
        layernorm_compute_type="float32",
        softmax_compute_type="float32",
        compute_dtype="float32",
        param_init_type="float32",
    )
    return _in_float32(mindformers.GPT2LMHeadModel(config))


_HF_GPT2 = {
    "vocab_size": VOCABULARY,
    "n_positions": LENGTH,
    "n_embd": WIDTH,
    "n_layer": LAYERS,
    "n_head": HEADS,
    "eos_token_id": None,
    "bos_token_id": None,
}
CASES["mindformers-gpt2"] = Case(
    "mindformers-gpt2-transformers",
    "mindformers-v1.3.2",
    "GPT2LMHeadModel",
    _mindformers_gpt2,
    "GPT2LMHeadModel",
    ("GPT2Config", _HF_GPT2),
    _padded(LENGTH),
    _mindformers_generate,
)

_llama_case(
    "mindformers-qwen2_moe",
    "LlamaForCausalLM, qkv_has_bias, shared and routed experts",
    "Qwen2MoeForCausalLM",
    "Qwen2MoeConfig",
    hf={
        "moe_intermediate_size": HIDDEN,
        "shared_expert_intermediate_size": HIDDEN,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "norm_topk_prob": False,
    },
    qkv_has_bias=True,
    moe={
        **_MOE,
        "norm_topk_prob": False,
        "shared_expert_num": 1,
        "use_shared_expert_gating": True,
        "moe_intermediate_size": HIDDEN,
    },
)
CASES["mindformers-qwen2_moe"].map = "mindformers-qwen2_moe-transformers"

# --- MindFormers' research ---------------------------------------------------------------------------------------------


def _research(folder: str, module: str, network: str, config: str, **options: Any) -> Callable[[], Any]:
    """A network of MindFormers' folder research; ``config`` is its module and class."""

    def make() -> Any:
        _source("mindformers-v1.3.2", f"research/{folder}")
        module_name, class_name = config.split(".")
        made = getattr(importlib.import_module(module_name), class_name)(**{**_LLAMA, **options})
        return _in_float32(getattr(importlib.import_module(module), network)(made))

    return make


_MLA = {"q_lora_rank": 24, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16}
_SHARED = {
    **_MOE,
    "topk_method": "greedy",
    "norm_topk_prob": False,
    "shared_expert_num": 1,
    "first_k_dense_replace": 1,
    "moe_intermediate_size": 32,
    "routed_scaling_factor": 1.0,
}
CASES["mindformers-deepseek2"] = Case(
    "mindformers-deepseek2-transformers",
    "mindformers-v1.3.2",
    "research DeepseekV2ForCausalLM",
    _research(
        "deepseek2",
        "deepseek2",
        "DeepseekV2ForCausalLM",
        "deepseek2_config.DeepseekV2Config",
        n_kv_heads=HEADS,
        moe_config=_SHARED,
        extend_method="None",
        max_position_embeddings=2048,
        **_MLA,
    ),
    "DeepseekV2ForCausalLM",
    (
        "DeepseekV2Config",
        {
            **_HF,
            **_MLA,
            "num_key_value_heads": HEADS,
            "n_routed_experts": 4,
            "n_shared_experts": 1,
            "num_experts_per_tok": 2,
            "first_k_dense_replace": 1,
            "moe_intermediate_size": 32,
            "n_group": 1,
            "topk_group": 1,
            "topk_method": "greedy",
            "norm_topk_prob": False,
            "routed_scaling_factor": 1.0,
        },
    ),
    _padded(LENGTH),
    _mindformers_generate,
)

CASES["mindformers-internlm2"] = Case(
    "mindformers-internlm2-transformers",
    "mindformers-v1.3.2",
    "research InternLM2ForCausalLM, qkv_concat",
    _research("internlm2", "internlm2", "InternLM2ForCausalLM", "internlm2_config.InternLM2Config", qkv_concat=True),
    "LlamaForCausalLM",
    ("LlamaConfig", {**_HF, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}}),
    _padded(LENGTH),
    _mindformers_generate,
    {"head_dim": WIDTH // HEADS},
)
CASES["mindformers-internlm"] = Case(
    "mindformers-llama-transformers",
    "mindformers-v1.3.2",
    "research InternLMForCausalLM, has_bias",
    _research(
        "internlm", "internlm", "InternLMForCausalLM", "internlm_config.InternLMConfig", has_bias=True, n_kv_heads=None
    ),
    "LlamaForCausalLM",
    ("LlamaConfig", {**_HF, "attention_bias": True, "num_key_value_heads": HEADS}),
    _padded(LENGTH),
    _mindformers_generate,
)

# --- MindFormers' GLM 4 ------------------------------------------------------------------------------------------------


def _mindformers_glm() -> Any:
    _source("mindformers-v1.3.2")
    mindformers = importlib.import_module("mindformers")
    config = mindformers.ChatGLM2Config(
        batch_size=1,
        num_layers=LAYERS,
        padded_vocab_size=VOCABULARY,
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        ffn_hidden_size=HIDDEN,
        kv_channels=WIDTH // HEADS,
        num_attention_heads=HEADS,
        seq_length=LENGTH,
        hidden_dropout=0.0,
        attention_dropout=0.0,
        layernorm_epsilon=1e-5,
        rope_ratio=1.0,
        rmsnorm=True,
        add_bias_linear=False,
        add_qkv_bias=True,
        multi_query_attention=True,
        multi_query_group_num=GROUPS,
        apply_query_key_layer_scaling=True,
        attention_softmax_in_fp32=True,
        param_init_type="float32",
        compute_dtype="float32",
        layernorm_compute_type="float32",
        rotary_dtype="float32",
        use_past=False,
        use_flash_attention=False,
        eos_token_id=-1,
        pad_token_id=0,
        max_decode_length=LENGTH,
        do_sample=False,
    )
    net = _in_float32(mindformers.ChatGLM2ForConditionalGeneration(config))
    for layer in net.transformer.encoder.layers:  # uint8 times -10000 is 240 here and in MindSpore 2.10
        layer.self_attention.core_attention.mul_mask = lambda mask, factor: mask.astype(ms.float32) * factor
    return net


CASES["mindformers-glm4"] = Case(
    "mindformers-glm4-transformers",
    "mindformers-v1.3.2",
    "ChatGLM2ForConditionalGeneration",
    _mindformers_glm,
    "GlmForCausalLM",
    ("GlmConfig", {**_HF, "head_dim": WIDTH // HEADS, "attention_bias": True}),
    _padded(LENGTH),
    _mindformers_generate,
)

# --- MindFormers' mcore ------------------------------------------------------------------------------------------------

_MCORE = {
    **{key: value for key, value in _HF.items() if not key.endswith("token_id")},
    "max_position_embeddings": 64,
    "seq_length": LENGTH,
    "batch_size": 1,
    "head_dim": WIDTH // HEADS,
    "params_dtype": "float32",
    "compute_dtype": "float32",
    "layernorm_compute_dtype": "float32",
    "softmax_compute_dtype": "float32",
    "rotary_dtype": "float32",
    "use_flash_attention": True,
    "position_embedding_type": "rope",
}


class _NoOperator:
    """`DropoutExt`, which the networks make and, without dropout, do not call."""

    def add_prim_attr(self, *_: Any) -> Any:
        return self

    shard = add_prim_attr


def _mcore_moe() -> None:
    """Prepare experts: one process is a group, and the shared ones unpack two of three results, as a compiler may."""
    ms.communication.init()
    shared = importlib.import_module("mindformers.parallel_core.training_graph.transformer.moe.shared_experts")
    for kind in [kind for name, kind in vars(shared).items() if name.startswith("SharedExpertMLP")]:
        kind.construct = lambda self, x, base=kind.__mro__[1]: base.construct(self, x)[:2]
    dispatcher = importlib.import_module("mindformers.parallel_core.training_graph.transformer.moe.token_dispatcher")
    dispatcher.ms = types.SimpleNamespace(**{**vars(ms), "bfloat16": ms.float32})  # tokens go in bfloat16


def _mcore(
    model: str, file: str, config: str, network: str, source: str = "mindformers-dev", **options: Any
) -> Callable[[], Any]:
    def make() -> Any:
        _source(source)
        ms.ops.auto_generate.DropoutExt = _NoOperator
        importlib.import_module("mindspore.parallel.shard")._DistributedTensorInfo = _NoOperator  # of its checkpoints
        ms.common.generator.Generator._step = lambda self, step: (0, 0)
        made = getattr(importlib.import_module(f"mindformers.models.{model}.configuration_{file}"), config)(
            **{**_MCORE, **options}
        )
        if source != "mindformers-dev":
            utils = importlib.import_module("mindformers.parallel_core.training_graph.transformer.utils")
            utils.is_legacy_model = lambda: False  # the configuration of a run says so
        if {"n_routed_experts", "num_experts"} & set(options):
            _mcore_moe()
        _without_float16("mindformers.parallel_core.training_graph.transformer.attention")
        return getattr(importlib.import_module(f"mindformers.models.{model}.modeling_{file}_train"), network)(made)

    return make


def _mcore_logits(net: Any, ids: np.ndarray) -> np.ndarray:
    row = np.ones((1, LENGTH), np.int32)
    row[:, : ids.shape[1]] = ids
    found = net(ms.Tensor(row), labels=ms.Tensor(row)).asnumpy()
    return found.reshape(1, LENGTH, -1)[:, : ids.shape[1]]  # (S, 1, V), or (S, V) from 1.7 on


for _layout in ("", "_groups"):
    CASES[f"mindformers-qwen3{_layout}"] = Case(
        f"mindformers-qwen3{_layout}-transformers",
        "mindformers-dev",
        f"TrainingQwen3ForCausalLM{', use_contiguous_weight_layout=False' * bool(_layout)}",
        _mcore("qwen3", "qwen3", "Qwen3Config", "TrainingQwen3ForCausalLM", use_contiguous_weight_layout=not _layout),
        "Qwen3ForCausalLM",
        ("Qwen3Config", {**_HF, "head_dim": WIDTH // HEADS}),
        _mcore_logits,
    )

CASES["mindformers-qwen3_1.7"] = Case(
    "mindformers-qwen3_1.7-transformers",
    "mindformers-v1.7.0",
    "TrainingQwen3ForCausalLM",
    _mcore("qwen3", "qwen3", "Qwen3Config", "TrainingQwen3ForCausalLM", "mindformers-v1.7.0"),
    "Qwen3ForCausalLM",
    ("Qwen3Config", {**_HF, "head_dim": WIDTH // HEADS}),
    _mcore_logits,
)
_QWEN3_MOE = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "norm_topk_prob": True}
for _version, _folder in (("", "mindformers-dev"), ("_1.7", "mindformers-v1.7.0")):
    CASES[f"mindformers-qwen3_moe{_version}"] = Case(
        f"mindformers-qwen3_moe{_version}-transformers",
        _folder,
        "TrainingQwen3MoeForCausalLM",
        _mcore(
            "qwen3_moe",
            "qwen3_moe",
            "Qwen3MoeConfig",
            "TrainingQwen3MoeForCausalLM",
            _folder,
            **_QWEN3_MOE,
            moe_grouped_gemm=True,
            **({} if _version else {"aux_loss_types": ["expert"], "aux_loss_factors": [0.0]}),
            routed_scaling_factor=1.0,
            mlp_only_layers=[],
        ),
        "Qwen3MoeForCausalLM",
        ("Qwen3MoeConfig", {**_HF, **_QWEN3_MOE, "head_dim": WIDTH // HEADS}),
        _mcore_logits,
    )
_DEEPSEEK3 = {
    **_MLA,
    "num_key_value_heads": HEADS,
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "num_experts_per_tok": 2,
    "first_k_dense_replace": 1,
    "moe_intermediate_size": 32,
    "n_group": 1,
    "topk_group": 1,
    "routed_scaling_factor": 1.0,
    "norm_topk_prob": True,
    "rms_norm_eps": 1e-6,  # transformers has it in the norms of the latents whatever the config says
}
for _version, _folder in (("", "mindformers-dev"), ("_1.7", "mindformers-v1.7.0")):
    CASES[f"mindformers-deepseek3{_version}"] = Case(
        f"mindformers-deepseek3{_version}-transformers",
        _folder,
        "TrainingDeepseekV3ForCausalLM",
        _mcore(
            "deepseek3",
            "deepseek_v3",
            "DeepseekV3Config",
            "TrainingDeepseekV3ForCausalLM",
            _folder,
            **_DEEPSEEK3,
            head_dim=None,
            num_nextn_predict_layers=0,
            scoring_func="sigmoid",
            topk_method="noaux_tc",
            rope_scaling=None,
            multi_latent_attention=True,
            moe_grouped_gemm=True,
            rotary_scaling_factor=1.0,
            **({} if _version else {"aux_loss_factors": [0.0]}),
            qk_layernorm=True,
        ),
        "DeepseekV3ForCausalLM",
        ("DeepseekV3Config", {**_HF, **_DEEPSEEK3}),
        _mcore_logits,
    )

# --- ports of transformers --------------------------------------------------------------------------------------------

_SMALL: dict[str, dict[str, Any]] = {
    "GPT2": _HF_GPT2,
    "Llama": _HF,
    "Mistral": {**_HF, "sliding_window": None},
    "Qwen2": _HF,
    "Qwen3": {**_HF, "head_dim": 16},
    "Phi3": _HF,
    "Gemma2": {**_HF, "head_dim": 16, "query_pre_attn_scalar": 16},
    "Glm4": {**_HF, "head_dim": 16},
    "OPT": {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "ffn_dim": HIDDEN,
        "max_position_embeddings": LENGTH,
        "word_embed_proj_dim": WIDTH,
        "eos_token_id": None,
    },
    "Bloom": {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "eos_token_id": None},
}

_EXPERT_SIZES = {"moe_intermediate_size": 32, "num_experts_per_tok": 2, "norm_topk_prob": True}
_DEEPSEEK = {
    **_HF,
    **_EXPERT_SIZES,
    "num_key_value_heads": HEADS,
    "n_routed_experts": 4,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "q_lora_rank": 24,
    "kv_lora_rank": 32,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8,
    "v_head_dim": 16,
    "n_group": 1,
    "topk_group": 1,
    "routed_scaling_factor": 1.0,
}
_SMALL |= {
    "Mixtral": {**_HF, **_EXPERTS, "rope_theta": 10000.0},
    "Qwen3Moe": {**_HF, **_EXPERT_SIZES, "head_dim": 16, "num_experts": 4},
    "DeepseekV2": {**_DEEPSEEK, "topk_method": "greedy", "norm_topk_prob": False},
    "T5": {
        "vocab_size": VOCABULARY,
        "d_model": WIDTH,
        "num_layers": LAYERS,
        "num_heads": HEADS,
        "d_ff": HIDDEN,
        "d_kv": 16,
        "decoder_start_token_id": 0,
    },
    "Whisper": {
        "vocab_size": VOCABULARY,
        "d_model": WIDTH,
        "encoder_layers": LAYERS,
        "decoder_layers": LAYERS,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "encoder_ffn_dim": HIDDEN,
        "decoder_ffn_dim": HIDDEN,
        "num_mel_bins": 8,
        "max_source_positions": 16,
        "max_target_positions": LENGTH,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "decoder_start_token_id": 3,
    },
}
_ENCODER_INPUTS = {
    "T5": {"input_ids": np.random.RandomState(5).randint(3, VOCABULARY, (1, 9)).astype(np.int64)},
    "Whisper": {"input_features": np.random.RandomState(5).normal(0, 1, (1, 8, 32)).astype(np.float32)},
}


def _class(kind: str) -> str:
    named = {"GPT2": "GPT2LMHeadModel"} | {kind: f"{kind}ForConditionalGeneration" for kind in _ENCODER_INPUTS}
    return named.get(kind, f"{kind}ForCausalLM")


def _port_logits(kind: str) -> Callable[[Any, np.ndarray], np.ndarray]:
    others = {key: ms.Tensor(value) for key, value in _ENCODER_INPUTS.get(kind, {}).items()}
    key = "decoder_input_ids" if others else "input_ids"
    return lambda net, ids: _plain(net(**{key: ms.Tensor(ids.astype(np.int64))}, **others, use_cache=False))


def _plain(found: Any) -> np.ndarray:
    found = found[0] if isinstance(found, (tuple, list)) else getattr(found, "logits", found)
    return found.asnumpy()


def _mindone(kind: str) -> Callable[[], Any]:
    def make() -> Any:
        _source("mindone-0.5.0")
        config = getattr(importlib.import_module("transformers"), f"{kind}Config")(**_SMALL[kind])
        config._attn_implementation = "eager"
        return getattr(importlib.import_module("mindone.transformers"), _class(kind))(config)

    return make


# --- MindFormers' T5 ---------------------------------------------------------------------------------------------------

_T5_LENGTH = 9


def _mindformers_t5() -> Any:
    _source("mindformers-v1.3.2")
    mindformers = importlib.import_module("mindformers")
    config = mindformers.T5Config(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        d_kv=WIDTH // HEADS,
        d_ff=HIDDEN,
        num_layers=LAYERS,
        num_decoder_layers=LAYERS,
        num_heads=HEADS,
        batch_size=1,
        seq_length=_T5_LENGTH,
        max_decode_length=LENGTH,
        hidden_dropout_rate=0.0,
        attention_dropout_rate=0.0,
        embedding_dropout_prob=0.0,
    )
    _without_float16("mindformers.models.t5.t5")
    return _in_float32(mindformers.T5ForConditionalGeneration(config))


def _t5_logits(net: Any, ids: np.ndarray) -> np.ndarray:
    given = _ENCODER_INPUTS["T5"]["input_ids"].astype(np.int32)
    mask, decoder_mask = (ms.Tensor(np.ones((1, length), np.float32)) for length in (_T5_LENGTH, LENGTH))

    def logits(row: Any) -> Any:
        found = net(ms.Tensor(given), mask, None, row, decoder_mask)
        return found.reshape((1, LENGTH, -1))

    return _padded(LENGTH)(logits, ids)


CASES["mindformers-t5"] = Case(
    "mindformers-t5-transformers",
    "mindformers-v1.3.2",
    "T5ForConditionalGeneration",
    _mindformers_t5,
    "T5ForConditionalGeneration",
    ("T5Config", _SMALL["T5"]),
    _t5_logits,
    inputs=_ENCODER_INPUTS["T5"],
)

# --- MindFormers' Whisper ----------------------------------------------------------------------------------------------


def _mindformers_whisper() -> Any:
    _source("mindformers-v1.3.2")
    module = importlib.import_module("mindformers.models.whisper")
    config = module.WhisperConfig(
        **_SMALL["Whisper"],
        batch_size=1,
        compute_dtype="float32",
        param_init_type="float32",
        embedding_init_type="float32",
        layernorm_compute_dtype="float32",
        softmax_compute_type="float32",
    )
    net = _in_float32(module.WhisperForConditionalGeneration(config))
    net.model.encoder.gelu = ms.nn.GELU(approximate=False)  # as transformers has it behind the convolutions
    return net


def _whisper_logits(net: Any, ids: np.ndarray) -> np.ndarray:
    features = ms.Tensor(_ENCODER_INPUTS["Whisper"]["input_features"])
    return _padded(LENGTH)(lambda row: net(input_features=features, decoder_input_ids=row), ids)


CASES["mindformers-whisper"] = Case(
    "mindformers-whisper-transformers",
    "mindformers-v1.3.2",
    "WhisperForConditionalGeneration",
    _mindformers_whisper,
    "WhisperForConditionalGeneration",
    ("WhisperConfig", {**_SMALL["Whisper"], "activation_function": "gelu_pytorch_tanh"}),
    _whisper_logits,
    inputs=_ENCODER_INPUTS["Whisper"],
)

for _kind in _SMALL:
    CASES[f"mindone-{_kind.lower()}"] = Case(
        "mindone-ports-transformers",
        "mindone-0.5.0",
        _class(_kind),
        _mindone(_kind),
        _class(_kind),
        (f"{_kind}Config", _SMALL[_kind]),
        _port_logits(_kind),
        inputs=_ENCODER_INPUTS.get(_kind),
    )

#: names that MindNLP 0.2.4 imports and does not use here; the last is of another pytest
_STAND_INS = (
    ("mindspore.nn.layer.conv", "_deconv_output_length"),
    ("mindspore._checkparam", "_check_3d_int_or_tuple"),
    ("_pytest.doctest", "import_path"),
)


def _mindnlp_gpt2() -> Any:
    """The first release, where every layer of torch's has MindSpore's names."""
    _source("mindnlp-0.1.1")
    config = importlib.import_module("mindnlp.models.gpt2.config_gpt2").GPT2Config(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        max_position_embeddings=LENGTH,
    )
    return importlib.import_module("mindnlp.models.gpt2.gpt2").GPT2LMHeadModel(config)


CASES["mindnlp-0.1.1-gpt2"] = Case(
    "mindnlp-ports-transformers",
    "mindnlp-0.1.1",
    "GPT2LMHeadModel",
    _mindnlp_gpt2,
    "GPT2LMHeadModel",
    ("GPT2Config", {**_HF_GPT2, "tie_word_embeddings": False}),
    lambda net, ids: _plain(net(ms.Tensor(ids))),
)


def _full(size: Any, value: Any, *, dtype: Any = None) -> Any:
    """`ops.full` of MindSpore 2.2: the dtype is that of the value, not int64."""
    return ms.ops.fill(dtype or (value.dtype if isinstance(value, ms.Tensor) else ms.float32), size, value)


def _mindnlp(kind: str) -> Callable[[], Any]:
    def make() -> Any:
        _source("mindnlp-0.2.4")
        for module, name in _STAND_INS:
            setattr(importlib.import_module(module), name, None)
        ms.ops.full = _full
        transformers = importlib.import_module("mindnlp.transformers")
        return getattr(transformers, _class(kind))(getattr(transformers, f"{kind}Config")(**_SMALL[kind]))

    return make


for _kind in ("GPT2", "Llama", "Mistral", "Mixtral", "Qwen2", "Whisper", "OPT", "Bloom"):
    CASES[f"mindnlp-{_kind.lower()}"] = Case(
        "mindnlp-ports-transformers",
        "mindnlp-0.2.4",
        _class(_kind),
        _mindnlp(_kind),
        _class(_kind),
        (f"{_kind}Config", _SMALL[_kind]),
        _port_logits(_kind),
        inputs=_ENCODER_INPUTS.get(_kind),
    )

# --- the proof --------------------------------------------------------------------------------------------------------


def randomize(net: Any, seed: int = 1) -> None:
    """Random values for every parameter, by its name."""
    for parameter in net.get_parameters():
        if parameter.name.endswith(CONSTANTS):
            continue
        draw = np.random.default_rng([seed, zlib.crc32(parameter.name.encode())])
        shape = tuple(parameter.shape)
        if len(shape) < 2:
            value = draw.normal(1.0 if "norm" in parameter.name or "ln_" in parameter.name else 0.0, 0.2, shape)
        else:
            value = draw.normal(0, 1.5 / np.sqrt(shape[-1]), shape)
        parameter.set_data(ms.Tensor(value.astype(np.float32)).astype(parameter.dtype))


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    assert a.shape == b.shape and np.isfinite(a).all() and np.isfinite(b).all(), (a.shape, b.shape)
    return float(np.abs(a - b).max() / np.abs(a).max())


def _greedy(logits: Callable[[np.ndarray], np.ndarray], ids: np.ndarray) -> list[int]:
    for _ in range(NEW):
        ids = np.concatenate([ids, logits(ids)[:, -1:].argmax(-1).astype(ids.dtype)], 1)
    return ids[0].tolist()


def _names(done: Any, values: dict[str, Any]) -> list[str]:
    """A line for each row of the report: names and shapes from and to."""

    def side(names: list[str], tensors: dict[str, Any]) -> str:
        return ", ".join(f"{name} {'x'.join(map(str, tensors[name].shape))}" for name in names)

    return [f"{side(row['from'], values)} => {side(row['to'], done.values)}" for row in done.report["matched"]] + [
        f"{side([row['name']], values)} =>" for row in done.report["dropped"]
    ]


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def prove(name: str) -> dict[str, Any]:
    """Return the row of the case."""
    case = CASES[name]
    net = case.make()
    randomize(net)
    net.set_train(False)
    transformers = importlib.import_module("transformers")
    config = getattr(transformers, case.config[0])(**case.config[1])
    rules = {"version": 1, "include": [case.map], "sizes": case.rules} if case.rules else case.map
    with tempfile.TemporaryDirectory() as folder:
        ckpt, converted, back, again = (
            os.path.join(folder, file) for file in ("a.ckpt", "model.safetensors", "b.ckpt", "c.ckpt")
        )
        ms.save_checkpoint(net, ckpt)
        done = convert_checkpoint(ckpt, rules, converted)
        config.save_pretrained(folder)
        twin, told = getattr(transformers, case.target).from_pretrained(
            folder, output_loading_info=True, attn_implementation="eager"
        )
        assert not (told["missing_keys"] or told["unexpected_keys"] or told["mismatched_keys"]), told
        twin.eval()
        more = case.inputs or {}

        def torch_logits(row: np.ndarray) -> np.ndarray:
            others = {key: torch.from_numpy(value) for key, value in more.items()}
            key = "decoder_input_ids" if more else "input_ids"
            with torch.no_grad():
                return twin(**{key: torch.from_numpy(row).long()}, **others, use_cache=False).logits.numpy()

        for seed in range(2, 50):  # MindFormers does not attend to its padding token 0
            ids = np.random.RandomState(seed).randint(3, VOCABULARY, (1, PROMPT + NEW)).astype(np.int32)
            tokens = _greedy(torch_logits, ids[:, :PROMPT])
            if 0 not in tokens:
                break
        expected = case.logits(net, ids)
        assert _difference(expected[:, -1], case.logits(net, ids[:, ::-1].copy())[:, -1]) > 1e-2
        own = (
            case.generate(net, ids[:, :PROMPT])
            if case.generate
            else _greedy(lambda row: case.logits(net, row), ids[:, :PROMPT])
        )
        if not more:
            found = twin.generate(torch.from_numpy(ids[:, :PROMPT]).long(), max_new_tokens=NEW, do_sample=False)
            assert found[0].tolist() == tokens, (found, tokens)
        twin.save_pretrained(os.path.join(folder, "saved"))  # as transformers writes it
        other = case.make()
        randomize(other, 3)
        convert_checkpoint(os.path.join(folder, "saved", "model.safetensors"), rules, back, reverse=True, like=other)
        missing, _ = ms.load_param_into_net(other, ms.load_checkpoint(back), strict_load=True)
        assert all(name.endswith(CONSTANTS) for name in missing), missing
        ms.save_checkpoint(other, again)
        return {
            "case": name,
            "map": case.map,
            "from": f"{SOURCES[case.source]} {case.network}",
            "to": case.target,
            "tensors": done.report["tensors"],
            "elements": done.report["elements"],
            "difference": _difference(expected, torch_logits(ids)),
            "tokens": len(own) - PROMPT if own == tokens else f"OTHER {own} {tokens}",
            "back": _bytes(ckpt) == _bytes(again) and (bool(missing) or _bytes(back) == _bytes(ckpt)),
            "by the network": sorted({name.rpartition(".")[2] for name in missing}),
            "transformers": transformers.__version__,
            "names": _names(done, ms.load_checkpoint(ckpt)),
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=list(CASES))
    parser.add_argument("sources")
    options = parser.parse_args()
    FOLDERS.update(sources=os.path.abspath(options.sources))
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    torch.manual_seed(0)
    print(json.dumps(prove(options.case)))
