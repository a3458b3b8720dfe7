"""Checkpoint maps on small networks with the layers of the published ones: the outputs are the same, and the way back
gives the same file.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import load_checkpoint, nn, ops, save_checkpoint
from mindspore_compat.train.checkpoint_maps import convert_checkpoint, match_arithmetic
from tests.projects.map_networks import torchvision_models


def _rules(**more: Any) -> dict[str, Any]:
    return {"version": 1, "rules": [], **more}


def _randomize(net: nn.Cell) -> None:
    for parameter in net.get_parameters():
        own = parameter.name.rpartition(".")[2]
        low, high = (0.5, 1.5) if own in ("gamma", "moving_variance") else (-0.4, 0.4)
        parameter.set_data(ms.Tensor(np.random.uniform(low, high, tuple(parameter.shape)).astype(np.float32)))


def _difference(expected: Any, found: torch.Tensor) -> float:
    expected = torch.from_numpy(expected.asnumpy())
    assert expected.shape == found.shape and expected.std() > 1e-3
    return float((expected - found).abs().max() / expected.abs().max())


class _Block(nn.Cell):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, "pad", 1)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, "pad", 1)
        self.bn2 = nn.BatchNorm2d(outside)
        self.down_sample = (
            nn.SequentialCell([nn.Conv2d(inside, outside, 1, stride), nn.BatchNorm2d(outside)]) if stride > 1 else None
        )

    def construct(self, x: Any) -> Any:
        y = self.bn2(self.conv2(ops.relu(self.bn1(self.conv1(x)))))
        return ops.relu(y + (x if self.down_sample is None else self.down_sample(x)))


class _ResNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 7, 2, "pad", 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.max_pool = nn.MaxPool2d(3, 2, "same")
        self.layer1 = nn.SequentialCell([_Block(4, 4, 1)])
        self.layer2 = nn.SequentialCell([_Block(4, 8, 2), _Block(8, 8, 1)])
        self.classifier = nn.Dense(8, 5)

    def construct(self, x: Any) -> Any:
        x = self.max_pool(ops.relu(self.bn1(self.conv1(x))))
        return self.classifier(self.layer2(self.layer1(x)).mean((2, 3)))


class _TorchBlock(torch.nn.Module):
    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.conv1 = torch.nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(outside)
        self.conv2 = torch.nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = torch.nn.BatchNorm2d(outside)
        self.downsample = (
            torch.nn.Sequential(torch.nn.Conv2d(inside, outside, 1, stride, bias=False), torch.nn.BatchNorm2d(outside))
            if stride > 1
            else None
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        return (y + (x if self.downsample is None else self.downsample(x))).relu()


class _TorchResNet(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = torch.nn.Conv2d(3, 4, 7, 2, 3, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(4)
        self.maxpool = torch.nn.MaxPool2d(3, 2, 1)
        self.layer1 = torch.nn.Sequential(_TorchBlock(4, 4, 1))
        self.layer2 = torch.nn.Sequential(_TorchBlock(4, 8, 2), _TorchBlock(8, 8, 1))
        self.fc = torch.nn.Linear(8, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(self.layer2(self.layer1(self.maxpool(self.bn1(self.conv1(x)).relu()))).mean((2, 3)))


def test_a_residual_network_computes_the_same(tmp_path: Path) -> None:
    net, twin = _ResNet(), _TorchResNet()
    _randomize(net)
    net.set_train(False)
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    done = convert_checkpoint(tmp_path / "a.ckpt", "mindcv-resnet-torchvision", tmp_path / "a.pth", like=twin)
    twin.load_state_dict(torch.load(tmp_path / "a.pth", weights_only=True), strict=True)
    twin.eval()
    even, odd = (np.random.randn(2, 3, size, size).astype(np.float32) for size in (32, 33))
    with torch.no_grad():
        assert _difference(net(ms.Tensor(odd)), twin(torch.from_numpy(odd))) < 1e-5
        assert _difference(net(ms.Tensor(even)), twin(torch.from_numpy(even))) > 1e-2  # the max pool pads otherwise
        assert match_arithmetic(twin, "mindcv-resnet-torchvision") == ["maxpool: pad_mode = 'same'"]
        assert match_arithmetic(twin, "mindcv-resnet-torchvision") == []
        for array in (odd, even):
            assert _difference(net(ms.Tensor(array)), twin(torch.from_numpy(array))) < 1e-5
    assert done.report["like"]["made by the network"] and all(
        "num_batches_tracked" in name for name in done.report["like"]["made by the network"]
    )
    convert_checkpoint(twin.state_dict(), "mindcv-resnet-torchvision", tmp_path / "b.ckpt", reverse=True, like=net)
    assert (tmp_path / "b.ckpt").read_bytes() == (tmp_path / "a.ckpt").read_bytes()


class _ZooAttention(nn.Cell):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Dense(width, width) for _ in range(4))

    def construct(self, x: Any) -> Any:
        n, length, width = x.shape
        q, k, v = (
            layer(x).reshape((n, length, self.heads, -1)).transpose((0, 2, 1, 3))
            for layer in (self.to_q, self.to_k, self.to_v)
        )
        weights = ops.softmax(ops.matmul(q, k.transpose((0, 1, 3, 2))) / math.sqrt(width // self.heads), -1)
        return self.to_out(ops.matmul(weights, v).transpose((0, 2, 1, 3)).reshape((n, length, width)))


class _Inner(nn.Cell):
    """A dense layer that the zoo keeps one level down."""

    def __init__(self, inside: int, outside: int) -> None:
        super().__init__()
        self.dense = nn.Dense(inside, outside)

    def construct(self, x: Any) -> Any:
        return self.dense(x)


class _FeedForward(nn.Cell):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.ff1, self.ff2, self.activation = _Inner(width, hidden), _Inner(hidden, width), nn.GELU()

    def construct(self, x: Any) -> Any:
        return self.ff2(self.activation(self.ff1(x)))


class _Residual(nn.Cell):
    def __init__(self, *cells: nn.Cell) -> None:
        super().__init__()
        self.cell = nn.SequentialCell(list(cells))

    def construct(self, x: Any) -> Any:
        return self.cell(x) + x


class _ZooViT(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.cls_token = ms.Parameter(np.zeros((1, 1, 8), np.float32), name="cls")
        self.pos_embedding = ms.Parameter(np.zeros((1, 5, 8), np.float32), name="pos_embedding")
        stem, body = nn.Cell(), nn.Cell()  # a name gets its prefix when the cell is given to another
        stem.patch_to_embedding = _Inner(48, 8)
        self.stem = stem
        body.layers = nn.SequentialCell(
            [
                nn.SequentialCell(
                    [
                        _Residual(nn.LayerNorm((8,)), _ZooAttention(8, 2)),
                        _Residual(nn.LayerNorm((8,)), _FeedForward(8, 12)),
                    ]
                )
                for _ in range(2)
            ]
        )
        self.body = body
        self.norm = nn.LayerNorm((8,))
        self.head = nn.SequentialCell([nn.Dense(8, 3)])

    def construct(self, image: Any) -> Any:
        n = image.shape[0]
        x = image.reshape((n, 3, 2, 4, 2, 4)).transpose((0, 2, 4, 1, 3, 5)).reshape((n, 4, 48))
        x = ops.cat((self.cls_token.broadcast_to((n, 1, 8)), self.stem.patch_to_embedding(x)), 1) + self.pos_embedding
        return self.head(self.norm(self.body.layers(x))[:, 0])


class _EncoderBlock(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(8, 1e-6), torch.nn.LayerNorm(8, 1e-6)
        self.self_attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(8, 12), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Linear(12, 8), torch.nn.Dropout()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.ln_1(x)
        x = x + self.self_attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class _TorchViT(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.class_token = torch.nn.Parameter(torch.zeros(1, 1, 8))
        self.conv_proj = torch.nn.Conv2d(3, 8, 4, 4)
        self.encoder = torch.nn.Module()
        self.encoder.pos_embedding = torch.nn.Parameter(torch.zeros(1, 5, 8))
        self.encoder.layers = torch.nn.Sequential()
        for number in range(2):
            self.encoder.layers.add_module(f"encoder_layer_{number}", _EncoderBlock())
        self.encoder.ln = torch.nn.LayerNorm(8, 1e-6)
        self.heads = torch.nn.Module()
        self.heads.head = torch.nn.Linear(8, 3)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.conv_proj(image).flatten(2).transpose(1, 2)
        x = torch.cat((self.class_token.expand(len(x), -1, -1), x), 1) + self.encoder.pos_embedding
        return self.heads.head(self.encoder.ln(self.encoder.layers(x))[:, 0])


def test_a_vision_transformer_computes_the_same(tmp_path: Path) -> None:
    """Patches cut by hand against a convolution, three dense layers against one, and back."""
    net, twin = _ZooViT(), _TorchViT()
    _randomize(net)
    net.set_train(False)
    save_checkpoint(net, str(tmp_path / "a.ckpt"))
    convert_checkpoint(tmp_path / "a.ckpt", "zoo-vit-torchvision", tmp_path / "a.safetensors", like=twin)
    from safetensors.torch import load_file

    twin.load_state_dict(load_file(tmp_path / "a.safetensors"), strict=True)
    twin.eval()
    assert len(match_arithmetic(twin, "zoo-vit-torchvision")) == 7  # five norms, two GELUs
    image = np.random.randn(2, 3, 8, 8).astype(np.float32)
    with torch.no_grad():
        assert _difference(net(ms.Tensor(image)), twin(torch.from_numpy(image))) < 1e-5
    convert_checkpoint(tmp_path / "a.safetensors", "zoo-vit-torchvision", tmp_path / "b.ckpt", reverse=True, like=net)
    assert (tmp_path / "b.ckpt").read_bytes() == (tmp_path / "a.ckpt").read_bytes()


# --- arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "stride", "dilation"), [(3, 2, 1), (7, 2, 1), (5, 2, 1), (3, 3, 1), (3, 2, 2), (1, 2, 1), (2, 2, 1)]
)
def test_padding_is_that_of_pad_mode_same(kernel: int, stride: int, dilation: int) -> None:
    rules = _rules(arithmetic=[{"module": "Conv2d", "path": ".*", "pad_mode": "same"}])
    cell = nn.Conv2d(2, 3, kernel, stride, "same", dilation=dilation)
    layer = torch.nn.Conv2d(2, 3, kernel, stride, kernel // 2, dilation, bias=False)
    layer.load_state_dict({"weight": torch.from_numpy(cell.weight.asnumpy())})
    match_arithmetic(torch.nn.Sequential(layer), rules)
    for height in range(7, 12):
        image = np.random.randn(1, 2, height, height + 1).astype(np.float32)
        expected = cell(ms.Tensor(image)).asnumpy()
        np.testing.assert_allclose(layer(torch.from_numpy(image)).detach().numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "row",
    [
        {"module": "Conv2d", "path": ".*", "pad_mode": "same"},
        {"module": "Linear", "path": "nowhere", "set": {}},
        {"module": "Linear", "path": ".*", "set": {"eps": 1}},
        {"module": "Linear", "path": ".*"},
        {"module": "Linear", "path": ".*", "pad_mode": "same"},
    ],
)
def test_arithmetic_that_does_not_fit(row: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        match_arithmetic(torch.nn.Sequential(torch.nn.Linear(2, 2)), _rules(arithmetic=[row]))


# --- the libraries themselves -----------------------------------------------------------------------------------------


def test_transformers_loads_the_file(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    if importlib.util.find_spec("torchvision") is not None:
        torchvision_models()  # transformers imports it
    config = transformers.BertConfig(
        vocab_size=30,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=12,
        max_position_embeddings=10,
    )
    net = transformers.BertModel(config)
    save_checkpoint(
        {
            name: value.numpy()
            for name, value in convert_checkpoint(
                net.state_dict(), "zoo-bert-transformers", reverse=True
            ).values.items()
        },
        str(tmp_path / "bert.ckpt"),
    )
    assert "bert_encoder.layers.1.attention.attention.key_layer.bias" in load_checkpoint(str(tmp_path / "bert.ckpt"))
    convert_checkpoint(tmp_path / "bert.ckpt", "zoo-bert-transformers", tmp_path / "model.safetensors")
    config.save_pretrained(tmp_path)
    loaded, told = transformers.BertModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(told[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    assert all(torch.equal(value, loaded.state_dict()[name]) for name, value in net.state_dict().items())
