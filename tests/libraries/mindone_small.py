"""Small networks of mindone, seeded: ``python mindone_small.py WHAT MODE`` prints numbers. ``diffusion`` and ``text``: loss
and size of the gradients of each network; ``sampling``: some pixels of StableDiffusionPipeline under each scheduler;
``training``: losses of mindone's TrainStep under each optimizer, and of LoRA's layers.
"""
# ruff: noqa: E402 (the folders come first)

import json
import os
import sys
import tempfile
import zlib

sys.path[:0] = [os.getcwd(), os.path.dirname(os.path.abspath(__file__))]

import mindspore as ms
import numpy as np
import seeded
import transformers as configurations
from mindone import diffusers, transformers
from mindspore import Tensor, nn, ops

UNET = {
    "block_out_channels": (4, 8), "layers_per_block": 1, "sample_size": 16, "in_channels": 4, "out_channels": 4,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"), "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    "cross_attention_dim": 32, "norm_num_groups": 2, "attention_head_dim": 2,
}  # fmt: skip
VAE = {
    "block_out_channels": [4, 8], "in_channels": 3, "out_channels": 3, "latent_channels": 4, "norm_num_groups": 2,
    "down_block_types": ["DownEncoderBlock2D"] * 2, "up_block_types": ["UpDecoderBlock2D"] * 2,
}  # fmt: skip
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37}
T5 = {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 37, "num_layers": 2, "num_heads": 4}
CLIP_TEXT = {**SMALL, "vocab_size": 54, "max_position_embeddings": 16, "bos_token_id": 52, "eos_token_id": 53}
CLIP_IMAGE = {**SMALL, "image_size": 16, "patch_size": 4}
DIT = {
    "num_attention_heads": 2, "attention_head_dim": 4, "in_channels": 4, "out_channels": 8, "num_layers": 1,
    "sample_size": 8, "attention_bias": True, "activation_fn": "gelu-approximate", "norm_type": "ada_norm_zero",
    "num_embeds_ada_norm": 8, "patch_size": 2,
}  # fmt: skip


def normal(*shape, name="x"):
    return Tensor(np.random.default_rng(zlib.crc32(name.encode())).normal(0, 1, shape).astype(np.float32))


def integers(high, *shape):
    return Tensor(np.random.default_rng(0).integers(3, high, shape).astype(np.int32))


def filled(network):
    """Seeded values, around 1 for what norms multiply by, which is called weight here."""
    for parameter in seeded.fill(network).trainable_params():
        if parameter.ndim == 1 and parameter.name.endswith("weight"):
            parameter.set_data(parameter + 1)
    return seeded.without_chance(network)


def made(room, name, **arguments):
    return filled(getattr(room, name)(**arguments))


def configured(name, configuration, **arguments):
    wanted = getattr(configurations, configuration)(**arguments)
    wanted._attn_implementation = "eager"
    return filled(getattr(transformers, name)(wanted))


class Loss(nn.Cell):
    """The mean square of a network's first output."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def construct(self, *inputs):
        return self.network(*inputs)[0].square().mean()


def show(name, network, *inputs):
    network.set_train(False)
    weights = ms.ParameterTuple(network.trainable_params())
    loss, gradients = ms.value_and_grad(Loss(network), None, weights)(*inputs)
    size = np.sqrt(sum(float(np.square(one.asnumpy(), dtype=np.float64).sum()) for one in gradients))
    print(f"{name}: number: {float(loss.asnumpy()):.6f} number: {size:.6f}", flush=True)


def diffusion():
    picture, times, context = normal(2, 4, 16, 16), Tensor([10, 500]), normal(2, 3, 32, name="c")
    show("unet", made(diffusers, "UNet2DConditionModel", **UNET), picture, times, context)
    show("vae", made(diffusers, "AutoencoderKL", **VAE), normal(2, 3, 16, 16))
    dit = "DiTTransformer2DModel" if hasattr(diffusers, "DiTTransformer2DModel") else "Transformer2DModel"
    show("dit", made(diffusers, dit, **DIT), normal(2, 4, 8, 8), times, Tensor([1, 2]))


def text():
    words, picture = integers(50, 2, 9), normal(2, 3, 16, 16)
    show("bert", configured("BertModel", "BertConfig", vocab_size=99, **SMALL), words)
    show("t5", configured("T5EncoderModel", "T5Config", **T5), words)
    show("clip-text", configured("CLIPTextModel", "CLIPTextConfig", **CLIP_TEXT), words)
    show("clip-image", configured("CLIPVisionModel", "CLIPVisionConfig", **CLIP_IMAGE), picture)


def tokenizer():
    letters = [chr(97 + place) + end for end in ("", "</w>") for place in range(26)]
    folder = tempfile.mkdtemp()
    with open(f"{folder}/vocab.json", "w") as file:
        json.dump({word: place for place, word in enumerate([*letters, "<|startoftext|>", "<|endoftext|>"])}, file)
    with open(f"{folder}/merges.txt", "w") as file:
        file.write("#version: 0.2\n")
    return configurations.CLIPTokenizer(f"{folder}/vocab.json", f"{folder}/merges.txt", model_max_length=16)


def sampling():
    parts = {
        "unet": made(diffusers, "UNet2DConditionModel", **UNET),
        "vae": made(diffusers, "AutoencoderKL", **VAE),
        "text_encoder": configured("CLIPTextModel", "CLIPTextConfig", **CLIP_TEXT),
    }
    for part in parts.values():
        part.set_train(False)
    for name in ("DDIM", "PNDM", "EulerDiscrete", "DPMSolverMultistep", "UniPCMultistep"):
        scheduler = getattr(diffusers, f"{name}Scheduler")(beta_schedule="scaled_linear")
        pipeline = diffusers.StableDiffusionPipeline(
            **parts, scheduler=scheduler, tokenizer=tokenizer(), safety_checker=None, feature_extractor=None,
            requires_safety_checker=False,
        )  # fmt: skip
        pipeline.set_progress_bar_config(disable=True)
        picture = pipeline(
            "a cat", num_inference_steps=4, guidance_scale=6.0, output_type="np", height=32, width=32,
            latents=normal(1, 4, 16, 16), return_dict=False,
        )[0]  # fmt: skip
        print(name, " ".join(f"number: {pixel:.5f}" for pixel in np.asarray(picture).ravel()[::211]), flush=True)


def step_of(unet, optimizer):
    from mindone.diffusers.training_utils import TrainStep

    class Step(TrainStep):
        def forward(self, noisy, times, context, noise):
            return self.scale_loss(ops.mse_loss(self.model(noisy, times, context, return_dict=False)[0], noise)), noise

    scaler = ms.amp.DynamicLossScaler(256.0, 2, 2)
    return Step(unet, optimizer, loss_scaler=scaler, max_grad_norm=0.5, gradient_accumulation_steps=1)


def with_lora():
    try:
        from mindone.peft import LoraConfig
    except ImportError:
        from mindone.diffusers._peft import LoraConfig
    unet = made(diffusers, "UNet2DConditionModel", **UNET)
    for parameter in unet.get_parameters():
        parameter.requires_grad = False
    unet.add_adapter(LoraConfig(r=2, lora_alpha=2, target_modules=["to_k", "to_q", "to_v", "to_out.0"]))
    return filled(unet)


def training():
    from mindone.trainers.came import CAME
    from mindone.trainers.optim import create_optimizer

    runs = {
        "AdamW": (lambda weights: create_optimizer(weights, name="adamw", lr=1e-3, weight_decay=0.01), None),
        "CAME": (lambda weights: CAME(weights, 1e-3), None),
        "LoRA": (lambda weights: nn.AdamWeightDecay(weights, 1e-2), with_lora),
    }
    for name, (optimizer, network) in runs.items():
        unet = network() if network else made(diffusers, "UNet2DConditionModel", **UNET)
        step = step_of(unet, optimizer(unet.trainable_params())).set_train()
        for number in range(5):
            data = normal(2, 4, 16, 16), Tensor([10, 500]), normal(2, 3, 32, name="c"), normal(2, 4, 16, 16, name="n")
            print(f"{name} {number}: number: {float(step(*data)[0].asnumpy()):.6f}", flush=True)


def main(what, mode):
    ms.set_context(mode=int(mode))
    {"diffusion": diffusion, "text": text, "sampling": sampling, "training": training}[what]()


if __name__ == "__main__":
    main(*sys.argv[1:])
