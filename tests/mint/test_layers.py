"""``mindspore.mint.nn`` against ``torch.nn`` with the same weights."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, mint
from mindspore_compat.mint.nn import __all__ as _names

LINE, IMAGE, CUBE, ROWS = (2, 4, 9), (2, 4, 6, 6), (2, 4, 4, 4, 4), (3, 5)
#: layer: [(arguments, shapes of the inputs)]; in torch it has the same name and arguments
CASES: dict[str, list[tuple[str, list[tuple[int, ...]]]]] = {
    "AdaptiveAvgPool1d": [("3", [LINE])],
    "AdaptiveAvgPool2d": [("3", [IMAGE]), ("(2, 3)", [IMAGE])],
    "AdaptiveAvgPool3d": [("2", [CUBE])],
    "AdaptiveMaxPool1d": [("3", [LINE]), ("3, True", [LINE])],
    "AdaptiveMaxPool2d": [("3", [IMAGE])],
    "AvgPool1d": [("2", [LINE]), ("3, 2, 1, True, False", [LINE])],
    "AvgPool2d": [("2", [IMAGE]), ("3, 2, 1, True, False", [IMAGE])],
    "AvgPool3d": [("2", [CUBE])],
    "BCEWithLogitsLoss": [("", [ROWS, ROWS]), ("reduction='sum'", [ROWS, ROWS])],
    "BatchNorm1d": [("4", [LINE]), ("5, momentum=None", [ROWS]), ("4, affine=False", [LINE])],
    "BatchNorm2d": [("4", [IMAGE]), ("4, 1e-3, 0.3, track_running_stats=False", [IMAGE])],
    "BatchNorm3d": [("4", [CUBE])],
    "ConstantPad1d": [("2, 1.5", [LINE]), ("(1, 2), 0.5", [LINE])],
    "ConstantPad2d": [("(1, 2, 0, 3), 0.5", [IMAGE])],
    "ConstantPad3d": [("1, 0.5", [CUBE])],
    "Conv1d": [("4, 6, 3", [LINE]), ("4, 6, 3, 2, 1, 1, 2, False", [LINE]), ("4, 6, 3, padding='same'", [LINE])],
    "Conv2d": [
        ("4, 6, 3", [IMAGE]),
        ("4, 6, 3, 2, 1, 2, 2", [IMAGE]),
        ("4, 6, 3, padding=1, padding_mode='reflect'", [IMAGE]),
        ("4, 6, (2, 3), padding='same', padding_mode='circular'", [IMAGE]),
    ],
    "Conv3d": [("4, 6, 2", [CUBE])],
    "ConvTranspose2d": [("4, 6, 3", [IMAGE]), ("4, 6, 3, 2, 1, 1, 2, False", [IMAGE])],
    "CrossEntropyLoss": [("", [ROWS, (3,)])],
    "NLLLoss": [("", [ROWS, (3,)])],
    "ELU": [("", [ROWS]), ("0.5", [ROWS])],
    "Embedding": [],
    "Flatten": [("", [IMAGE]), ("0, 1", [IMAGE])],
    "Fold": [("(6, 6), 3", [(2, 36, 16)])],
    "GELU": [("", [ROWS]), ("'tanh'", [ROWS])],
    "GLU": [("1", [(3, 6)])],
    "GroupNorm": [("2, 4", [IMAGE])],
    "LayerNorm": [("(6,)", [IMAGE]), ("(6, 6), elementwise_affine=False", [IMAGE])],
    "Hardshrink": [("", [ROWS])],
    "Hardsigmoid": [("", [ROWS])],
    "Hardswish": [("", [ROWS])],
    "Hardtanh": [("-0.5, 0.5", [ROWS])],
    "Identity": [("", [ROWS])],
    "L1Loss": [("", [ROWS, ROWS])],
    "Linear": [("5, 7", [ROWS]), ("5, 7, False", [ROWS])],
    "LogSigmoid": [("", [ROWS])],
    "LogSoftmax": [("1", [ROWS])],
    "MSELoss": [("", [ROWS, ROWS])],
    "MaxPool2d": [("2", [IMAGE]), ("3, 2, 1", [IMAGE])],
    "Mish": [("", [ROWS])],
    "PReLU": [("", [ROWS]), ("4", [IMAGE])],
    "PixelShuffle": [("2", [IMAGE])],
    "ReLU": [("", [ROWS])],
    "ReLU6": [("", [ROWS])],
    "ReflectionPad1d": [("2", [LINE])],
    "ReflectionPad2d": [("(1, 2, 0, 1)", [IMAGE])],
    "ReflectionPad3d": [("1", [CUBE])],
    "ReplicationPad1d": [("2", [LINE])],
    "ReplicationPad2d": [("1", [IMAGE])],
    "ReplicationPad3d": [("1", [CUBE])],
    "SELU": [("", [ROWS])],
    "SiLU": [("", [ROWS])],
    "Sigmoid": [("", [ROWS])],
    "SmoothL1Loss": [("", [ROWS, ROWS]), ("'sum', 0.5", [ROWS, ROWS])],
    "Softmax": [("1", [ROWS])],
    "Softshrink": [("", [ROWS])],
    "SyncBatchNorm": [("4", [IMAGE])],
    "Tanh": [("", [ROWS])],
    "Threshold": [("0.1, 2.0", [ROWS])],
    "Unfold": [("3", [IMAGE])],
    "Upsample": [("scale_factor=2.0", [IMAGE]), ("(9, 9), mode='bilinear'", [IMAGE])],
    "UpsamplingBilinear2d": [("(9, 9)", [IMAGE])],
    "UpsamplingNearest2d": [("(9, 9)", [IMAGE])],
    "ZeroPad1d": [("2", [LINE])],
    "ZeroPad2d": [("1", [IMAGE])],
    "ZeroPad3d": [("1", [CUBE])],
}
#: tested by hand below, or by the function that they are (test_functions.py)
OTHERS = "BCELoss CosineEmbeddingLoss Dropout Dropout2d KLDivLoss MaxUnpool2d SoftMarginLoss".split()


def test_every_layer_has_a_case() -> None:
    made = {*_names} - {"Cell", "functional"}
    assert made - {*CASES, *OTHERS} == set()


def _flat(value: Any) -> list[Any]:
    return [value] if isinstance(value, torch.Tensor) else list(value)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    "case", [(name, *case) for name, cases in CASES.items() for case in cases], ids=lambda case: f"{case[0]}({case[1]})"
)
def test_layers_are_torchs(case: Any, training: bool) -> None:
    name, arguments, shapes = case
    ours = eval(f"layer({arguments})", {"layer": getattr(mint.nn, name)}).set_train(training)
    kind = {"SyncBatchNorm": "BatchNorm2d"}.get(name, name)
    by_name = {"'sum', 0.5": "reduction='sum', beta=0.5", "'tanh'": "approximate='tanh'"}
    theirs = eval(f"layer({by_name.get(arguments, arguments)})", {"layer": getattr(torch.nn, kind)}).train(training)
    theirs.load_state_dict(
        {parameter.name: torch.from_numpy(parameter.asnumpy().copy()) for parameter in ours.get_parameters()}
    )
    random = np.random.RandomState(0)
    inputs = [random.randn(*shape).astype(np.float32) for shape in shapes]
    if name in ("CrossEntropyLoss", "NLLLoss"):
        inputs[1] = random.randint(0, 5, shapes[1]).astype(np.int64)
    for _ in range(2):  # running averages
        found = ours(*map(Tensor, inputs))
        expected = theirs(*map(torch.from_numpy, inputs))
    for a, b in zip(_flat(found), _flat(expected), strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.detach().numpy(), 1e-5, 1e-5)
    for parameter in ours.get_parameters():
        np.testing.assert_allclose(parameter.asnumpy(), theirs.state_dict()[parameter.name].numpy(), 1e-5, 1e-6)


def test_initial_values_are_torchs() -> None:
    """Their bounds: uniform up to 1 / sqrt(fan_in)."""
    layer = mint.nn.Conv2d(8, 16, 3)
    for parameter in (layer.weight, layer.bias):
        values = np.abs(parameter.asnumpy())
        assert 0.7 / np.sqrt(72) < values.max() <= 1 / np.sqrt(72)
    embedding = mint.nn.Embedding(200, 50, padding_idx=3)
    assert abs(embedding.weight.asnumpy().std() - 1) < 0.05
    assert not embedding.weight.asnumpy()[3].any()


def test_embedding_and_dropout() -> None:
    layer = mint.nn.Embedding(4, 3)
    assert np.array_equal(layer(Tensor([2, 0])).asnumpy(), layer.weight.asnumpy()[[2, 0]])
    dropout = mint.nn.Dropout(0.5)
    x = Tensor(np.ones((10, 10), np.float32))
    assert np.array_equal(dropout.set_train(False)(x).asnumpy(), x.asnumpy())
    assert set(np.unique(dropout.set_train()(x).asnumpy())) == {0.0, 2.0}
    whole = mint.nn.Dropout2d(0.5).set_train()(Tensor(np.ones((4, 5, 3, 3), np.float32))).asnumpy()
    assert all(len(np.unique(channel)) == 1 for image in whole for channel in image)


def test_transposed_convolution_to_a_size() -> None:
    layer = mint.nn.ConvTranspose2d(2, 3, 3, 2, 1)
    assert layer(Tensor(np.ones((1, 2, 4, 4), np.float32)), (8, 8)).shape == (1, 3, 8, 8)


def test_they_train_under_model() -> None:
    import mindspore_compat.dataset as ds

    net = ms.nn.SequentialCell(mint.nn.Linear(4, 8), mint.nn.ReLU(), mint.nn.Linear(8, 2))
    rows = np.random.RandomState(0).randn(32, 4).astype(np.float32)
    labels = (rows[:, 0] > 0).astype(np.int32)
    model = ms.Model(net, mint.nn.CrossEntropyLoss(), ms.nn.Momentum(net.trainable_params(), 0.1, 0.9))
    before = model.train_network(Tensor(rows), Tensor(labels))
    model.train(20, ds.NumpySlicesDataset((rows, labels)).batch(8))
    assert model.train_network(Tensor(rows), Tensor(labels)) < before / 2


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: mint.nn.Conv2d(3, 4, 3, groups=2), ValueError),
        (lambda: mint.nn.Embedding(3, 4, padding_idx=5), ValueError),
    ],
)
def test_wrong_arguments(make: Any, error: type) -> None:
    with pytest.raises(error):
        make()


def test_signatures() -> None:
    assert str(inspect.signature(mint.nn.Softmax)) == "(dim=None)"
    assert list(inspect.signature(mint.nn.Conv1d).parameters)[:3] == ["in_channels", "out_channels", "kernel_size"]


@pytest.mark.parametrize("mode", ["zeros", "reflect"])
def test_convolutions_keep_their_function_for_layers_derived_from_them(mode: str) -> None:
    class Doubled(mint.nn.Conv2d):
        def construct(self, x: Any) -> Any:
            padding: Any = self.padding
            if self.padding_mode != "zeros":
                x, padding = mint.nn.functional.pad(x, self._reversed_padding, self.padding_mode), 0
            return self.conv2d(x, self.weight * 2, self.bias, self.stride, padding, self.dilation, self.groups)

    layer = Doubled(4, 3, 3, padding=(1, 2), bias=False, padding_mode=mode)
    assert layer._reversed_padding == (2, 2, 1, 1)
    x = Tensor(np.random.default_rng(0).normal(size=IMAGE).astype(np.float32))
    assert np.allclose(layer(x).asnumpy(), 2 * mint.nn.Conv2d.construct(layer, x).asnumpy(), atol=1e-5)
    assert mint.nn.Conv1d.conv1d is mint.nn.functional.conv1d and mint.nn.Conv3d.conv3d is mint.nn.functional.conv3d


@pytest.mark.parametrize("momentum", [None, 0.1])
def test_averages_that_a_program_replaces_by_parameters_move(momentum: float | None) -> None:
    x = ms.Tensor(np.random.RandomState(0).rand(6, 2), ms.float32)
    own, replaced = (mint.nn.BatchNorm1d(2, affine=False, momentum=momentum) for _ in range(2))
    replaced.running_mean = ms.Parameter(ms.Tensor([0.0, 0.0], ms.float32))
    replaced.running_var = ms.Parameter(ms.Tensor([1.0, 1.0], ms.float32))
    for net in (own, replaced):
        net.set_train()
    of_own, of_replaced = (ms.grad(lambda x, net=net: (net(x) ** 3).sum())(x).asnumpy() for net in (own, replaced))
    np.testing.assert_array_equal(of_replaced, of_own)
    np.testing.assert_array_equal(replaced.running_mean.asnumpy(), own.running_mean.asnumpy())
    np.testing.assert_array_equal(replaced.running_var.asnumpy(), own.running_var.asnumpy())
    assert own.running_mean.asnumpy().any()


def test_an_output_size_of_max_unpool() -> None:
    pooled, places = Tensor(np.full((1, 1, 2, 2), 2.0, np.float32)), Tensor([[[[0, 2], [10, 12]]]], ms.int64)
    found = mint.nn.MaxUnpool2d(2)(pooled, places, (5, 5))
    assert found.shape == (1, 1, 5, 5)
    assert found.asnumpy().ravel().nonzero()[0].tolist() == [0, 2, 10, 12]
