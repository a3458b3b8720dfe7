"""Detection and segmentation."""

import sys
from types import SimpleNamespace

from kit import fill, floats, ids, run, train


@run("NotACracker/RandLA-net_mindspore", "point clouds", "RandLANet")
def randla():
    from src.model.model import RandLANet

    xyz = [floats(1, n, 3) for n in (256, 64, 16, 8, 4)]
    near = [ids(n, 1, n, 4) for n in (256, 64, 16, 8, 4)]
    sub = [ids(n, 1, m, 4) for n, m in ((256, 64), (64, 16), (16, 8), (8, 4), (4, 2))]
    up = [ids(m, 1, n, 1) for n, m in ((256, 64), (64, 16), (16, 8), (8, 4), (4, 2))]
    train(RandLANet(6, 5, True), xyz, floats(1, 256, 6), near, sub, up)


@run(
    "lvyufeng/TokenFusion-MindSpore", "segmentation, two sensors", "MixVisionTransformer, WeTr", "semantic_segmentation"
)
def token_fusion():
    from models.segformer import WeTr

    train(WeTr("mit_b0", 5, 32, pretrained=False), [floats(1, 3, 64, 64), floats(1, 3, 64, 64)])


@run("CSberlin/DeFRCN-mindspore", "few-shot detection", "resnet101, AffineLayer", note="batch norm of few elements")
def defrcn():
    from src.defrcn.gdl import AffineLayer
    from src.defrcn.pcb_resnet import resnet101

    train(AffineLayer(8), floats(1, 8, 6, 6))
    train(resnet101(), floats(1, 3, 64, 64))


@run("nihaoxiaoli/SMPD_mindspore", "detection", "VGG-16", folder="lib")
def smpd():
    from model.faster_rcnn.vgg16_mindspore import vgg16_mindspore

    train(vgg16_mindspore(10), floats(1, 3, 224, 224), steps=2)


@run("yanan0122/DBnetpp_mindspore", "text detection", "ResNet, SegDetector")
def dbnetpp():
    from modules.backbone import resnet18
    from modules.detector import SegDetector

    features = resnet18(pretrained=False)
    train(features, floats(2, 3, 128, 128))
    train(
        SegDetector([64, 128, 256, 512], 32, training=True),
        [floats(1, c, s, s) for c, s in ((64, 16), (128, 8), (256, 4), (512, 2))],
    )


@run("zhanghuiyao/yolov7_mindspore", "detection", "Model of yolov7.yaml")
def yolov7():
    import glob

    from network.yolo import Model

    path = sorted(glob.glob("**/*yolov7.yaml", recursive=True))[0]
    train(Model(path, ch=3, nc=5), floats(1, 3, 64, 64))


@run("Rogersiy/bisenetv2_mindspore", "segmentation", "DetailBranch, SegmentBranch, BGALayer")
def bisenetv2():
    from src.modules.bisenetv2 import BGALayer, DetailBranch, SegmentBranch

    train(DetailBranch(), floats(1, 3, 64, 64))
    train(SegmentBranch(), floats(1, 3, 64, 64))
    train(BGALayer(), floats(1, 128, 8, 8), floats(1, 128, 2, 2))


@run("lemon-ustc/QueryInst_mindspore", "instance segmentation", "DynamicConv")
def queryinst():
    from src.engines.dii_head import DynamicConv

    train(DynamicConv(16, 8, 16, 7), floats(4, 16, 7, 7), floats(4, 16))


@run("implicitDeclaration/LiTS2017-mindspore", "medical segmentation", "UNet_3Plus")
def lits2017():
    from models.unet3p import UNet_3Plus

    train(UNet_3Plus(3, 2, feature_scale=16), floats(1, 3, 32, 32))


@run("HenonBamboo/PSPNet-MindSpore", "segmentation", "PPM, Aux_CELoss_Cell", release="1.9")
def pspnet():
    from mindspore import nn
    from src.model.cell import Aux_CELoss_Cell
    from src.model.pspnet import PPM

    network = nn.SequentialCell(PPM(8, 4, (1, 2, 3, 6)), nn.Conv2d(24, 5, 1))
    both = Aux_CELoss_Cell(5)
    train(network, floats(2, 8, 60, 60), loss=lambda out, y: both((out, out), y), labels=[ids(5, 2, 60, 60)])


@run("dcdcvgroup/vglaw-mindspore", "visual grounding", "BertModel, CrossAttention", stops="package cybertron")
def vglaw():
    from src.bert import BertModel
    from src.cross_attn import CrossAttention

    config = SimpleNamespace(
        vocab_size=60,
        hidden_size=16,
        max_position_embeddings=16,
        type_vocab_size=2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_act="gelu",
        layer_norm_eps=1e-12,
        initializer_range=0.02,
        output_attentions=False,
        output_hidden_states=False,
        chunk_size_feed_forward=0,
    )
    train(BertModel(config), ids(60, 2, 8))
    train(CrossAttention(16, 16, 16, num_heads=2), floats(2, 4, 16), floats(2, 6, 16), floats(2, 6, 16))


@run("Ricardo0106/Yolact_mindspore", "instance segmentation", "FpnTopDown")
def yolact():
    from src.yolact.layers.fpn import FpnTopDown

    train(FpnTopDown([16, 32, 64], 16), [floats(1, 16, 16, 16), floats(1, 32, 8, 8), floats(1, 64, 4, 4)])


@run("spencerr221/svtr_mindspore", "text recognition", "SVTRNet")
def svtr():
    from modeling.backbones.svtrnet import SVTRNet

    train(
        SVTRNet(embed_dim=[16, 16, 16], depth=[1, 1, 1], num_heads=[2, 2, 2], mixer=["Local", "Local", "Global"]),
        floats(2, 3, 32, 100),
    )


@run("mindspore-lab/minddet", "lidar detection", "SigmoidFocalClassificationLoss", folder="minddet/models/pointpillars")
def pointpillars():
    from mindspore import nn
    from src.core.losses import SigmoidFocalClassificationLoss

    train(
        nn.Dense(4, 3),
        floats(2, 5, 4),
        loss=SigmoidFocalClassificationLoss(),
        labels=[floats(2, 5, 3, low=0), floats(2, 5)],
    )


@run("kill2013110/YOLOv1_mindspore", "detection", "FPN")
def yolov1():
    from src.fpn_neck import FPN

    train(FPN(16, True), [floats(1, 512, 16, 16), floats(1, 1024, 8, 8), floats(1, 2048, 4, 4)])


@run("KindredSpirithub/segmenter-mindspore", "segmentation", "VisionTransformer, MaskTransformer, Segmenter, AdamW")
def segmenter():
    from src.decoder import MaskTransformer
    from src.loss import SoftmaxCrossEntropyLoss
    from src.optimizer import AdamW
    from src.segmenter import CustomTrainOneStepCell, Segmenter, SegmenterWithLossCell
    from src.vit import VisionTransformer

    net = Segmenter(
        VisionTransformer((32, 32), 8, 2, 16, 32, 2, 5), MaskTransformer(5, 8, 16, 1, 2, 16, 32, 0.0, 0.0), 5
    )
    loss = SegmenterWithLossCell(net, SoftmaxCrossEntropyLoss(5))
    fill(CustomTrainOneStepCell(loss, AdamW(net.trainable_params(), 1e-3)), floats(2, 3, 32, 32), ids(5, 2, 32, 32))


@run("LJunius/nnUNet-MindSpore", "medical segmentation", "SoftDiceLoss")
def nnunet():
    from mindspore import nn, ops
    from src.nnunet.training.loss_functions.dice_loss import SoftDiceLoss

    train(nn.Conv3d(1, 3, 3), floats(2, 1, 8, 8, 8), loss=SoftDiceLoss(ops.Softmax(1)), labels=[ids(3, 2, 1, 8, 8, 8)])


@run("tyolm/groupfree3d_mindspore", "3D detection", "MultiheadAttention, PositionEmbeddingLearned")
def groupfree3d():
    sys.path.insert(0, "models/blocks")  # a file that the package imports is missing
    from multi_head_attention import MultiheadAttention
    from position_embedding import PositionEmbeddingLearned

    train(MultiheadAttention(16, 2, dropout=0.9), floats(5, 2, 16), floats(6, 2, 16), floats(6, 2, 16))
    train(PositionEmbeddingLearned(3, 16), floats(2, 5, 3))
