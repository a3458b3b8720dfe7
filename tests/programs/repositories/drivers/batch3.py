# ruff: noqa: I001
from types import SimpleNamespace

from kit import fill, floats, ids, mnist, run, script, show, train
import numpy as np

GANS = "aae acgan began bgan cgan cluster_gan dcgan dragan ebgan gan infogan lsgan relativistic_gan sgan softmax_gan wgan"


def _gan(name):
    def driver():
        mnist("data/MNIST")
        script(f"implementations/{name}/{name}.py", "--n_epochs", "1", "--batch_size", "8")

    driver.__name__ = f"course_{name}"
    run("mindspore-courses/MindSpore-GAN", "GAN", f"{name}.py")(driver)


for name in GANS.split():
    _gan(name)


def _tutorial(folder, name):
    def driver():
        mnist("data/MNIST", train=400, test=100)
        script(f"tutorials/{folder}/{name}/main.py")

    driver.__name__ = f"tutorial_{name}"
    run("mindspore-courses/MindSpore-Tutorial", "course", f"{name}/main.py")(driver)


for folder, name in (
    ("01-basics", "feedforward_neural_network"), ("01-basics", "logistic_regression"), ("01-basics", "linear_regression"),
    ("02-intermediate", "recurrent_neural_network"), ("02-intermediate", "bidirectional_recurrent_neural_network"),
    ("03-advanced", "variational_autoencoder"),
):
    _tutorial(folder, name)


@run("viewsetting/MindSpore-GPT2", "language model of MindSpore 1.0", "GPT2Translation, GPT2FinetuneCell")
def gpt2_1_0():
    from mindspore import context, nn
    from src.GPT2_model import GPT2Config
    from src.gpt2_for_finetune import GPT2FinetuneCell, GPT2Translation

    config = GPT2Config(batch_size=2, seq_length=12, vocab_size=60, d_model=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16,
        hidden_dropout=0.0, attention_dropout=0.0)
    net = GPT2Translation(config, True)
    cell = GPT2FinetuneCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000))
    fill(cell, ids(60, 2, 12), ids(1, 2, 12) + 1, ids(60, 2, 12))


@run("huawei-noah/Pretrained-Language-Model", "PanGu-alpha of MindSpore 1.1", "PANGUALPHAWithLoss, PANGUALPHATrainOneStepWithLossScaleCell", folder="PanGu-α")
def pangu_alpha_1_1():
    import mindspore
    from mindspore import nn
    from mindspore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell
    from pangu_alpha import CrossEntropyLoss, PANGUALPHA, PANGUALPHAWithLoss
    from pangu_alpha_config import PANGUALPHAConfig
    from pangu_alpha_wrapcell import PANGUALPHATrainOneStepWithLossScaleCell, VirtualDatasetOneInputCell

    config = PANGUALPHAConfig(data_parallel_num=1, model_parallel_num=1, batch_size=2, seq_length=12, vocab_size=60, embedding_size=16, num_layers=2, num_heads=2,
        dropout_rate=0.0, compute_dtype=mindspore.float16, eod_reset=True)
    net = VirtualDatasetOneInputCell(PANGUALPHAWithLoss(config, PANGUALPHA(config), CrossEntropyLoss(config)))
    cell = PANGUALPHATrainOneStepWithLossScaleCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), DynamicLossScaleUpdateCell(1024, 2, 1000), config=config)
    position = mindspore.Tensor(np.tile(np.arange(12), (2, 1)), mindspore.int32)
    fill(cell, ids(60, 2, 13), position, mindspore.Tensor(np.tile(np.tril(np.ones((12, 12))), (2, 1, 1)), mindspore.float16))


@run("THUDM/CodeGeeX", "code model", "PanguAlphaModel, PanGUAlphaWithLoss, its train cell", folder="codegeex/mindspore")
def codegeex():
    import mindspore
    from mindspore import nn
    from mindspore.parallel.nn import CrossEntropyLoss, TransformerOpParallelConfig
    from src.pangu_alpha import PanGUAlphaWithLoss, PanguAlphaModel
    from src.pangu_alpha_config import PanguAlphaConfig
    from src.pangu_alpha_wrapcell import PanguAlphaTrainOneStepWithLossScaleCell

    parallel = TransformerOpParallelConfig(1, 1, recompute=True)
    config = PanguAlphaConfig(batch_size=2, num_heads=2, hidden_size=16, seq_length=12, vocab_size=60, num_layers=2, ffn_hidden_size=64, eod_token=59, dropout_rate=0.0, parallel_config=parallel)
    net = PanGUAlphaWithLoss(config, PanguAlphaModel(config=config), CrossEntropyLoss(parallel.dp_mp_config))
    cell = PanguAlphaTrainOneStepWithLossScaleCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000), config=config)
    position = mindspore.Tensor(np.tile(np.arange(12), (2, 1)), mindspore.int32)
    fill(cell, ids(60, 2, 13), position, mindspore.Tensor(np.tile(np.tril(np.ones((12, 12))), (2, 1, 1)), mindspore.float16))


def _tinybert(BertConfig, dtype):
    return BertConfig(seq_length=12, vocab_size=60, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, max_position_embeddings=16, type_vocab_size=2, dtype=dtype, compute_type=dtype)


@run("huawei-noah/Pretrained-Language-Model", "distillation", "BertNetworkWithLoss_gd, BertTrainCell", folder="TinyBERT-MindSpore")
def tinybert():
    import mindspore
    from mindspore import nn
    from src.tinybert_for_gd_td import BertNetworkWithLoss_gd, BertTrainWithLossScaleCell
    from src.tinybert_model import BertConfig, BertModel

    config = _tinybert(BertConfig, mindspore.float32)
    mindspore.save_checkpoint(BertModel(config, False), "teacher.ckpt")
    net = BertNetworkWithLoss_gd(config, "teacher.ckpt", config, True)
    cell = BertTrainWithLossScaleCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000))
    fill(cell, ids(60, 2, 12), ids(1, 2, 12) + 1, ids(2, 2, 12))


@run("huawei-noah/Pretrained-Language-Model", "quantized distillation", "BertNetworkWithLoss, BertTrainCell", folder="TernaryBERT-MindSpore")
def ternarybert():
    import mindspore
    from mindspore import nn
    from src.cell_wrapper import BertNetworkWithLoss, BertTrainCell
    from src.tinybert_model import BertConfig, BertModelCLS

    config = _tinybert(BertConfig, mindspore.float32)
    for name in ("teacher.ckpt", "student.ckpt"):
        mindspore.save_checkpoint(BertModelCLS(config, False, 2), name)
    net = BertNetworkWithLoss(config, "teacher.ckpt", config, "student.ckpt", True, "classification", 2)
    fill(BertTrainCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3)), ids(60, 2, 12), ids(1, 2, 12) + 1, ids(2, 2, 12), ids(2, 2))


@run("huawei-noah/Pretrained-Language-Model", "vision and text", "BERT_Wukong, VisualTransformer", folder="Noah_Wukong-MindSpore")
def wukong():
    from src.model.text_encoder import BERT_Wukong
    from src.model.visual_encoder import VisualTransformer

    train(BERT_Wukong(10, 60, 8, 16, 2, 2, return_full_embed=False), ids(60, 2, 10))
    train(VisualTransformer(32, 8, 16, 2, 8, heads=2), floats(2, 3, 32, 32))


@run("mindspore-lab/pangu_alpha", "language model", "PanguAlphaWithLoss and its train cell")
def pangu_alpha():
    import mindspore
    from mindspore import nn
    from mindspore.parallel.nn import CrossEntropyLoss, TransformerOpParallelConfig
    from src.model.pangu_alpha import PanguAlpha, PanguAlphaWithLoss
    from src.model.pangu_alpha_config import PanguAlphaConfig
    from src.model.pangu_alpha_wrapcell import PanguAlphaTrainOneStepWithLossScaleCell

    parallel = TransformerOpParallelConfig(1, 1)
    config = PanguAlphaConfig(batch_size=2, num_heads=2, hidden_size=16, seq_length=12, vocab_size=60, num_layers=2, ffn_hidden_size=64, eod_token=59, dropout_rate=0.0, parallel_config=parallel)
    net = PanguAlphaWithLoss(config, PanguAlpha(config=config), CrossEntropyLoss(parallel.dp_mp_config))
    cell = PanguAlphaTrainOneStepWithLossScaleCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000), config=config)
    position = mindspore.Tensor(np.tile(np.arange(12), (2, 1)), mindspore.int32)
    fill(cell, ids(60, 2, 13), position, mindspore.Tensor(np.tile(np.tril(np.ones((12, 12))), (2, 1, 1)), mindspore.float16))


for name in "lora adapter low_rank_adapter prefix_layer prefix_encoder rdrop".split():

    def _driver(name=name):
        import pytest

        assert not pytest.main(["-q", "-x", f"test/unit_test/delta/test_{name}.py", "-p", "no:cacheprovider"])
        print("loss: 0")

    _driver.__name__ = f"mindpet_{name}"
    run("mindspore-lab/mindpet", "fine-tuning", f"test_{name}.py")(_driver)


@run("mindspore-courses/Deep-Tutorials-for-MindSpore", "super-resolution", "Generator, Discriminator", folder="SuperResolution")
def deep_sr():
    from model import Discriminator, SRResNet

    train(SRResNet(n_blocks=2), floats(1, 3, 12, 12))
    train(Discriminator(n_blocks=4, fc_size=32), floats(2, 3, 32, 32))


@run("mindspore-courses/Deep-Tutorials-for-MindSpore", "translation", "Transformer, LabelSmoothedCE", folder="MachineTranslation")
def deep_mt():
    import mindspore
    from model import LabelSmoothedCE, Transformer
    from utils import get_positional_encoding

    net = Transformer(40, get_positional_encoding(16, 20), 16, 2, 8, 8, 32, 2, 0.0)
    lengths = mindspore.Tensor([8, 6])
    target = ids(40, 2, 8)
    train(net, ids(40, 2, 8), target, lengths, lengths, loss=lambda out: LabelSmoothedCE(0.1)(out, target, lengths))


@run("mindspore-courses/Deep-Tutorials-for-MindSpore", "text classification", "HierarchialAttentionNetwork", folder="TextClassification")
def deep_han():
    import mindspore
    from model import HierarchialAttentionNetwork

    net = HierarchialAttentionNetwork(4, 40, 12, 8, 8, 1, 1, 8, 8, 0.0)
    train(net, ids(40, 2, 3, 5), mindspore.Tensor([3, 2]), mindspore.Tensor([[5, 4, 3], [5, 2, 1]]))


@run("mindspore-courses/Deep-Tutorials-for-MindSpore", "detection", "SSD300 parts, MultiBoxLoss", folder="ObjectDetection")
def deep_ssd():
    from model import SSD300, MultiBoxLoss
    import mindspore

    net = SSD300(5)
    criterion = MultiBoxLoss(net.priors_cxcy)
    boxes, labels = [mindspore.Tensor([[0.1, 0.1, 0.6, 0.7]], mindspore.float32)], [mindspore.Tensor([2], mindspore.int32)]
    train(net, floats(1, 3, 300, 300), loss=lambda out: criterion(out[0], out[1], boxes, labels), steps=2)


@run("mindspore-courses/Deep-Tutorials-for-MindSpore", "sequence labeling", "LM_LSTM_CRF, ViterbiLoss", folder="SequenceLabeling")
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


for path in ("attention/EMSA", "attention/CBAM", "attention/S2Attention", "attention/MobileViTAttention", "backbone/CaiT", "backbone/PIT", "backbone/CrossViT", "backbone/LeViT", "backbone/ConvMixer"):
    _attention(f"model/{path}.py")
