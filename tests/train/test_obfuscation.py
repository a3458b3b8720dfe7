"""Obfuscated checkpoints are of no use by themselves, and give the network's results with the kept numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn


class Block(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Dense(4, 4), nn.Dense(4, 4, has_bias=False)

    def construct(self, x: Tensor) -> Tensor:
        return self.second(self.first(x).tanh())


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(), Block(), Block()])
        self.head = nn.Dense(4, 2)

    def construct(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


X = Tensor(np.random.RandomState(0).randn(3, 4).astype(np.float32))


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Net, Path]:
    net = Net()
    (tmp_path / "files" / "rank_0").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    ms.save_checkpoint(net, str(tmp_path / "files" / "net.ckpt"))
    ms.save_checkpoint(net, str(tmp_path / "files" / "rank_0" / "net.ckpt"))
    return net, tmp_path


def loaded(path: Path) -> Net:
    net = Net()
    ms.load_checkpoint(str(path), net, strict_load=True)
    return net


@pytest.mark.parametrize(
    ("targets", "changed", "numbers"),
    [
        (["", "head"], {"head.weight", "head.bias"}, 1),
        (["blocks/1", "first|second"], {"blocks.1.first.weight", "blocks.1.first.bias", "blocks.1.second.weight"}, 1),
        (
            ["blocks", "first", "obfuscate_layers:2"],
            {f"blocks.{n}.first.{k}" for n in (0, 1) for k in ("weight", "bias")},
            2,
        ),
        (["blocks", "second", "obfuscate_layers:all"], {f"blocks.{n}.second.weight" for n in range(3)}, 3),
    ],
)
def test_there_and_back(saved: Any, targets: list[str], changed: set[str], numbers: int) -> None:
    net, path = saved
    np.random.seed(5)
    kept = ms.obfuscate_ckpt(net, str(path / "files"), targets, saved_path=str(path / "out"), obfuscate_scale=50)
    assert len(kept) == numbers and all(0 < value[0] < 1 for value in kept.values())
    for file in (path / "out" / "net_obf.ckpt", path / "out" / "rank_0" / "net_obf.ckpt"):
        other = loaded(file)
        own = net.parameters_dict()
        assert {
            n for n, v in other.parameters_dict().items() if not np.array_equal(v.asnumpy(), own[n].asnumpy())
        } == changed
        expected = net(X).asnumpy()
        assert not np.allclose(other(X).asnumpy(), expected, rtol=0.05)
        assert ms.load_obf_params_into_net(other, targets) is other
        assert not np.allclose(other(X).asnumpy(), expected, rtol=0.05)
        restored = ms.load_obf_params_into_net(other, targets, kept)
        assert np.allclose(restored(X).asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_a_configuration_with_permutations(saved: Any) -> None:
    net, path = saved
    config = {
        "obf_metadata_config": [
            {"name": "obf_metadata_rows", "shape": [4], "type": "rearrange", "save_metadata": True},
            {"name": "obf_metadata_matrix", "shape": [2, 2], "type": "rearrange", "save_metadata": True},
        ],
        "weight_obf_config": [
            {
                "target": "blocks/0/first/bias",
                "weight_obf_ops": [{"name": "permuate", "input_x": "obf_metadata_rows", "input_y": "weight"}],
            },
            {
                "target": "head/weight",
                "weight_obf_ops": [
                    {"name": "matmul", "input_x": "obf_metadata_matrix", "input_y": "weight", "transpose_a": True}
                ],
            },
        ],
    }
    kept = ms.obfuscate_ckpt(net, str(path / "files"), obf_config=config, saved_path=str(path / "out"))
    other = loaded(path / "out" / "net_obf.ckpt")
    bias, head = net.blocks[0].first.bias.asnumpy(), net.head.weight.asnumpy()
    assert np.array_equal(other.blocks[0].first.bias.asnumpy(), bias[kept["obf_metadata_rows"]])
    assert np.allclose(other.head.weight.asnumpy(), kept["obf_metadata_matrix"].T @ head)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"target_modules": ["blocks/9", "first"]}, ValueError),
        ({"target_modules": ["blocks", "first", "some"]}, ValueError),
        ({"obfuscate_scale": 1}, ValueError),
    ],
)
def test_wrong_arguments(saved: Any, arguments: dict[str, Any], error: type) -> None:
    net, path = saved
    given = {
        "network": net,
        "ckpt_files": str(path / "files"),
        "target_modules": ["", "head"],
        "saved_path": str(path / "out"),
    }
    with pytest.raises(error):
        ms.obfuscate_ckpt(**{**given, **arguments})
