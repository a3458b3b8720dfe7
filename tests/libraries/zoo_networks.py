"""Networks of the model zoo that read and know, for zoo_steps.py."""

import sys
import types

import numpy as np
import seeded
from mindspore import Tensor, nn
from zoo_arrays import RANDOM, integers, normal, one_hot, project, steps, uniform, with_loss


def hypertext():
    """Words in hyperbolic space, with an Adam of its own."""
    project("research/nlp/hypertext")
    from src.config import Config
    from src.hypertext import HModel
    from src.radam_optimizer import RiemannianAdam

    config = types.SimpleNamespace(embed=20, n_vocab=40, bucket=50, dropout=0.0, num_classes=5)
    assert Config is not None
    network = HModel(config)

    class WithLoss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.network = network

        def construct(self, words, grams, label):
            return self.network.loss(self.network(words, grams), label)

    whole = seeded.fill(WithLoss())
    optimizer = RiemannianAdam(whole.trainable_params(), learning_rate=1e-2)
    return steps(whole, integers(40, 4, 6), integers(50, 4, 8), integers(5, 4), optimizer=optimizer)


def dgcn():
    project("research/gnn/dgcn")
    from src.dgcn import DGCN
    from src.metrics import LossWrapper, TrainOneStepCell

    label = np.eye(7, dtype=np.float32)[RANDOM.integers(0, 7, 30)]
    mask = (RANDOM.random(30) < 0.5).astype(np.float32)
    whole = LossWrapper(DGCN(input_dim=20, hidden_dim=16, output_dim=7, dropout=None), label, mask, 5e-4)
    return steps(whole, uniform(30, 30), uniform(30, 30), normal(30, 20), Tensor(0.3), step=TrainOneStepCell)


def ctcmodel():
    """Speech by a bidirectional LSTM and CTC, with clipping by the global norm."""
    project("research/audio/ctcmodel")
    from src.loss import CTC_Loss
    from src.model import CTCModel
    from src.model_for_train import TrainingWrapper, WithCtcLossCell

    network = CTCModel(input_size=39, batch_size=2, hidden_size=16, num_class=12)
    whole = WithCtcLossCell(network, CTC_Loss(2, 6))
    masks = Tensor(np.ones((2, 30, 32), np.float16))
    data = normal(2, 30, 39), masks, integers(11, 2, 6), Tensor(np.array([30, 28], np.int32))
    return steps(whole, *data, step=TrainingWrapper)


def gflownet():
    """The flow of a continuous GFlowNet, with the project's own step and optimizer."""
    project("research/gflownets/cflownets")
    from config import CONFIG

    CONFIG.update(batch_size=4, max_episode_steps=5, sample_flow_num=6)
    from loss_network import FlowMatchLoss, TrainOneStepCriticCell
    from transaction import Critic

    whole = FlowMatchLoss(Critic(2, 1, 32))
    done = np.zeros((4, 5), np.float32)
    done[:, -1] = 1
    data = normal(4, 5, 7, 2), normal(4, 5, 7, 1), normal(4, 5, 7, 2), normal(4, 5, 7, 1)
    data += Tensor(1 - done), Tensor(done), uniform(4, 5)
    return steps(whole, *data, step=TrainOneStepCriticCell)


def atae_lstm():
    """Sentiment towards an aspect, with the project's own LSTM."""
    project("research/nlp/atae_lstm")
    from src.atae_for_train import NetWithLoss
    from src.model import AttentionLstm

    config = types.SimpleNamespace(
        dim_word=12,
        dim_hidden=12,
        dim_aspect=12,
        vocab_size=30,
        grained=3,
        aspect_num=4,
        dropout_prob=0.5,
        batch_size=3,
    )
    whole = NetWithLoss(AttentionLstm(config, normal(30, 12)), batch_size=3)
    lengths = Tensor(np.array([8, 5, 6], np.int32))
    return steps(whole, integers(30, 3, 8), lengths, integers(4, 3), one_hot(3, 3))


def lstm_crf():
    """Names in sentences, by a conditional random field."""
    project("research/nlp/lstm_crf")
    from src.LSTM_CRF import Lstm_CRF

    tags = {"B": 0, "I": 1, "O": 2}
    network = Lstm_CRF(30, tags, 10, 8, 1, normal(30, 10), True, 2, 7, 0.0, True)
    return steps(network, integers(30, 2, 7), integers(3, 2, 7))


def textrcnn(cell):
    project("research/nlp/textrcnn")
    from src.textrcnn import textrcnn as make

    network = make(normal(30, 300), 30, cell, 3)
    return with_loss(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True), integers(30, 3, 6), integers(2, 3))


def trans_x(kind):
    """Facts as translations of entities by relations."""
    project("research/nlp/transX")
    from src import trans_x as models
    from src.loss import LossWrapperCell, TripletsMarginLoss

    sizes = (8, 8) if kind in ("TransR", "TransD") else (8,)
    whole = LossWrapperCell(getattr(models, kind)(20, 5, *sizes), TripletsMarginLoss(3, 4.0))
    facts = np.stack([RANDOM.integers(0, high, 16) for high in (20, 5, 20)], 1).astype(np.int32)
    return steps(whole, Tensor(facts))


def stgcn():
    """Traffic on a graph by Chebyshev convolutions."""
    project("research/cv/stgcn")
    from src.model import models
    from src.model.metric import LossCellWithNetwork

    blocks = [[1], [16, 8, 16], [16, 8, 16], [32, 32], [1]]
    network = models.STGCN_Conv(3, 2, blocks, 12, 9, "glu", "chebconv", uniform(9, 9), 0.5)
    return steps(LossCellWithNetwork(network), normal(4, 1, 12, 9), normal(4, 9))


def pix2pix():
    """Both players of Pix2Pix with the project's own step: losses of the discriminator and the generator."""
    project("research/cv/Pix2Pix")
    from src.models.discriminator_model import Discriminator
    from src.models.generator_model import UnetGenerator
    from src.models.loss import D_Loss, D_WithLossCell, G_Loss, G_WithLossCell, TrainOneStepCell
    from src.models.pix2pix import Pix2Pix

    generator = seeded.fill(UnetGenerator(3, 3, ngf=8, n_layers=5, norm_mode="batch", dropout=False))
    discriminator = seeded.fill(Discriminator(in_planes=6, ndf=8, n_layers=2, norm_mode="batch"))
    both = Pix2Pix(generator=generator, discriminator=discriminator)
    adams = [nn.Adam(part.trainable_params(), 2e-4, beta1=0.5) for part in (discriminator, generator)]
    step = TrainOneStepCell(D_WithLossCell(both, D_Loss()), G_WithLossCell(both, G_Loss()), *adams)
    return step, (normal(2, 3, 64, 64), normal(2, 3, 64, 64))


def ssim_ae():
    """An autoencoder that structural similarity trains."""
    project("research/cv/SSIM-AE")
    from src.network import AutoEncoder, NetWithLoss, SSIMLoss

    network = AutoEncoder(types.SimpleNamespace(input_channel=1, flc=8, z_dim=10, crop_size=128))
    return steps(NetWithLoss(network, SSIMLoss()), uniform(2, 1, 128, 128))


def rcan():
    """Super-resolution with attention over channels."""
    project("research/cv/RCAN")
    from src.rcan_model import RCAN

    args = types.SimpleNamespace(
        n_resgroups=2, n_resblocks=2, n_feats=16, reduction=4, scale=2, rgb_range=255, n_colors=3, res_scale=1
    )
    return with_loss(RCAN(args), nn.L1Loss(), uniform(2, 3, 16, 16), uniform(2, 3, 32, 32))


def fastscnn():
    project("research/cv/fastscnn")
    from src.fast_scnn import FastSCNN

    class Loss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

        def construct(self, outputs, labels):
            scores = outputs[0].transpose((0, 2, 3, 1)).reshape((-1, 5))
            return self.loss(scores, labels.reshape((-1,)))

    return with_loss(FastSCNN(5), Loss(), normal(1, 3, 256, 256), integers(5, 1, 256, 256))


def cct():
    """A transformer over convolutions."""
    project("research/cv/cct")
    from src.models.cct.cct import CCT

    network = CCT(
        img_size=32, embedding_dim=32, n_conv_layers=1, kernel_size=3, stride=1, padding=1, attention_dropout=0.0,
        stochastic_depth=0.0, num_layers=2, num_heads=2, mlp_ratio=1.0, num_classes=10,
    )  # fmt: skip
    return with_loss(
        network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), normal(4, 3, 32, 32), integers(10, 4)
    )


def naml():
    """News by attention over words and views."""
    project("research/recommend/naml")
    from src.naml import NAML, NAMLWithLossCell

    args = types.SimpleNamespace(
        n_categories=6, category_embedding_dim=8, n_filters=12, n_sub_categories=7, n_words=40, word_embedding_dim=10,
        window_size=3, phase="train", dropout_ratio=0.2, query_vector_dim=6, n_words_title=5, n_words_abstract=7,
        batch_size=2, n_browsed_news=3, neg_sample=2,
    )  # fmt: skip
    data = []
    for count in (3, 3):
        data += [integers(6, 2, count), integers(7, 2, count), integers(40, 2, count, 5), integers(40, 2, count, 7)]
    return steps(NAMLWithLossCell(NAML(args)), *data, one_hot(3, 2))


def fcn4():
    """Tags of music."""
    project("research/audio/fcn-4")
    from src.loss import BCELoss
    from src.musictagger import MusicTaggerCNN

    network = MusicTaggerCNN([1, 8, 16, 16, 16], [3] * 5, [0] * 5, [(2, 4), (3, 4), (2, 5), (4, 4)], [False] * 5)
    network.dense = nn.Dense(network.dense.in_channels, 50)
    return with_loss(
        network, BCELoss(), normal(2, 1, 96, 1366), Tensor((RANDOM.random((2, 50)) < 0.2).astype(np.float32))
    )


def qmix():
    """Agents and their mixer; actions that are not available are masked by assigning to elements."""
    folder = project("research/rl/qmix")
    for name in ("mindspore_rl", "mindspore_rl.agent", "mindspore_rl.utils", "mindspore_rl.agent.trainer"):
        sys.modules[name] = seeded.Lost(name)
    assert folder
    from src.qmix_actor import QMixNet, RNNAgent
    from src.qmix_learner import LossCell

    params = dict(
        hidden_dim=64, rnn_type="GRU", rnn_layer_num=1, state_space_dim=6, action_space_dim=4, gamma=0.99, batch_size=2,
        embed_dim=8, hypernet_embed_dim=8, hypernet_layers=2, environment_config={"num_agent": 3, "global_observation_dim": 10},
    )  # fmt: skip
    whole = LossCell(params, RNNAgent(params), QMixNet(params), QMixNet(params))
    data = normal(2, 5, 3, 13), normal(2, 4, 10), normal(2, 4, 10), integers(4, 2, 5, 3, 1), integers(2, 2, 5, 3, 4)
    data += normal(2, 4, 1), uniform(2, 4, 1), uniform(2, 4, 1), normal(2, 4, 3, 4), normal(2, 5, 3, 64)
    return steps(whole, *data, optimizer=nn.RMSProp(whole.trainable_params(), 5e-4))


FIRST = {
    "hypertext": hypertext,
    "dgcn": dgcn,
    "ctcmodel": ctcmodel,
    "gflownet": gflownet,
    "atae_lstm": atae_lstm,
    "lstm_crf": lstm_crf,
    "textrcnn-vanilla": lambda: textrcnn("vanilla"),
    "textrcnn-gru": lambda: textrcnn("gru"),
    "textrcnn-lstm": lambda: textrcnn("lstm"),
    **{f"transX-{kind}": lambda kind=kind: trans_x(kind) for kind in ("TransE", "TransH", "TransR", "TransD")},
    "stgcn": stgcn,
    "pix2pix": pix2pix,
    "ssim-ae": ssim_ae,
    "rcan": rcan,
    "fastscnn": fastscnn,
    "cct": cct,
    "naml": naml,
    "fcn-4": fcn4,
    "qmix": qmix,
}
