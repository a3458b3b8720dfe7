"""Courses."""

import sys
from types import SimpleNamespace

import numpy as np
from kit import floats, ids, mnist, run, script, train


def _bert(module, **changed):
    given = dict(
        seq_length=12,
        vocab_size=60,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        type_vocab_size=2,
    )
    return {**given, **changed}


@run("mindspore-courses/ABSA-MindSpore", "sentiment", "LSTM, MemNet")
def absa():

    sys.path.insert(0, "models")  # the package imports mindnlp
    from lstm import LSTM
    from memnet import MemNet

    opt = SimpleNamespace(
        embed_dim=12, hidden_dim=12, polarities_dim=3, hops=2, dropout=0.1, device="CPU", max_seq_len=9
    )
    table = np.random.rand(40, 12).astype("float32")
    train(LSTM(table, opt), [ids(40, 2, 9)])
    train(MemNet(table, opt), [ids(40, 2, 9), ids(40, 2, 3)])


GANS = (
    "aae acgan began bgan cgan cluster_gan dcgan dragan ebgan gan infogan lsgan relativistic_gan sgan softmax_gan wgan"
)


def _gan(name):
    def driver():
        mnist("data/MNIST")
        script(f"implementations/{name}/{name}.py", "--n_epochs", "1", "--batch_size", "8")

    driver.__name__ = f"course_{name}"
    run("mindspore-courses/MindSpore-GAN", "GAN", f"{name}.py", note="dropout" if name == "cgan" else "")(driver)


for name in GANS.split():
    _gan(name)


def _tutorial(folder, name):
    def driver():
        mnist("data/MNIST", train=400, test=100)
        script(f"tutorials/{folder}/{name}/main.py")

    driver.__name__ = f"tutorial_{name}"
    run("mindspore-courses/MindSpore-Tutorial", "course", f"{name}/main.py")(driver)


for folder, name in (
    ("01-basics", "feedforward_neural_network"),
    ("01-basics", "logistic_regression"),
    ("01-basics", "linear_regression"),
    ("02-intermediate", "recurrent_neural_network"),
    ("02-intermediate", "bidirectional_recurrent_neural_network"),
    ("03-advanced", "variational_autoencoder"),
):
    _tutorial(folder, name)


@run(
    "mindspore-courses/Deep-Tutorials-for-MindSpore",
    "super-resolution",
    "SRResNet",
    folder="SuperResolution",
    stops="Conv2d with padding and pad_mode same",
)
def deep_sr():
    from model import Discriminator, SRResNet

    train(SRResNet(n_blocks=2), floats(1, 3, 12, 12))
    train(Discriminator(n_blocks=4, fc_size=32), floats(2, 3, 32, 32))


@run(
    "mindspore-courses/Deep-Tutorials-for-MindSpore",
    "translation",
    "Transformer, LabelSmoothedCE",
    folder="MachineTranslation",
    stops="package youtokentome",
)
def deep_mt():
    import mindspore
    from model import LabelSmoothedCE, Transformer
    from utils import get_positional_encoding

    net = Transformer(40, get_positional_encoding(16, 20), 16, 2, 8, 8, 32, 2, 0.0)
    lengths = mindspore.Tensor([8, 6])
    target = ids(40, 2, 8)
    train(net, ids(40, 2, 8), target, lengths, lengths, loss=lambda out: LabelSmoothedCE(0.1)(out, target, lengths))


@run(
    "mindspore-courses/Deep-Tutorials-for-MindSpore",
    "text classification",
    "HierarchialAttentionNetwork",
    folder="TextClassification",
)
def deep_han():
    import mindspore
    from model import HierarchialAttentionNetwork

    net = HierarchialAttentionNetwork(4, 40, 12, 8, 8, 1, 1, 8, 8, 0.0)
    train(net, ids(40, 2, 3, 5), mindspore.Tensor([3, 2]), mindspore.Tensor([[5, 4, 3], [5, 2, 1]]))


@run(
    "mindspore-courses/Deep-Tutorials-for-MindSpore",
    "detection",
    "SSD300, MultiBoxLoss",
    folder="ObjectDetection",
    stops="Conv2d with padding and pad_mode same",
)
def deep_ssd():
    import mindspore
    from model import SSD300, MultiBoxLoss

    net = SSD300(5)
    criterion = MultiBoxLoss(net.priors_cxcy)
    boxes, labels = (
        [mindspore.Tensor([[0.1, 0.1, 0.6, 0.7]], mindspore.float32)],
        [mindspore.Tensor([2], mindspore.int32)],
    )
    train(net, floats(1, 3, 300, 300), loss=lambda out: criterion(out[0], out[1], boxes, labels), steps=2)


@run("mindspore-courses/Deep-Tutorials-for-MindSpore", "sequence labeling", "CRF, Highway", folder="SequenceLabeling")
def deep_crf():
    from mindspore.nn import SequentialCell
    from models import CRF, Highway

    train(SequentialCell(Highway(8)), floats(2, 8))
    train(CRF(8, 5), floats(2, 4, 8))


def _attention(path):
    def driver():
        script(path)
        print("loss: 0")

    driver.__name__ = "attention_" + path.split("/")[-1][:-3].lower()
    run("mindspore-courses/External-Attention-MindSpore", "image classification", path)(driver)


for path in (
    "attention/EMSA",
    "attention/CBAM",
    "attention/S2Attention",
    "attention/MobileViTAttention",
    "backbone/CaiT",
    "backbone/PIT",
    "backbone/CrossViT",
    "backbone/LeViT",
    "backbone/ConvMixer",
):
    _attention(f"model/{path}.py")


@run(
    "mindspore-courses/step_into_llm",
    "course: BERT",
    "BertForPretraining",
    folder="Season1.step_into_chatgpt/2.BERT/pretrain",
)
def step_bert():
    from src.bert import BertForPretraining

    net = BertForPretraining(
        SimpleNamespace(
            hidden_act="gelu",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            type_vocab_size=2,
            initializer_range=0.02,
            layer_norm_eps=1e-12,
            output_attentions=False,
            output_hidden_states=False,
            vocab_size=60,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=16,
            seq_length=12,
        )
    )
    train(net, ids(60, 2, 12), ids(1, 2, 12) + 1, ids(2, 2, 12), None, None, ids(12, 2, 3))
