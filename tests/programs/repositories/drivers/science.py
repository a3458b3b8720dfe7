"""Graphs, forecasts, weather, proteins, sound."""

import sys
from types import SimpleNamespace

import numpy as np
from kit import fill, floats, ids, run, script, train


@run("Seeker-yuan/wind-speed-correction-mindspore", "graph network, weather", "mindspore_gnn_model.py")
def wind_speed():
    script("mindspore_gnn_model.py")


@run("DongyaoZhu/FastDiff_MindSpore", "speech synthesis", "DiffusionDBlock, KernelPredictor")
def fastdiff():
    from modules import DiffusionDBlock, KernelPredictor

    train(DiffusionDBlock(8, 8, 4), floats(2, 8, 64))
    train(KernelPredictor(10, 8, 16, 2), floats(2, 10, 12))


@run("XXXXXXXXXXXJ/Nbeatsx_MindSpore", "forecasting", "TemporalConvNet")
def nbeatsx():
    from src.nbeats.tcn_mindspore import TemporalConvNet

    train(TemporalConvNet(3, [8, 16, 8], 3), floats(2, 3, 40))


@run("SsssSunhy/Tasnet-Mindspore-on-Librimix", "speech separation", "TasNet, Loss, WithLossCell, TrainingWrapper")
def tasnet():
    import mindspore
    from Loss import Loss
    from mindspore import nn
    from network_define import WithLossCell
    from tasnet import TasNet
    from train_wrapper import TrainingWrapper

    net = WithLossCell(TasNet(40, 50, 32, 2), Loss())
    fill(
        TrainingWrapper(net, nn.Adam(net.trainable_params(), 1e-3)),
        floats(2, 20, 40),
        mindspore.Tensor([20, 20], mindspore.int32),
        floats(2, 2, 20, 40),
    )


@run("2023-MindSpore-1/ms-code-125", "graphs", "StandGCN3")
def code125():

    config = SimpleNamespace(hidden1=8, hidden2=8, dropout=0.0)
    from src.gcn import StandGCN3

    train(StandGCN3(config, 12, 4, floats(10, 10, low=0)), floats(10, 12))


@run("ZhangYu-x/dprnn_mindspore", "speech separation", "Dual_RNN_model, loss, TrainingWrapper")
def dprnn():
    import mindspore
    from mindspore import nn
    from src.Loss import loss
    from src.model import Dual_RNN_model
    from src.network_define import WithLossCell
    from train_wrapper import TrainingWrapper

    net = WithLossCell(
        Dual_RNN_model(16, 16, 16, 16, bidirectional=True, norm="gln", num_layers=1, dropout=0.0), loss()
    )
    fill(
        TrainingWrapper(net, nn.Adam(net.trainable_params(), 1e-3)),
        floats(1, 32000),
        mindspore.Tensor([32000], mindspore.int32),
        floats(1, 2, 32000),
    )


@run("guxizhi/GNN_MindSpore", "graphs", "GCN with TrainNetWrapper", folder="GNN")
def gnn_gcn():
    import os

    sys.path[:0] = [os.path.abspath("GCN")]
    from src.GCN import GCN
    from src.wrapper import TrainNetWrapper

    label, mask = np.eye(4, dtype="float32")[np.arange(10) % 4], np.ones(10, "float32")
    fill(TrainNetWrapper(GCN(12, 8, 4, 0.1), label, mask, 5e-4, 0.01), floats(10, 10, low=0), floats(10, 12))


@run("guxizhi/GNN_MindSpore", "graphs", "GAT with TrainGAT", folder="GNN")
def gnn_gat():
    import os

    sys.path[:0] = [os.path.abspath("GAT")]
    from src.GAT import GAT
    from src.wrapper import TrainGAT

    label, mask = np.eye(4, dtype="float32")[np.arange(10) % 4], np.ones(10, "float32")
    fill(TrainGAT(GAT(12, 8, 4, 2), 4, label, mask, 0.01, 5e-4), floats(1, 10, 12), floats(1, 10, 10))


_SERIES = dict(
    seq_len=16,
    label_len=8,
    pred_len=8,
    output_attention=False,
    enc_in=3,
    dec_in=3,
    c_out=3,
    d_model=16,
    n_heads=8,
    e_layers=1,
    d_layers=1,
    d_ff=16,
    moving_avg=5,
    factor=1,
    dropout=0.05,
    embed="timeF",
    freq="h",
    activation="gelu",
    version="Fourier",
    mode_select="random",
    modes=4,
    L=1,
    base="legendre",
    cross_activation="tanh",
    wavelet=0,
    distil=True,
    ab=0,
)


def _series(name):
    def driver():
        import importlib

        module = importlib.import_module(f"models.{name}")
        train(
            getattr(module, name)(SimpleNamespace(**_SERIES)),
            floats(2, 16, 3),
            floats(2, 16, 4),
            floats(2, 16, 3),
            floats(2, 16, 4),
        )

    driver.__name__ = f"series_{name.lower()}"
    run("LeVoyageur1222/FEDformer_MindSpore", "forecasting", name, note="dropout")(driver)


for name in ("FEDformer", "Autoformer", "Informer", "Transformer"):
    _series(name)


@run("liuyf020419/PVQD-mindspore", "protein structure", "ResidualCodebook, TransformerEncoderLayer")
def pvqd():
    from protdiff.models.codebook import ResidualCodebook
    from protdiff.models.encoder_module.attention.transformer import TransformerEncoderLayer

    train(TransformerEncoderLayer(16, 2, 32, 0.9), floats(6, 2, 16))
    train(
        ResidualCodebook(SimpleNamespace(num_codebook_vectors=8, latent_dim=16, beta=0.25), 16, codebook_num=2),
        floats(2, 4, 4, 16),
    )


@run("eaginilir/SparseTSF_mindspore", "forecasting", "SparseTSF, DLinear, Linear")
def sparse_tsf():
    import importlib

    for name in ("SparseTSF", "DLinear", "Linear"):
        module = importlib.import_module(f"models.{name}")
        train(
            module.Model(
                SimpleNamespace(
                    seq_len=24, pred_len=12, enc_in=3, period_len=4, individual=False, model_type="linear", d_model=16
                )
            ),
            floats(2, 24, 3),
        )


@run("mindspore-ai/mindquantum", "quantum networks", "MQLayer of the package mindquantum (PyPI)", folder="tests/utils")
def mindquantum():
    import mindspore
    from mindquantum import RX, RY, Circuit, Hamiltonian, QubitOperator
    from mindquantum.framework import MQLayer
    from mindquantum.simulator import Simulator
    from mindspore import nn

    encoder = Circuit([RX("x0").on(0), RX("x1").on(1)]).as_encoder()
    ansatz = Circuit([RY("a").on(0), RY("b").on(1, 0)]).as_ansatz()
    simulator = Simulator("mqvector", 2)
    operator = simulator.get_expectation_with_grad(
        [Hamiltonian(QubitOperator("Z0")), Hamiltonian(QubitOperator("Z1"))], encoder + ansatz
    )
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    network = nn.SequentialCell(MQLayer(operator), nn.Dense(2, 2))
    train(network, floats(4, 2), loss=nn.CrossEntropyLoss(), labels=[ids(2, 4)], rate=0.1)
