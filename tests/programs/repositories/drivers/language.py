"""Language models and other programs on text."""

import sys
from types import SimpleNamespace

import numpy as np
from kit import fill, floats, ids, ints, run, train


def _tinybert(BertConfig, dtype):
    return BertConfig(
        seq_length=12,
        vocab_size=60,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=16,
        type_vocab_size=2,
        dtype=dtype,
        compute_type=dtype,
    )


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


@run("WarruzuEndo/BiDAF_mindspore", "question answering", "BiDAF", release="1.9")
def bidaf():
    from model import BiDAF

    net = BiDAF(50, 8, 5, 16, np.random.rand(60, 16).astype("float32"), 1, 16, 0.2)
    train(net, ids(50, 2, 12, 10), ids(50, 2, 6, 10), ids(60, 2, 12), ids(60, 2, 6), *[ints([n, n]) for n in (12, 6)])


@run("jerry-njucs/nanoGPT_MindSpore", "language model", "GPT, GPTWithLoss, GPTTrainOneStepCell")
def nanogpt():
    from mindspore import nn
    from src.model import GPT, GPTConfig, GPTTrainOneStepCell, GPTWithLoss

    net = GPTWithLoss(GPT(GPTConfig(block_size=16, vocab_size=50, n_layer=2, n_head=2, n_embd=16)))
    fill(
        GPTTrainOneStepCell(
            net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000)
        ),
        ids(50, 2, 17),
    )


@run("lvyufeng/mistral-mindspore", "language model", "Transformer", stops="package simple_parsing")
def mistral():
    import mindspore
    from mistral.model import ModelArgs, Transformer

    args = ModelArgs(
        dim=16,
        n_layers=2,
        head_dim=8,
        hidden_dim=32,
        n_heads=2,
        n_kv_heads=1,
        norm_eps=1e-5,
        vocab_size=40,
        max_batch_size=2,
    )
    train(Transformer(args, dtype=mindspore.float32), ids(40, 12), [6, 6])


@run("lvyufeng/DuConv_mindspore", "dialogue", "BertModel")
def duconv():
    from src.bert import BertConfig, BertModel

    net = BertModel(
        BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32)
    )
    train(net, ids(50, 2, 8), ids(2, 2, 8))


@run("TL-UESTC/TAA_MindSpore", "recommendation", "shared bottom, PLE, AITM")
def taa():
    from models.aitm import AITMModel
    from models.ple import PLEModel
    from models.sharedbottom import SharedBottomModel

    fields, numbers = ids(5, 8, 3), floats(8, 6)
    train(SharedBottomModel(np.array([5, 5, 5]), 6, 8, (16, 8), (8,), 2, 0.0), fields, numbers)
    train(PLEModel(np.array([5, 5, 5]), 6, 8, (16, 8), (8,), 2, 2, 2, 0.0), fields, numbers)
    train(AITMModel(np.array([5, 5, 5]), 6, 8, (16, 8), (8,), 2, 0.0), fields, numbers)


@run("FengQuanLi/GPT_Mindspore", "language model", "Transformer (GPT_train)", folder="GPT_train")
def gpt_chinese():
    import importlib

    import mindspore

    model = importlib.import_module("GPT模型")
    train(
        model.Transformer(50, 16, 2, 2, 0.1, 50),
        ids(50, 2, 50),
        mindspore.Tensor(np.tril(np.ones((1, 50, 50))), mindspore.float32),
    )


@run("a1085728420/atae_lstm-mindspore", "sentiment", "AttentionLstm, NetWithLoss")
def atae():
    import mindspore
    from mindspore import nn
    from src.atae_for_train import NetWithLoss
    from src.model import AttentionLstm

    config = SimpleNamespace(
        dim_word=12,
        dim_hidden=12,
        dim_aspect=6,
        vocab_size=40,
        grained=3,
        aspect_num=5,
        dropout_prob=0.1,
        batch_size=1,
        rnn_type="LSTM",
    )
    net = NetWithLoss(AttentionLstm(config, mindspore.Tensor(np.random.rand(40, 12).astype("float32"))))
    cell = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.01, 0.9))
    fill(cell, ids(40, 1, 9), mindspore.Tensor([9], mindspore.int32), ids(5, 1), floats(1, 3, low=0))


@run("hyliu-nlp/LUKE_mindspore", "language model with entities", "LukeEntityAwareAttentionModel")
def luke():
    from model.luke import LukeEntityAwareAttentionModel

    config = SimpleNamespace(
        hidden_size=16,
        vocab_size=60,
        entity_vocab_size=20,
        entity_emb_size=8,
        max_position_embeddings=20,
        type_vocab_size=2,
        layer_norm_eps=1e-5,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.02,
        hidden_act="gelu",
        pad_token_id=1,
        batch_size=2,
        seq_length=8,
    )
    train(
        LukeEntityAwareAttentionModel(config),
        ids(60, 2, 8),
        ids(2, 2, 8),
        ids(2, 2, 8),
        ids(20, 2, 3),
        ids(8, 2, 3, 4),
        ids(2, 2, 3),
        ids(2, 2, 3),
    )


@run("lvyufeng/ERNIE_mindspore", "language model", "ErnieNetworkWithLoss, ErnieTrainOneStepCell")
def ernie():
    from mindspore import nn
    from src.ernie_for_pretraining import ErnieNetworkWithLoss, ErnieTrainOneStepCell
    from src.ernie_model import ErnieConfig

    net = ErnieNetworkWithLoss(ErnieConfig(**_bert(0)), True)
    mask = ids(1, 2, 12) + 1
    fill(
        ErnieTrainOneStepCell(net, nn.Adam(net.trainable_params(), 1e-3)),
        ids(60, 2, 12),
        mask,
        ids(2, 2, 12),
        ids(2, 2, 1),
        ids(12, 2, 3),
        ids(60, 2, 3),
        floats(2, 3, low=0),
    )


@run(
    "viewsetting/MindSpore-GPT2",
    "language model of MindSpore 1.0",
    "GPT2Model of GPT2_model_position_fixed.py",
    note="GPT2_model.py reads an attribute that it does not set",
)
def gpt2_1_0():
    from src.GPT2_model_position_fixed import GPT2Config, GPT2Model

    config = GPT2Config(
        batch_size=2,
        seq_length=12,
        vocab_size=60,
        d_model=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        hidden_dropout=0.0,
        attention_dropout=0.0,
    )
    train(GPT2Model(config, True), ids(60, 2, 12), ids(1, 2, 12) + 1)


@run(
    "huawei-noah/Pretrained-Language-Model",
    "PanGu-alpha of MindSpore 1.1",
    "PANGUALPHAWithLoss, PANGUALPHATrainOneStepWithLossScaleCell",
    folder="PanGu-α",
)
def pangu_alpha_1_1():
    import mindspore
    from mindspore import nn
    from mindspore.nn.wrap.loss_scale import DynamicLossScaleUpdateCell
    from pangu_alpha import PANGUALPHA, CrossEntropyLoss, PANGUALPHAWithLoss
    from pangu_alpha_config import PANGUALPHAConfig
    from pangu_alpha_wrapcell import PANGUALPHATrainOneStepWithLossScaleCell, VirtualDatasetOneInputCell

    config = PANGUALPHAConfig(
        data_parallel_num=1,
        model_parallel_num=1,
        batch_size=2,
        seq_length=12,
        vocab_size=60,
        embedding_size=16,
        num_layers=2,
        num_heads=2,
        dropout_rate=0.0,
        compute_dtype=mindspore.float16,
        eod_reset=True,
    )
    net = VirtualDatasetOneInputCell(PANGUALPHAWithLoss(config, PANGUALPHA(config), CrossEntropyLoss(config)))
    cell = PANGUALPHATrainOneStepWithLossScaleCell(
        net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), DynamicLossScaleUpdateCell(1024, 2, 1000), config=config
    )
    position = mindspore.Tensor(np.tile(np.arange(12), (2, 1)), mindspore.int32)
    fill(
        cell,
        ids(60, 2, 13),
        position,
        mindspore.Tensor(np.tile(np.tril(np.ones((12, 12))), (2, 1, 1)), mindspore.float16),
    )


@run("THUDM/CodeGeeX", "code model", "PanguAlphaModel, PanGUAlphaWithLoss, its train cell", folder="codegeex/mindspore")
def codegeex():
    import mindspore
    from mindspore import nn
    from mindspore.parallel.nn import CrossEntropyLoss, TransformerOpParallelConfig
    from src.pangu_alpha import PanguAlphaModel, PanGUAlphaWithLoss
    from src.pangu_alpha_config import PanguAlphaConfig
    from src.pangu_alpha_wrapcell import PanguAlphaTrainOneStepWithLossScaleCell

    parallel = TransformerOpParallelConfig(1, 1, recompute=True)
    config = PanguAlphaConfig(
        batch_size=2,
        num_heads=2,
        hidden_size=16,
        seq_length=12,
        vocab_size=60,
        num_layers=2,
        ffn_hidden_size=64,
        eod_token=59,
        dropout_rate=0.0,
        parallel_config=parallel,
    )
    net = PanGUAlphaWithLoss(config, PanguAlphaModel(config=config), CrossEntropyLoss(parallel.dp_mp_config))
    cell = PanguAlphaTrainOneStepWithLossScaleCell(
        net,
        nn.AdamWeightDecay(net.trainable_params(), 1e-3),
        nn.DynamicLossScaleUpdateCell(1024, 2, 1000),
        config=config,
    )
    position = mindspore.Tensor(np.tile(np.arange(12), (2, 1)), mindspore.int32)
    fill(
        cell,
        ids(60, 2, 13),
        position,
        mindspore.Tensor(np.tile(np.tril(np.ones((12, 12))), (2, 1, 1)), mindspore.float16),
    )


@run(
    "huawei-noah/Pretrained-Language-Model",
    "distillation",
    "BertNetworkWithLoss_gd, BertTrainWithLossScaleCell",
    folder="TinyBERT-MindSpore",
)
def tinybert():
    import mindspore
    from mindspore import nn
    from src.tinybert_for_gd_td import BertNetworkWithLoss_gd, BertTrainWithLossScaleCell
    from src.tinybert_model import BertConfig, BertModel

    config = _tinybert(BertConfig, mindspore.float32)
    mindspore.save_checkpoint(BertModel(config, False), "teacher.ckpt")
    net = BertNetworkWithLoss_gd(config, "teacher.ckpt", config, True)
    cell = BertTrainWithLossScaleCell(
        net, nn.AdamWeightDecay(net.trainable_params(), 1e-3), nn.DynamicLossScaleUpdateCell(1024, 2, 1000)
    )
    fill(cell, ids(60, 2, 12), ids(1, 2, 12) + 1, ids(2, 2, 12))


@run(
    "huawei-noah/Pretrained-Language-Model",
    "quantized distillation",
    "BertNetworkWithLoss, BertTrainCell",
    folder="TernaryBERT-MindSpore",
)
def ternarybert():
    import mindspore
    from mindspore import nn
    from src.cell_wrapper import BertNetworkWithLoss, BertTrainCell
    from src.tinybert_model import BertConfig, BertModelCLS

    config = _tinybert(BertConfig, mindspore.float32)
    for name in ("teacher.ckpt", "student.ckpt"):
        mindspore.save_checkpoint(BertModelCLS(config, False, 2), name)
    net = BertNetworkWithLoss(config, "teacher.ckpt", config, "student.ckpt", True, "classification", 2)
    fill(
        BertTrainCell(net, nn.AdamWeightDecay(net.trainable_params(), 1e-3)),
        ids(60, 2, 12),
        ids(1, 2, 12) + 1,
        ids(2, 2, 12),
        ids(2, 2),
    )


@run(
    "mindspore-lab/pangu_alpha",
    "language model",
    "PanguAlpha",
    note="its loss takes the Tensor of positions for a flag",
)
def pangu_alpha():
    import mindspore
    from mindspore.parallel.nn import TransformerOpParallelConfig
    from src.model.pangu_alpha import PanguAlpha
    from src.model.pangu_alpha_config import PanguAlphaConfig

    parallel = TransformerOpParallelConfig(1, 1)
    config = PanguAlphaConfig(
        batch_size=2,
        num_heads=2,
        hidden_size=16,
        seq_length=12,
        vocab_size=60,
        num_layers=2,
        ffn_hidden_size=64,
        eod_token=59,
        dropout_rate=0.0,
        parallel_config=parallel,
    )
    net = PanguAlpha(config=config)
    position = mindspore.Tensor(np.tile(np.arange(12), (2, 1)), mindspore.int32)
    train(
        net,
        ids(60, 2, 12),
        position,
        mindspore.Tensor(np.tile(np.tril(np.ones((12, 12))), (2, 1, 1)), mindspore.float16),
    )


for name in "lora adapter low_rank_adapter prefix_layer prefix_encoder rdrop".split():

    def _driver(name=name):
        import pytest

        assert not pytest.main(["-q", f"test/unit_test/delta/test_{name}.py", "-p", "no:cacheprovider"])
        print("loss: 0")

    _driver.__name__ = f"mindpet_{name}"
    run(
        "mindspore-lab/mindpet",
        "fine-tuning",
        f"test_{name}.py",
        stops="expects argument checks of an earlier MindSpore" if "adapter" in name else "",
    )(_driver)


@run("lyqcom/mbart_mindspore", "translation", "MBartForConditionalGeneration")
def mbart():
    from src.mod import MBartConfig, MBartForConditionalGeneration

    config = MBartConfig(
        vocab_size=60,
        max_decoder_length=12,
        max_position_embeddings=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        d_model=16,
        dropout=0.0,
        attention_dropout=0.0,
        decoder_start_token_id=3,
    )
    train(MBartForConditionalGeneration(config), ids(60, 2, 12), ids(1, 2, 12) + 1, ids(60, 2, 12))


@run(
    "lvyufeng/easy_mindspore",
    "layers of torch's names",
    "test_linear.py",
    stops="C++ classes of a development version of MindSpore",
)
def easy_mindspore():
    import tests.nn.test_linear  # noqa: F401


@run(
    "mindspore-lab/mindrec",
    "recommendation",
    "WideDeepModel, NetWithLossClass, TrainStepWrap",
    stops="private functions of the parameter server, not in MindSpore 2.10 either",
)
def wide_deep():
    sys.path.insert(0, "models/wide_deep")
    from src.wide_and_deep import NetWithLossClass, TrainStepWrap, WideDeepModel

    config = SimpleNamespace(
        batch_size=4,
        field_size=6,
        vocab_size=40,
        emb_dim=8,
        deep_layer_dim=[16, 8, 8, 8, 8],
        deep_layer_act="relu",
        weight_bias_init=["normal", "normal"],
        emb_init="normal",
        init_args=[-0.01, 0.01],
        dropout_flag=False,
        keep_prob=1.0,
        l2_coef=8e-5,
        host_device_mix=0,
        parameter_server=0,
        vocab_cache_size=0,
        sparse=False,
        use_sp=False,
        field_slice=False,
        dataset_type="mindrecord",
        use_dynamic_embedding=False,
        host_device_mix_=0,
        l1_regularization=1e-8,
        ftrl_lr=0.05,
        adam_lr=0.0035,
        loss_scale=1024.0,
    )
    net = NetWithLossClass(WideDeepModel(config), config)
    fill(TrainStepWrap(net), ids(40, 4, 6), floats(4, 6, low=0), floats(4, 1, low=0))


def _elmo(name):
    def driver():
        import unittest

        sys.path.insert(0, "tests")
        tests = unittest.defaultTestLoader.loadTestsFromName(f"test_{name}")
        assert tests.countTestCases() and unittest.TextTestRunner().run(tests).wasSuccessful()
        print("loss: 0")

    driver.__name__ = f"elmo_{name}"
    run("lvyufeng/elmo_mindspore", "language model", f"test_{name}.py")(driver)


for name in "char_encoder highway sampled_softmax_loss".split():
    _elmo(name)
