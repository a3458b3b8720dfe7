"""Networks of the model zoo that see and hear, for zoo_steps.py."""

import types

import numpy as np
import seeded
from mindspore import Tensor, nn, ops
from zoo_arrays import RANDOM, integers, normal, project, steps, uniform, with_loss


def fcos():
    """Boxes without anchors: targets, focal loss, centre-ness and GIoU of the project."""
    project("research/cv/FCOS")
    from src import fcos as module
    from src.config import DefaultConfig

    DefaultConfig.pretrained = False
    DefaultConfig.fpn_out_channels, DefaultConfig.class_num = 32, 6
    from src.network_define import LossNet, WithLossCell

    body = module.FCOSDetector("training")
    frozen = [weight for weight in body.get_parameters() if not weight.requires_grad and weight.ndim > 1]
    for weight in frozen:  # they are drawn, too
        weight.requires_grad = True
    seeded.fill(body)
    for weight in frozen:
        weight.requires_grad = False
    boxes = Tensor(np.array([[[4, 6, 60, 50], [20, 10, 90, 100]], [[30, 30, 70, 80], [-1, -1, -1, -1]]], np.float32))
    classes = Tensor(np.array([[1, 4], [3, -1]], np.int32))
    whole = WithLossCell(body, LossNet())
    return steps(whole, normal(2, 3, 128, 128), boxes, classes, rate=1e-5)  # at 1e-3 rounding parts two runs by 5e-3


def stargan(player):
    """The losses of StarGAN with the gradient penalty, whose points between real and made pictures are given."""
    project("research/cv/StarGAN")
    from src import loss
    from src.model import Discriminator, Generator

    between = uniform(2, 1, 1, 1)
    loss.generate_tensor = lambda count: between
    args = types.SimpleNamespace(lambda_rec=10.0, lambda_cls=1.0, lambda_gp=10.0)
    generator, discriminator = Generator(8, 5, 2), Discriminator(32, 8, 5, 3)
    whole = (loss.GeneratorLoss if player == "generator" else loss.DiscriminatorLoss)(args, generator, discriminator)

    class Total(nn.Cell):
        def __init__(self):
            super().__init__()
            self.whole = whole
            self.place = 1 if player == "generator" else 0

        def construct(self, *inputs):
            return self.whole(*inputs)[self.place]

    seeded.fill(whole)
    weights = (generator if player == "generator" else discriminator).trainable_params()
    labels = [Tensor((RANDOM.random((2, 5)) < 0.5).astype(np.float32)) for _ in range(2)]
    return steps(Total(), normal(2, 3, 32, 32), *labels, optimizer=nn.Adam(weights, 1e-4, beta1=0.5))


def vnet():
    """Organs in three dimensions."""
    project("research/cv/vnet")
    from src.vnet import VNet

    return with_loss(VNet(dropout=False), nn.DiceLoss(), normal(1, 1, 32, 32, 16), uniform(1, 32, 32, 16))


def siam_rpn():
    """A tracker: the template's features are the kernels of convolutions."""
    project("research/cv/siamRPN")
    from src.loss import MultiBoxLoss
    from src.net import BuildTrainNet, SiameseRPN

    classes = RANDOM.integers(-1, 2, (1, 1445, 1)).astype(np.float32)
    target = Tensor(np.concatenate([classes, RANDOM.normal(0, 1, (1, 1445, 4)).astype(np.float32)], 2))
    whole = BuildTrainNet(SiameseRPN(groups=1, is_train=True), MultiBoxLoss(1))
    return steps(whole, normal(1, 3, 127, 127), normal(1, 3, 255, 255), target, rate=1e-6)


def pafnucy():
    """How well a molecule binds, in three dimensions."""
    project("research/hpc/pafnucy")
    from src.net import SBNetWork

    return steps(SBNetWork([19, 8, 8], [8, 8, 16], [20, 12, 8], isize=21), normal(2, 19, 21, 21, 21), uniform(2, 1))


def melgan():
    """The critics of a vocoder."""
    project("official/audio/MELGAN")
    from src.loss import MelganLoss_D
    from src.model import MultiDiscriminator

    class Critics(nn.Cell):
        def __init__(self):
            super().__init__()
            self.critics, self.loss = MultiDiscriminator(), MelganLoss_D()

        def construct(self, made, real):
            return self.loss(self.critics(made), self.critics(real))

    return steps(Critics(), normal(1, 1, 4096), normal(1, 1, 4096), rate=1e-6)


def ecapa_tdnn():
    """Who speaks, by an angular margin."""
    project("official/audio/EcapaTDNN")
    from src.ecapa_tdnn import ECAPA_TDNN, Classifier
    from src.util import AdditiveAngularMargin

    class Whole(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = ECAPA_TDNN(
                20, 12, channels=(16, 16, 16, 16, 48), attention_channels=8, res2net_scale=4, se_channels=8
            )
            self.classes = Classifier(1, 0, 12, 5)
            self.margin = AdditiveAngularMargin(0.2, 30)
            self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
            self.one_hot, self.on, self.off = ops.OneHot(), Tensor(1.0), Tensor(0.0)

        def construct(self, sound, speaker):
            scores = self.classes(self.body(sound))
            targets = self.one_hot(speaker, 5, self.on, self.off)
            return self.loss(self.margin(scores.reshape((-1, 5)), targets), speaker)

    return steps(Whole(), normal(4, 60, 20), integers(5, 4))


def transformer(beam):
    """Translation: the training loss, or the scores of beam search."""
    import mindspore as ms

    project("official/nlp/Transformer")
    from src.transformer_for_train import TransformerNetworkWithLoss
    from src.transformer_model import TransformerConfig, TransformerModel

    config = TransformerConfig(
        batch_size=2, seq_length=8, vocab_size=40, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=16, max_decode_length=8, beam_width=3,
        dtype=ms.float32, compute_type=ms.float32,
    )  # fmt: skip
    words, mask = [integers(40, 2, 8) for _ in range(3)], Tensor(np.ones((2, 8), np.int32))
    if not beam:
        return steps(TransformerNetworkWithLoss(config, True), words[0], mask, words[1], mask, words[2], mask)
    network = seeded.without_chance(seeded.fill(TransformerModel(config, False)))
    network.set_train(False)
    return network, (words[0], mask)


def final_mlp():
    """Clicks by two streams of layers."""
    project("research/recommend/FinalMLP")
    from src.final_mlp import FinalMLP, NetWithLossClass

    class Config(dict):
        __getattr__ = dict.__getitem__

    config = Config(
        batch_size=4, data_field_size=6, data_vocab_size=30, data_emb_dim=4, num_heads=2, use_fs=True, fs_hidden_units=[8],
        fs1_context=[], fs2_context=[], mlp1_hidden_units=[16, 16], mlp2_hidden_units=[16, 16],
        init_args=[-0.01, 0.01], weight_bias_init=["normal", "normal"],
    )  # fmt: skip
    data = integers(30, 4, 6), uniform(4, 6), Tensor((RANDOM.random((4, 1)) < 0.5).astype(np.float32))
    network = FinalMLP(config)
    for _, cell in network.cells_and_names():
        if hasattr(cell, "w_xy"):  # drawn, and no Parameter
            cell.w_xy = normal(*cell.w_xy.shape) * 0.1
    return steps(NetWithLossClass(network, l2_coef=1e-6), *data)


MORE = {
    "fcos": fcos,
    "stargan-generator": lambda: stargan("generator"),
    "stargan-discriminator": lambda: stargan("discriminator"),
    "vnet": vnet,
    "siamRPN": siam_rpn,
    "pafnucy": pafnucy,
    "melgan": melgan,
    "ecapa_tdnn": ecapa_tdnn,
    "transformer": lambda: transformer(False),
    "transformer-beam": lambda: transformer(True),
    "finalmlp": final_mlp,
}
