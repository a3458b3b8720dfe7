"""Plain torch modules take the parameters of their MindSpore twins, and give them back under MindSpore's names."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import mindspore_compat.nn
from mindspore_compat import Parameter, Tensor, load_checkpoint, load_param_into_net, save_checkpoint
from mindspore_compat.train._torch.names import (
    from_torch_names,
    mindspore_items,
    nearest,
    to_torch_names,
    to_torch_state,
)

TWINS = np.load(Path(__file__).parents[1] / "golden/torch_twins.npz")
MODULES = {
    "LSTM": lambda: nn.LSTM(4, 3, 2, bidirectional=True),
    "GRU": lambda: nn.GRU(4, 3, 2),
    "RNN": lambda: nn.RNN(4, 3, 1),
    "Conv2dTranspose": lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1),
    "PReLU": lambda: nn.PReLU(4),
    "GroupNorm": lambda: nn.GroupNorm(2, 4),
    "LayerNorm": lambda: nn.LayerNorm(4, eps=1e-7),
    "Dense": lambda: nn.Linear(4, 3),
    "Embedding": lambda: nn.Embedding(5, 4),
    "Conv1d": lambda: nn.Conv1d(4, 3, 3),
    "Conv1dTranspose": lambda: nn.ConvTranspose1d(4, 3, 3),
    "Conv3d": lambda: nn.Conv3d(2, 3, 3),
    "BatchNorm2d": lambda: nn.BatchNorm2d(4),
    "BatchNorm3d": lambda: nn.BatchNorm3d(4),
    "MultiheadAttention": lambda: nn.MultiheadAttention(8, 2),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(8, 2, 16),
}


def _values(name: str) -> dict[str, Parameter]:
    return {
        key.partition("|")[2]: Parameter(Tensor(TWINS[key]), key.partition("|")[2])
        for key in TWINS.files
        if key.startswith(name + "|0.")
    }


def _output(name: str, net: nn.Sequential) -> np.ndarray:
    inputs = [torch.from_numpy(TWINS[key]) for key in TWINS.files if key.startswith(f"{name}|in")]
    output = net.eval()[0](*inputs)
    return (output[0] if isinstance(output, tuple) else output).detach().numpy()


@pytest.mark.parametrize("name", MODULES)
def test_a_torch_layer_computes_what_its_twin_computes(name: str) -> None:
    net = nn.Sequential(MODULES[name]())
    assert load_param_into_net(net, _values(name), strict_load=True) == ([], [])
    np.testing.assert_allclose(_output(name, net), TWINS[f"{name}|out"], rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name", MODULES)
def test_a_torch_layer_is_saved_as_its_twin(name: str, tmp_path: Path) -> None:
    net, values = nn.Sequential(MODULES[name]()), _values(name)
    load_param_into_net(net, values)
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    again = load_checkpoint(str(tmp_path / "a.ckpt"))
    assert {key: value.asnumpy().tolist() for key, value in again.items()} == {
        key: value.asnumpy().tolist() for key, value in values.items()
    }


OUR_TWINS = {
    "BatchNorm1d": (lambda m: m.BatchNorm1d(4), lambda: nn.BatchNorm1d(4), (3, 4)),
    "Conv2d": (
        lambda m: m.Conv2d(4, 6, 3, pad_mode="pad", padding=1, group=2, has_bias=True),
        lambda: nn.Conv2d(4, 6, 3, padding=1, groups=2),
        (2, 4, 5, 5),
    ),
    "Conv3dTranspose": (
        lambda m: m.Conv3dTranspose(2, 3, 3, has_bias=True, pad_mode="valid"),
        lambda: nn.ConvTranspose3d(2, 3, 3),
        (1, 2, 4, 4, 4),
    ),
    "InstanceNorm1d": (lambda m: m.InstanceNorm1d(4), lambda: nn.InstanceNorm1d(4, affine=True), (2, 4, 7)),
    "InstanceNorm2d": (lambda m: m.InstanceNorm2d(4), lambda: nn.InstanceNorm2d(4, affine=True), (2, 4, 5, 5)),
    "InstanceNorm3d": (lambda m: m.InstanceNorm3d(4), lambda: nn.InstanceNorm3d(4, affine=True), (2, 4, 3, 3, 3)),
}


@pytest.mark.cpu_only("it calls torch modules on the CPU")
@pytest.mark.parametrize("name", OUR_TWINS)
def test_a_torch_layer_computes_what_our_cell_computes(name: str, tmp_path: Path) -> None:
    make_cell, make_module, shape = OUR_TWINS[name]
    cell, net = mindspore_compat.nn.SequentialCell(make_cell(mindspore_compat.nn)), nn.Sequential(make_module())
    torch.manual_seed(0)
    for parameter in cell.get_parameters():
        parameter.set_data(Tensor(torch.rand(parameter.shape) + 0.5))
    save_checkpoint(cell, str(tmp_path / "a.ckpt"))
    missing, unused = load_param_into_net(net, load_checkpoint(str(tmp_path / "a.ckpt")), strict_load=True)
    assert missing == [] and unused == (
        ["0.moving_mean", "0.moving_variance"] if "Instance" in name else []
    )  # such a layer never uses them
    x = torch.rand(shape)
    np.testing.assert_allclose(
        net.eval()(x).detach().numpy(), cell.set_train(False)(Tensor(x)).asnumpy(), rtol=1e-4, atol=1e-5
    )


def test_the_flat_weight_of_old_releases_is_taken_apart() -> None:
    source, target = nn.LSTM(4, 3, 2), nn.Sequential(nn.LSTM(4, 3, 2))
    parts = dict(source.named_parameters())
    flat = torch.cat(
        [
            parts[name].detach().reshape(-1)
            for name in [*(n for n in parts if "weight" in n), *(n for n in parts if "bias" in n)]
        ]
    )
    values = {"0.weight": Parameter(Tensor(flat.reshape(-1, 1, 1)), "0.weight")}
    assert load_param_into_net(target, values) == ([], [])
    x = torch.randn(5, 2, 4)
    torch.testing.assert_close(target[0](x)[0], source(x)[0])


def test_torchs_own_names_are_taken_too() -> None:
    net = nn.Sequential(nn.BatchNorm2d(3), nn.Embedding(4, 2))
    state = {name: Parameter(Tensor(value + 1), name) for name, value in net.state_dict().items() if "num" not in name}
    assert load_param_into_net(net, state) == ([], [])


@pytest.mark.parametrize(("ahead", "behind"), [("backbone.", ""), ("", "model.")])
def test_prefixes_on_either_side_are_found(ahead: str, behind: str) -> None:
    inner = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    net = nn.ModuleDict({"model": inner}) if behind else inner
    values = {
        f"{ahead}{name}": Parameter(Tensor(np.full(shape, 2, np.float32)), name)
        for name, shape in {"0.weight": (3, 2), "0.bias": (3,), "1.gamma": (3,), "1.beta": (3,)}.items()
    }
    missing, _ = load_param_into_net(net, values)
    assert missing == [] and all(bool((tensor == 2).all()) for tensor in net.state_dict().values())
    missing, _ = load_param_into_net(net, values, strict_load=True)
    assert len(missing) == 4


def test_the_state_of_an_optimizer_is_not_taken_for_its_parameter() -> None:
    values = {"moments.weight": Parameter(Tensor(np.ones((1, 2), np.float32)), "moments.weight")}
    assert load_param_into_net(nn.Linear(2, 1, bias=False), values) == (["weight"], ["moments.weight"])


def test_dtypes_of_a_kind_are_cast_unless_strict() -> None:
    net = nn.Linear(2, 1, bias=False)
    values = {"weight": Parameter(Tensor(np.ones((1, 2), np.float16)), "weight")}
    load_param_into_net(net, values)
    assert net.weight.dtype is torch.float32 and net.weight.sum() == 2
    with pytest.raises(RuntimeError):
        load_param_into_net(net, values, strict_load=True)


def test_what_is_missing_is_told_with_the_nearest_names(caplog: pytest.LogCaptureFixture) -> None:
    net = nn.ModuleDict({"head": nn.Linear(2, 3)})
    values = {
        "heads.weight": Parameter(Tensor(np.ones((3, 2), np.float32)), "heads.weight"),
        "other": Parameter(Tensor([1.0]), "other"),
    }
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        assert load_param_into_net(net, values) == (["head.weight", "head.bias"], ["heads.weight", "other"])
    assert (
        "head.weight (3, 2): nearest unused heads.weight (3, 2)" in caplog.text
        and "head.bias (3,): nothing like it" in caplog.text
    )
    assert nearest("head.weight", (3, 2), values) == ["heads.weight"]


def test_names_are_guessed_without_a_module() -> None:
    net = nn.ModuleDict(
        {
            "bn": nn.BatchNorm2d(3),
            "ln": nn.LayerNorm(4),
            "emb": nn.Embedding(5, 4),
            "fc": nn.Linear(4, 2),
            "conv": nn.Conv2d(1, 1, 1),
        }
    )
    names = list(from_torch_names(net.state_dict()))
    assert names == [
        "bn.gamma",
        "bn.beta",
        "bn.moving_mean",
        "bn.moving_variance",
        "ln.gamma",
        "ln.beta",
        "emb.embedding_table",
        "fc.weight",
        "fc.bias",
        "conv.weight",
        "conv.bias",
    ]
    assert {to_torch_names(name) for name in names} == {name for name in net.state_dict() if "num_batches" not in name}
    assert to_torch_names("a.bn2d.moving_mean") == "a.running_mean"


_ALL_KINDS = {
    "line": lambda: nn.Conv1d(2, 3, 3),
    "point": lambda: nn.Conv1d(2, 3, 1),
    "line_back": lambda: nn.ConvTranspose1d(2, 3, 3),
    "plane": lambda: nn.Conv2d(2, 3, 3),
    "row": lambda: nn.Conv2d(2, 3, (1, 3)),
    "plane_back": lambda: nn.ConvTranspose2d(2, 3, 3),
    "space": lambda: nn.Conv3d(2, 3, 3),
    "dense": lambda: nn.Linear(4, 3),
    "norms": lambda: nn.Sequential(nn.BatchNorm1d(3), nn.BatchNorm2d(3), nn.LayerNorm(3), nn.GroupNorm(1, 3)),
    "norm3d": lambda: nn.BatchNorm3d(3),
    "embedding": lambda: nn.Embedding(5, 3),
    "prelu": lambda: nn.PReLU(3),
    "one_prelu": lambda: nn.PReLU(),
    "recurrent": lambda: nn.LSTM(3, 4, 2),
    "attention": lambda: nn.MultiheadAttention(4, 2),
}


@pytest.mark.parametrize("kind", _ALL_KINDS)
def test_a_state_for_torch_by_a_checkpoint_of_the_network(kind: str) -> None:
    net, other = nn.Sequential(_ALL_KINDS[kind]()), nn.Sequential(_ALL_KINDS[kind]())
    values = dict(mindspore_items(net))
    state, doubtful = to_torch_state(values, other.state_dict())
    assert not doubtful
    missing = other.load_state_dict(state, strict=False).missing_keys
    assert all(name.endswith("num_batches_tracked") for name in missing)
    assert all(torch.equal(a, b) for a, b in zip(net.state_dict().values(), other.state_dict().values()))


def test_what_only_the_network_knows_is_named() -> None:
    net = nn.ModuleDict({name: make() for name, make in _ALL_KINDS.items()})
    state, doubtful = to_torch_state(dict(mindspore_items(net)))
    assert doubtful == ["line.weight", "line_back.weight", "row.weight"]  # of width 1 a plane's is the likelier
    assert state["line.weight"].shape == net["line"].weight.shape
    assert state["prelu.weight"].shape == (3,)
    assert to_torch_state({"a.weight": torch.zeros(9, 1, 1)})[1] == ["a.weight"]  # an LSTM's of 1.x
    assert to_torch_state({"a.weight": torch.zeros(2, 3, 1, 1)})[1] == ["a.weight"]
    assert list(to_torch_state({"a.w": torch.zeros(2, 3)})[0]) == ["a.w"]
