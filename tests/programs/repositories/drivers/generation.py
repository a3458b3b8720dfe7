"""Generators, diffusion, restoration of images."""

from kit import fill, floats, ids, run, train


@run("lvyufeng/gumbel_softmax_mindspore", "VAE", "VAE_Gumbel, its TrainOneStep")
def gumbel_softmax():
    from mindspore import nn
    from src.model import Loss, NetWithLoss, TrainOneStep, VAE_Gumbel

    net = VAE_Gumbel(30, 10)
    fill(
        TrainOneStep(NetWithLoss(net, Loss(10)), nn.Adam(net.trainable_params(), 1e-3)),
        floats(4, 1, 28, 28, low=0),
        1.0,
        False,
    )


@run("dinglee17/EAL-GAN_mindspore", "GAN, anomaly detection", "Generator, Discriminator")
def eal_gan():
    from src.CB_GAN import Discriminator, Generator

    generator, discriminator = Generator(16, 32, 12), Discriminator(12, 32)
    train(generator, floats(6, 16), ids(2, 6))
    train(discriminator, floats(6, 12), ids(2, 6))


@run(
    "zhengkw18/VFlow_mindspore", "normalizing flows", "ConvNet", note="FlowStep reads an attribute that it does not set"
)
def vflow():
    from glow.models import ConvNet

    train(ConvNet(64, 3, 6, 16), floats(2, 3, 8, 8), loss=lambda out: ((out - 1) ** 2).mean())


@run("hdieibi/Deformable_generator_mindspore", "generation", "AppNet, GeoNet")
def deformable_generator():
    from modules.appNet import AppNet
    from modules.geoNet import GeoNet

    train(AppNet(batchsize=2), floats(2, 64))
    train(GeoNet(batchsize=2), floats(2, 64))


@run("lvyufeng/image_captioning_mindspore", "captions", "Attention")
def image_captioning():
    from src.model import Attention

    train(Attention(32, 16, 8), floats(2, 9, 32), floats(2, 16))


@run("swx0721/fast-neural-style-mindspore-Ascend", "style transfer", "TransformerNet")
def fast_neural_style():
    from transformer import TransformerNet

    train(TransformerNet(), floats(1, 3, 32, 32))


@run(
    "Booooooooooo/AECRNet-MindSpore", "dehazing", "DeformConv2d", note="models/edsr_model.py of its network is missing"
)
def aecrnet():
    from models.DCN import DeformConv2d

    train(DeformConv2d(4, 8), floats(1, 4, 12, 12))


@run("zhangtianmingxp/rbpn_mindspore", "video super-resolution", "Net, GeneratorLoss, TrainOnestepGen")
def rbpn():
    from mindspore import nn
    from src.loss.generatorloss import GeneratorLoss
    from src.model.rbpn import Net
    from trainonestepgen import TrainOnestepGen

    net = GeneratorLoss(Net(3, 8, 8, 3, 1, 7, 4))
    fill(
        TrainOnestepGen(net, nn.Adam(net.trainable_params(), 1e-4)),
        floats(1, 3, 32, 32),
        floats(1, 3, 8, 8),
        floats(1, 6, 3, 8, 8),
        floats(1, 6, 2, 8, 8),
    )


@run("lvyufeng/denoising-diffusion-mindspore", "diffusion", "Unet, GaussianDiffusion", release="1.9")
def ddm():
    from ddm import GaussianDiffusion, Unet

    net = GaussianDiffusion(Unet(8, dim_mults=(1, 2), channels=3), image_size=16, timesteps=20)
    train(net, floats(2, 3, 16, 16, low=0), ids(20, 2), floats(2, 3, 16, 16), True)


@run("dcdcvgroup/layout-diffusion-mindspore", "diffusion", "ResidualAttentionBlock, ResBlock")
def layout_diffusion():
    from layout_diffusion.layout_diffusion_unet import ResBlock
    from layout_diffusion.layout_encoder import ResidualAttentionBlock

    train(ResidualAttentionBlock(16, 2), floats(2, 6, 16))
    train(ResBlock(32, 16, 0.0, use_scale_shift_norm=True), floats(1, 32, 8, 8), floats(1, 16))


@run(
    "mszpc/StyTR-2-mindspore",
    "style transfer",
    "TransformerEncoderLayer, Decoder, PatchEmbed",
    folder="StyTR-2-mindspore",
)
def stytr2():
    from models.StyTR import Decoder, PatchEmbed
    from models.transformer import TransformerEncoderLayer

    train(PatchEmbed(32, 8, 3, 16), floats(1, 3, 32, 32))
    train(TransformerEncoderLayer(16, 2, 32, 0.0), floats(6, 2, 16))
    train(Decoder(), floats(1, 512, 4, 4))


@run("mindspore-lab/mindediting", "image restoration", "NAFNet")
def mindediting():
    from mindediting.models.image_deblur.nafnet import NAFNet

    train(NAFNet(width=8, middle_blk_num=1, enc_blk_nums=[1, 1], dec_blk_nums=[1, 1]), floats(1, 3, 16, 16))


@run(
    "mindspore-lab/minddiffusion",
    "diffusion",
    "SpatialTransformer of Stable Diffusion 2",
    folder="vision/stablediffusionv2",
)
def sd2():
    from ldm.modules.attention import SpatialTransformer

    train(
        SpatialTransformer(32, 2, 16, depth=1, dropout=1.0, context_dim=16), floats(1, 32, 8, 8), None, floats(1, 5, 16)
    )
