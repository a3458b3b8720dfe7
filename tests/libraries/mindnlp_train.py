"""Trains a small BERT or GPT-2 of mindnlp 0.1.1 for some steps with its own Trainer, from seeded weights:
``python mindnlp_train.py bert|gpt2 [JIT]`` prints the mean loss after each step; GPT-2 then goes on with a text, word by word.
"""
# ruff: noqa: E402 (the folders come first)

import os
import sys

sys.path[:0] = [os.getcwd(), os.path.dirname(os.path.abspath(__file__))]

import numpy as np
import seeded
from mindnlp.abc.callback import Callback
from mindnlp.engine import Trainer
from mindnlp.models.bert import BertConfig, BertModel
from mindnlp.models.gpt2.config_gpt2 import GPT2Config
from mindnlp.models.gpt2.gpt2 import GPT2LMHeadModel
from mindspore import Tensor, nn
from mindspore.dataset import GeneratorDataset

WORDS, LENGTH = 60, 16


class Prints(Callback):
    def train_step_end(self, run_context):
        print(f"\nloss: {float(run_context.loss.asnumpy()):.6f}", flush=True)


class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
        self.bert = BertModel(BertConfig(vocab_size=WORDS, max_position_embeddings=LENGTH, **small))
        self.head = nn.Dense(32, 2)

    def construct(self, input_ids, attention_mask):
        _, pooled = self.bert(input_ids, attention_mask)
        return self.head(pooled)


class LanguageModel(nn.Cell):
    def __init__(self):
        super().__init__()
        small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
        self.gpt = GPT2LMHeadModel(GPT2Config(vocab_size=WORDS, max_position_embeddings=2 * LENGTH, **small))

    def construct(self, input_ids):
        return self.gpt(input_ids)[0][:, :-1].reshape(-1, WORDS)


def rows(task):
    random = np.random.RandomState(0)
    for _ in range(24):
        ids = random.randint(1, WORDS, LENGTH).astype(np.int32)
        if task == "bert":
            yield ids, (np.arange(LENGTH) < random.randint(4, LENGTH)).astype(np.int32), np.int32(ids[0] % 2)
        else:
            yield ids, ids[1:]


def main(task, jit="0"):
    names = ["input_ids", "attention_mask", "label"] if task == "bert" else ["input_ids", "label"]
    data = GeneratorDataset(list(rows(task)), names, shuffle=False).batch(4)
    net = seeded.without_chance(seeded.fill(Classifier() if task == "bert" else LanguageModel()))
    cross_entropy = nn.CrossEntropyLoss()

    def loss_fn(logits, label):
        return cross_entropy(logits, label.reshape(-1))

    trainer = Trainer(
        network=net,
        train_dataset=data,
        epochs=1,
        loss_fn=loss_fn,
        optimizer=nn.Adam(net.trainable_params(), learning_rate=1e-3),
        callbacks=Prints(),
        jit=jit == "1",
    )
    trainer.run(tgt_columns="label")
    if task == "gpt2":
        net.set_train(False)
        ids = np.arange(1, 9, dtype=np.int32)[None]
        for _ in range(8):
            chosen = net.gpt(Tensor(ids))[0][:, -1].asnumpy().argmax(-1)
            ids = np.concatenate((ids, chosen[None].astype(np.int32)), 1)
        print(*(f"token: {chosen}" for chosen in ids[0]), sep="\n")


main(*sys.argv[1:])
