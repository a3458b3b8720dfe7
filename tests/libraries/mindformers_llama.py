"""Trains mindformers' small LLaMA for some steps from seeded weights and generates from it: ``python mindformers_llama.py
[MODE]`` prints the losses and the tokens. MODE 0 is GRAPH_MODE.
"""
# ruff: noqa: E402 (the folders come first)

import os
import sys

sys.path[:0] = [os.getcwd(), os.path.dirname(os.path.abspath(__file__))]

import mindspore as ms
import numpy as np
import seeded
from mindformers import LlamaConfig, LlamaForCausalLM
from mindformers.core.optim import AdamW
from mindspore import nn


def main(mode):
    ms.set_context(mode=mode, device_target="CPU")
    config = LlamaConfig(
        batch_size=2,
        seq_length=32,
        hidden_size=64,
        num_layers=2,
        num_heads=4,
        vocab_size=128,
        multiple_of=16,
        compute_dtype="float32",
        softmax_compute_type="float32",
        layernorm_compute_type="float32",
        rotary_dtype="float32",
        param_init_type="float32",
        use_flash_attention=False,
        use_past=False,
        max_decode_length=32,
        do_sample=False,
    )
    net = seeded.fill(LlamaForCausalLM(config))
    ids = np.random.RandomState(0).randint(3, 128, (6, 2, 33)).astype(np.int32)
    net.set_train()
    step = nn.TrainOneStepCell(net, AdamW(net.trainable_params(), learning_rate=1e-3))
    step.set_train()
    for batch in ids:
        print("loss:", float(step(ms.Tensor(batch)).asnumpy().mean()), flush=True)
    net.set_train(False)
    print("token:", *net.generate(ids[0, :1, :8].tolist(), max_length=16, do_sample=False)[0].tolist())


main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
