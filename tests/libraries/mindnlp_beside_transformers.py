"""Models of MindNLP 0.2.4, 0.3.1 and 0.4.1, which no MindSpore of today imports, beside transformers' of the same weights:

    PYTHONPATH=MINDNLP python -m mindspore_compat tests/libraries/mindnlp_beside_transformers.py [NAME ...]

``MINDNLP`` holds the unpacked wheel. Needs transformers 4.41, tokenizers 0.19, datasets < 3, pytest 7.2, jieba and the
other requirements of MindNLP. Each line shows the losses before each of three Adam steps, and the tokens that both
generate afterwards.
"""

from __future__ import annotations

import importlib.metadata
import sys
import traceback
from typing import Any

import mindnlp.transformers as ported
import mindspore as ms
import numpy as np
import torch
import transformers
from mindspore import Tensor

IS_OWN_CORE = importlib.metadata.version("mindnlp") >= "0.4"  # Modules and optimizers of its own
WORDS = {"vocab_size": 99, "max_position_embeddings": 64}
SMALL = {
    **WORDS,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 37,
}
STILL = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
SEQUENCES = {
    **WORDS,
    "d_model": 32,
    "dropout": 0.0,
    **{f"{side}_{what}": size for side in ("encoder", "decoder") for what, size in
       (("layers", 2), ("attention_heads", 4), ("ffn_dim", 37))},
}  # fmt: skip
TOKENS = np.random.default_rng(0).integers(3, 99, (2, 12))
IMAGES = np.random.default_rng(1).standard_normal((2, 3, 16, 16)).astype(np.float32)
SOUNDS = np.random.default_rng(1).standard_normal((2, 8, 40)).astype(np.float32)
CLASSES = np.array([0, 1])
INPUTS: dict[str, dict[str, Any]] = {
    "classes": {"input_ids": TOKENS, "labels": CLASSES},
    "tokens": {"input_ids": TOKENS, "labels": TOKENS},
    "next": {"input_ids": TOKENS, "labels": TOKENS},
    "sequences": {"input_ids": TOKENS, "labels": TOKENS[:, :7].copy()},
    "images": {"pixel_values": IMAGES, "labels": CLASSES},
    "pairs": {"input_ids": TOKENS, "pixel_values": IMAGES, "return_loss": True},
    "sounds": {"input_features": SOUNDS, "labels": TOKENS[:, :7].copy()},
}
#: name -> (stem of the configuration, class, configuration, inputs)
MODELS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "bert": ("Bert", "BertForSequenceClassification", {**SMALL, **STILL}, "classes"),
    "bert-mlm": ("Bert", "BertForMaskedLM", {**SMALL, **STILL}, "tokens"),
    "roberta": ("Roberta", "RobertaForSequenceClassification", {**SMALL, **STILL, "pad_token_id": 1}, "classes"),
    "electra": ("Electra", "ElectraForSequenceClassification", {**SMALL, **STILL, "embedding_size": 16}, "classes"),
    "albert": (
        "Albert",
        "AlbertForSequenceClassification",
        {**SMALL, **STILL, "embedding_size": 16, "classifier_dropout_prob": 0.0},
        "classes",
    ),
    "distilbert": (
        "DistilBert",
        "DistilBertForSequenceClassification",
        {**WORDS, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 37, "dropout": 0.0, "attention_dropout": 0.0}
        | {"seq_classif_dropout": 0.0},
        "classes",
    ),
    "gpt2": (
        "GPT2",
        "GPT2LMHeadModel",
        {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
        | {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0},
        "next",
    ),
    "gptneo": (
        "GPTNeo",
        "GPTNeoForCausalLM",
        {**WORDS, "hidden_size": 32, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]]},
        "next",
    ),
    "opt": (
        "OPT",
        "OPTForCausalLM",
        {**WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 37}
        | {"dropout": 0.0, "word_embed_proj_dim": 32},
        "next",
    ),
    "bloom": ("Bloom", "BloomForCausalLM", {"vocab_size": 99, "hidden_size": 32, "n_layer": 2, "n_head": 4}, "next"),
    "llama": ("Llama", "LlamaForCausalLM", {**SMALL, "num_key_value_heads": 2}, "next"),
    "mistral": ("Mistral", "MistralForCausalLM", {**SMALL, "num_key_value_heads": 2, "sliding_window": None}, "next"),
    "qwen2": ("Qwen2", "Qwen2ForCausalLM", {**SMALL, "num_key_value_heads": 2}, "next"),
    "gemma": ("Gemma", "GemmaForCausalLM", {**SMALL, "num_key_value_heads": 1, "head_dim": 8}, "next"),
    "phi": ("Phi", "PhiForCausalLM", SMALL, "next"),
    "t5": (
        "T5",
        "T5ForConditionalGeneration",
        {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0}
        | {"decoder_start_token_id": 0},
        "sequences",
    ),
    "bart": ("Bart", "BartForConditionalGeneration", SEQUENCES, "sequences"),
    "vit": (
        "ViT",
        "ViTForImageClassification",
        {**{key: size for key, size in SMALL.items() if key not in WORDS}, **STILL, "image_size": 16, "patch_size": 4},
        "images",
    ),
    "clip": (
        "CLIP",
        "CLIPModel",
        {"text_config": SMALL, "projection_dim": 16}
        | {"vision_config": {**SMALL, "image_size": 16, "patch_size": 4}},
        "pairs",
    ),
    "whisper": (
        "Whisper",
        "WhisperForConditionalGeneration",
        {**SEQUENCES, "num_mel_bins": 8, "max_source_positions": 20, "max_target_positions": 32, "pad_token_id": 0}
        | {"bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
        | {"suppress_tokens": None, "begin_suppress_tokens": None},
        "sounds",
    ),
}  # fmt: skip


def of_mindnlp(model: Any, inputs: dict[str, Any]) -> list[float]:
    model.set_train()
    if IS_OWN_CORE:
        from mindnlp.core import optim, value_and_grad

        weights = [item for item in model.parameters() if item.requires_grad]
        optimizer, step = optim.Adam(weights, lr=1e-3), value_and_grad(lambda: model(**inputs).loss, weights)
    else:
        optimizer = ms.nn.Adam(model.trainable_params(), 1e-3)
        step = ms.value_and_grad(lambda: model(**inputs).loss, None, optimizer.parameters)
    losses = []
    for _ in range(3):
        if IS_OWN_CORE:
            optimizer.zero_grad()
            loss = step()
            optimizer.step()
        else:
            loss, gradients = step()
            optimizer(gradients)
        losses.append(float(loss.asnumpy()))
    model.set_train(False)
    return losses


def of_transformers(model: Any, inputs: dict[str, Any]) -> list[float]:
    optimizer, losses = torch.optim.Adam(model.parameters(), 1e-3), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(**inputs).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def compare(name: str) -> str:
    stem, model, settings, kind = MODELS[name]
    torch.manual_seed(0)
    config = getattr(transformers, stem + "Config")(**settings)
    config._attn_implementation = "eager"
    theirs = getattr(transformers, model)(config)
    ours = getattr(ported, model)(getattr(ported, stem + "Config")(**settings))
    state = theirs.state_dict()
    own = dict(ours.named_parameters()) if IS_OWN_CORE else {item.name: item for item in ours.get_parameters()}
    for path, parameter in own.items():
        value = Tensor(state[path].numpy())
        parameter.assign_value(value) if IS_OWN_CORE else parameter.set_data(value)
    inputs = INPUTS[kind]
    found = of_mindnlp(ours, {key: Tensor(x) if isinstance(x, np.ndarray) else x for key, x in inputs.items()})
    wanted = of_transformers(
        theirs, {key: torch.from_numpy(x) if isinstance(x, np.ndarray) else x for key, x in inputs.items()}
    )
    np.testing.assert_allclose(found, wanted, 1e-4)
    tokens = ""
    if kind in ("next", "sequences"):
        how = {"max_new_tokens": 6, "do_sample": False, "pad_token_id": 0}
        made = ours.generate(Tensor(TOKENS[:1, :5]), **how).asnumpy()
        np.testing.assert_array_equal(made, theirs.eval().generate(torch.from_numpy(TOKENS[:1, :5].copy()), **how))
        tokens = f", tokens {made[0, -6:].tolist()}"
    return f"losses {[round(item, 5) for item in found]}{tokens}"


def main() -> None:
    for name in sys.argv[1:] or MODELS:
        try:
            print(f"{name:<12}{compare(name)}", flush=True)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{name:<12}{type(error).__name__} {str(error)[:150]!r} at {last.filename}:{last.lineno}", flush=True)


if __name__ == "__main__":
    main()
