"""Networks converted for quantization-aware training by MindSpore 1.0's and by 1.1's names: what is replaced, names,
training, checkpoints.
"""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as mindspore
from mindspore_compat import Tensor, context, nn, ops
from mindspore_compat.compression.common.constant import QuantDtype
from mindspore_compat.compression.quant import (
    OptimizeOption,
    QuantizationAwareTraining,
    create_quant_config,
    load_nonquant_param_into_quant_net,
    query_quant_layers,
)
from mindspore_compat.compression.quant.quant_utils import compute_KL_threshold
from mindspore_compat.nn import FakeQuantWithMinMaxObserver
from mindspore_compat.train.quant import convert_quant_network
from tests.compression.nets import PIXELS, PlainLayers, Residual, trained

LEARNED = {
    "freeze_bn": 0,
    "symmetric": (True, True),
    "narrow_range": (True, True),
    "optimize_option": OptimizeOption.LEARNED_SCALE,
}


def learned(net: nn.Cell) -> nn.Cell:
    return QuantizationAwareTraining(per_channel=(True, False), **LEARNED).quantize(net)


CONVERTERS = {
    "1.0": convert_quant_network,
    "1.0 delayed and frozen": lambda net: convert_quant_network(net, quant_delay=(2, 3), freeze_bn=4),
    "1.0 unfolded": lambda net: convert_quant_network(net, bn_fold=False),
    "1.1": lambda net: QuantizationAwareTraining().quantize(net),
    "1.1 two convolutions": lambda net: QuantizationAwareTraining(one_conv_fold=False).quantize(net),
    "learned": learned,
}


PATHS = """\
train.quant: convert_quant_network export
train.quant.quant: convert_quant_network export
train.quant.quant_utils: load_nonquant_param_into_quant_net
compression.quant: QuantizationAwareTraining create_quant_config OptimizeOption query_quant_layers
compression.quant: load_nonquant_param_into_quant_net
compression.quant.qat: QuantizationAwareTraining create_quant_config
compression.quant.quantizer: OptimizeOption
compression.quant.quant_utils: query_quant_layers
compression.common: QuantDtype
compression.common.constant: QuantDtype
nn nn.layer.quant: Conv2dBnFoldQuantOneConv Conv2dBnFoldQuant Conv2dBnWithoutFoldQuant Conv2dQuant DenseQuant ActQuant
nn nn.layer.quant: TensorAddQuant MulQuant QuantBlock FakeQuantWithMinMaxObserver FakeQuantWithMinMax LeakyReLUQuant
nn nn.layer.quant: HSwishQuant HSigmoidQuant Conv2dBnAct DenseBnAct"""


def test_the_old_paths() -> None:
    for line in PATHS.split("\n"):
        places, names = (part.split() for part in line.split(":"))
        for place in places:
            module = importlib.import_module(f"mindspore_compat.{place}")
            assert all(callable(getattr(module, name)) for name in names)
    assert (
        mindspore.compression.quant.OptimizeOption is OptimizeOption
        and mindspore.train.quant.quant.convert_quant_network is convert_quant_network
    )


def classes(net: nn.Cell) -> dict[str, str]:
    return {path: type(cell).__name__ for path, cell in net.cells_and_names() if path}


@pytest.mark.parametrize(
    ("convert", "folded", "leaky"),
    [
        (convert_quant_network, "Conv2dBnFoldQuant", "LeakyReLUQuant"),
        (lambda net: convert_quant_network(net, bn_fold=False), "Conv2dBnWithoutFoldQuant", "LeakyReLUQuant"),
        (QuantizationAwareTraining().quantize, "Conv2dBnFoldQuantOneConv", "ActQuant"),
        (QuantizationAwareTraining(one_conv_fold=False).quantize, "Conv2dBnFoldQuant", "ActQuant"),
        (QuantizationAwareTraining(bn_fold=False).quantize, "Conv2dBnWithoutFoldQuant", "ActQuant"),
    ],
)
def test_what_is_replaced(convert: Any, folded: str, leaky: str) -> None:
    net = Residual("leakyrelu")
    assert convert(net) is net and net.cell_type == "quant"
    found = classes(net)
    assert (found["conv1.conv"], found["conv2.conv"], found["conv3.conv"]) == (folded, folded, "Conv2dQuant")
    assert (found["head.0.dense"], found["head.1.dense"]) == ("DenseQuant", "DenseQuant")
    assert (found["conv1.activation"], found["head.0.activation"]) == ("ActQuant", "ActQuant")
    assert found["conv2.activation"] == leaky
    assert found["conv3.activation"] == found["head.1.activation"] == found["add"] == "QuantAfter"
    assert not [path for path, name in found.items() if name in ("Conv2d", "Dense")]


def test_other_layers_stay_and_are_named(caplog: pytest.LogCaptureFixture) -> None:
    net = PlainLayers()
    with caplog.at_level(logging.WARNING, "mindspore_compat"):
        convert_quant_network(net)
    found = classes(net)
    assert (found["conv"], found["norm"], found["act"], found["dense"]) == ("Conv2d", "BatchNorm2d", "ReLU", "Dense")
    assert (found["fused.conv"], found["fused.activation"]) == ("Conv2dQuant", "ActQuant")
    assert "stay in floats, as in MindSpore 1.x: conv (Conv2d), dense (Dense)" in caplog.text


def test_operators_and_what_is_there_already() -> None:
    """Operators that are attributes; a layer of nn.layer.quant is not converted again; ``after_fake`` False adds no
    observer.
    """

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.sub, self.times, self.div, self.mean = ops.Sub(), ops.Mul(), ops.RealDiv(), ops.ReduceMean()
            self.tensor_add = nn.TensorAddQuant()
            self.dense = nn.DenseBnAct(4, 4, after_fake=False)

        def construct(self, x: Any) -> Any:
            return self.mean(self.div(self.times(self.sub(self.dense(x), 1.0), x), 2.0))

    old, new = convert_quant_network(Net()), QuantizationAwareTraining().quantize(Net())
    for net, wanted in ((old, "sub times div"), (new, "sub times div mean")):
        found = [name for name, cell in net.name_cells().items() if type(cell).__name__ == "QuantAfter"]
        assert found == wanted.split()
    names = [parameter.name for parameter in old.get_parameters() if parameter.name.endswith("minq")]
    assert names == [
        "tensor_add.fake_quant_act.minq",
        "dense.dense.fake_quant_weight.minq",
        "sub.fake_quant_act.minq",
        "mul.fake_quant_act.minq",
        "real_div.fake_quant_act.minq",
    ]
    assert not old.dense.has_act and np.isfinite(old(Tensor(np.ones((2, 4), np.float32))).asnumpy())


NAMES_1_0 = """conv1.conv.weight conv1.conv.bias conv1.conv.gamma conv1.conv.beta conv1.conv.moving_mean conv1.conv.moving_variance conv1.conv.step
conv1.conv.fake_quant_weight.minq conv1.conv.fake_quant_weight.maxq conv1.activation.fake_quant_act.minq conv1.activation.fake_quant_act.maxq
conv2.conv.weight conv2.conv.gamma conv2.conv.beta conv2.conv.moving_mean conv2.conv.moving_variance conv2.conv.step
conv2.conv.fake_quant_weight.minq conv2.conv.fake_quant_weight.maxq conv2.activation.fake_quant_act_before.minq
conv2.activation.fake_quant_act_before.maxq conv2.activation.fake_quant_act_after.minq conv2.activation.fake_quant_act_after.maxq
conv3.conv.weight conv3.conv.fake_quant_weight.minq conv3.conv.fake_quant_weight.maxq conv3.activation.fake_quant_act.minq
conv3.activation.fake_quant_act.maxq head.0.dense.weight head.0.dense.bias head.0.dense.fake_quant_weight.minq
head.0.dense.fake_quant_weight.maxq head.0.activation.fake_quant_act.minq head.0.activation.fake_quant_act.maxq head.1.dense.weight
head.1.dense.bias head.1.dense.fake_quant_weight.minq head.1.dense.fake_quant_weight.maxq head.1.activation.fake_quant_act.minq
head.1.activation.fake_quant_act.maxq tensor_add.fake_quant_act.minq tensor_add.fake_quant_act.maxq""".split()


def test_names_as_in_old_checkpoints() -> None:
    net = convert_quant_network(Residual("leakyrelu"))
    assert sorted(parameter.name for parameter in net.get_parameters()) == sorted(NAMES_1_0)
    later = {
        parameter.name for parameter in QuantizationAwareTraining().quantize(Residual("leakyrelu")).get_parameters()
    }
    assert later == (
        {name for name in NAMES_1_0 if "step" not in name and "_after" not in name and "tensor_add" not in name}
        | {
            f"{place}.{bound}"
            for place in ("conv2.activation.fake_quant_act", "add.fake_quant_act")
            for bound in ("minq", "maxq")
        }
    )
    ranges = [parameter for parameter in net.get_parameters() if parameter.name.endswith(("minq", "maxq", "step"))]
    assert not any(parameter.requires_grad for parameter in ranges) and not set(map(id, ranges)) & set(
        map(id, net.trainable_params())
    )


def test_parameters_stay_the_same_objects() -> None:
    net = Residual()
    before = {id(parameter): parameter.asnumpy().copy() for parameter in net.get_parameters()}
    after = {id(parameter): parameter.asnumpy() for parameter in convert_quant_network(net).get_parameters()}
    assert before.keys() <= after.keys() and all(np.array_equal(value, after[key]) for key, value in before.items())


@pytest.mark.parametrize("name", CONVERTERS)
def test_it_trains_and_a_checkpoint_goes_round(name: str, tmp_path: Path) -> None:
    """Ranges move in training and not in evaluation; they are in the checkpoint, from which another network computes
    the same.
    """
    net = CONVERTERS[name](Residual())
    first = [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    trained(net)
    assert sum(
        not np.array_equal(one, parameter.asnumpy()) for one, parameter in zip(first, net.get_parameters())
    ) > 0.7 * len(first)
    state = {parameter.name: parameter.asnumpy().copy() for parameter in net.get_parameters()}
    wanted = net(Tensor(PIXELS)).asnumpy()
    assert all(np.array_equal(parameter.asnumpy(), state[parameter.name]) for parameter in net.get_parameters())
    mindspore.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    loaded = mindspore.load_checkpoint(str(tmp_path / "net.ckpt"))
    assert set(loaded) == set(state)
    other = CONVERTERS[name](Residual())
    not_loaded = mindspore.load_param_into_net(other, loaded)
    assert not_loaded in ([], ([], [])) and np.array_equal(other(Tensor(PIXELS)).asnumpy(), wanted)


@pytest.mark.parametrize("name", CONVERTERS)
def test_both_modes_train_alike(name: str, request: pytest.FixtureRequest) -> None:
    before = context.get_context("mode")
    request.addfinalizer(lambda: context.set_context(mode=before))
    results = []
    for mode in (context.PYNATIVE_MODE, context.GRAPH_MODE):
        context.set_context(mode=mode)
        mindspore.set_seed(3)
        net = trained(CONVERTERS[name](Residual()), steps=6)
        results.append({parameter.name: parameter.asnumpy() for parameter in net.get_parameters()})
    for key, value in results[0].items():
        np.testing.assert_allclose(value, results[1][key], rtol=1e-4, atol=1e-5, err_msg=key)


def test_the_delay_and_the_freeze_reach_the_layers() -> None:
    net = convert_quant_network(
        Residual("leakyrelu"),
        quant_delay=[7, 9],
        freeze_bn=5,
        num_bits=(4, 8),
        per_channel=(True, False),
        symmetric=(True, False),
        narrow_range=(True, False),
    )
    weights = [cell for path, cell in net.cells_and_names() if path.endswith("fake_quant_weight")]
    results = [
        cell
        for _, cell in net.cells_and_names()
        if isinstance(cell, FakeQuantWithMinMaxObserver) and cell not in weights
    ]
    assert net.conv1.conv.freeze_bn == 5 and len(weights) == 5 and len(results) == 7
    assert {(c.quant_delay, c.num_bits, c.per_channel, c.symmetric, c.narrow_range, c.ema) for c in weights} == {
        (7, 4, True, True, True, False)
    }
    assert {(c.quant_delay, c.num_bits, c.per_channel, c.symmetric, c.narrow_range, c.ema) for c in results} == {
        (9, 8, False, False, False, True)
    }
    assert all(cell.starts_at_batch for cell in results) and not any(cell.starts_at_batch for cell in weights)


def test_before_the_delay_it_is_the_float_network_and_after_it_is_not() -> None:
    mindspore.set_seed(4)
    plain = Residual()
    mindspore.set_seed(4)
    delayed = QuantizationAwareTraining(quant_delay=2, bn_fold=False).quantize(Residual())
    plain.set_train()
    delayed.set_train()
    differences = [np.abs(delayed(Tensor(PIXELS)).asnumpy() - plain(Tensor(PIXELS)).asnumpy()).max() for _ in range(4)]
    assert max(differences[:2]) < 1e-5 and min(differences[2:]) > 1e-4


def test_a_float_checkpoint_into_a_quantizing_network(capsys: pytest.CaptureFixture[str]) -> None:
    """By kind and order, whatever the names are."""
    net = trained(Residual())
    state = {f"other.{name}": parameter for name, parameter in net.parameters_dict().items()}
    quant = convert_quant_network(Residual())
    load_nonquant_param_into_quant_net(quant, state, ["step"])
    for name, parameter in net.parameters_dict().items():
        assert np.array_equal(
            parameter.asnumpy(), quant.parameters_dict()[name.replace("batchnorm", "conv")].asnumpy()
        ), name
    assert "init model param conv1.conv.weight with checkpoint param other.conv1.conv.weight" in capsys.readouterr().out
    with pytest.raises(ValueError):  # no counterpart of the steps
        load_nonquant_param_into_quant_net(quant, state)
    with pytest.raises(ValueError):  # another shape
        load_nonquant_param_into_quant_net(quant, {"x.weight": Tensor(np.ones(3, np.float32))}, ["step"])


def test_observers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    query_quant_layers(QuantizationAwareTraining().quantize(Residual()))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and lines[0].split() == ["conv1.conv.fake_quant_weight", "INT8"]


def test_learned_scales_and_mixed_bits() -> None:
    quantizer = QuantizationAwareTraining(per_channel=(True, False), **LEARNED)
    net = quantizer.quantize(Residual())
    observers = [cell for _, cell in net.cells_and_names() if isinstance(cell, FakeQuantWithMinMaxObserver)]
    assert {cell.mode for cell in observers} == {"LEARNED_SCALE"}
    relu, rest = net.conv1.activation.fake_quant_act, net.add.fake_quant_act
    assert (relu.neg_trunc, relu.narrow_range, relu.max_init) == (True, False, 6) and (
        rest.neg_trunc,
        rest.max_init,
    ) == (False, 16)
    assert net.conv1.conv.fake_quant_weight.maxq.requires_grad
    weight = net.conv3.conv
    np.testing.assert_allclose(
        weight.fake_quant_weight.maxq.asnumpy(),
        [compute_KL_threshold(part, 8) for part in weight.weight.asnumpy()],
        rtol=1e-6,
    )
    quantizer.set_mixed_bits(net, [[8], [4], [2], [6], [8]])
    assert [
        cell.fake_quant_weight.num_bits
        for cell in (net.conv1.conv, net.conv2.conv, net.conv3.conv, net.head[0].dense, net.head[1].dense)
    ] == [8, 4, 2, 6, 8]
    assert np.isfinite(trained(net)(Tensor(PIXELS)).asnumpy()).all()
    with pytest.raises(ValueError):
        quantizer.set_mixed_bits(net, [[8]])
    with pytest.raises(ValueError):
        QuantizationAwareTraining().set_mixed_bits(net, [])


def test_learned_ranges_start_from_the_weights_that_are_loaded() -> None:
    floats = trained(Residual())
    net = learned(Residual())
    load_nonquant_param_into_quant_net(net, floats.parameters_dict())
    conv = net.conv1.conv
    factor = (conv.gamma.asnumpy() / np.sqrt(conv.moving_variance.asnumpy() + conv.eps)).reshape(-1, 1, 1, 1)
    wanted = [compute_KL_threshold(part, 8) for part in floats.conv1.conv.weight.asnumpy() * factor]
    np.testing.assert_allclose(conv.fake_quant_weight.maxq.asnumpy(), wanted, rtol=1e-6)
    before = net.conv3.conv.fake_quant_weight.maxq.asnumpy().copy()
    other = learned(Residual())
    load_nonquant_param_into_quant_net(other, net.parameters_dict())
    assert np.array_equal(other.conv3.conv.fake_quant_weight.maxq.asnumpy(), before)


def test_new_cells_are_in_the_mode_of_the_network() -> None:
    for training in (True, False):
        net = convert_quant_network(Residual().set_train(training))
        assert {cell.training for _, cell in net.cells_and_names()} == {training}


def test_where_to_clip_a_weight() -> None:
    """Few values: at the largest; many of a bell shape and few bits: below it; nearly nothing: the least bound."""
    rng = np.random.default_rng(0)
    few, many = rng.normal(0, 1, 50), rng.normal(0, 1, 100_000)
    assert compute_KL_threshold(few, QuantDtype.INT8) == pytest.approx(np.abs(few).max())
    assert 1 < compute_KL_threshold(many, 4) < np.abs(many).max()
    assert compute_KL_threshold(many * 0, 8) == 1e-5


def test_quant_dtype() -> None:
    assert [QuantDtype.INT4.num_bits, QuantDtype.UINT8.value, str(QuantDtype.INT8)] == [4, 8, "INT8"]
    assert (
        QuantDtype.is_signed(QuantDtype.INT3)
        and not QuantDtype.is_signed(QuantDtype.UINT3)
        and not QuantDtype.is_signed(QuantDtype.FLOAT16)
    )
    assert (
        QuantDtype.switch_signed(QuantDtype.INT7) is QuantDtype.UINT7
        and QuantDtype.switch_signed(QuantDtype.UINT2) is QuantDtype.INT2
    )
    assert FakeQuantWithMinMaxObserver(quant_dtype=QuantDtype.INT4).num_bits == 4
    config = create_quant_config(quant_dtype=QuantDtype.INT4, symmetric=[True], per_channel=(True, False))
    assert (
        config.weight().num_bits == 4
        and config.activation().symmetric
        and config.weight().per_channel
        and not config.activation().per_channel
    )


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: convert_quant_network(Residual(), num_bits=8.0), TypeError),
        (lambda: convert_quant_network(Residual(), quant_delay=-1), ValueError),
        (lambda: convert_quant_network(convert_quant_network(Residual())), ValueError),
    ],
)
def test_wrong_arguments(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()
