"""Trains a small BERT or GPT-2 of mindformers 1.3 (the last with both) for some steps from seeded weights:
``python mindformers_small.py bert|gpt2 [MODE]`` prints the losses; GPT-2 then generates. MODE 0 is GRAPH_MODE.
"""
# ruff: noqa: E402 (the folders come first)

import os
import sys

sys.path[:0] = [os.getcwd(), os.path.dirname(os.path.abspath(__file__))]

import mindspore as ms
import numpy as np
import seeded

seeded.stand_in("mindformers-v1.3.2")

from mindformers import BertConfig, BertForPreTraining, GPT2Config, GPT2LMHeadModel
from mindformers.core.optim import FP32StateAdamWeightDecay
from mindspore import Tensor, nn

BATCH, LENGTH, WORDS, MASKED = 2, 32, 128, 4


def bert(random):
    """(network, rows of input_ids, input_mask, token_type_id, next_sentence_labels, masked positions, ids and weights)"""
    config = BertConfig(
        batch_size=BATCH,
        seq_length=LENGTH,
        vocab_size=WORDS,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=LENGTH,
        compute_dtype="float32",
        dropout_prob=0.0,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    rows = []
    for _ in range(6):
        ids = random.randint(3, WORDS, (BATCH, LENGTH))
        rows.append(
            [
                ids,
                np.ones((BATCH, LENGTH)),
                np.arange(LENGTH)[None].repeat(BATCH, 0) // (LENGTH // 2),
                random.randint(0, 2, (BATCH, 1)),
                np.sort(random.randint(1, LENGTH, (BATCH, MASKED)), 1),
                random.randint(3, WORDS, (BATCH, MASKED)),
                np.ones((BATCH, MASKED), np.float32),
            ]
        )
    return BertForPreTraining(config), rows


def gpt2(random):
    """(network, rows of input_ids)"""
    config = GPT2Config(
        batch_size=BATCH,
        seq_length=LENGTH,
        vocab_size=WORDS,
        hidden_size=64,
        num_layers=2,
        num_heads=4,
        compute_dtype="float32",
        embedding_dropout_prob=0.0,
        hidden_dropout_rate=0.0,
        attention_dropout_rate=0.0,
        eos_token_id=0,
        pad_token_id=0,
        bos_token_id=0,
        max_decode_length=LENGTH,
        do_sample=False,
    )
    return GPT2LMHeadModel(config), [[random.randint(3, WORDS, (BATCH, LENGTH + 1))] for _ in range(6)]


def tensors(row):
    return [Tensor(column.astype(np.float32 if column.dtype == np.float32 else np.int32)) for column in row]


def main(task, mode="0"):
    ms.set_context(mode=int(mode), device_target="CPU")
    net, rows = {"bert": bert, "gpt2": gpt2}[task](np.random.RandomState(0))
    seeded.fill(net).set_train()
    step = nn.TrainOneStepCell(net, FP32StateAdamWeightDecay(net.trainable_params(), learning_rate=3e-4))
    step.set_train()
    for row in rows:
        print(f"loss: {float(step(*tensors(row)).asnumpy().mean()):.6f}", flush=True)
    net.set_train(False)
    if task == "gpt2":
        made = net.generate(rows[0][0][:1, :8].tolist(), max_length=16, do_sample=False)[0]
        print(*(f"token: {token}" for token in made), sep="\n")
    else:
        print(
            *(
                f"score: {value:.6f}"
                for value in net(*tensors(rows[0][:3]), None, *tensors(rows[0][4:5]))[3].asnumpy().ravel()
            )
        )


main(*sys.argv[1:])
