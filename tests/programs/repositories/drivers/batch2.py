# ruff: noqa: I001
from types import SimpleNamespace

from kit import fill, floats, ids, run, script, show, train
import numpy as np


def _bert(module, **changed):
    given = dict(seq_length=12, vocab_size=60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                 max_position_embeddings=16, type_vocab_size=2)
    return {**given, **changed}


@run("CSberlin/DeFRCN-mindspore", "few-shot detection", "resnet101, AffineLayer, GradientDecoupleLayer")
def defrcn():
    from src.defrcn.gdl import AffineLayer
    from src.defrcn.pcb_resnet import resnet101

    train(AffineLayer(8), floats(1, 8, 6, 6))
    train(resnet101(), floats(1, 3, 64, 64))


@run("Booooooooooo/AECRNet-MindSpore", "dehazing", "DeformConv2d", note="models/edsr_model.py of its network is missing")
def aecrnet():
    from models.DCN import DeformConv2d

    train(DeformConv2d(4, 8), floats(1, 4, 12, 12))


@run("2023-MindSpore-1/ms-code-125", "graphs", "StandGCN3, e_loss_FN")
def code125():
    from src.gcn import StandGCN2

    config = SimpleNamespace(hidden1=8, hidden2=8, dropout=0.0)
    from src.gcn import StandGCN3
    train(StandGCN3(config, 12, 4, floats(10, 10, low=0)), floats(10, 12))


@run("TL-UESTC/TAA_MindSpore", "recommendation", "MMoE, PLE, AITM, shared bottom")
def taa():
    from models.aitm import AITMModel
    from models.ple import PLEModel
    from models.sharedbottom import SharedBottomModel

    fields, numbers = ids(5, 8, 3), floats(8, 6)
    train(SharedBottomModel(np.array([5, 5, 5]), 6, 8, (16, 8), (8,), 2, 0.0), fields, numbers)
    train(PLEModel(np.array([5, 5, 5]), 6, 8, (16, 8), (8,), 2, 2, 2, 0.0), fields, numbers)
    train(AITMModel(np.array([5, 5, 5]), 6, 8, (16, 8), (8,), 2, 0.0), fields, numbers)


@run("ZhangYu-x/dprnn_mindspore", "speech separation", "Dual_RNN_model, loss, TrainingWrapper")
def dprnn():
    import mindspore
    from mindspore import nn
    from src.Loss import loss
    from src.model import Dual_RNN_model
    from src.network_define import WithLossCell
    from train_wrapper import TrainingWrapper

    net = WithLossCell(Dual_RNN_model(16, 16, 16, 16, bidirectional=True, norm="gln", num_layers=1, dropout=0.0), loss())
    fill(TrainingWrapper(net, nn.Adam(net.trainable_params(), 1e-3)), floats(1, 32000), mindspore.Tensor([32000], mindspore.int32), floats(1, 2, 32000))


@run("FengQuanLi/GPT_Mindspore", "language model", "Transformer (GPT_train)", folder="GPT_train")
def gpt_chinese():
    import importlib

    import mindspore
    model = importlib.import_module("GPT模型")
    train(model.Transformer(50, 16, 2, 2, 0.1, 50), ids(50, 2, 50), mindspore.Tensor(np.tril(np.ones((1, 50, 50))), mindspore.float32))


@run("geniuspatrick/Chinese-CLIP-MindSpore", "vision and text", "CLIP")
def chinese_clip():
    from cn_clip.clip.model import CLIP

    net = CLIP(16, 32, 2, 64, 8, 60, 0.0, "gelu", 0.0, 16, 0.02, 32, 20, 2, 2, 2)
    train(net, floats(2, 3, 32, 32), ids(60, 2, 10))


@run("nihaoxiaoli/SMPD_mindspore", "detection", "Vgg, dloss", folder="lib")
def smpd():
    from model.faster_rcnn.vgg16_mindspore import vgg16_mindspore

    train(vgg16_mindspore(10), floats(1, 3, 224, 224), steps=2)


@run("zkzhang2000/inceptionv4-mindspore", "image classification", "Stem, inception_A, CrossEntropy")
def inceptionv4():
    from network import Stem

    train(Stem(3), floats(1, 3, 299, 299))


@run("MDD-0928/PTCR_MindSpore", "person re-identification", "PTCR, TokenPerception")
def ptcr():
    from src.model.backbones.PTCR_MindSpore import PTCR

    train(PTCR(img_size=[64, 32], num_classes=5, embed_dims=[16, 16, 16, 16], num_heads=[2, 2, 2, 2], depths=[1, 1, 1, 1]), floats(2, 3, 64, 32))


@run("a1085728420/atae_lstm-mindspore", "sentiment", "AttentionLstm, NetWithLoss")
def atae():
    import mindspore
    from mindspore import nn
    from src.atae_for_train import NetWithLoss
    from src.model import AttentionLstm

    config = SimpleNamespace(dim_word=12, dim_hidden=12, dim_aspect=6, vocab_size=40, grained=3, aspect_num=5, dropout_prob=0.1, batch_size=1, rnn_type="LSTM")
    net = NetWithLoss(AttentionLstm(config, mindspore.Tensor(np.random.rand(40, 12).astype("float32"))))
    cell = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    fill(cell, ids(40, 1, 9), mindspore.Tensor([9], mindspore.int32), ids(5, 1), floats(1, 3, low=0))


@run("newsun-boki/Swin-Transformer-Mindspore", "image classification", "SwinTransformer")
def swin():
    from model.swin_transformer import SwinTransformer

    train(SwinTransformer(img_size=32, patch_size=2, num_classes=5, embed_dim=12, depths=[2, 2], num_heads=[2, 2], window_size=4), floats(2, 3, 32, 32))


@run("zhangtianmingxp/rbpn_mindspore", "video super-resolution", "Net, GeneratorLoss, TrainOnestepGen")
def rbpn():
    from mindspore import nn
    from src.loss.generatorloss import GeneratorLoss
    from src.model.rbpn import Net
    from trainonestepgen import TrainOnestepGen

    net = GeneratorLoss(Net(3, 8, 8, 3, 1, 3, 4))
    fill(TrainOnestepGen(net, nn.Adam(net.trainable_params(), 1e-4)), floats(1, 3, 32, 32), floats(1, 3, 8, 8), floats(1, 3, 3, 8, 8), floats(1, 3, 2, 8, 8))


@run("hyliu-nlp/LUKE_mindspore", "language model with entities", "LukeEntityAwareAttentionModel")
def luke():
    from model.luke import LukeEntityAwareAttentionModel

    config = SimpleNamespace(hidden_size=16, vocab_size=60, entity_vocab_size=20, entity_emb_size=8, max_position_embeddings=20, type_vocab_size=2,
        layer_norm_eps=1e-5, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        initializer_range=0.02, hidden_act="gelu", pad_token_id=1, batch_size=2, seq_length=8)
    train(LukeEntityAwareAttentionModel(config), ids(60, 2, 8), ids(2, 2, 8), ids(2, 2, 8), ids(20, 2, 3), ids(8, 2, 3, 4), ids(2, 2, 3), ids(2, 2, 3))


@run("lvyufeng/denoising-diffusion-mindspore", "diffusion", "Unet, GaussianDiffusion", release="1.9")
def ddm():
    from ddm import GaussianDiffusion, Unet

    net = GaussianDiffusion(Unet(8, dim_mults=(1, 2), channels=3), image_size=16, timesteps=20)
    train(net, floats(2, 3, 16, 16, low=0), ids(20, 2), floats(2, 3, 16, 16), True)


@run("upupoo999/UniKP_mindspore", "enzymes", "TrfmSeq2seq", folder="code")
def unikp():
    from pretrain_trfm import TrfmSeq2seq

    train(TrfmSeq2seq(45, 16, 45, 2), ids(45, 10, 2))


@run("yanan0122/DBnetpp_mindspore", "text detection", "DBnet parts: ResNet, SegDetector, L1BalanceCELoss")
def dbnetpp():
    from modules.backbone import resnet18
    from modules.detector import SegDetector

    features = resnet18(pretrained=False)
    train(features, floats(1, 3, 64, 64))
    train(SegDetector([64, 128, 256, 512], 32, training=True), [floats(1, c, s, s) for c, s in ((64, 16), (128, 8), (256, 4), (512, 2))])


@run("zhanghuiyao/yolov7_mindspore", "detection", "Model of yolov7-tiny")
def yolov7():
    import glob

    from network.yolo import Model

    path = sorted(glob.glob("**/*yolov7-tiny*.yaml", recursive=True))[0]
    train(Model(path, ch=3, nc=5), floats(1, 3, 64, 64))


@run("Rogersiy/bisenetv2_mindspore", "segmentation", "BiSeNetV2, CrossEntropy, WithLossCell")
def bisenetv2():
    from src.modules.bisenetv2 import DetailBranch, SegmentBranch, BGALayer, SegmentHead

    train(DetailBranch(), floats(1, 3, 64, 64))
    train(SegmentBranch(), floats(1, 3, 64, 64))
    train(BGALayer(), floats(1, 128, 8, 8), floats(1, 128, 2, 2))


@run("lemon-ustc/QueryInst_mindspore", "instance segmentation", "ResNet, DynamicConv")
def queryinst():
    from src.engines.dii_head import DynamicConv
    from mindspore import nn

    train(DynamicConv(16, 8, 16, 7), floats(4, 16, 7, 7), floats(4, 16))


@run("implicitDeclaration/LiTS2017-mindspore", "medical segmentation", "UNet_3Plus, its losses")
def lits2017():
    from models.unet3p import UNet_3Plus

    train(UNet_3Plus(3, 2, feature_scale=16), floats(1, 3, 32, 32))


@run("HenonBamboo/PSPNet-MindSpore", "segmentation", "PSPNet, Aux_CELoss_Cell")
def pspnet():
    from src.model.cell import Aux_CELoss_Cell
    from src.model.pspnet import PSPNet

    train(PSPNet(num_classes=5), floats(1, 3, 473, 473), loss=Aux_CELoss_Cell(5), labels=[ids(5, 1, 473, 473)], steps=1)


@run("guxizhi/GNN_MindSpore", "graphs", "GCN with TrainNetWrapper", folder="GNN")
def gnn_gcn():
    import os
    import sys

    sys.path[:0] = [os.path.abspath("GCN")]
    from src.GCN import GCN
    from src.wrapper import TrainNetWrapper

    label, mask = np.eye(4, dtype="float32")[np.arange(10) % 4], np.ones(10, "float32")
    fill(TrainNetWrapper(GCN(12, 8, 4, 0.1), label, mask, 5e-4, 0.01), floats(10, 10, low=0), floats(10, 12))


@run("guxizhi/GNN_MindSpore", "graphs", "GAT with TrainGAT", folder="GNN")
def gnn_gat():
    import os
    import sys

    sys.path[:0] = [os.path.abspath("GAT")]
    from src.GAT import GAT
    from src.wrapper import TrainGAT

    label, mask = np.eye(4, dtype="float32")[np.arange(10) % 4], np.ones(10, "float32")
    fill(TrainGAT(GAT(12, 8, 4, [2, 1]), 4, label, mask, 0.01, 5e-4), floats(1, 10, 12), floats(1, 10, 10))


@run("ZJUT-ERCISS/i3d_mindspore", "video classification", "I3D")
def i3d():
    from src.models.i3d import I3D

    train(I3D(num_classes=5), floats(1, 3, 16, 224, 224), steps=1)


@run("mindspore-courses/ABSA-MindSpore", "sentiment", "LSTM, AOA, IAN, MemNet")
def absa():
    import sys

    sys.path.insert(0, "models")  # the package imports mindnlp
    from lstm import LSTM
    from memnet import MemNet

    opt = SimpleNamespace(embed_dim=12, hidden_dim=12, polarities_dim=3, hops=2, dropout=0.1, device="CPU", max_seq_len=9)
    table = np.random.rand(40, 12).astype("float32")
    train(LSTM(table, opt), [ids(40, 2, 9)])
    train(MemNet(table, opt), [ids(40, 2, 9), ids(40, 2, 3)])


@run("lvyufeng/ERNIE_mindspore", "language model", "ErnieNetworkWithLoss, ErnieTrainOneStepCell")
def ernie():
    from mindspore import nn
    from src.ernie_for_pretraining import ErnieNetworkWithLoss, ErnieTrainOneStepCell
    from src.ernie_model import ErnieConfig

    net = ErnieNetworkWithLoss(ErnieConfig(**_bert(0)), True)
    mask = ids(1, 2, 12) + 1
    fill(ErnieTrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-3)), ids(60, 2, 12), mask, ids(2, 2, 12), ids(2, 2, 1), ids(12, 2, 3), ids(60, 2, 3), floats(2, 3, low=0))
