# ruff: noqa: I001
from kit import fill, floats, ids, run, script, show, train
import numpy as np


@run("Pzy-USTC/House_price_mindspore", "regression", "MLPAttention")
def house_price():
    from src.model import build_model
    from mindspore import nn

    train(build_model(), floats(16, 8), loss=nn.MSELoss(), labels=[floats(16)])


@run("Seeker-yuan/wind-speed-correction-mindspore", "graph network, weather", "mindspore_gnn_model.py")
def wind_speed():
    script("mindspore_gnn_model.py")


@run("WarruzuEndo/BiDAF_mindspore", "question answering", "BiDAF", release="1.9")
def bidaf():
    from model import BiDAF

    net = BiDAF(50, 8, 5, 16, np.random.rand(60, 16).astype("float32"), 1, 16, 0.2)
    train(net, ids(50, 2, 12, 10), ids(50, 2, 6, 10), ids(60, 2, 12), ids(60, 2, 6), *[__import__("mindspore").Tensor([n, n], __import__("mindspore").int32) for n in (12, 6)])


@run("DongyaoZhu/FastDiff_MindSpore", "speech synthesis", "DiffusionDBlock, KernelPredictor")
def fastdiff():
    from modules import DiffusionDBlock, KernelPredictor

    train(DiffusionDBlock(8, 8, 4), floats(2, 8, 64))
    train(KernelPredictor(10, 8, 16, 2), floats(2, 10, 12))


@run("Shuijing2018/GLAC_Mindspore", "classification with noisy labels", "mlp_model, gce_loss")
def glac():
    from utils_loss import gce_loss
    from utils_model import mlp_model

    train(mlp_model(12, 20, 4), floats(8, 12), loss=lambda o, y: gce_loss(o, y, 0.7), labels=[ids(2, 8, 4)])


@run("lvyufeng/gumbel_softmax_mindspore", "VAE", "VAE_Gumbel, its TrainOneStep")
def gumbel_softmax():
    import mindspore
    from mindspore import nn
    from src.model import Loss, NetWithLoss, TrainOneStep, VAE_Gumbel

    net = VAE_Gumbel(30, 10)
    fill(TrainOneStep(NetWithLoss(net, Loss(10)), nn.Adam(net.trainable_params(), 1e-3)), floats(4, 1, 28, 28, low=0), 1.0, False)


@run("AngxiaoYue/QPU-mindspore", "skeletons, quaternions", "QLSTM, RLSTM")
def qpu():
    import sys

    sys.path.insert(0, "qpu")
    from demo_model import QLSTM, RLSTM
    from mindspore import nn

    for net in (RLSTM, QLSTM):
        train(net(4, 25, 8, 60, {"rinv": True}), floats(2, 4, 8, 25, 2), loss=nn.CrossEntropyLoss(), labels=[ids(60, 2)])


@run("Shuijing2018/PLR_Mindspore", "partial-label regression", "MlpModel")
def plr():
    from mindspore import nn
    from model.net import MlpModel

    train(MlpModel(12, [20, 20]), floats(8, 12), loss=nn.MSELoss(), labels=[floats(8, 1)])


@run("dinglee17/EAL-GAN_mindspore", "GAN, anomaly detection", "Generator, Discriminator, their loss cells")
def eal_gan():
    from src.CB_GAN import Discriminator, Generator

    generator, discriminator = Generator(16, 32, 12), Discriminator(12, 32)
    train(generator, floats(6, 16), ids(2, 6))
    train(discriminator, floats(6, 12), ids(2, 6))


@run("zhengkw18/VFlow_mindspore", "normalizing flows", "FlowNet")
def vflow():
    import mindspore
    from glow.models import FlowNet

    net = FlowNet(2, (8, 8, 3), 16, 2, 2)
    train(net, floats(2, 3, 8, 8), floats(2), loss=lambda o: (o[0] ** 2).mean() - o[1].mean() * 0.001)


@run("KimJisso0610/ConvLSTM_MindSpore", "weather, video prediction", "ConvLSTM")
def conv_lstm():
    from src.config import Config
    from src.ConvLSTM import ConvLSTM
    from mindspore import nn

    train(ConvLSTM(Config()), floats(1, 3, 1, 16, 16, low=0), loss=nn.MSELoss(), labels=[floats(1, 3, 1, 16, 16, low=0)])


@run("NotACracker/RandLA-net_mindspore", "point clouds", "RandLANet")
def randla():
    from src.model.model import RandLANet

    xyz = [floats(1, n, 3) for n in (256, 64, 16, 8, 4)]
    near = [ids(n, 1, n, 4) for n in (256, 64, 16, 8, 4)]
    sub = [ids(n, 1, m, 4) for n, m in ((256, 64), (64, 16), (16, 8), (8, 4), (4, 2))]
    up = [ids(m, 1, n, 1) for n, m in ((256, 64), (64, 16), (16, 8), (8, 4), (4, 2))]
    train(RandLANet(6, 5, True), xyz, floats(1, 256, 6), near, sub, up)


@run("XZHSTAX/arcface-mindspore", "face recognition", "ResNet18, Asoftmax_loss")
def arcface():
    from A_softmax import Asoftmax_loss
    from resnet import resnet18
    from mindspore import nn, ops

    train(resnet18(16), floats(2, 3, 32, 32), loss=Asoftmax_loss(), labels=[ids(16, 2)])


@run("cds-mipt/darknet_mindspore", "image classification", "darknet53, CrossEntropySmooth")
def darknet():
    from src.cross_entropy_smooth import CrossEntropySmooth
    from src.darknet import darknet53

    train(darknet53(), floats(2, 3, 64, 64))


@run("XXXXXXXXXXXJ/Nbeatsx_MindSpore", "forecasting", "tcn_mindspore.py, TemporalConvNet")
def nbeatsx():
    from src.nbeats.tcn_mindspore import TemporalConvNet

    train(TemporalConvNet(3, [8, 16, 8], 3), floats(2, 3, 40))


@run("Diananini/CVPR2022-LD-ConGR-mindspore", "gestures, video", "resnext, NetWithLoss")
def ld_congr():
    from models import resnext

    net = resnext.resnet50(sample_size=32, sample_duration=4, num_classes=10) if hasattr(resnext, "resnet50") else resnext.get_model(50, sample_size=32, sample_duration=4, num_classes=10)
    train(net, floats(1, 3, 4, 32, 32))


@run("allyouneeds/CosFace-MindSpore", "face recognition", "WholeNet, Loss_Network")
def cosface():
    from src.CosFace import WholeNet
    from mindspore import nn

    train(WholeNet(num_class=20), floats(8, 3, 112, 112), ids(20, 8), loss=nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), labels=[ids(20, 8)], rate=1e-4)


@run("hdieibi/Deformable_generator_mindspore", "generation", "AppNet, GeoNet, DeformGenerator")
def deformable_generator():
    from modules.appNet import AppNet
    from modules.geoNet import GeoNet

    train(AppNet(batchsize=2), floats(2, 64))
    train(GeoNet(batchsize=2), floats(2, 64))


@run("jerry-njucs/nanoGPT_MindSpore", "language model", "GPT, GPTWithLoss, GPTTrainOneStepCell")
def nanogpt():
    from mindspore import nn
    from src.model import GPT, GPTConfig, GPTTrainOneStepCell, GPTWithLoss

    net = GPTWithLoss(GPT(GPTConfig(block_size=16, vocab_size=50, n_layer=2, n_head=2, n_embd=16)))
    fill(GPTTrainOneStepCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000)), ids(50, 2, 17))


@run("lvyufeng/TokenFusion-MindSpore", "segmentation, two sensors", "MixVisionTransformer, WeTr", "semantic_segmentation")
def token_fusion():
    from models.segformer import WeTr

    train(WeTr("mit_b0", 5, 32, pretrained=False), [floats(1, 3, 64, 64), floats(1, 3, 64, 64)])


@run("lvyufeng/image_captioning_mindspore", "captions", "Encoder, Decoder, Img2Seq, TrainOneStepCell")
def image_captioning():
    from mindspore import nn
    from src.model import Attention

    train(Attention(32, 16, 8), floats(2, 9, 32), floats(2, 16))


@run("swx0721/fast-neural-style-mindspore-Ascend", "style transfer", "TransformerNet")
def fast_neural_style():
    from transformer import TransformerNet

    train(TransformerNet(), floats(1, 3, 32, 32))


@run("CLaSLoVe/CAN-mindspore", "handwritten formulas", "CAN")
def can():
    from densenet import DenseNet
    from decoder import AttDecoder
    from encoder import CountingDecoder

    train(CountingDecoder(684, 111, 3), floats(1, 684, 8, 8), floats(1, 1, 8, 8, low=0))
    train(DenseNet({"densenet": {"growthRate": 24, "reduction": 0.5, "bottleneck": True, "use_dropout": True}, "encoder": {"input_channel": 1, "out_channel": 684}}), floats(1, 1, 32, 64))


@run("lvyufeng/mistral-mindspore", "language model", "Transformer")
def mistral():
    import mindspore
    from mistral.model import ModelArgs, Transformer

    args = ModelArgs(dim=16, n_layers=2, head_dim=8, hidden_dim=32, n_heads=2, n_kv_heads=1, norm_eps=1e-5, vocab_size=40, max_batch_size=2)
    train(Transformer(args, dtype=mindspore.float32), ids(40, 12), [6, 6])


@run("shusenlin/UUM_MindSpore", "multi-instance learning", "Linear, rc_mil_loss")
def uum():
    from mindspore import nn
    from utils.utils_loss import rc_mil_loss
    from utils.models import Linear

    train(Linear(20), floats(8, 20))


@run("SsssSunhy/Tasnet-Mindspore-on-Librimix", "speech separation", "TasNet, Loss, WithLossCell, TrainingWrapper")
def tasnet():
    import mindspore
    from Loss import Loss
    from mindspore import nn
    from network_define import WithLossCell
    from tasnet import TasNet
    from train_wrapper import TrainingWrapper

    net = WithLossCell(TasNet(40, 50, 32, 2), Loss())
    fill(TrainingWrapper(net, nn.Adam(net.trainable_params(), 1e-3)), floats(2, 20, 40), mindspore.Tensor([20, 20], mindspore.int32), floats(2, 2, 20, 40))


@run("zhangzw12319/DDAG_mindspore", "person re-identification", "DDAG, CriterionWithNet, OptimizerWithNetAndCriterion")
def ddag():
    from src.models.ddag import DDAG

    train(DDAG(512, 8, part=3), floats(2, 3, 288, 144), floats(2, 3, 288, 144), floats(4, 4, low=0))


@run("lvyufeng/DuConv_mindspore", "dialogue", "BertModel")
def duconv():
    from src.bert import BertConfig, BertModel

    net = BertModel(BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32))
    train(net, ids(50, 2, 8), ids(2, 2, 8))
