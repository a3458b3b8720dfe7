"""Classification, faces, persons, video."""

import sys

from kit import floats, ids, ints, run, train


@run("Pzy-USTC/House_price_mindspore", "regression", "MLPAttention")
def house_price():
    from mindspore import nn
    from src.model import build_model

    train(build_model(), floats(16, 8), loss=nn.MSELoss(), labels=[floats(16)])


@run("Shuijing2018/GLAC_Mindspore", "classification with noisy labels", "mlp_model, gce_loss")
def glac():
    from utils_loss import gce_loss
    from utils_model import mlp_model

    train(mlp_model(12, 20, 4), floats(8, 12), loss=lambda o, y: gce_loss(o, y, 0.7), labels=[ids(2, 8, 4)])


@run("AngxiaoYue/QPU-mindspore", "skeletons, quaternions", "QLSTM, RLSTM")
def qpu():

    sys.path.insert(0, "qpu")
    from demo_model import QLSTM, RLSTM
    from mindspore import nn

    for net in (RLSTM, QLSTM):
        train(
            net(4, 25, 8, 60, {"rinv": True}), floats(2, 4, 8, 25, 2), loss=nn.CrossEntropyLoss(), labels=[ids(60, 2)]
        )


@run("Shuijing2018/PLR_Mindspore", "partial-label regression", "MlpModel")
def plr():
    from mindspore import nn
    from model.net import MlpModel

    train(MlpModel(12, [20, 20]), floats(8, 12), loss=nn.MSELoss(), labels=[floats(8, 1)])


@run("KimJisso0610/ConvLSTM_MindSpore", "weather, video prediction", "ConvLSTM")
def conv_lstm():
    from mindspore import nn
    from src.config import Config
    from src.ConvLSTM import ConvLSTM

    train(
        ConvLSTM(Config()), floats(1, 3, 1, 16, 16, low=0), loss=nn.MSELoss(), labels=[floats(1, 3, 1, 16, 16, low=0)]
    )


@run("XZHSTAX/arcface-mindspore", "face recognition", "resnet18")
def arcface():
    from mindspore import nn
    from resnet import resnet18

    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    train(resnet18(16), floats(8, 3, 64, 64), loss=loss, labels=[ids(16, 8)])


@run("cds-mipt/darknet_mindspore", "image classification", "darknet53")
def darknet():
    from src.darknet import darknet53

    train(darknet53(), floats(4, 3, 96, 96), rate=1e-3)


@run("Diananini/CVPR2022-LD-ConGR-mindspore", "gestures, video", "ResNeXt-50", note="batch norm of few elements")
def ld_congr():
    from models import resnext

    net = (
        resnext.resnet50(sample_size=32, sample_duration=4, num_classes=10)
        if hasattr(resnext, "resnet50")
        else resnext.get_model(50, sample_size=32, sample_duration=4, num_classes=10)
    )
    train(net, floats(1, 3, 4, 32, 32))


@run("allyouneeds/CosFace-MindSpore", "face recognition", "WholeNet")
def cosface():
    from mindspore import nn
    from src.CosFace import WholeNet

    train(
        WholeNet(num_class=20),
        floats(8, 3, 112, 112),
        ids(20, 8),
        loss=nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        labels=[ids(20, 8)],
        rate=1e-4,
    )


@run("CLaSLoVe/CAN-mindspore", "handwritten formulas", "CountingDecoder, DenseNet")
def can():
    from densenet import DenseNet
    from encoder import CountingDecoder

    train(CountingDecoder(684, 111, 3), floats(1, 684, 8, 8), floats(1, 1, 8, 8, low=0))
    train(
        DenseNet(
            {
                "densenet": {"growthRate": 24, "reduction": 0.5, "bottleneck": True, "use_dropout": True},
                "encoder": {"input_channel": 1, "out_channel": 684},
            }
        ),
        floats(1, 1, 32, 64),
    )


@run(
    "shusenlin/UUM_MindSpore",
    "multi-instance learning",
    "Linear",
    stops="a Cell with forward in the place of construct",
)
def uum():
    from utils.models import Linear

    train(Linear(20), floats(8, 20))


@run("zhangzw12319/DDAG_mindspore", "person re-identification", "DDAG", note="the loss grows a hundredfold in a step")
def ddag():
    from src.models.ddag import DDAG

    train(DDAG(512, 8, part=3), floats(2, 3, 288, 144), floats(2, 3, 288, 144), floats(4, 4, low=0))


@run("geniuspatrick/Chinese-CLIP-MindSpore", "vision and text", "CLIP")
def chinese_clip():
    from cn_clip.clip.model import CLIP

    net = CLIP(16, 32, 2, 64, 8, 60, 0.0, "gelu", 0.0, 16, 0.02, 32, 20, 2, 2, 2)
    train(net, floats(2, 3, 32, 32), ids(60, 2, 10))


@run("zkzhang2000/inceptionv4-mindspore", "image classification", "Stem")
def inceptionv4():
    from network import Stem

    train(Stem(3), floats(1, 3, 299, 299))


@run("MDD-0928/PTCR_MindSpore", "person re-identification", "PTCR")
def ptcr():
    from src.model.backbones.PTCR_MindSpore import PTCR

    train(
        PTCR(
            img_size=[64, 32], num_classes=5, embed_dims=[16, 16, 16, 16], num_heads=[2, 2, 2, 2], depths=[1, 1, 1, 1]
        ),
        floats(2, 3, 64, 32),
    )


@run(
    "newsun-boki/Swin-Transformer-Mindspore",
    "image classification",
    "SwinTransformer",
    stops="takes a dtype from a private class, _MindSporeFunction.float32",
)
def swin():
    from model.swin_transformer import SwinTransformer

    train(
        SwinTransformer(
            img_size=32, patch_size=2, num_classes=5, embed_dim=12, depths=[2, 2], num_heads=[2, 2], window_size=4
        ),
        floats(2, 3, 32, 32),
    )


@run("upupoo999/UniKP_mindspore", "enzymes", "TrfmSeq2seq", folder="code", note="dropout")
def unikp():
    from pretrain_trfm import TrfmSeq2seq

    train(TrfmSeq2seq(45, 16, 45, 2), ids(45, 10, 2))


@run("ZJUT-ERCISS/i3d_mindspore", "video classification", "I3D")
def i3d():
    from src.models.i3d import I3D

    train(I3D(num_classes=5), floats(1, 3, 16, 224, 224), steps=1)


@run(
    "huawei-noah/Pretrained-Language-Model",
    "vision and text",
    "BERT_Wukong, VisualTransformer",
    folder="Noah_Wukong-MindSpore",
)
def wukong():
    from src.model.text_encoder import BERT_Wukong
    from src.model.visual_encoder import VisualTransformer

    train(BERT_Wukong(10, 60, 8, 16, 2, 2, return_full_embed=False), ids(60, 2, 10))
    train(VisualTransformer(32, 8, 16, 2, 8, heads=2), floats(2, 3, 32, 32))


@run("JoegameZhou/F-Conv_MindSpore", "equivariant convolutions", "Fconv_PCA, Fconv_PCA_out", folder="MinistExp")
def fconv():
    import F_Conv as F
    from mindspore import nn

    train(
        nn.SequentialCell(F.Fconv_PCA(5, 1, 4, 8, ifIni=1, padding=2), F.Fconv_PCA_out(5, 4, 2, 8, padding=2)),
        floats(2, 1, 12, 12),
    )


@run("ZJUT-ERCISS/r2plus1d_mindspore", "video classification", "R2Plus1d18")
def r2plus1d():
    from src.models.r2plus1d import R2Plus1d18

    train(R2Plus1d18(), floats(1, 3, 4, 32, 32))


@run("ZJUT-ERCISS/nonlocal_mindspore", "video classification", "NonLocalBlockND")
def nonlocal3d():
    from src.models.nonlocal3d import NonLocalBlockND

    train(NonLocalBlockND(8), floats(1, 8, 4, 8, 8))


@run("STONE-SAMA/x3d_mindspore", "video classification", "SqueezeExcite3D, Inflate3D")
def x3d():
    from src.models.layers.inflate_conv3d import Inflate3D
    from src.models.layers.squeeze_excite3d import SqueezeExcite3D

    train(SqueezeExcite3D(8, 0.5), floats(1, 8, 4, 8, 8))
    train(Inflate3D(8, 8), floats(1, 8, 4, 8, 8))


@run("ZJUT-ERCISS/fairmot_mindspore", "tracking", "FairmotDla34")
def fairmot():
    from src.models.fairmot import FairmotDla34

    train(FairmotDla34(), floats(1, 3, 64, 64), steps=2)


@run(
    "totoroKalic/pamtri-mindspore",
    "vehicle re-identification",
    "TripletLoss, CrossEntropyLabelSmooth",
    folder="MultiTaskNet",
)
def pamtri():
    from mindspore import nn
    from src.loss.cross_entropy_loss import CrossEntropyLabelSmooth
    from src.loss.hard_mine_triplet_loss import TripletLoss

    train(nn.Dense(8, 5), floats(4, 8), loss=CrossEntropyLabelSmooth(5), labels=[ids(5, 4)])
    train(nn.Dense(8, 5), floats(4, 8), loss=TripletLoss(4), labels=[ints([0, 0, 1, 1])])


@run("yangyucheng000/unipose-mindspore", "human poses", "unipose")
def unipose():
    from model.unipose import unipose

    train(unipose("LSP", num_classes=14), floats(1, 3, 64, 64), steps=2)


@run("blackfeather-wang/Dynamic-Vision-Transformer-MindSpore", "image classification", "Affine, CrossEntropySmooth")
def dvt():
    from nn.layers.affine import Affine
    from nn.losses.cross_entropy import CrossEntropySmooth

    train(Affine(5), floats(4, 5), loss=CrossEntropySmooth(num_classes=5, smooth_factor=0.1), labels=[ids(5, 4)])


@run("yym68686/ACL-DGReID-mindspore", "person re-identification", "SELayer")
def acl_dgreid():
    from fastreid.layers.se_layer import SELayer

    train(SELayer(32), floats(2, 32, 5, 5))


@run("Tangzl7/tracktor_for_mindspore", "tracking", "FeatPyramidNeck")
def tracktor():
    from src.frcnn.fpn_neck import FeatPyramidNeck

    train(FeatPyramidNeck([4, 4, 4, 4], 4, 5), [floats(1, 4, h, 5 * h // 3) for h in (192, 96, 48, 24)])
