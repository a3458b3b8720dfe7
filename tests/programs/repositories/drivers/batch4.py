# ruff: noqa: I001
import sys
from types import SimpleNamespace

from kit import fill, floats, ids, mnist, run, script, show, train
import numpy as np


@run("JoegameZhou/F-Conv_MindSpore", "equivariant convolutions", "Fconv_PCA, Fconv_PCA_out", folder="MinistExp")
def fconv():
    import F_Conv as F
    from mindspore import nn

    train(nn.SequentialCell(F.Fconv_PCA(5, 1, 4, 8, ifIni=1, padding=2), F.Fconv_PCA_out(5, 4, 2, 8, padding=2)), floats(2, 1, 12, 12))


_SERIES = dict(seq_len=16, label_len=8, pred_len=8, output_attention=False, enc_in=3, dec_in=3, c_out=3, d_model=16, n_heads=8, e_layers=1, d_layers=1,
    d_ff=16, moving_avg=5, factor=1, dropout=0.0, embed="timeF", freq="h", activation="gelu", version="Fourier", mode_select="random", modes=4, L=1, base="legendre",
    cross_activation="tanh", wavelet=0, distil=True, ab=0)


def _series(name):
    def driver():
        import importlib

        module = importlib.import_module(f"models.{name}")
        train(getattr(module, name)(SimpleNamespace(**_SERIES)), floats(2, 16, 3), floats(2, 16, 4), floats(2, 16, 3), floats(2, 16, 4))

    driver.__name__ = f"series_{name.lower()}"
    run("LeVoyageur1222/FEDformer_MindSpore", "forecasting", name)(driver)


for name in ("FEDformer", "Autoformer", "Informer", "Transformer"):
    _series(name)


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


@run("dcdcvgroup/layout-diffusion-mindspore", "diffusion", "LayoutTransformerEncoder, ResBlock")
def layout_diffusion():
    from layout_diffusion.layout_encoder import ResidualAttentionBlock
    from layout_diffusion.layout_diffusion_unet import ResBlock

    train(ResidualAttentionBlock(16, 2), floats(2, 6, 16))
    train(ResBlock(32, 16, 0.0, use_scale_shift_norm=True), floats(1, 32, 8, 8), floats(1, 16))


@run("liuyf020419/PVQD-mindspore", "protein structure", "ResidualCodebook, TransformerEncoderLayer")
def pvqd():
    from protdiff.models.codebook import ResidualCodebook
    from protdiff.models.encoder_module.attention.transformer import TransformerEncoderLayer

    train(TransformerEncoderLayer(16, 2, 32, 0.9), floats(6, 2, 16))
    train(ResidualCodebook(SimpleNamespace(num_codebook_vectors=8, latent_dim=16, beta=0.25), 16, codebook_num=2), floats(2, 4, 4, 16))


@run("totoroKalic/pamtri-mindspore", "vehicle re-identification", "DenseNet, TripletLoss, CrossEntropyLabelSmooth", folder="MultiTaskNet")
def pamtri():
    from src.loss.cross_entropy_loss import CrossEntropyLabelSmooth
    from src.loss.hard_mine_triplet_loss import TripletLoss
    from mindspore import nn

    train(nn.Dense(8, 5), floats(4, 8), loss=CrossEntropyLabelSmooth(5), labels=[ids(5, 4)])
    train(nn.Dense(8, 5), floats(4, 8), loss=TripletLoss(4), labels=[__import__("mindspore").Tensor([0, 0, 1, 1], __import__("mindspore").int32)])


@run("yangyucheng000/unipose-mindspore", "human poses", "unipose")
def unipose():
    from model.unipose import unipose

    train(unipose("LSP", num_classes=14), floats(1, 3, 64, 64), steps=2)


@run("lyqcom/mbart_mindspore", "translation", "MBartForConditionalGeneration")
def mbart():
    from src.mod import MBartConfig, MBartForConditionalGeneration

    print(open(sys.modules[MBartConfig.__module__].__file__).read()[:3000])


@run("lvyufeng/easy_mindspore", "layers of torch's names", "test_linear.py", stops="C++ classes of a development version of MindSpore")
def easy_mindspore():
    import tests.nn.test_linear  # noqa: F401


@run("blackfeather-wang/Dynamic-Vision-Transformer-MindSpore", "image classification", "CrossEntropySmoothMixup, AdamW")
def dvt():
    from nn.layers.affine import Affine
    from nn.losses.cross_entropy import CrossEntropySmooth

    train(Affine(5), floats(4, 5), loss=CrossEntropySmooth(num_classes=5, smooth_factor=0.1), labels=[ids(5, 4)])


@run("dcdcvgroup/vglaw-mindspore", "visual grounding", "BertModel, CrossAttention")
def vglaw():
    from src.bert import BertModel
    from src.cross_attn import CrossAttention

    config = SimpleNamespace(vocab_size=60, hidden_size=16, max_position_embeddings=16, type_vocab_size=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=32, hidden_act="gelu", layer_norm_eps=1e-12, initializer_range=0.02, output_attentions=False, output_hidden_states=False, chunk_size_feed_forward=0)
    train(BertModel(config), ids(60, 2, 8))
    train(CrossAttention(16, 16, 16, num_heads=2), floats(2, 4, 16), floats(2, 6, 16), floats(2, 6, 16))


@run("eaginilir/SparseTSF_mindspore", "forecasting", "SparseTSF, DLinear, PatchTST")
def sparse_tsf():
    import importlib

    for name in ("SparseTSF", "DLinear", "Linear"):
        module = importlib.import_module(f"models.{name}")
        train(module.Model(SimpleNamespace(seq_len=24, pred_len=12, enc_in=3, period_len=4, individual=False, model_type="linear", d_model=16)), floats(2, 24, 3))


@run("yym68686/ACL-DGReID-mindspore", "person re-identification", "SELayer")
def acl_dgreid():
    from fastreid.layers.pooling import GeneralizedMeanPooling
    from fastreid.layers.se_layer import SELayer

    train(SELayer(32), floats(2, 32, 5, 5))


@run("Ricardo0106/Yolact_mindspore", "instance segmentation", "Yolact backbone")
def yolact():
    from src.yolact.layers.fpn import FpnTopDown

    train(FpnTopDown([16, 32, 64], 16), [floats(1, 16, 16, 16), floats(1, 32, 8, 8), floats(1, 64, 4, 4)])


@run("mszpc/StyTR-2-mindspore", "style transfer", "TransformerEncoderLayer, Decoder, PatchEmbed", folder="StyTR-2-mindspore")
def stytr2():
    from models.StyTR import Decoder, PatchEmbed
    from models.transformer import TransformerEncoderLayer

    train(PatchEmbed(32, 8, 3, 16), floats(1, 3, 32, 32))
    train(TransformerEncoderLayer(16, 2, 32, 0.0), floats(6, 2, 16))
    train(Decoder(), floats(1, 512, 4, 4))


@run("spencerr221/svtr_mindspore", "text recognition", "SVTRNet")
def svtr():
    from modeling.backbones.svtrnet import SVTRNet

    train(SVTRNet(embed_dim=[16, 16, 16], depth=[1, 1, 1], num_heads=[2, 2, 2], mixer=["Local", "Local", "Global"]), floats(2, 3, 32, 100))


@run("mindspore-lab/mindediting", "image restoration", "NAFNet, MIMO-UNet, RRDB, FSRCNN")
def mindediting():
    sys.path.insert(0, "mindediting/models/image_deblur")
    from nafnet import NAFNet

    train(NAFNet(width=8, middle_blk_num=1, enc_blk_nums=[1, 1], dec_blk_nums=[1, 1]), floats(1, 3, 16, 16))


@run("mindspore-lab/mindrec", "recommendation", "WideDeepModel, NetWithLossClass, TrainStepWrap")
def wide_deep():
    sys.path.insert(0, "models/wide_deep")
    from src.wide_and_deep import NetWithLossClass, TrainStepWrap, WideDeepModel

    config = SimpleNamespace(batch_size=4, field_size=6, vocab_size=40, emb_dim=8, deep_layer_dim=[16, 8, 8, 8, 8], deep_layer_act="relu", weight_bias_init=["normal", "normal"], emb_init="normal",
        init_args=[-0.01, 0.01], dropout_flag=False, keep_prob=1.0, l2_coef=8e-5, host_device_mix=0, parameter_server=0, vocab_cache_size=0, sparse=False, use_sp=False, field_slice=False, dataset_type="mindrecord",
        use_dynamic_embedding=False, host_device_mix_=0, l1_regularization=1e-8, ftrl_lr=0.05, adam_lr=0.0035, loss_scale=1024.0)
    net = NetWithLossClass(WideDeepModel(config), config)
    fill(TrainStepWrap(net), ids(40, 4, 6), floats(4, 6, low=0), floats(4, 1, low=0))


@run("mindspore-lab/minddet", "lidar detection", "pointpillars", folder="minddet/models/pointpillars")
def pointpillars():
    from src.core.losses import SigmoidFocalClassificationLoss
    from mindspore import nn

    train(nn.Dense(4, 3), floats(2, 5, 4), loss=SigmoidFocalClassificationLoss(), labels=[floats(2, 5, 3, low=0), floats(2, 5)])


@run("mindspore-lab/minddiffusion", "diffusion", "SpatialTransformer of Stable Diffusion 2", folder="vision/stablediffusionv2")
def sd2():
    from ldm.modules.attention import SpatialTransformer

    train(SpatialTransformer(32, 2, 16, depth=1, dropout=1.0, context_dim=16), floats(1, 32, 8, 8), None, floats(1, 5, 16))


@run("mindspore-courses/step_into_llm", "course: BERT", "BertForPretraining", folder="Season1.step_into_chatgpt/2.BERT/pretrain")
def step_bert():
    from src.bert import BertForPretraining

    net = BertForPretraining(SimpleNamespace(hidden_act="gelu", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, type_vocab_size=2, initializer_range=0.02, layer_norm_eps=1e-12, vocab_size=60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16, seq_length=12))
    train(net, ids(60, 2, 12), ids(2, 2, 12), ids(12, 2, 3))


@run("Tangzl7/tracktor_for_mindspore", "tracking", "FeatPyramidNeck")
def tracktor():
    from src.frcnn.fpn_neck import FeatPyramidNeck

    train(FeatPyramidNeck([16, 32, 64, 128], 16, 5), [floats(1, c, s, s) for c, s in ((16, 16), (32, 8), (64, 4), (128, 2))])


@run("kill2013110/YOLOv1_mindspore", "detection", "YOLOv1 head and losses")
def yolov1():
    from mindspore import nn
    from src.fpn_neck import FPN
    from src.loss import QualityFocalLoss

    train(FPN(16, True), [floats(1, 512, 16, 16), floats(1, 1024, 8, 8), floats(1, 2048, 4, 4)])


@run("KindredSpirithub/segmenter-mindspore", "segmentation", "VisionTransformer, MaskTransformer, Segmenter, AdamW")
def segmenter():
    from src.decoder import MaskTransformer
    from src.optimizer import AdamW
    from src.segmenter import CustomTrainOneStepCell, Segmenter, SegmenterWithLossCell
    from src.loss import SoftmaxCrossEntropyLoss
    from src.vit import VisionTransformer

    net = Segmenter(VisionTransformer((32, 32), 8, 2, 16, 32, 2, 5), MaskTransformer(5, 8, 16, 1, 2, 16, 32, 0.0, 0.0), 5)
    loss = SegmenterWithLossCell(net, SoftmaxCrossEntropyLoss(5))
    fill(CustomTrainOneStepCell(loss, AdamW(net.trainable_params(), 1e-3)), floats(2, 3, 32, 32), ids(5, 2, 32, 32))


@run("LJunius/nnUNet-MindSpore", "medical segmentation", "SoftDiceLoss")
def nnunet():
    from src.nnunet.training.loss_functions.dice_loss import SoftDiceLoss
    from mindspore import nn, ops

    train(nn.Conv2d(1, 3, 3), floats(2, 1, 8, 8), loss=SoftDiceLoss(ops.Softmax(1)), labels=[ids(3, 2, 1, 8, 8)])


@run("tyolm/groupfree3d_mindspore", "3D detection", "MultiheadAttention, PointNetFeaturePropagation")
def groupfree3d():
    sys.path.insert(0, "models/blocks")  # a file that the package imports is missing
    from multi_head_attention import MultiheadAttention
    from position_embedding import PositionEmbeddingLearned

    train(MultiheadAttention(16, 2), floats(5, 2, 16), floats(6, 2, 16), floats(6, 2, 16))
    train(PositionEmbeddingLearned(3, 16), floats(2, 5, 3))
